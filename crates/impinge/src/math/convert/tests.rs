//! Round trips, and the convention of rotations against the other crate's own arithmetic.

use proptest::prelude::*;

use super::*;

/// Three numbers of any bits: NaN, infinities, both zeros, subnormal ones.
fn any_vector() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(prop::num::f64::ANY).prop_map(Vec3::from)
}

fn any_matrix() -> impl Strategy<Value = Mat3> {
    prop::array::uniform3(any_vector()).prop_map(|columns| Mat3 { columns })
}

fn point() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-10.0f64..10.0).prop_map(Vec3::from)
}

/// A unit quaternion `[w, x, y, z]`, up to rounding.
fn unit() -> impl Strategy<Value = [f64; 4]> {
    let raw = prop::array::uniform4(-1.0f64..1.0).prop_filter("long enough", |q| norm(q) > 0.1);
    raw.prop_map(|q| q.map(|c| c / norm(&q)))
}

fn norm(q: &[f64; 4]) -> f64 {
    q.iter().map(|c| c * c).sum::<f64>().sqrt()
}

fn pose() -> impl Strategy<Value = Pose> {
    (point(), unit()).prop_map(|(p, q)| Pose::from_quaternion(p, q).expect("a unit quaternion"))
}

fn bits(v: Vec3) -> [u64; 3] {
    v.to_array().map(f64::to_bits)
}

fn matrix_bits(m: Mat3) -> [[u64; 3]; 3] {
    m.columns.map(bits)
}

fn close(a: Vec3, b: Vec3) -> bool {
    (a - b).norm() <= 1e-14 * (1.0 + a.norm())
}

fn close_poses(a: Pose, b: Pose) -> bool {
    (0..3).all(|j| close(a.rotation.columns[j], b.rotation.columns[j])) && a.translation == b.translation
}

/// The point turned by a quaternion, as q p q* written out: no matrix.
#[cfg(feature = "mint")]
fn turned([w, x, y, z]: [f64; 4], p: Vec3) -> Vec3 {
    let u = Vec3::new(x, y, z);
    let t = u.cross(p) * 2.0;
    p + t * w + u.cross(t)
}

/// Matrices that are no rotation: scaled, mirrored, sheared, not finite.
fn no_rotations() -> [Mat3; 4] {
    let diagonal = |a, b, c| Mat3::from_rows([[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]]);
    let sheared = Mat3::from_rows([[1.0, 1e-3, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    [diagonal(1.001, 1.001, 1.001), diagonal(1.0, 1.0, -1.0), sheared, diagonal(1.0, f64::NAN, 1.0)]
}

#[cfg(feature = "nalgebra")]
mod with_nalgebra {
    use ::nalgebra::{Isometry3, Matrix3, Matrix4, Point3, Quaternion, Rotation3, UnitQuaternion, Vector3};

    use super::*;

    proptest! {
        #[test]
        fn copies_keep_every_bit(v in any_vector(), m in any_matrix()) {
            prop_assert_eq!(bits(Vector3::from(v).into()), bits(v));
            prop_assert_eq!(bits(Point3::from(v).into()), bits(v));
            prop_assert_eq!(matrix_bits(Matrix3::from(m).into()), matrix_bits(m));
            prop_assert_eq!(Matrix3::from(m)[(0, 2)].to_bits(), m.columns[2].x.to_bits());
        }

        #[test]
        fn poses_come_back_and_move_points_alike(pose in pose(), p in point(), q in unit()) {
            prop_assert_eq!(Pose::try_from(Matrix4::from(pose)), Ok(pose));
            let rotation = Rotation3::try_from(pose.rotation).expect("a rotation");
            prop_assert_eq!(Mat3::from(rotation), pose.rotation);
            let isometry = Isometry3::try_from(pose).expect("rigid");
            prop_assert!(close_poses(Pose::try_from(isometry).expect("rigid"), pose));
            prop_assert!(close((isometry * Point3::from(p)).into(), pose.apply(p)));
            prop_assert!(close(Matrix4::from(pose).transform_point(&Point3::from(p)).into(), pose.apply(p)));
            prop_assert!(close((rotation * Vector3::from(p)).into(), pose.rotation * p));

            let [w, x, y, z] = q;
            let theirs = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
            let ours = Mat3::try_from(theirs).expect("a unit quaternion");
            prop_assert!(close((theirs * Vector3::from(p)).into(), ours * p));
            let back = UnitQuaternion::try_from(ours).expect("a rotation");
            prop_assert!(back.w >= 0.0 && back.angle_to(&theirs) < 1e-7, "{} {}", back, theirs);
            prop_assert!(close((back * Vector3::from(p)).into(), ours * p));
        }
    }

    #[test]
    fn what_is_no_rotation_is_refused() {
        for m in no_rotations() {
            let pose = Pose { rotation: m, translation: Vec3::ZERO };
            assert!(Rotation3::try_from(m).is_err() && UnitQuaternion::try_from(m).is_err());
            assert!(Isometry3::try_from(pose).is_err() && Pose::try_from(Matrix4::from(pose)).is_err());
        }
        let mut projective = Matrix4::identity();
        projective[(3, 0)] = 1e-3;
        assert!(Pose::try_from(projective).is_err());
        assert!(Pose::try_from(Isometry3::translation(f64::NAN, 0.0, 0.0)).is_err());
        assert!(Mat3::try_from(UnitQuaternion::new_unchecked(Quaternion::new(1.1, 0.0, 0.0, 0.0))).is_err());
    }
}

#[cfg(feature = "glam")]
mod with_glam {
    use ::glam::{DAffine3, DMat3, DMat4, DQuat, DVec3};

    use super::*;

    proptest! {
        #[test]
        fn copies_keep_every_bit(v in any_vector(), m in any_matrix()) {
            prop_assert_eq!(bits(DVec3::from(v).into()), bits(v));
            prop_assert_eq!(matrix_bits(DMat3::from(m).into()), matrix_bits(m));
            prop_assert_eq!(DMat3::from(m).z_axis.x.to_bits(), m.columns[2].x.to_bits());
        }

        #[test]
        fn poses_come_back_and_move_points_alike(pose in pose(), p in point(), q in unit()) {
            prop_assert_eq!(Pose::try_from(DAffine3::from(pose)), Ok(pose));
            prop_assert_eq!(Pose::try_from(DMat4::from(pose)), Ok(pose));
            prop_assert!(close(DAffine3::from(pose).transform_point3(p.into()).into(), pose.apply(p)));
            prop_assert!(close(DMat4::from(pose).transform_point3(p.into()).into(), pose.apply(p)));

            let [w, x, y, z] = q;
            let theirs = DQuat::from_xyzw(x, y, z, w);
            let ours = Mat3::try_from(theirs).expect("a unit quaternion");
            prop_assert!(close((theirs * DVec3::from(p)).into(), ours * p));
            let back = DQuat::try_from(ours).expect("a rotation");
            prop_assert!(back.w >= 0.0 && close((back * DVec3::from(p)).into(), ours * p));
        }
    }

    #[test]
    fn what_is_no_rotation_is_refused() {
        for m in no_rotations() {
            let pose = Pose { rotation: m, translation: Vec3::ZERO };
            assert!(DQuat::try_from(m).is_err());
            assert!(Pose::try_from(DAffine3::from(pose)).is_err() && Pose::try_from(DMat4::from(pose)).is_err());
        }
        let mut projective = DMat4::IDENTITY;
        projective.x_axis.w = 1e-3;
        assert!(Pose::try_from(projective).is_err());
        assert!(Pose::try_from(DAffine3::from_translation(DVec3::new(0.0, f64::INFINITY, 0.0))).is_err());
        assert!(Mat3::try_from(DQuat::from_xyzw(0.0, 0.0, 0.0, 1.1)).is_err());
    }
}

#[cfg(feature = "mint")]
mod with_mint {
    use ::mint::{ColumnMatrix3, ColumnMatrix4, IntoMint, Point3, Quaternion, Vector3};

    use super::*;

    fn mint<T: IntoMint>(value: T) -> T::MintType {
        value.into()
    }

    proptest! {
        #[test]
        fn copies_keep_every_bit(v in any_vector(), m in any_matrix()) {
            prop_assert_eq!(bits(Vector3::from(v).into()), bits(v));
            prop_assert_eq!(bits(Point3::from(v).into()), bits(v));
            prop_assert_eq!(matrix_bits(ColumnMatrix3::from(m).into()), matrix_bits(m));
            prop_assert_eq!(mint(m).z.x.to_bits(), m.columns[2].x.to_bits());
            prop_assert_eq!(bits(Vec3::from(mint(v))), bits(v));
        }

        #[test]
        fn poses_come_back_and_quaternions_turn_points_alike(pose in pose(), p in point(), q in unit()) {
            prop_assert_eq!(Pose::try_from(ColumnMatrix4::from(pose)), Ok(pose));
            prop_assert_eq!(Pose::try_from(mint(pose)), Ok(pose));
            let [w, x, y, z] = q;
            let ours = Mat3::try_from(Quaternion::from([x, y, z, w])).expect("a unit quaternion");
            prop_assert!(close(turned(q, p), ours * p));
            let back = Quaternion::try_from(ours).expect("a rotation");
            prop_assert!(back.s >= 0.0 && close(turned([back.s, back.v.x, back.v.y, back.v.z], p), ours * p));
        }
    }

    #[test]
    fn what_is_no_rotation_is_refused() {
        for m in no_rotations() {
            assert!(Quaternion::try_from(m).is_err());
            assert!(Pose::try_from(ColumnMatrix4::from(Pose { rotation: m, translation: Vec3::ZERO })).is_err());
        }
        let mut projective = ColumnMatrix4::from(Pose::IDENTITY);
        projective.x.w = 1e-3;
        assert!(Pose::try_from(projective).is_err());
        assert!(Mat3::try_from(Quaternion::from([0.0, 0.0, 0.0, 1.1])).is_err());
        assert!(Mat3::try_from(Quaternion::from([0.0, 0.0, 0.0, f64::NAN])).is_err());
    }
}
