//! Nested solids of every kind: every query reports the same inner and outer part as independent arithmetic.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::geometry::Shape;
use impinge::math::Vec3;
use impinge::math::trig::sin_cos;
use impinge::query::distance::{DistanceLimits, Nesting, SceneDistances, Standing, nesting, standing};
use impinge::query::{Contact, ContactState, Semantics, TouchOptions, TouchingPair};
use impinge::{Checker, Mesh, Motion, Options, Pose, Primitive, RigidMotion, Scene};
use impinge_testkit::{Random, trial};

/// Draws a point within a cube of one of these sizes.
fn point_of(random: &mut Random, sizes: &[f64]) -> Vec3 {
    let size = random.pick(sizes);
    point(random, size)
}

fn point(random: &mut Random, size: f64) -> Vec3 {
    Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size))
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Cuboid,
    Sphere,
    Capsule,
    Cylinder,
    /// A box-shaped closed mesh.
    Mesh,
    /// Three of them, side by side in the box.
    Meshes,
}

const KINDS: [Kind; 6] = [Kind::Cuboid, Kind::Sphere, Kind::Capsule, Kind::Cylinder, Kind::Mesh, Kind::Meshes];

/// A solid around its own origin; half sides, or radius (x) and half length (z).
#[derive(Clone, Copy, Debug)]
struct Solid {
    kind: Kind,
    size: Vec3,
}

fn corners(half: Vec3) -> impl Iterator<Item = Vec3> {
    let side = |k: u32, bit: u32, h: f64| if k & bit == 0 { -h } else { h };
    (0..8).map(move |k| Vec3::new(side(k, 1, half.x), side(k, 2, half.y), side(k, 4, half.z)))
}

fn boxes(parts: &[(Vec3, Vec3)]) -> Mesh {
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for &(half, at) in parts {
        let first = vertices.len() as u32;
        vertices.extend(corners(half).map(|v| v + at));
        triangles.extend(quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t: [u32; 3]| t.map(|i| i + first)));
    }
    Mesh::new(vertices, triangles).expect("valid")
}

impl Solid {
    fn random(random: &mut Random, largest: f64) -> Self {
        let side = |random: &mut Random| random.within(0.3 * largest, largest);
        Solid { kind: random.pick(&KINDS), size: Vec3::new(side(random), side(random), side(random)) }
    }

    /// Returns the three boxes, along x.
    fn parts(&self) -> [(Vec3, Vec3); 3] {
        let (half, step) = (Vec3::new(0.2 * self.size.x, self.size.y, self.size.z), Vec3::new(0.8 * self.size.x, 0.0, 0.0));
        [(half, Vec3::ZERO - step), (half, Vec3::ZERO), (half, step)]
    }

    fn shape(&self) -> Shape {
        let Solid { kind, size } = *self;
        let primitive = |p: Result<Primitive, impinge::Error>| p.expect("a size").into();
        match kind {
            Kind::Cuboid => primitive(Primitive::cuboid(size * 2.0)),
            Kind::Sphere => primitive(Primitive::sphere(size.x)),
            Kind::Capsule => primitive(Primitive::capsule(size.x, 2.0 * size.z)),
            Kind::Cylinder => primitive(Primitive::cylinder(size.x, 2.0 * size.z)),
            Kind::Mesh => Shape::Mesh(Arc::new(boxes(&[(size, Vec3::ZERO)]))),
            Kind::Meshes => Shape::Mesh(Arc::new(boxes(&self.parts()))),
        }
    }

    /// Returns the distance of a point to the solid; if negative, a bound of its depth inside.
    fn beyond(&self, p: Vec3) -> f64 {
        let Solid { kind, size } = *self;
        let of_box = |p: Vec3, half: Vec3| (0..3).map(|k| p[k].abs() - half[k]).fold(f64::NEG_INFINITY, f64::max);
        match kind {
            Kind::Sphere => p.norm() - size.x,
            Kind::Capsule => p.x.hypot(p.y).hypot((p.z.abs() - size.z).max(0.0)) - size.x,
            Kind::Cylinder => (p.x.hypot(p.y) - size.x).max(p.z.abs() - size.z),
            Kind::Cuboid | Kind::Mesh => of_box(p, size),
            Kind::Meshes => self.parts().iter().map(|&(half, at)| of_box(p - at, half)).fold(f64::INFINITY, f64::min),
        }
    }

    /// Returns points of the surface and of the interior; the hull of the former is that of the solid, up to a thousandth of the size.
    fn points(&self) -> Vec<Vec3> {
        let Solid { kind, size } = *self;
        let turn = |k: u32, n: u32| sin_cos(std::f64::consts::TAU * f64::from(k) / f64::from(n));
        let ball = |center: Vec3| {
            (0..=32u32).flat_map(move |i| {
                (0..64u32).map(move |k| {
                    let ((s, c), (t, u)) = (turn(k, 64), turn(i, 64));
                    center + Vec3::new(t * c, t * s, u) * size.x
                })
            })
        };
        let ends = [size.z, -size.z].map(|z| Vec3::new(0.0, 0.0, z));
        let mut points: Vec<Vec3> = match kind {
            Kind::Sphere => ball(Vec3::ZERO).collect(),
            Kind::Capsule => ends.into_iter().flat_map(ball).collect(),
            Kind::Cylinder => {
                let rim = |end: Vec3| (0..256u32).map(move |k| end + Vec3::new(turn(k, 256).1, turn(k, 256).0, 0.0) * size.x);
                ends.into_iter().flat_map(rim).collect()
            }
            Kind::Cuboid | Kind::Mesh => corners(size).collect(),
            Kind::Meshes => self.parts().iter().flat_map(|&(half, at)| corners(half).map(move |v| v + at)).collect(),
        };
        let middles = if kind == Kind::Meshes { self.parts().map(|(_, at)| at).to_vec() } else { vec![Vec3::ZERO] };
        let more: Vec<Vec3> = points.iter().flat_map(|&p| middles.iter().map(move |&m| (p - m) * 0.6 + m)).collect();
        points.extend(more.into_iter().filter(|&p| self.beyond(p) <= 0.0).chain(middles));
        points
    }
}

/// Returns the relation of two solids, as far as points show it; the second rests at the origin of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stand {
    FirstInside,
    SecondInside,
    Crossing,
    Unclear,
}

/// A larger depth or distance is certain.
const CLEAR: f64 = 0.01;

fn stand(a: &Solid, b: &Solid, b_from_a: &Pose) -> Stand {
    let a_from_b = b_from_a.inverse();
    let of_a: Vec<f64> = a.points().into_iter().map(|p| b.beyond(b_from_a.apply(p))).collect();
    let of_b: Vec<f64> = b.points().into_iter().map(|p| a.beyond(a_from_b.apply(p))).collect();
    let farthest = |all: &[f64]| all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let deepest = |all: &[f64]| all.iter().copied().fold(f64::INFINITY, f64::min);
    // Three boxes contain every body that one of them contains.
    let held_whole = |inner: &Solid, outer: &Solid, place: &Pose| {
        let is_in = |half: Vec3, at: Vec3, p: Vec3| (0..3).all(|k| (p - at)[k].abs() < half[k] - CLEAR);
        outer.kind != Kind::Meshes
            || inner.kind != Kind::Meshes
                && outer.parts().iter().any(|&(half, at)| inner.points().into_iter().all(|p| is_in(half, at, place.apply(p))))
    };
    if farthest(&of_a) < -CLEAR && held_whole(a, b, b_from_a) {
        Stand::FirstInside
    } else if farthest(&of_b) < -CLEAR && held_whole(b, a, &a_from_b) {
        Stand::SecondInside
    } else if a.kind == Kind::Meshes || b.kind == Kind::Meshes {
        // One of the boxes may be inside, or contain the other body, while another does not.
        Stand::Unclear
    } else if farthest(&of_a) > CLEAR && farthest(&of_b) > CLEAR && deepest(&of_a).min(deepest(&of_b)) < -CLEAR {
        Stand::Crossing
    } else {
        Stand::Unclear
    }
}

/// Builds two solids, the first of which moves or rests.
struct Case {
    solids: [Solid; 2],
    poses: [Pose; 2],
    stand: Stand,
    checker: Checker,
    motion: Motion,
}

impl Case {
    fn random(random: &mut Random) -> Option<Self> {
        let (small, large) = (random.within(0.05, 0.6), random.within(0.4, 1.5));
        let mut solids = [Solid::random(random, small), Solid::random(random, large)];
        let turn = if random.below(3) == 0 { Vec3::ZERO } else { point(random, 3.0) };
        let place = Pose::from_rpy(point_of(random, &[0.0, 0.3, 1.0]), turn).expect("finite");
        let world = Pose::from_rpy(point_of(random, &[0.0, 1.0, 1e4]), point(random, 3.0)).expect("finite");
        let mut poses = [world * place, world];
        if random.below(2) == 0 {
            solids.swap(0, 1);
            poses.swap(0, 1);
        }
        let stand = stand(&solids[0], &solids[1], &(poses[1].inverse() * poses[0]));
        let scene =
            Scene::builder().body("a", solids[0].shape()).obstacle("b", solids[1].shape(), poses[1]).build().expect("valid");
        let checker = Checker::new(scene, Options::default()).expect("valid");
        let by = point_of(random, &[0.0, 0.1, 5.0]);
        let rigid =
            RigidMotion { start: poses[0], end_position: poses[0].translation + by, rotation_vector: point(random, by.norm()) };
        let body = checker.scene().body("a").expect("there");
        let motion = checker.scene().motion().rigid(body, rigid).build().expect("finite");
        (stand != Stand::Unclear).then_some(Case { solids, poses, stand, checker, motion })
    }

    /// Returns the names of inner and outer part.
    fn expected(&self) -> Option<[&'static str; 2]> {
        match self.stand {
            Stand::FirstInside => Some(["a", "b"]),
            Stand::SecondInside => Some(["b", "a"]),
            Stand::Crossing | Stand::Unclear => None,
        }
    }

    fn names(&self, parts: (impinge::scene::PartId, impinge::scene::PartId)) -> [&str; 2] {
        [parts.0, parts.1].map(|part| self.checker.scene().part_name(part).expect("of this scene"))
    }

    fn told(&self) -> String {
        format!("{:?} {:?} {:?}", self.solids, self.poses, self.stand)
    }

    fn pairs(&self, times: bool) -> Vec<TouchingPair> {
        let mut all = Vec::new();
        let options = TouchOptions { times, ..TouchOptions::default() };
        let tell = |pair| {
            all.push(pair);
            ControlFlow::Continue(())
        };
        self.checker.touching_pairs(&self.motion, options, tell).expect("rigid");
        all
    }
}

fn cases(count: u64) -> impl Iterator<Item = Case> {
    (0..trial::count(count)).filter_map(|seed| Case::random(&mut Random::new(seed)))
}

/// A contact at the start is contained, in the right direction, or overlapping; any contact of overlapping parts may be a later one.
fn judge(case: &Case, contact: &Contact) {
    if case.expected().is_none() && contact.time.1 > 0.0 {
        return;
    }
    assert_eq!((contact.time, contact.free_until), ((0.0, 0.0), 0.0), "{}", case.told());
    match case.expected() {
        None => assert_eq!(contact.state, ContactState::Overlapping, "{}", case.told()),
        Some(inside) => {
            assert_eq!(contact.state, ContactState::Contained, "{}", case.told());
            assert_eq!(case.names(contact.parts), inside, "{}", case.told());
            for (solid, pose) in case.solids.iter().zip(&case.poses) {
                let beyond = solid.beyond(pose.inverse().apply(contact.point));
                assert!(beyond < 1e-9, "the point is of both: {beyond} {}", case.told());
            }
        }
    }
}

#[test]
fn every_query_says_who_is_inside_of_whom() {
    let mut seen = [0; 2];
    for case in cases(1500) {
        seen[usize::from(case.expected().is_some())] += 1;
        for verdict in [case.checker.check(&case.motion), case.checker.first_contact(&case.motion)] {
            judge(&case, verdict.expect("of this scene").contact().unwrap_or_else(|| panic!("{}", case.told())));
        }
        let parts = ["a", "b"].map(|name| case.checker.scene().part(name).expect("there"));
        let standing = case.checker.standing(&case.motion, (parts[0], parts[1])).expect("of this scene");
        judge(&case, &standing.expect("a contact"));
        let near = case.checker.clearance(&case.motion, 1e-3).expect("a width");
        assert!(near.at_least == 0.0 && near.at_most <= 1e-9, "{near:?} {}", case.told());
        if let Some(inside) = case.expected() {
            // Meshes and boxes have no touching features; round solids are listed once for each item.
            let all = case.checker.all_at(&case.motion, (0.0, 0.0)).expect("of this scene");
            assert!(all.iter().all(|w| case.names(w.parts) == inside), "{} {all:?}", case.told());
            assert_eq!(case.names(near.nearest.expect("a place").parts), inside, "{}", case.told());
        }
    }
    assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
}

#[test]
fn contained_pairs_are_listed_once() {
    for case in cases(1500) {
        for times in [false, true] {
            let pairs = case.pairs(times);
            let contained: Vec<&TouchingPair> = pairs.iter().filter(|p| p.contained).collect();
            let Some(inside) = case.expected() else {
                assert!(contained.is_empty() && !pairs.is_empty(), "{}: {contained:?}", case.told());
                continue;
            };
            assert_eq!(contained.len(), 1, "{}: {contained:?}", case.told());
            assert_eq!(case.names(contained[0].parts), inside, "{}", case.told());
            assert!(contained[0].proven && contained[0].spans.is_empty() != times, "{}", case.told());
            for span in &contained[0].spans {
                assert!(span.begins.0 == 0.0 || contained[0].spans.len() > 1, "{}: {span:?}", case.told());
                assert!(span.ends.0 <= span.ends.1, "{span:?}");
            }
        }
    }
}

#[test]
fn distances_are_zero_and_say_why() {
    for case in cases(1500) {
        let [a, b] = [0, 1].map(|k| (case.solids[k].shape(), &case.poses[k]));
        let expected = match case.stand {
            Stand::FirstInside => Some(Nesting::FirstInside),
            Stand::SecondInside => Some(Nesting::SecondInside),
            Stand::Crossing | Stand::Unclear => None,
        };
        let told = standing(a.clone(), b.clone(), Semantics::Solid).expect("finite");
        match expected {
            Some(nested) => {
                assert_eq!(nesting(a, b).expect("finite"), Some(nested), "{}", case.told());
                assert_eq!(told, Some(Standing::Nested(nested)), "{}", case.told());
            }
            None => assert!(matches!(told, Some(Standing::Overlapping(_))), "{told:?} {}", case.told()),
        }
        let distances = SceneDistances::new(case.checker.shared_scene(), Semantics::Solid).expect("rigid");
        let parts = ["a", "b"].map(|name| case.checker.scene().part(name).expect("there"));
        let limits = DistanceLimits::default();
        let between = distances.between(parts[0], parts[1], &case.motion, 0.0, limits).expect("valid").expect("geometry");
        let nearest = distances.nearest(&case.motion, 0.0, limits).expect("valid").expect("a pair");
        for d in [between, nearest] {
            assert!(d.distance.at_least == 0.0 && d.distance.at_most <= 1e-8, "{d:?} {}", case.told());
            assert_eq!(d.nesting, expected, "{}", case.told());
        }
    }
}

/// The centre of the large box lies in the small one, which lies in the large box.
#[test]
fn boxes_about_one_centre() {
    let cube = |side: f64| Primitive::cuboid(Vec3::splat(side)).expect("a box");
    for (first, second, inside) in [(0.2, 2.0, ["a", "b"]), (2.0, 0.2, ["b", "a"])] {
        let scene = Scene::builder().body("a", cube(first)).obstacle("b", cube(second), Pose::IDENTITY).build().expect("valid");
        let checker = Checker::new(scene, Options::default().margin(0.5)).expect("valid");
        let body = checker.scene().body("a").expect("there");
        let motion = checker.scene().motion().rigid(body, RigidMotion::resting(Pose::IDENTITY)).build().expect("finite");
        let verdict = checker.check(&motion).expect("of this scene");
        let contact = verdict.contact().expect("a contact");
        let names = [contact.parts.0, contact.parts.1].map(|p| checker.scene().part_name(p).expect("there"));
        assert_eq!((contact.state, names), (ContactState::Contained, inside));
    }
}

/// A closed mesh is solid for any repetition of its triangles, and with any open components in its file.
#[test]
fn closed_components_are_solid_whatever_is_beside_them() {
    let cuboid = |half: f64| impinge_io::example::solids::cuboid(Vec3::ZERO, Vec3::splat(half)).into_mesh().expect("finite");
    let with = |more: &dyn Fn(&Mesh, u32) -> Vec<[u32; 3]>| {
        let cube = cuboid(1.0);
        let first = cube.vertices().len() as u32;
        let loose = [Vec3::new(3.0, 0.0, 0.0), Vec3::new(3.0, 1.0, 0.0), Vec3::new(3.0, 0.0, 1.0)];
        let triangles = [cube.triangles(), &more(&cube, first)].concat();
        Arc::new(Mesh::new([cube.vertices(), &loose].concat(), triangles).expect("valid"))
    };
    let fifth = |mesh: &Mesh, order: [usize; 3]| vec![order.map(|k| mesh.triangles()[4][k])];
    for (outer, is_solid) in [
        (with(&|mesh, _| fifth(mesh, [0, 1, 2])), true),
        (with(&|mesh, _| fifth(mesh, [1, 2, 0])), true),
        (with(&|_, n| vec![[n, n + 1, n + 2]]), true),
        (with(&|mesh, n| vec![[n, n + 1, n + 2], mesh.triangles()[0], mesh.triangles()[0]]), true),
        (with(&|mesh, _| fifth(mesh, [1, 0, 2])), false),
    ] {
        let small = Arc::new(cuboid(0.05));
        let place = Pose::from_translation(Vec3::new(0.1, 0.2, -0.1));
        let told = standing((small.clone(), &place), (outer.clone(), &Pose::IDENTITY), Semantics::Solid).expect("finite");
        assert_eq!(told, is_solid.then_some(Standing::Nested(Nesting::FirstInside)));
        let found = nesting((small.clone(), &place), (outer.clone(), &Pose::IDENTITY)).expect("finite");
        assert_eq!(found, is_solid.then_some(Nesting::FirstInside));

        let scene =
            Scene::builder().body("small", small).obstacle("outer", outer.clone(), Pose::IDENTITY).build().expect("valid");
        assert_eq!(scene.open_meshes().count(), usize::from(outer.open_edges() > 0));
        let checker = Checker::new(scene, Options::default()).expect("valid");
        let body = checker.scene().body("small").expect("there");
        let motion = checker.scene().motion().rigid(body, RigidMotion::resting(place)).build().expect("finite");
        for verdict in [checker.check(&motion), checker.first_contact(&motion)] {
            let verdict = verdict.expect("of this scene");
            assert_eq!(verdict.contact().map(|c| c.state), is_solid.then_some(ContactState::Contained));
        }
        let clearance = checker.clearance(&motion, 1e-6).expect("a width");
        assert_eq!(clearance.at_most == 0.0, is_solid, "{clearance:?}");
        let outside = Pose::from_translation(Vec3::new(-1.5, 0.0, 0.1));
        let motion = checker.scene().motion().rigid(body, RigidMotion::resting(outside)).build().expect("finite");
        assert!(checker.check(&motion).expect("of this scene").is_free());
    }
}
