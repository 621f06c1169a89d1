//! How a question is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;
use crate::narrow::advance::Sharpness;

/// What a closed mesh is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Semantics {
    /// Its triangles: a body wholly inside another, touching nothing, is free.
    Surface,
    /// What it encloses: a body inside another is in contact. Open meshes stay surfaces, see [`crate::Scene::open_meshes`].
    #[default]
    Solid,
}

/// Which culling stages run before the exact one, which always runs. By default what pays is chosen: none where few pairs of parts are
/// checked, for the exact stage culls well by itself; boxes where there are many.
///
/// Switching them never changes a verdict; it changes what is spent where, see [`crate::query::Report`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// Stage 1: boxes around what each link sweeps, in a hierarchy, against a hierarchy of the objects.
    pub boxes: bool,
    /// Stage 2: what the capsule around each link sweeps, against the objects' triangles.
    pub sweeps: bool,
}

/// How it is bounded where a link can be during a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// A straight motion and a radius, by norms of rates: does not widen with depth.
    #[default]
    Tube,
    /// Interval matrices multiplied along the chain, as in Redon 2004: the reference.
    Interval,
}

/// Which search answers. All give the same answers; they differ in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The fastest for the scene, by measurement.
    #[default]
    Auto,
    /// Boxes swept by one body against what rests, span by span: for everything. The others are for pairs of meshes; where there is anything
    /// else, this one answers.
    Sweep,
    /// Trees of oriented boxes in tandem, each pair advanced in time.
    Boxes,
    /// Trees of convex hulls, each pair advanced in time by its own distance and a directed bound of its motion.
    /// [`crate::query::FrontSession`] does the same from the front of the last traversal.
    #[doc(alias = "conservative advancement")]
    #[doc(alias = "FAST")]
    Hulls,
}

/// Ends questions from another thread, see [`crate::query::Checker::cancelled_by`]: they are told as undecided, with what was proven until then.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Nothing is cancelled yet.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Ends all questions that are asked with it, now and from now on.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether that was done.
    #[inline(always)]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Options of a [`crate::query::Checker`]; the defaults are right for most uses.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub(crate) margin: f64,
    pub(crate) tolerance: f64,
    pub(crate) time_tolerance: f64,
    pub(crate) semantics: Semantics,
    pub(crate) max_work: u64,
    pub(crate) stages: Option<Stages>,
    pub(crate) bound: Bound,
    pub(crate) engine: Engine,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            margin: 0.0,
            tolerance: 1e-9,
            time_tolerance: 1e-9,
            semantics: Semantics::default(),
            max_work: 200_000_000,
            stages: None,
            bound: Bound::default(),
            engine: Engine::default(),
        }
    }
}

impl Options {
    /// Contact means a distance of at most this, metres; 0 by default.
    pub fn margin(mut self, margin: f64) -> Self {
        self.margin = margin;
        self
    }

    /// Where neither separation nor contact can be proven, a distance within `margin + tolerance` counts as contact; 1e-9 m by default.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Wanted width of the bracket around the first contact, as a share of the motion; 1e-9 by default.
    pub fn time_tolerance(mut self, time_tolerance: f64) -> Self {
        self.time_tolerance = time_tolerance;
        self
    }

    /// Whether closed meshes are filled; they are by default.
    pub fn semantics(mut self, semantics: Semantics) -> Self {
        self.semantics = semantics;
        self
    }

    /// Boxes and steps after which a query gives up as undecided.
    pub fn max_work(mut self, max_work: u64) -> Self {
        self.max_work = max_work;
        self
    }

    /// Which culling stages run before the exact one; what pays by default.
    pub fn stages(mut self, stages: Stages) -> Self {
        self.stages = Some(stages);
        self
    }

    /// How motions are bounded; by the tube by default.
    pub fn bound(mut self, bound: Bound) -> Self {
        self.bound = bound;
        self
    }

    /// How contacts are searched for; the fastest way by default. Interval bounds have a search of their own.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// The margin asked for, metres.
    pub fn get_margin(&self) -> f64 {
        self.margin
    }

    /// The tolerance asked for, metres.
    pub fn get_tolerance(&self) -> f64 {
        self.tolerance
    }

    pub(crate) fn sharpness(&self) -> Sharpness {
        Sharpness { margin: self.margin, tolerance: self.tolerance, time: self.time_tolerance }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let bad = |what: &str, v: f64| Err(Error::invalid(what, format!("{v} is not a finite number of at least 0")));
        if !(self.margin >= 0.0 && self.margin.is_finite()) {
            return bad("margin", self.margin);
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return bad("tolerance", self.tolerance);
        }
        if !(self.time_tolerance >= 1e-15 && self.time_tolerance <= 1.0) {
            return Err(Error::invalid("time tolerance", format!("{} is not between 1e-15 and 1", self.time_tolerance)));
        }
        Ok(())
    }
}
