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

    /// Returns this motion as seen from `base`: x -> base.rotation^T (self(x) - base.position). Positions are subtracted before they are rotated, so that
    /// a rotation that is known to few digits is not multiplied by the distance from the world's origin.
    pub fn seen_from(&self, base: &Jet) -> Jet {
        let way = std::array::from_fn(|k| add(&self.position[k], &base.position[k].map(|c| -c)));
        let back = Jet { rotation: base.rotation.map(|m| transpose(&m)), position: [NOWHERE; 3] };
        back.after(&Jet { position: way, ..*self })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::ONE;

    /// Two bodies a metre apart, 2^25 m from the origin, of which one is turned by an angle that is known to 2^-28: the other is known to
    /// about that from it, and lies where both ways of computing say.
    #[test]
    fn far_from_the_origin_only_the_way_between_bodies_counts() {
        let blurred = |x: i128| Interval::new(x - (ONE >> 28), x + (ONE >> 28));
        let turned = IDENTITY.map(|row| row.map(|c| blurred(c.lo())));
        let far = Interval::point(ONE << 25);
        let base = Jet::resting(turned, [far; 3]);
        let body = Jet::resting(IDENTITY, [far + Interval::ONE, far, far]);
        let (near, wide) = (body.seen_from(&base), base.inverse().after(&body));
        for k in 0..3 {
            let (x, y) = (near.position[0][k], wide.position[0][k]);
            assert!(x.hi() - x.lo() <= ONE >> 26 && y.hi() - y.lo() > ONE >> 8);
            assert!(x.lo() <= y.hi() && y.lo() <= x.hi());
            let expected = if k == 0 { ONE } else { 0 };
            assert!(x.lo() <= expected && expected <= x.hi());
        }
        assert_eq!(near.rotation[0].map(|row| row.map(|c| c.lo())), turned.map(|row| row.map(|c| c.lo())));
    }
}
