//! Verifies a file line by line: scenes, and motions that refer to the scene before them.

use std::fmt;

use crate::check;
use crate::inside;
use crate::interval::Interval;
use crate::motion::Moves;
use crate::read::{self, MotionLine, Proof, Scene};

/// The reason for a refused line.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// The line is not a line of a certificate.
    Unreadable(String),
    /// The line is well-formed, but it does not prove its claim.
    Refused {
        /// The reason.
        reason: String,
        /// Part and piece of both sides, and the number of the leaf, from 1.
        leaf: Option<([(usize, usize); 2], usize)>,
    },
}

impl Problem {
    pub(crate) fn unreadable(reason: impl Into<String>) -> Self {
        Problem::Unreadable(reason.into())
    }

    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Problem::Refused { reason: reason.into(), leaf: None }
    }

    pub(crate) fn at(self, proof: &Proof, number: usize) -> Self {
        match self {
            Problem::Refused { reason, .. } => Problem::Refused { reason, leaf: Some(([proof.a, proof.b], number)) },
            other => other,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unreadable(reason) | Problem::Refused { reason, leaf: None } => write!(f, "{reason}"),
            Problem::Refused { reason, leaf: Some(([a, b], number)) } => {
                write!(f, "leaf {number} of part {} piece {} and part {} piece {}: {reason}", a.0, a.1, b.0, b.1)
            }
        }
    }
}

impl std::error::Error for Problem {}

/// The verified statement about a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// The id of the motion.
    pub id: String,
    /// The margin: every checked pair is farther apart.
    pub margin: f64,
    /// Whether closed meshes are solids; otherwise they consist of their triangles only.
    pub solids: bool,
    /// The number of checked pairs of parts.
    pub checked: usize,
    /// The number of pairs that are not checked.
    pub unchecked: usize,
    /// The number of leaves of all proofs.
    pub leaves: usize,
}

/// The content of a line.
#[derive(Debug)]
pub enum Line {
    /// A scene; the motions after it refer to it.
    Scene,
    /// A verified free motion.
    Free(Verified),
}

/// Verifies the lines of a file in order.
#[derive(Debug, Default)]
pub struct Verifier {
    /// The scene that was read last.
    pub scene: Option<Scene>,
}

impl Verifier {
    /// Checks one line, without its end.
    ///
    /// # Errors
    /// If the line cannot be read or does not prove its claim.
    pub fn line(&mut self, text: &str) -> Result<Line, Problem> {
        match read::kind(text) {
            Some("scene") => {
                self.scene = None;
                self.scene = Some(Scene::read(text)?);
                Ok(Line::Scene)
            }
            _ => self.motion(text).map(Line::Free),
        }
    }

    /// Verifies the line of a motion of the scene that was read last.
    ///
    /// # Errors
    /// If the line cannot be read or does not prove its claim.
    pub fn motion(&self, text: &str) -> Result<Verified, Problem> {
        if read::kind(text) != Some("motion") {
            return Err(Problem::unreadable("the line is not a line of a certificate"));
        }
        let line = read::motion(text)?;
        let scene = self.scene.as_ref().filter(|s| s.checksum == line.scene);
        scene.ok_or_else(|| Problem::refused("its scene is not the preceding scene"))?.verify(&line)
    }
}

impl Scene {
    /// Verifies the proofs of a motion: every pair of pieces of every checked pair of parts has one, in order.
    ///
    /// # Errors
    /// If a proof is missing or wrong.
    pub fn verify(&self, line: &MotionLine) -> Result<Verified, Problem> {
        let moves = Moves::new(self, &line.moves)?;
        let pieces = |part: usize| (0..self.parts[part].pieces.len()).map(move |piece| (part, piece));
        let pairs = self.checked.iter().flat_map(|&(a, b)| pieces(a).flat_map(move |x| pieces(b).map(move |y| (x, y))));
        if !pairs.eq(line.proofs.iter().map(|p| (p.a, p.b))) {
            return Err(Problem::refused("the proofs do not match the checked pairs"));
        }
        let margin = Interval::of(line.margin);
        let mut leaves = 0;
        for proof in &line.proofs {
            leaves += check::proof(self, &moves, proof, margin)?;
            inside::neither_starts_inside(self, &moves, proof)?;
        }
        let (checked, unchecked) = (self.checked.len(), self.unchecked.len());
        Ok(Verified { id: line.id.clone(), margin: line.margin, solids: self.solids, checked, unchecked, leaves })
    }
}
