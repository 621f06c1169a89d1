//! Forward kinematics: the motion of one piece relative to another, at any time of an interval.
//!
//! ```text
//! parent_from_frame(t) = at * joint(t)
//!   revolute    rotate(u, q0 + t (q1 - q0))                       q0, q1
//!   prismatic   translate(u (q0 + t (q1 - q0)))                   q0, q1
//!   planar      translate(e1 x + e2 y) rotate(n, a)               x0 y0 a0, x1 y1 a1, each linear in time from 0 to 1
//!   free        translate(p0 + t (p1 - p0)) exp(t v) R0           p0, p1, R0 by rows, rotation vector v
//! ```
//!
//! A revolute or prismatic mimic joint has no numbers of its own: q0 and q1 are those of its source, multiplied and shifted.

use crate::interval::{BITS, Interval, ONE};
use crate::jet::{
    IDENTITY, Jet, Matrix, NOTHING, NOWHERE, Vector, add, add_matrices, apply, cross_matrix, dot, multiply, norm, scale,
    scale_matrix, transpose,
};
use crate::read::{self, Scene};
use crate::trig::sin_cos;
use crate::verifier::Problem;

/// A matrix in a file represents any rotation within this of each entry, 2^-48, because it was rounded from angles or a quaternion.
pub const MATRIX_RADIUS: i128 = 1 << (BITS - 48);
/// A rotation vector in a file represents any within this of each component, 2^-47, because it may come from two quaternions.
pub const VECTOR_RADIUS: i128 = 1 << (BITS - 47);

/// A frame: its parent, its placement there, and its joint.
#[derive(Debug)]
pub struct Frame {
    /// The parent frame; 0 is the world.
    pub parent: usize,
    /// Rotation of the joint in the parent.
    pub rotation: Matrix,
    /// Position of the joint in the parent.
    pub position: Vector,
    /// The kind of motion.
    pub joint: Joint,
    /// The source of a mimic joint, if it is one.
    pub mimic: Option<Mimic>,
}

/// The source of a mimic joint with one value: `multiplier * value + offset`.
#[derive(Debug)]
pub struct Mimic {
    /// The frame of the source joint, from 1. It has a value of its own.
    pub frame: usize,
    /// Encloses the described multiplier.
    pub multiplier: Interval,
    /// Encloses the described offset.
    pub offset: Interval,
}

impl Frame {
    /// Returns the number of motion values that the frame takes.
    fn values(&self) -> usize {
        if self.mimic.is_some() { 0 } else { self.joint.values() }
    }
}

/// The motion of a joint; axes have length one.
#[derive(Debug)]
pub enum Joint {
    /// No motion.
    Fixed,
    /// Turns about an axis.
    Revolute(Vector),
    /// Slides along an axis.
    Prismatic(Vector),
    /// Slides along two axes and turns about a third.
    Planar {
        /// Normal of the plane.
        normal: Vector,
        /// First and second direction.
        along: [Vector; 2],
    },
    /// Moves like a free body.
    Free,
}

impl Joint {
    /// Creates a planar joint: its first direction is the component of a coordinate axis at a right angle to the normal.
    ///
    /// # Errors
    /// If there is no such axis, or it is parallel to the normal.
    pub fn planar(normal: Vector, first: usize) -> Result<Self, Problem> {
        let n = unit(normal)?;
        let axis = *IDENTITY.get(first).ok_or_else(|| Problem::refused("the coordinate axis of a planar joint is invalid"))?;
        let e1 = unit(add(&axis, &scale(&n, -dot(&n, &axis))))?;
        Ok(Joint::Planar { normal: n, along: [e1, apply(&cross_matrix(&n), &e1)] })
    }

    /// Tests whether the joint has a single value, so that it can be a mimic joint or the source of one.
    pub fn has_one_value(&self) -> bool {
        self.values() == 2
    }

    fn values(&self) -> usize {
        match self {
            Joint::Fixed => 0,
            Joint::Revolute(_) | Joint::Prismatic(_) => 2,
            Joint::Planar { .. } => 6,
            Joint::Free => 18,
        }
    }

    /// Returns the motion at the times `t`, from the numbers of the file.
    fn jet(&self, q: &[Interval], t: Interval) -> Jet {
        let line = |from: Interval, to: Interval| (from + t * (to - from), to - from);
        match self {
            Joint::Fixed => Jet::resting(IDENTITY, NOWHERE),
            Joint::Revolute(axis) => Jet { rotation: turning(axis, line(q[0], q[1])), position: [NOWHERE; 3] },
            Joint::Prismatic(axis) => {
                let (at, rate) = line(q[0], q[1]);
                Jet { rotation: [IDENTITY, NOTHING, NOTHING], position: [scale(axis, at), scale(axis, rate), NOWHERE] }
            }
            Joint::Planar { normal, along } => {
                let ((x, dx), (y, dy)) = (line(q[0], q[3]), line(q[1], q[4]));
                let place = |x, y| add(&scale(&along[0], x), &scale(&along[1], y));
                Jet { rotation: turning(normal, line(q[2], q[5])), position: [place(x, y), place(dx, dy), NOWHERE] }
            }
            Joint::Free => {
                let part = |from: usize| [q[from], q[from + 1], q[from + 2]];
                let way: [_; 3] = std::array::from_fn(|k| line(q[k], q[3 + k]));
                let position = [way.map(|w| w.0), way.map(|w| w.1), NOWHERE];
                let turned = Jet { rotation: turning_by(&part(15), t), position };
                turned.after(&Jet::resting([part(6), part(9), part(12)], NOWHERE))
            }
        }
    }
}

/// Returns I + sin K + (1 - cos) K^2 with K the cross product by the unit axis (Rodrigues), and its time derivatives.
fn turning(axis: &Vector, (angle, rate): (Interval, Interval)) -> [Matrix; 3] {
    let k = cross_matrix(axis);
    let kk = multiply(&k, &k);
    let (s, c) = sin_cos(angle);
    let mix = |a: Interval, b: Interval| add_matrices(&scale_matrix(&k, a), &scale_matrix(&kk, b));
    let value = add_matrices(&IDENTITY, &mix(s, Interval::ONE - c));
    [value, mix(rate * c, rate * s), mix(-(rate * rate * s), rate * rate * c)]
}

/// Encloses exp(t v) for every v within [`VECTOR_RADIUS`], with derivatives K R and K^2 R, K the cross product by v.
///
/// Proof of the radius: |exp(t v) - exp(t v')| <= |v - v'| for 0 <= t <= 1, at most sqrt(3) radii.
fn turning_by(v: &Vector, t: Interval) -> [Matrix; 3] {
    let angle = norm(v);
    let exact = if angle.hi() <= ONE >> 30 {
        // |exp(t v) - I - t K| <= |v|^2 / 2.
        let first = add_matrices(&IDENTITY, &scale_matrix(&cross_matrix(v), t));
        first.map(|row| row.map(|c| c.widened(ONE >> 60)))
    } else {
        let axis = scale(v, angle.reciprocal());
        turning(&axis, (t * angle, angle))[0]
    };
    let r = exact.map(|row| row.map(|c| c.widened(2 * VECTOR_RADIUS)));
    let k = cross_matrix(&v.map(|c| c.widened(VECTOR_RADIUS)));
    let kr = multiply(&k, &r);
    [r, kr, multiply(&k, &kr)]
}

/// The motion of all frames.
#[derive(Debug)]
pub struct Moves<'a> {
    scene: &'a Scene,
    values: Vec<Vec<Interval>>,
}

impl<'a> Moves<'a> {
    /// Reads the numbers of a motion.
    ///
    /// # Errors
    /// If there are too many or too few numbers, or a matrix is not a rotation.
    pub fn new(scene: &'a Scene, given: &[Vec<f64>]) -> Result<Self, Problem> {
        let fits = |(f, v): (&Frame, &Vec<f64>)| f.values() == v.len();
        if given.len() != scene.frames.len() || !scene.frames.iter().zip(given).all(fits) {
            return Err(Problem::refused("the number of motion values does not match the joints"));
        }
        let mut values: Vec<Vec<Interval>> = given.iter().map(|v| v.iter().map(|&x| Interval::of(x)).collect()).collect();
        for (v, q) in values.iter_mut().zip(given).filter(|(v, _)| v.len() == 18) {
            let numbers: [f64; 9] = std::array::from_fn(|k| q[6 + k]);
            v[6..15].copy_from_slice(read::rotation(&numbers)?.as_flattened());
        }
        for (i, mimic) in scene.frames.iter().enumerate().filter_map(|(i, f)| Some((i, f.mimic.as_ref()?))) {
            values[i] = values[mimic.frame - 1].iter().map(|&q| mimic.multiplier * q + mimic.offset).collect();
        }
        Ok(Moves { scene, values })
    }

    /// Returns piece A relative to piece B at the times `t`: the chains from both up to their common ancestor; parents have smaller indices.
    pub fn relative(&self, a: (usize, usize), b: (usize, usize), t: Interval) -> Jet {
        let start = |at: (usize, usize)| {
            let piece = self.scene.piece(at);
            (self.scene.parts[at.0].frame, Jet::resting(piece.rotation, piece.position))
        };
        let ((mut f, mut from_a), (mut g, mut from_b)) = (start(a), start(b));
        while f != g {
            let (frame, jet) = if f > g { (&mut f, &mut from_a) } else { (&mut g, &mut from_b) };
            *jet = self.local(*frame, t).after(jet);
            *frame = self.scene.frames[*frame - 1].parent;
        }
        from_a.seen_from(&from_b)
    }

    fn local(&self, frame: usize, t: Interval) -> Jet {
        let f = &self.scene.frames[frame - 1];
        Jet::resting(f.rotation, f.position).after(&f.joint.jet(&self.values[frame - 1], t))
    }
}

/// Normalises a vector.
///
/// # Errors
/// If its length is out of range; a writer scales by powers of two.
pub fn unit(v: Vector) -> Result<Vector, Problem> {
    let length = norm(&v);
    if !(length.lo() >= ONE >> 10 && length.hi() <= ONE << 19) {
        return Err(Problem::refused("the length of an axis is not between 2^-10 and 2^19"));
    }
    Ok(scale(&v, length.reciprocal()))
}

/// Checks that a rotation is within about [`MATRIX_RADIUS`] of a matrix: orthonormal columns, right-handed.
///
/// # Errors
/// If there is none.
pub fn check_rotation(m: &Matrix) -> Result<(), Problem> {
    let product = multiply(&transpose(m), m);
    let near = |c: Interval, to: Interval| (c - to).abs().hi() <= 16 * MATRIX_RADIUS;
    let orthogonal = (0..3).all(|i| (0..3).all(|j| near(product[i][j], IDENTITY[i][j])));
    let columns = transpose(m);
    let handed = dot(&apply(&cross_matrix(&columns[0]), &columns[1]), &columns[2]);
    if orthogonal && handed.lo() > 0 { Ok(()) } else { Err(Problem::refused("a matrix is not a rotation")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Part, Piece};

    fn thirds() -> Matrix {
        // A rotation by 120 degrees about (1, 1, 1), and a shift of its entries that is too small to matter.
        read::rotation(&[1e-17, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]).expect("a rotation")
    }

    /// Builds two branches with every kind of joint on a common trunk, and numbers for them.
    fn tree() -> (Scene, Vec<Vec<f64>>) {
        let v = |x, y, z| read::vector([x, y, z]);
        let axis = |x, y, z| unit(v(x, y, z)).expect("an axis");
        let joints = [
            (0, Joint::Revolute(axis(1.0, 2.0, 3.0)), vec![0.3, 2.5]),
            (1, Joint::Prismatic(axis(0.0, 1.0, 1.0)), vec![-0.5, 1.5]),
            (2, Joint::Revolute(axis(1.0, 0.0, -1.0)), vec![1.0, -2.0]),
            (1, Joint::planar(v(0.0, 1.0, 2.0), 0).expect("a plane"), vec![0.1, 0.2, 0.3, 1.0, -1.0, 2.0]),
            (
                4,
                Joint::Free,
                [&[0.0, 1.0, 0.5, 2.0, 1.0, 0.0][..], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[0.5, 2.0, -1.0]].concat(),
            ),
            (3, Joint::Fixed, vec![]),
        ];
        let place = v(0.3, -0.2, 0.7);
        let values = joints.iter().map(|j| j.2.clone()).collect();
        let frames = joints
            .into_iter()
            .map(|(parent, joint, _)| Frame { parent, rotation: thirds(), position: place, joint, mimic: None })
            .collect();
        let piece = || Piece { shape: 0, rotation: thirds(), position: place, within: Interval::ZERO };
        let part = |frame| Part { name: String::new(), frame, pieces: vec![piece()] };
        let parts = vec![part(5), part(6), part(0)];
        (
            Scene { checksum: String::new(), solids: false, frames, shapes: vec![], parts, checked: vec![], unchecked: vec![] },
            values,
        )
    }

    /// Between two close times, values change according to the rates, and rates according to the second derivatives.
    #[test]
    fn derivatives_are_those_of_the_motion() {
        let (scene, values) = tree();
        let moves = Moves::new(&scene, &values).expect("they fit");
        let step = ONE >> 20;
        for (a, b) in [(0, 1), (1, 0), (0, 2), (2, 1)] {
            for k in 0..8 {
                let t = k * (ONE / 9);
                let at = |t| moves.relative((a, 0), (b, 0), t);
                let (before, after, over) =
                    (at(Interval::point(t)), at(Interval::point(t + step)), at(Interval::new(t, t + step)));
                for d in 0..2 {
                    let pairs = |j: &Jet, d: usize| [j.rotation[d].as_flattened(), &j.position[d]].concat();
                    for ((x, y), rate) in pairs(&before, d).iter().zip(pairs(&after, d)).zip(pairs(&over, d + 1)) {
                        let (change, told) = (y - *x, rate * Interval::point(step));
                        assert!(change.lo() <= told.hi() && told.lo() <= change.hi(), "derivative {d} of {a} seen from {b}");
                        assert!(told.hi() - told.lo() < step >> 4 && change.hi() - change.lo() < step >> 10, "narrow");
                    }
                }
            }
        }
    }

    /// The result is 0.1 * 0.3 + 0.7 in real arithmetic, not the nearest double; and it covers every described multiplier and offset.
    #[test]
    fn a_mimic_has_the_value_of_its_source_multiplied_and_shifted() {
        let (mut scene, mut values) = tree();
        values[0] = vec![0.3, -2.5];
        values[2] = vec![];
        let mut ends = |radius: i128| {
            let number = |x: f64| Interval::of(x).widened(radius);
            scene.frames[2].mimic = Some(Mimic { frame: 1, multiplier: number(0.1), offset: number(0.7) });
            Moves::new(&scene, &values).expect("they fit").values[2].clone()
        };
        let exact = ends(0);
        let (rounded, product) = (Interval::of(0.1 * 0.3 + 0.7), Interval::of(0.1) * Interval::of(0.3));
        assert_eq!(exact, [product + Interval::of(0.7), Interval::of(0.1) * Interval::of(-2.5) + Interval::of(0.7)]);
        assert!((exact[0] - rounded).sign().is_some(), "the double is another number");
        let wide = ends(1000);
        assert!(wide[1].hi() - wide[1].lo() >= 2 * 3500 && wide[1].hi() - wide[1].lo() < 2 * 3510);
        values[2] = vec![0.0, 1.0];
        assert!(Moves::new(&scene, &values).is_err(), "a joint that mimics has no numbers of its own");
    }

    #[test]
    fn what_was_rounded_stands_for_all_it_may_have_been() {
        let wide = |m: &Matrix, radius: i128| m.iter().flatten().all(|c| c.hi() - c.lo() >= 2 * radius);
        assert!(wide(&thirds(), MATRIX_RADIUS));
        for v in [[0.0; 3], [1e-12, 0.0, 0.0], [0.5, 1.0, 20.0]] {
            let [r, k, _] = turning_by(&read::vector(v), Interval::ONE);
            assert!(wide(&r, 2 * VECTOR_RADIUS) && k[0][1].hi() - k[0][1].lo() >= 2 * VECTOR_RADIUS);
        }
        assert_eq!(read::rotation(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]), Ok(IDENTITY));
    }
}
