//! Test support: a plain description of worlds, a slow independent oracle for them, generators of difficult worlds, and a shrinker.
//!
//! ```text
//! generate ──► World ──► scene ──► impinge::Checker, Motion ──► Verdict ┐
//!    ▲           │                                                      ├──► a test compares
//!  shrink        └─────► oracle: place, measure, step in time ──► Gap ──┘
//! ```
//!
//! The oracle has its own kinematics, distances and trees, in plain `f64`. It shares only the vector types with the library.
//! It is not a proof: it samples instants, so it can show that the library is wrong, but never that it is right.

pub mod fuzzing;
pub mod generate;
pub mod judge;
pub mod measure;
pub mod oracle;
pub mod place;
pub mod queries;
pub mod scene;
pub mod shared;
pub mod shrink;
pub mod sturm;
pub mod trial;
pub mod world;

pub use impinge_io::example::random::Random;
pub use oracle::Oracle;
pub use world::{Drive, Frame, Part, Piece, Place, Solid, World};

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

/// So are those of the loaders' README.
#[cfg(doctest)]
#[doc = include_str!("../../impinge-io/README.md")]
pub struct LoadersReadme;

/// And of the verifier's.
#[cfg(doctest)]
#[doc = include_str!("../../impinge-verify/README.md")]
pub struct VerifierReadme;
