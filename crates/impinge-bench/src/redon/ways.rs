//! Methods: the active stages, and the bound.

use impinge::Options;
use impinge::query::{Bound, Semantics, Stages};

use crate::plot::Stroke;

/// A set of stages, a bound, and the semantics of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Stages 1 and 2; stage 3 always runs.
    pub stages: Stages,
    /// The motion bound.
    pub bound: Bound,
    /// Surfaces, as in the paper; solids are the default of the library.
    pub semantics: Semantics,
}

/// The sets of stages of the paper, in its order.
const STAGE_SETS: [(&str, Stages); 4] = [
    ("1+2+3", Stages { boxes: true, sweeps: true }),
    ("1+3", Stages { boxes: true, sweeps: false }),
    ("2+3", Stages { boxes: false, sweeps: true }),
    ("3", Stages { boxes: false, sweeps: false }),
];
/// Work limit of a query: some seconds.
const MAX_WORK: u64 = 20_000_000;

impl Way {
    /// Returns the default of the library: closed meshes are solids, so a containment test at the start precedes the search.
    pub fn of_users() -> Way {
        Way { stages: Stages::default(), bound: Bound::default(), semantics: Semantics::default() }
    }

    /// Tests whether it is the default, with surfaces as in the paper.
    pub fn is_default(self) -> bool {
        self == Way { semantics: Semantics::Surface, ..Way::of_users() }
    }

    /// Returns the paper's four sets of stages with both bounds, in the paper's order.
    pub fn all() -> Vec<Way> {
        let with = |bound| STAGE_SETS.map(|(_, stages)| Way { stages, bound, semantics: Semantics::Surface });
        [Bound::Tube, Bound::Interval].into_iter().flat_map(with).collect()
    }

    /// Returns the options of this method.
    pub fn options(self) -> Options {
        Options::default().stages(self.stages).bound(self.bound).semantics(self.semantics).max_work(MAX_WORK)
    }

    /// Returns the set of stages, in the words of the paper.
    pub fn stages_word(self) -> &'static str {
        STAGE_SETS[self.stage_set()].0
    }

    /// Returns the position of the set of stages in the order of the paper.
    pub fn stage_set(self) -> usize {
        STAGE_SETS.iter().position(|s| s.1 == self.stages).unwrap_or(0)
    }

    /// Returns the colour in plots: one for each set of stages, and one for the default.
    pub fn colour(self) -> usize {
        if self.asks_as_the_paper() { self.stage_set() } else { STAGE_SETS.len() }
    }

    /// Tests whether meshes are surfaces.
    pub fn asks_as_the_paper(self) -> bool {
        self.semantics == Semantics::Surface
    }

    /// Returns the name of the bound.
    pub fn bound_word(self) -> &'static str {
        match self.bound {
            Bound::Tube => "tube",
            Bound::Interval => "interval",
        }
    }

    /// Returns the word for the semantics of closed meshes.
    pub fn meshes_word(self) -> &'static str {
        match self.semantics {
            Semantics::Surface => "surfaces",
            Semantics::Solid => "solids",
        }
    }

    /// Returns the stroke: solid for the tube, dashed for interval matrices.
    pub fn stroke(self) -> Stroke {
        match self.bound {
            Bound::Tube => Stroke::Solid,
            Bound::Interval => Stroke::Dashed,
        }
    }

    /// Returns the name for legends.
    pub fn name(self) -> String {
        let meshes = match self.semantics {
            Semantics::Surface => "",
            Semantics::Solid => ", solids",
        };
        let default = if self.is_default() || self == Way::of_users() { " (default)" } else { "" };
        format!("{} {}{meshes}{default}", self.bound_word(), self.stages_word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_eight_and_one_is_the_default() {
        let mut names: Vec<String> = Way::all().iter().map(|w| w.name()).collect();
        assert_eq!(names.iter().filter(|n| n.ends_with("(default)")).count(), 1);
        names.push(Way::of_users().name());
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 9);
    }

    #[test]
    fn users_get_solids_and_the_paper_surfaces() {
        assert_eq!((Way::of_users().semantics, Way::of_users().is_default()), (Semantics::Solid, false));
        assert!(Way::all().iter().all(|way| way.semantics == Semantics::Surface));
    }
}
