//! Bodies during a step of the path: they move while the step between the last two samples is done, and rest ahead.

use super::horizon::{Leg, Step};
use crate::deform::{Lines, Surface};
use crate::geometry::mesh::MAX_COORDINATE;
use crate::math::Vec3;
use crate::math::rounding::U;

/// Memory for the vertices of one body at both ends of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Moved {
    start: Vec<Vec3>,
    end: Vec<Vec3>,
}

impl Moved {
    /// A body during a step; its vertices are off by at most [`rounding`].
    pub fn during<'a>(&'a mut self, body: &Surface<'a>, step: &Step) -> Surface<'a> {
        let lines = match step.leg {
            Leg::Observed if is_part(body, step) => {
                fill(&mut self.start, &body.lines, step.from);
                fill(&mut self.end, &body.lines, step.to);
                Lines { start: &self.start, end: &self.end }
            }
            Leg::Observed => body.lines,
            Leg::Corrected | Leg::Predicted => Lines::resting(body.lines.end),
        };
        Surface { lines, ..*body }
    }
}

/// Whether a body moves and only a part of its way belongs to a step.
fn is_part(body: &Surface<'_>, step: &Step) -> bool {
    step.leg == Leg::Observed && !body.lines.is_resting() && (step.from, step.to) != (0.0, 1.0)
}

/// At least how far vertices of a body are put off their lines during a step: a (1 - t) + b t rounds by 4 u of both. Vertices that are too
/// large are refused where they matter.
pub(super) fn rounding(body: &Surface<'_>, step: &Step) -> f64 {
    if !is_part(body, step) {
        return 0.0;
    }
    let all = body.lines.start.iter().chain(body.lines.end);
    16.0 * U * all.map(|p| p.norm1()).filter(|&size| size <= 3.0 * MAX_COORDINATE).fold(0.0, f64::max)
}

fn fill(out: &mut Vec<Vec3>, lines: &Lines<'_>, share: f64) {
    let at = |(&a, &b): (&Vec3, &Vec3)| match share {
        0.0 => a,
        1.0 => b,
        _ => a * (1.0 - share) + b * share,
    };
    out.clear();
    out.extend(lines.start.iter().zip(lines.end).map(at));
}
