//! The same query gives the same bits: one hash over many verdicts, on any number of threads, in any build.
//!
//! The hash is recorded here, so debug and release builds are compared with each other; the test itself switches vector instructions off
//! and on. It changes if any verdict changes, even in the last bit of a bracket:
//! then check that the change is intended, record the new hash here, and list the changed verdicts in the changelog.

use impinge::math::Pose;
use impinge::query::{Bound, Engine};
use impinge::{Checker, Options, Scene, Verdict};
use impinge_io::example::arm_in_plant;
use impinge_testkit::generate::{grazing, rigid, robot};
use impinge_testkit::judge::options;
use impinge_testkit::scene::Question;
use impinge_testkit::{Random, World};

const HASH: u64 = 0xfb7c_933a_6563_83a2;

/// FNV-1a over numbers.
struct Hash(u64);

impl Hash {
    const EMPTY: Hash = Hash(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn verdict(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Free => self.add(1),
            Verdict::Undecided { free_until } => self.numbers(&[2.0, *free_until]),
            Verdict::Contact(c) => {
                self.numbers(&[3.0, c.time.0, c.time.1, c.free_until]);
                self.numbers(&c.point.to_array());
                for feature in [c.features.0, c.features.1] {
                    self.add(feature.triangle as u64);
                    self.add(feature.corner as u64);
                }
            }
        }
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.add(x.to_bits()));
    }
}

/// Returns the verdicts for one world: the first contact and any contact, by every engine.
fn of_world(world: &World) -> u64 {
    let mut hash = Hash::EMPTY;
    let engines = [Engine::Auto, Engine::Sweep, Engine::Boxes, Engine::Hulls].map(|engine| options(0.0).engine(engine));
    for asked in engines.into_iter().chain([options(0.0).bound(Bound::Interval), options(0.01)]) {
        let question = Question::new(world, asked).expect("a world that the core accepts");
        hash.verdict(&question.first().0);
        hash.verdict(&question.any().0);
    }
    hash.0
}

/// Returns the world of a number.
fn world(i: u64) -> World {
    let random = &mut Random::new(i / 3);
    match i % 3 {
        0 => rigid(random),
        1 => robot(random),
        _ if i.is_multiple_of(10) => grazing(random),
        _ => rigid(random),
    }
}

/// Returns one hash over all verdicts, computed on this many threads.
fn of_all(threads: u64) -> u64 {
    const WORLDS: u64 = 150;
    let mut hashes = vec![0; WORLDS as usize];
    std::thread::scope(|scope| {
        let run = |k: u64| (k..WORLDS).step_by(threads as usize).map(|i| (i, of_world(&world(i)))).collect::<Vec<_>>();
        let all: Vec<_> = (0..threads).map(|k| scope.spawn(move || run(k))).collect();
        for (i, hash) in all.into_iter().flat_map(|thread| thread.join().expect("no panic")) {
            hashes[i as usize] = hash;
        }
    });
    let mut hash = Hash::EMPTY;
    hashes.into_iter().for_each(|h| hash.add(h));
    hash.0
}

/// The built-in example.
fn of_the_arm() -> u64 {
    let example = arm_in_plant();
    let scene = Scene::builder().robot("arm", example.robot).obstacle("plant", example.plant, Pose::IDENTITY);
    let checker = Checker::new(scene.build().expect("a scene"), Options::default()).expect("good options");
    let arm = checker.scene().robot("arm").expect("there");
    let mut hash = Hash::EMPTY;
    for (from, to) in &example.motions {
        let motion = checker.scene().motion().joint_line(arm, from, to).build().expect("finite");
        hash.verdict(&checker.first_contact(&motion).expect("of this scene"));
        hash.verdict(&checker.check(&motion).expect("of this scene"));
    }
    hash.0
}

#[test]
fn one_hash_over_all_answers() {
    let one = of_all(1);
    assert_eq!((of_all(2), of_all(8), of_all(32)), (one, one, one), "threads change an answer");
    let arm = of_the_arm();
    impinge::math::use_portable(true);
    assert_eq!((of_all(2), of_the_arm()), (one, arm), "vector instructions change an answer");
    impinge::math::use_portable(false);
    let mut hash = Hash(one);
    hash.add(arm);
    assert_eq!(hash.0, HASH, "answers changed: {:#018x} is their hash now", hash.0);
}
