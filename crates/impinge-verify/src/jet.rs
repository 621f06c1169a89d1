//! Rigid motions over an interval of time, with first and second derivatives: enclosures of the values at all its times.

use crate::interval::Interval;

/// A vector of intervals.
pub type Vector = [Interval; 3];
/// A matrix of intervals, by rows.
pub type Matrix = [Vector; 3];

/// The identity.
pub const IDENTITY: Matrix = {
    const O: Interval = Interval::ZERO;
    const I: Interval = Interval::ONE;
    [[I, O, O], [O, I, O], [O, O, I]]
};
/// The zero vector.
pub const NOWHERE: Vector = [Interval::ZERO; 3];
/// The zero matrix.
pub const NOTHING: Matrix = [NOWHERE; 3];

/// The motion x -> rotation x + position, each with first and second time derivative.
#[derive(Clone, Copy, Debug)]
pub struct Jet {
    /// The matrix and its derivatives.
    pub rotation: [Matrix; 3],
    /// The translation and its derivatives.
    pub position: [Vector; 3],
}

impl Jet {
    /// Returns the motion at rest.
    pub fn resting(rotation: Matrix, position: Vector) -> Self {
        Jet { rotation: [rotation, NOTHING, NOTHING], position: [position, NOWHERE, NOWHERE] }
    }

    /// Composes: first `inner`, then `self`; derivatives by the product rule.
    pub fn after(&self, inner: &Jet) -> Jet {
        let ([r, r1, r2], [q, q1, q2]) = (&self.rotation, &inner.rotation);
        let turned = self.turn(&inner.position);
        Jet {
            rotation: [
                multiply(r, q),
                add_matrices(&multiply(r1, q), &multiply(r, q1)),
                add_matrices(&add_matrices(&multiply(r2, q), &twice(&multiply(r1, q1))), &multiply(r, q2)),
            ],
            position: std::array::from_fn(|k| add(&self.position[k], &turned[k])),
        }
    }

    /// Returns the inverse: x -> rotation^T (x - position). The exact motion is rigid, so the transpose is the inverse.
    pub fn inverse(&self) -> Jet {
        let back = Jet { rotation: self.rotation.map(|m| transpose(&m)), position: [NOWHERE; 3] };
        let position = back.turn(&self.position).map(|v| v.map(|c| -c));
        Jet { position, ..back }
    }

    /// Returns `rotation * v` and its derivatives.
    fn turn(&self, [v, v1, v2]: &[Vector; 3]) -> [Vector; 3] {
        let [r, r1, r2] = &self.rotation;
        let doubled = apply(r1, v1).map(|c| c + c);
        [apply(r, v), add(&apply(r1, v), &apply(r, v1)), add(&add(&apply(r2, v), &doubled), &apply(r, v2))]
    }
}

/// Returns the scalar product.
pub fn dot(a: &Vector, b: &Vector) -> Interval {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the sum.
pub fn add(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| a[k] + b[k])
}

/// Multiplies every component by `s`.
pub fn scale(a: &Vector, s: Interval) -> Vector {
    a.map(|c| c * s)
}

/// Returns the length.
pub fn norm(a: &Vector) -> Interval {
    (a[0].square() + a[1].square() + a[2].square()).sqrt()
}

/// Multiplies a matrix by a vector.
pub fn apply(m: &Matrix, v: &Vector) -> Vector {
    m.each_ref().map(|row| dot(row, v))
}

/// Returns the transposed matrix.
pub fn transpose(m: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

/// Multiplies two matrices.
pub fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    if *a == NOTHING || *b == NOTHING {
        return NOTHING;
    }
    let columns = transpose(b);
    a.each_ref().map(|row| columns.each_ref().map(|column| dot(row, column)))
}

/// Returns the sum.
pub fn add_matrices(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| add(&a[i], &b[i]))
}

/// Multiplies every entry by `s`.
pub fn scale_matrix(m: &Matrix, s: Interval) -> Matrix {
    m.map(|row| scale(&row, s))
}

fn twice(m: &Matrix) -> Matrix {
    add_matrices(m, m)
}

/// Returns the matrix of `v x`.
pub fn cross_matrix(v: &Vector) -> Matrix {
    let (o, [x, y, z]) = (Interval::ZERO, *v);
    [[o, -z, y], [z, o, -x], [-y, x, o]]
}
