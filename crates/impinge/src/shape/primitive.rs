//! The solid shapes of URDF, exact: boxes, spheres, cylinders, capsules.

use crate::Error;
use crate::math::Vec3;
use crate::shape::mesh::MAX_COORDINATE;

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
        let (kind, sizes) = match self {
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
        Ok(self)
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
