//! Deforming bodies: vertices on straight lines, against parts at rest, moving parts, and each other.

use std::sync::Arc;

use impinge::math::Vec3;
use impinge::query::{Checker, Options};
use impinge::{Mesh, Pose, Primitive, RigidMotion, Scene, Shape, Verdict};
use impinge_testkit::measure::{Gap, Measured, gap_between};
use impinge_testkit::place::{Rigid, turn_about};
use impinge_testkit::world::Soup;
use impinge_testkit::{Place, Random, Solid};

fn point(random: &mut Random, size: f64) -> Vec3 {
    Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size))
}

/// Uses grid points sometimes: shared coordinates, parallel edges, coplanar faces.
fn corner(random: &mut Random, grid: bool) -> Vec3 {
    let p = point(random, 1.0);
    if grid { Vec3::new((p.x * 3.0).round() / 2.0, (p.y * 3.0).round() / 2.0, (p.z * 3.0).round() / 2.0) } else { p }
}

fn soup(random: &mut Random, n: usize, at: Vec3, grid: bool) -> Mesh {
    let vertices: Vec<Vec3> = (0..3 * n).map(|_| at + corner(random, grid)).collect();
    let triangles = (0..n as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(vertices, triangles).expect("finite")
}

fn moved(random: &mut Random, mesh: &Mesh, by: Vec3, grid: bool) -> Vec<Vec3> {
    mesh.vertices().iter().map(|&v| v + by + corner(random, grid) * 0.5).collect()
}

/// Returns a mesh with other vertices, for measuring.
fn measured(mesh: &Mesh, vertices: Vec<Vec3>) -> Measured {
    Measured::new(&Solid::Mesh(Arc::new(Soup { vertices, triangles: mesh.triangles().to_vec() })))
}

fn at(start: &[Vec3], end: &[Vec3], t: f64) -> Vec<Vec3> {
    start.iter().zip(end).map(|(&a, &b)| a + (b - a) * t).collect()
}

/// Checks that no sample before the bracket is in contact, a sample within it is, and a free verdict has no sample in contact.
fn judge(verdict: &Verdict, margin: f64, gap: impl Fn(f64) -> Gap) -> Result<(), String> {
    let until = match verdict {
        Verdict::Free => 1.0,
        Verdict::Contact(c) => c.time.0,
        Verdict::Undecided { free_until } => *free_until,
    };
    for i in 0..=400 {
        let t = f64::from(i) / 400.0;
        if t < until && gap(t).at_most <= margin - 1e-12 {
            return Err(format!("{verdict:?}, but the gap at {t} is {:?}", gap(t)));
        }
    }
    match verdict {
        Verdict::Contact(c) if gap(c.time.1).at_least > margin + 2e-9 => {
            Err(format!("no contact at {:?}: {:?}", c.time, gap(c.time.1)))
        }
        Verdict::Contact(c) if c.time.1 - c.time.0 > 1e-6 => Err(format!("wide: {:?}", c.time)),
        Verdict::Undecided { .. } => Err(format!("{verdict:?}")),
        _ => Ok(()),
    }
}

#[test]
fn two_deforming_soups() {
    let mut contacts = 0;
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let grid = seed % 3 == 0;
        let margin = if seed % 5 == 4 { 0.05 } else { 0.0 };
        let (a, b) =
            (soup(&mut random, 4, Vec3::new(-2.0, 0.0, 0.0), grid), soup(&mut random, 4, Vec3::new(1.0, 0.0, 0.0), grid));
        let (a1, b1) = (moved(&mut random, &a, Vec3::new(2.5, 0.0, 0.0), grid), moved(&mut random, &b, Vec3::ZERO, grid));
        let (a, b) = (Arc::new(a), Arc::new(b));
        let scene = Scene::builder().deformable("a", a.clone()).deformable("b", b.clone()).build().expect("a scene");
        let (ia, ib) = (scene.deformable("a").expect("a"), scene.deformable("b").expect("b"));
        let checker = Checker::new(scene, Options::default().margin(margin)).expect("a checker");
        let motion = checker.scene().motion().vertex_lines(ia, &a1).vertex_lines(ib, &b1).build().expect("a motion");
        let verdict = checker.first_contact(&motion).expect("of this scene");
        contacts += usize::from(verdict.contact().is_some());
        let gap = |t: f64| {
            let (x, y) = (measured(&a, at(a.vertices(), &a1, t)), measured(&b, at(b.vertices(), &b1, t)));
            gap_between((&x, &Rigid::STILL), (&y, &Rigid::STILL), f64::INFINITY)
        };
        judge(&verdict, margin, gap).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        if let Some(c) = verdict.contact() {
            assert!(!checker.all_at(&motion, c.time).expect("of this scene").is_empty(), "seed {seed}: nothing touches");
        }
        assert_eq!(checker.check(&motion).expect("of this scene").is_free(), verdict.is_free());
    }
    assert!(contacts > 30, "{contacts} contacts");
}

/// A rotating rigid body and an obstacle, relative to a deforming body; also cylinders and spheres.
#[test]
fn a_deforming_soup_and_a_turning_body() {
    let (mut contacts, mut frees) = (0, 0);
    for seed in 0..120 {
        let mut random = Random::new(1000 + seed);
        let soft = Arc::new(soup(&mut random, 3, Vec3::new(-2.0, 0.0, 0.0), false));
        let end = moved(&mut random, &soft, Vec3::new(2.0, 0.0, 0.0), false);
        let primitive = match seed % 4 {
            0 => Some(Primitive::Sphere { radius: 0.3 }),
            1 => Some(Primitive::Cylinder { radius: 0.2, half_length: 0.4 }),
            2 => Some(Primitive::Capsule { radius: 0.1, half_length: 0.4 }),
            _ => None,
        };
        let mesh = soup(&mut random, 2, Vec3::ZERO, false);
        let other = primitive.map_or_else(|| measured(&mesh, mesh.vertices().to_vec()), |p| Measured::new(&Solid::Primitive(p)));
        let shape: Shape = primitive.map_or_else(|| mesh.into(), Shape::from);
        let place = Place { xyz: Vec3::new(1.0, 0.0, 0.0) + point(&mut random, 0.5), rpy: point(&mut random, 1.0) };
        let start = Pose::from_rpy(place.xyz, place.rpy).expect("finite");
        let rests = seed % 8 >= 4;
        let (travel, turn) = if rests { (Vec3::ZERO, Vec3::ZERO) } else { (point(&mut random, 0.5), point(&mut random, 2.0)) };
        let builder = Scene::builder().deformable("soft", soft.clone());
        let scene = if rests { builder.obstacle("b", shape, start) } else { builder.body("b", shape) };
        let scene = scene.build().expect("a scene");
        let (s, b) = (scene.deformable("soft").expect("soft"), scene.body("b"));
        let checker = Checker::new(scene, Options::default()).expect("a checker");
        let rigid = RigidMotion { start, end_position: start.translation + travel, rotation_vector: turn };
        let motion = checker.scene().motion().vertex_lines(s, &end);
        let motion = if let Some(b) = b { motion.rigid(b, rigid) } else { motion };
        let verdict = checker.first_contact(&motion.build().expect("a motion")).expect("of this scene");
        contacts += usize::from(verdict.contact().is_some());
        frees += usize::from(verdict.is_free());
        let gap = |t: f64| {
            let turned = if turn == Vec3::ZERO {
                Rigid::from(place).turn
            } else {
                turn_about(turn, t * turn.norm()) * Rigid::from(place).turn
            };
            let (soft, there) =
                (measured(&soft, at(soft.vertices(), &end, t)), Rigid { turn: turned, shift: place.xyz + travel * t });
            gap_between((&soft, &Rigid::STILL), (&other, &there), f64::INFINITY)
        };
        judge(&verdict, 0.0, gap).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
    assert!(contacts > 20 && frees > 20, "{contacts} contacts, {frees} free");
}

/// Builds a closed box, or all but one of its triangles.
fn shell(half: Vec3, at: Vec3, open: bool) -> Mesh {
    let side = |k: u32, bit: u32, h: f64| if k & bit == 0 { -h } else { h };
    let corner = |k: u32| at + Vec3::new(side(k, 1, half.x), side(k, 2, half.y), side(k, 4, half.z));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).skip(usize::from(open)).collect();
    Mesh::new((0..8).map(corner).collect(), triangles).expect("valid")
}

/// A deforming body inside a solid, and a solid inside a closed deforming body; an open body encloses nothing.
#[test]
fn what_starts_inside_is_contained() {
    use impinge::query::ContactState;
    let (small, large) = (Vec3::splat(0.1), Vec3::splat(1.0));
    let places = [Vec3::ZERO, Vec3::new(0.5, -0.3, 0.2), Vec3::new(30.0, 0.0, 0.0)];
    for at in places {
        let solids: [Shape; 3] = [
            Primitive::cuboid(large * 2.0).expect("a box").into(),
            Primitive::sphere(1.5).expect("a ball").into(),
            shell(large, Vec3::ZERO, false).into(),
        ];
        for solid in solids {
            for open in [false, true] {
                let cloth = shell(small, at, open);
                let end: Vec<Vec3> = cloth.vertices().iter().map(|&v| v + Vec3::splat(0.05)).collect();
                let scene = Scene::builder().obstacle("solid", solid.clone(), Pose::IDENTITY).deformable("cloth", cloth);
                let checker = Checker::new(scene.build().expect("a scene"), Options::default()).expect("good options");
                let cloth = checker.scene().deformable("cloth").expect("there");
                let motion = checker.scene().motion().vertex_lines(cloth, &end).build().expect("finite");
                let verdict = checker.first_contact(&motion).expect("of this scene");
                let told = verdict.contact().map(|c| (c.state, checker.scene().part_name(c.parts.0).expect("there")));
                assert_eq!(told, (at.x < 10.0).then_some((ContactState::Contained, "cloth")), "{solid:?} {at:?} {open}");
            }
        }
        for inner in [
            Shape::from(Primitive::sphere(0.1).expect("a ball")),
            Primitive::cuboid(small).expect("a box").into(),
            shell(small, Vec3::ZERO, true).into(),
        ] {
            for open in [false, true] {
                let around = shell(large, Vec3::ZERO, open);
                let end: Vec<Vec3> = around.vertices().iter().map(|&v| v + Vec3::splat(0.05)).collect();
                let scene =
                    Scene::builder().obstacle("inner", inner.clone(), Pose::from_translation(at)).deformable("around", around);
                let checker = Checker::new(scene.build().expect("a scene"), Options::default()).expect("good options");
                let around = checker.scene().deformable("around").expect("there");
                let motion = checker.scene().motion().vertex_lines(around, &end).build().expect("finite");
                let verdict = checker.check(&motion).expect("of this scene");
                let told = verdict.contact().map(|c| (c.state, checker.scene().part_name(c.parts.0).expect("there")));
                assert_eq!(told, (at.x < 10.0 && !open).then_some((ContactState::Contained, "inner")), "{inner:?} {at:?} {open}");
            }
        }
    }
}
