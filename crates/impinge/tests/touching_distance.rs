//! Bodies that touch or overlap are at distance zero: the upper bound is below the tolerance, for all primitives and triangles.

use impinge::geometry::{Mesh, Primitive};
use impinge::query::distance::HullTree;
use impinge::query::distance::{DistanceLimits, DistanceSession, distance};
use impinge::{Pose, Vec3};
use proptest::prelude::*;

/// Relative to the size of the bodies.
const TOLERANCE: f64 = 2e-9;

/// A convex body around its own origin.
#[derive(Clone, Debug)]
enum Body {
    Primitive(Primitive),
    Triangle([Vec3; 3]),
}

impl Body {
    fn tree(&self) -> HullTree {
        match self {
            Body::Primitive(p) => HullTree::of_primitive(p).expect("sizes"),
            Body::Triangle(t) => HullTree::new(&Mesh::new(t.to_vec(), vec![[0, 1, 2]]).expect("valid")),
        }
    }

    /// The point with the largest d·x.
    fn farthest(&self, d: Vec3) -> Vec3 {
        let along = |h: f64| Vec3::new(0.0, 0.0, h.copysign(d.z));
        let out = |v: Vec3, radius: f64| if v.norm() > 0.0 { v * (radius / v.norm()) } else { Vec3::ZERO };
        match *self {
            Body::Primitive(Primitive::Cuboid { half }) => {
                Vec3::new(half.x.copysign(d.x), half.y.copysign(d.y), half.z.copysign(d.z))
            }
            Body::Primitive(Primitive::Sphere { radius }) => out(d, radius),
            Body::Primitive(Primitive::Capsule { radius, half_length }) => along(half_length) + out(d, radius),
            Body::Primitive(Primitive::Cylinder { radius, half_length }) => {
                along(half_length) + out(Vec3::new(d.x, d.y, 0.0), radius)
            }
            Body::Triangle(t) => t.into_iter().max_by(|p, q| d.dot(*p).total_cmp(&d.dot(*q))).expect("three"),
        }
    }

    fn middle(&self) -> Vec3 {
        match *self {
            Body::Primitive(_) => Vec3::ZERO,
            Body::Triangle([a, b, c]) => (a + b + c) * (1.0 / 3.0),
        }
    }

    fn size(&self) -> f64 {
        (0..6).map(|k| self.farthest(Vec3::unit(k % 3) * if k < 3 { 1.0 } else { -1.0 }).norm()).fold(0.0, f64::max)
    }
}

fn lengths() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.05), Just(1.0), 0.01f64..1.0, (-4.0f64..0.0).prop_map(|e| 10f64.powf(e))]
}

fn numbers() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(0.5), Just(-1.0), -1.0f64..1.0]
}

fn bodies() -> impl Strategy<Value = Body> {
    let corner = prop::array::uniform3(numbers()).prop_map(Vec3::from);
    prop_oneof![
        prop::array::uniform3(lengths()).prop_map(|s| Body::Primitive(Primitive::cuboid(Vec3::from(s)).expect("valid"))),
        lengths().prop_map(|r| Body::Primitive(Primitive::sphere(r).expect("valid"))),
        (lengths(), lengths()).prop_map(|(r, l)| Body::Primitive(Primitive::capsule(r, l).expect("valid"))),
        (lengths(), lengths()).prop_map(|(r, l)| Body::Primitive(Primitive::cylinder(r, l).expect("valid"))),
        prop::array::uniform3(corner).prop_map(Body::Triangle),
    ]
}

/// Axes and diagonals, and any.
fn directions() -> impl Strategy<Value = Vec3> {
    let round = prop::array::uniform3(prop_oneof![Just(0.0), Just(1.0), Just(-1.0)]).prop_map(Vec3::from);
    let any = prop::array::uniform3(-1.0f64..1.0).prop_map(Vec3::from);
    prop_oneof![round, any].prop_filter_map("a direction", |d| (d.norm() > 0.1).then(|| d * (1.0 / d.norm())))
}

/// None, quarter turns, and any.
fn turns() -> impl Strategy<Value = Vec3> {
    let quarter = std::f64::consts::FRAC_PI_2;
    let round = prop::array::uniform3(prop_oneof![Just(0.0), Just(quarter)]).prop_map(Vec3::from);
    prop_oneof![Just(Vec3::ZERO), round, prop::array::uniform3(-3.0f64..3.0).prop_map(Vec3::from)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// A's lowest point along a direction is B's highest, or lies deeper, by up to all of both bodies: they share a point.
    #[test]
    fn what_touches_or_overlaps_is_at_distance_zero(
        a in bodies(), b in bodies(), d in directions(), turned in turns(), world in turns(), at in prop::array::uniform3(-2.0f64..2.0),
        depth in prop_oneof![2 => Just(0.0), 1 => Just(1.0), 1 => (-12.0f64..0.0).prop_map(|e| 10f64.powf(e)), 1 => 0.0f64..1.0],
    ) {
        let own = Pose::from_rpy(Vec3::ZERO, turned).expect("finite");
        let low = own.apply(a.farthest(own.rotation.transpose_mul(-d)));
        let high = b.farthest(d);
        // From where they touch to where their middles coincide: a point of each, and the same in place.
        let mixed = |p: Vec3, middle: Vec3| p + (middle - p) * depth;
        let shared = (mixed(low, own.apply(a.middle())), mixed(high, b.middle()));
        let a_from = Pose { translation: shared.1 - shared.0, ..own };
        let world = Pose::from_rpy(Vec3::from(at), world).expect("finite");
        let (tree_a, tree_b) = (a.tree(), b.tree());
        let d = distance((&tree_a, &(world * a_from)), (&tree_b, &world), DistanceLimits::default(), &mut DistanceSession::new())
            .expect("finite");
        let size = a.size() + b.size();
        prop_assert!(d.at_most <= TOLERANCE * size, "{:e} of {size}: {d:?}", d.at_most / size);
        prop_assert!(d.at_least <= 1e-12 * (size + 4.0), "{d:?}");
    }
}
