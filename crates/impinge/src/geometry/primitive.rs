//! The solid shapes of URDF, exact: boxes, spheres, cylinders, capsules.

use crate::Error;
use crate::geometry::Mesh;
use crate::geometry::mesh::{MAX_COORDINATE, check_small};
use crate::math::Vec3;

/// A convex solid centred at its own origin; axes of cylinders and capsules are along z, as in URDF.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    /// A box with the given half sides.
    Cuboid {
        /// Half of each side.
        half: Vec3,
    },
    /// A ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A solid cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Half of the length along z.
        half_length: f64,
    },
    /// All points within `radius` of a segment along z.
    Capsule {
        /// Radius.
        radius: f64,
        /// Half of the segment's length (the caps come on top).
        half_length: f64,
    },
}

impl Primitive {
    /// A box from its full sides.
    ///
    /// # Errors
    /// If a side is negative or not finite; likewise for the other shapes.
    pub fn cuboid(size: Vec3) -> Result<Self, Error> {
        Primitive::Cuboid { half: size * 0.5 }.checked()
    }

    /// A ball.
    ///
    /// # Errors
    /// See [`Primitive::cuboid`].
    pub fn sphere(radius: f64) -> Result<Self, Error> {
        Primitive::Sphere { radius }.checked()
    }

    /// A cylinder from radius and full length.
    ///
    /// # Errors
    /// See [`Primitive::cuboid`].
    pub fn cylinder(radius: f64, length: f64) -> Result<Self, Error> {
        Primitive::Cylinder { radius, half_length: length * 0.5 }.checked()
    }

    /// A capsule from radius and the full length of its segment.
    ///
    /// # Errors
    /// See [`Primitive::cuboid`].
    pub fn capsule(radius: f64, length: f64) -> Result<Self, Error> {
        Primitive::Capsule { radius, half_length: length * 0.5 }.checked()
    }

    fn checked(self) -> Result<Self, Error> {
        self.check().map(|()| self)
    }

    /// Refuses sizes that are not finite, negative or out of range; variants can be made without a constructor.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let (kind, sizes) = match *self {
            Primitive::Cuboid { half } => ("box", half.to_array().to_vec()),
            Primitive::Sphere { radius } => ("sphere", vec![radius]),
            Primitive::Cylinder { radius, half_length } => ("cylinder", vec![radius, half_length]),
            Primitive::Capsule { radius, half_length } => ("capsule", vec![radius, half_length]),
        };
        for s in sizes {
            if !s.is_finite() {
                return Err(Error::NonFinite { what: format!("size of a {kind}") });
            }
            if s < 0.0 {
                return Err(Error::invalid(format!("size of a {kind}"), format!("{s} is negative")));
            }
            if s > MAX_COORDINATE {
                return Err(Error::OutOfRange { what: format!("size of a {kind}"), value: s, limit: MAX_COORDINATE });
            }
        }
        check_small(kind, self.half_extent().max_abs())
    }

    /// The surface of a box, exactly: its corners are representable numbers. `None` for round shapes.
    pub(crate) fn flat_surface(&self) -> Option<Mesh> {
        let Primitive::Cuboid { half } = *self else { return None };
        let corner = |k: u32| {
            let side = |bit: u32, h: f64| if k & bit == 0 { -h } else { h };
            Vec3::new(side(1, half.x), side(2, half.y), side(4, half.z))
        };
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Mesh::new((0..8).map(corner).collect(), triangles).ok()
    }

    /// Half the sides of the smallest box around the shape in its own frame.
    pub fn half_extent(&self) -> Vec3 {
        match *self {
            Primitive::Cuboid { half } => half,
            Primitive::Sphere { radius } => Vec3::splat(radius),
            Primitive::Cylinder { radius, half_length } => Vec3::new(radius, radius, half_length),
            Primitive::Capsule { radius, half_length } => Vec3::new(radius, radius, half_length + radius),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_a_closed_surface_facing_outward() {
        let mesh = Primitive::cuboid(Vec3::new(1.0, 2.0, 3.0)).expect("valid").flat_surface().expect("flat");
        assert!(mesh.is_closed());
        let volume: f64 = (0..12).map(|i| mesh.corners(i)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum();
        assert!((volume - 6.0).abs() < 1e-12);
    }

    #[test]
    fn bad_sizes_are_refused() {
        assert!(Primitive::sphere(-1.0).is_err() && Primitive::cylinder(f64::NAN, 1.0).is_err());
        assert!(Primitive::cuboid(Vec3::splat(1e40)).is_err() && Primitive::capsule(0.0, 0.0).is_ok());
    }
}
