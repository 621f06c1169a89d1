//! A six-axis arm of the size of a Puma 560: shoulder, upper arm, forearm, and a wrist of three axes that meet in a point.
//!
//! ```text
//!        j2 o======o j3        j1 turns about the vertical, j2 and j3 lift upper arm and forearm,
//!           |      ‖           j4 rolls the forearm, j5 bends the wrist, j6 rolls the hand
//!        j1 |      ‖ j4
//!         __|__    o j5
//!                  v j6
//! ```

use std::f64::consts::FRAC_PI_2;

use impinge::Error;
use impinge::geometry::Piece;
use impinge::math::{Pose, Vec3};
use impinge::robot::{JointKind, JointSpec, Limits, Link, Robot};

use super::solids::{Ends, Solid, capsule, cuboid, cylinder};

/// The position of a joint in its parent (metres), the roll of its frame there, and its range; all joints turn about their own z
/// axis.
struct Axis {
    at: Vec3,
    roll: f64,
    range: (f64, f64),
}

/// Published lengths of the Puma 560: column 0.6718, upper arm 0.4318, shoulder offset 0.15005, elbow offset 0.0203, forearm
/// 0.4318.
const AXES: [Axis; 6] = [
    Axis { at: Vec3::new(0.0, 0.0, 0.6718), roll: 0.0, range: (-2.79, 2.79) },
    Axis { at: Vec3::ZERO, roll: -FRAC_PI_2, range: (-3.92, 0.75) },
    Axis { at: Vec3::new(0.4318, 0.0, 0.15005), roll: 0.0, range: (-0.9, 3.92) },
    Axis { at: Vec3::new(0.0203, 0.0, 0.0), roll: FRAC_PI_2, range: (-2.9, 2.9) },
    Axis { at: Vec3::new(0.0, 0.0, 0.4318), roll: -FRAC_PI_2, range: (-1.7, 1.7) },
    Axis { at: Vec3::ZERO, roll: FRAC_PI_2, range: (-3.1, 3.1) },
];

const NAMES: [&str; 7] = ["base", "shoulder", "upper_arm", "forearm", "wrist", "knuckle", "hand"];

/// Returns the ranges of the six joints, radians.
pub fn ranges() -> [(f64, f64); 6] {
    AXES.map(|a| a.range)
}

/// Returns the arm; each link has one mesh.
///
/// # Errors
/// None in practice: the numbers above are valid.
pub fn arm() -> Result<Robot, Error> {
    let bodies = [base(), shoulder(), upper_arm(), forearm(), wrist(), knuckle(), hand()];
    let mut links = Vec::new();
    for (name, body) in NAMES.iter().zip(bodies) {
        links.push(Link { name: (*name).into(), pieces: vec![Piece::new(body.into_mesh()?, Pose::IDENTITY)] });
    }
    let mut joints = Vec::new();
    for (i, axis) in AXES.iter().enumerate() {
        joints.push(JointSpec {
            name: format!("j{}", i + 1),
            parent: NAMES[i].into(),
            child: NAMES[i + 1].into(),
            parent_from_joint: Pose::from_rpy(axis.at, Vec3::new(axis.roll, 0.0, 0.0))?,
            kind: JointKind::Revolute { axis: Vec3::unit(2) },
            limits: Some(Limits { lower: axis.range.0, upper: axis.range.1 }),
            mimic: None,
        });
    }
    Robot::new("arm", links, joints)
}

/// Returns a capped cylinder of constant radius.
fn rod(from: [f64; 3], to: [f64; 3], radius: f64, sides: u32) -> Solid {
    cylinder((from.into(), radius), (to.into(), radius), sides, 1, Ends::Capped)
}

fn slab(middle: [f64; 3], half: [f64; 3]) -> Solid {
    cuboid(middle.into(), half.into())
}

fn base() -> Solid {
    let column = cylinder((Vec3::new(0.0, 0.0, 0.05), 0.10), (Vec3::new(0.0, 0.0, 0.58), 0.08), 16, 1, Ends::Capped);
    rod([0.0, 0.0, 0.0], [0.0, 0.0, 0.05], 0.14, 16).with(&column)
}

fn shoulder() -> Solid {
    rod([0.0, 0.0, -0.08], [0.0, 0.0, 0.09], 0.085, 16).with(&rod([0.0, 0.03, 0.0], [0.0, 0.095, 0.0], 0.07, 12))
}

fn upper_arm() -> Solid {
    let elbow = rod([0.4318, 0.0, 0.11], [0.4318, 0.0, 0.20], 0.07, 16);
    rod([0.0, 0.0, 0.10], [0.0, 0.0, 0.21], 0.08, 16).with(&slab([0.216, 0.0, 0.155], [0.216, 0.055, 0.045])).with(&elbow)
}

fn forearm() -> Solid {
    let (elbow, end) = (Vec3::new(0.0203, -0.03, 0.0), Vec3::new(0.0203, -0.29, 0.0));
    rod([0.0, 0.0, -0.055], [0.0, 0.0, 0.045], 0.06, 12).with(&capsule(elbow, end, 0.048, 12, 2))
}

fn wrist() -> Solid {
    rod([0.0, 0.0, 0.345], [0.0, 0.0, 0.39], 0.045, 12)
        .with(&slab([0.0, 0.036, 0.415], [0.028, 0.008, 0.045]))
        .with(&slab([0.0, -0.036, 0.415], [0.028, 0.008, 0.045]))
}

fn knuckle() -> Solid {
    rod([0.0, -0.027, 0.0], [0.0, 0.027, 0.0], 0.03, 16).with(&rod([0.0, 0.0, 0.0], [0.0, 0.0, 0.05], 0.022, 12))
}

fn hand() -> Solid {
    rod([0.0, 0.0, 0.055], [0.0, 0.0, 0.08], 0.033, 12)
        .with(&slab([0.0, 0.022, 0.122], [0.012, 0.006, 0.042]))
        .with(&slab([0.0, -0.022, 0.122], [0.012, 0.006, 0.042]))
}
