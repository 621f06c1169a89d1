//! Attacks: extreme but legal inputs, each of a kind that once had a wrong or unstable verdict.

mod bounded;
mod engines;
mod far;
mod fast;
mod mimics;
mod needles;
mod scales;
mod threads;
mod undecided;
mod within;

use std::sync::Arc;

use impinge::math::Vec3;
use impinge_testkit::world::{Solid, Soup};

/// Builds one piece of triangles.
fn soup(corners: &[[Vec3; 3]]) -> Solid {
    let vertices = corners.iter().flatten().copied().collect();
    let triangles = (0..corners.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Solid::Mesh(Arc::new(Soup { vertices, triangles }))
}

/// Returns a power of two.
fn two_to(exponent: i32) -> f64 {
    2f64.powi(exponent)
}
