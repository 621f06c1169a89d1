//! Bodies of the fuzz targets: plain functions of bytes, so that libFuzzer (`fuzz/`), tests and a runner of our own can call them.
//!
//! ```text
//! files        loaders: a model or an error that names the file, never a panic; what they let through, the core accepts or refuses
//! certificate  damaged certificates under checksums that fit
//! features     vertex/face and edge/edge against the exact oracle
//! rigid        two bodies: swapped, reversed, triangles in another order
//! mutate       changes to seeds, always the same for a number
//! ```
//!
//! A body returns nothing: whatever is wrong is a panic.

mod certificate;
mod features;
mod files;
mod mutate;
mod rigid;

use std::path::PathBuf;

pub use mutate::mutate;

/// Bytes longer than this are not worth the time they take.
pub const LONGEST: usize = 4096;

/// Something that bytes are fed to.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, also of its seeds' folder.
    pub name: &'static str,
    /// Panics if anything is wrong.
    pub feed: fn(&[u8]),
    /// Words of its language.
    pub tokens: &'static [&'static str],
    /// How many inputs an ordinary test tries.
    pub smoke: u64,
}

/// All of them.
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

/// Feeds bytes to a target.
///
/// # Panics
/// If there is no such target, or anything is wrong.
pub fn feed(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|t| t.name == name).expect("a target of this name");
    (target.feed)(&bytes[..bytes.len().min(LONGEST)]);
}

/// The seeds of a target, in the order of their names.
///
/// # Panics
/// If they cannot be read.
pub fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds")).join(target.name);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("a folder of seeds").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a seed")).collect()
}

/// Numbers out of bytes, zero where they end.
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
