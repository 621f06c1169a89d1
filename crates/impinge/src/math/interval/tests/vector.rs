use super::*;
use crate::math::interval::{IntervalMat3, IntervalVec3};
use crate::math::{Mat3, Vec3};

type Rational3 = [BigRational; 3];

fn rational(v: Vec3) -> Rational3 {
    v.to_array().map(exact)
}

fn encloses3(i: IntervalVec3, q: &Rational3) -> bool {
    (0..3).all(|k| encloses(i.coordinates[k], &q[k]))
}

fn dot(a: &Rational3, b: &Rational3) -> BigRational {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Rational3, b: &Rational3) -> Rational3 {
    [&a[1] * &b[2] - &a[2] * &b[1], &a[2] * &b[0] - &a[0] * &b[2], &a[0] * &b[1] - &a[1] * &b[0]]
}

/// `rows * v`, the rows being columns of the transposed matrix.
fn apply(m: Mat3, v: &Rational3) -> Rational3 {
    m.transpose().columns.map(|row| dot(&rational(row), v))
}

fn vector() -> impl Strategy<Value = Vec3> {
    let size = prop_oneof![-10.0..10.0f64, Just(0.0), -1e150..1e150f64, -1e-300..1e-300f64];
    prop::array::uniform3(size).prop_map(Vec3::from)
}

fn matrix() -> impl Strategy<Value = Mat3> {
    prop::array::uniform3(vector()).prop_map(|[a, b, c]| Mat3::from_columns(a, b, c))
}

proptest! {
    #[test]
    fn products_of_vectors_enclose(a in vector(), b in vector(), c in vector()) {
        // A box with `a` as a corner and one inside it.
        let wide = IntervalVec3::from(a).hull(c.into());
        let (qa, qb) = (rational(a), rational(b));
        for box_a in [IntervalVec3::from(a), wide] {
            prop_assert!(encloses(box_a.dot(b.into()), &dot(&qa, &qb)));
            prop_assert!(encloses3(box_a.cross(b.into()), &cross(&qa, &qb)));
            prop_assert!(encloses(box_a.norm_squared(), &dot(&qa, &qa)));
            let norm = box_a.norm();
            prop_assert!(exact(norm.lo()).pow(2) <= dot(&qa, &qa));
            prop_assert!(norm.hi().is_infinite() || exact(norm.hi()).pow(2) >= dot(&qa, &qa));
        }
        prop_assert!(wide.contains(a) && wide.contains(c) && wide.meets(a.into()));
        prop_assert_eq!(wide.intersection(c.into()), Some(IntervalVec3::from(c)));
        prop_assert!(wide.contains(wide.midpoint()));
        prop_assert!(IntervalVec3::from(a).is_within(wide) && wide.width() >= (a.x - c.x).abs());
        prop_assert_eq!(-(-wide), wide);
        prop_assert!((wide - wide).contains(Vec3::ZERO) && (wide + IntervalVec3::ZERO) == wide);
    }

    #[test]
    fn products_of_matrices_enclose(m in matrix(), n in matrix(), v in vector()) {
        let (im, inn, q) = (IntervalMat3::from(m), IntervalMat3::from(n), rational(v));
        prop_assert!(encloses3(im.apply(v.into()), &apply(m, &q)));
        prop_assert!(encloses3((im * inn).apply(v.into()), &apply(m, &apply(n, &q))));
        prop_assert!(im.transpose().contains(m.transpose()) && im.transpose().transpose() == im);
        prop_assert_eq!(im * IntervalMat3::IDENTITY, im);
        let zero = IntervalMat3 { columns: [IntervalVec3::ZERO; 3] };
        prop_assert!(im.is_within(&(im + zero)));
    }

    /// A rotation by any angle is orthogonal and turns the axis into itself, and an interval of angles encloses what one of them does.
    #[test]
    fn rotations_enclose(axis in 0..3usize, angle in -7.0..7.0f64, more in 0.0..2.0f64, part in 0.0..1.0f64) {
        let unit = IntervalVec3::from(Vec3::unit(axis));
        let one = IntervalMat3::rotation(unit, Interval::point(angle + part * more));
        let all = IntervalMat3::rotation(unit, Interval::new(angle, angle + more));
        prop_assert!((one * one.transpose()).contains(Mat3::IDENTITY));
        prop_assert!(one.apply(unit).contains(Vec3::unit(axis)));
        let rotated = crate::math::pose::rotation_about(Vec3::unit(axis), angle + part * more);
        for j in 0..3 {
            for k in 0..3 {
                prop_assert!(all.columns[j].coordinates[k].widened(1e-15).contains(rotated.columns[j][k]));
            }
        }
    }
}
