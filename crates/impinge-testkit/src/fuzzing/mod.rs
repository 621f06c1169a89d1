//! Bodies of the fuzz targets: plain functions of bytes, called by libFuzzer (`fuzz/`), by tests and by a runner of this crate.
//!
//! ```text
//! files        loaders: a model or an error that names the file, never a panic; the library accepts or refuses every loaded model
//! certificate  damaged certificates with recomputed checksums
//! features     vertex/face and edge/edge against the exact oracle
//! rigid        two bodies: swapped, reversed, triangles in another order
//! mutate       mutations of seeds, deterministic for each number
//! ```
//!
//! A body returns nothing: every failure is a panic.

mod certificate;
mod features;
mod files;
mod mutate;
mod rigid;

use std::path::PathBuf;

pub use mutate::mutate;

/// Longer inputs are not worth their time.
pub const LONGEST: usize = 4096;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is also the name of its seed folder.
    pub name: &'static str,
    /// Panics on any failure.
    pub feed: fn(&[u8]),
    /// Words of its input language.
    pub tokens: &'static [&'static str],
    /// The number of inputs of an ordinary test.
    pub smoke: u64,
}

/// All targets.
pub const TARGETS: [Target; 19] = [
    files::URDF,
    files::SRDF,
    files::STL,
    files::OBJ,
    files::DAE,
    files::PLY,
    files::OFF,
    files::GLTF,
    files::BVH,
    files::SCENE,
    files::MOVEIT,
    files::CASE,
    files::MOTION,
    files::TRAJECTORY,
    files::QUERIES,
    files::ARGUMENTS,
    certificate::CERTIFICATE,
    features::FEATURES,
    rigid::RIGID,
];

/// Runs a target on bytes.
///
/// # Panics
/// If there is no such target, or on any failure.
pub fn feed(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|t| t.name == name).expect("a target of this name");
    (target.feed)(&bytes[..bytes.len().min(LONGEST)]);
}

/// Returns the seeds of a target, in the order of their names.
///
/// # Panics
/// If the seeds cannot be read.
pub fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds")).join(target.name);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("a folder of seeds").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a seed")).collect()
}

/// Reads numbers from bytes, and zero after their end.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }
}
