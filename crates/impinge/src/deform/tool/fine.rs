//! The fine test: features of the tool against those of the listed triangles.
//!
//! A long step is looked at span after span, so that boxes are small; each pair of triangles whose boxes meet in some span is tested over the
//! whole step, exactly.

use super::ToolChecker;
use super::checker::Surface;
use super::region::Region;
use crate::Error;
use crate::bvh::Box32;
use crate::bvh::swept::triangle_box;
use crate::deform::features::{Fine, Side};
use crate::deform::step::StepOptions;
use crate::deform::touch::{Found, Room};
use crate::deform::{Lines, StepAnswer};
use crate::math::rounding::{U, next_up};
use crate::math::{Mat3, Vec3};
use crate::motion::Span;
use crate::narrow::features::Settings;

impl ToolChecker {
    /// What of the listed triangles is touched; the start may be known to be free.
    pub(super) fn fine(&mut self, body: &Surface<'_>, start_unknown: bool) -> Result<StepAnswer, Error> {
        if self.list.is_empty() {
            return Ok(StepAnswer::default());
        }
        let settings = StepOptions::settings(self.swept.margin)?;
        let mesh = &self.tool.mesh;
        let (start, end) = self.swept.points.split_at(mesh.vertices().len());
        let lines = Lines { start, end };
        self.patch.take(body.triangles, &self.list, &body.lines)?;
        let axes = self.swept.region.as_ref().map_or(Mat3::IDENTITY.columns, Region::axes);
        let frame = Frame { origin: start[0], axes, by: half_margin(&settings, lines, self.patch.lines()) };
        let spans = spans(lines, SPAN * self.tool.reach);
        let mut found = Found::new(self.options.all).with_room(Room::new(self.max_work));
        for k in 0..spans {
            let span = Span::slice(k, spans);
            frame.boxes(lines, span, &mut self.boxes);
            frame.boxes(self.patch.lines(), span, &mut self.patch_boxes);
            self.tree.refit_to(mesh.triangles(), &self.boxes);
            let tool =
                Side { body: 0, triangles: mesh.triangles(), owned: &self.tool.owned, lines, boxes: &self.boxes, names: None };
            let b = self.patch.side(1, &self.list, &self.patch_boxes);
            let fine = Fine { a: tool, b, own: false, start_unknown: start_unknown && k == 0, settings };
            self.candidates.clear();
            for (j, &t) in self.patch.triangles().iter().enumerate() {
                let bounds = triangle_box(t, &self.patch_boxes);
                self.tree.near(&bounds, &mut self.stack, |i| fine.gather(i, j as u32, &mut self.candidates, &mut found));
                if self.candidates.len() > MOST_GATHERED {
                    fine.test_gathered(&mut self.candidates, &mut found);
                    self.candidates.clear();
                }
                if !found.count(1) {
                    break;
                }
            }
            fine.test_gathered(&mut self.candidates, &mut found);
            // What is met in later spans only touches later.
            if found.limit() < span.to || !found.may_go_on() {
                break;
            }
        }
        let mut answer = found.answer();
        answer.finish(self.options.all);
        answer.contacts.dedup();
        if self.off() > 0.0 {
            answer.contacts.iter_mut().for_each(|touch| touch.certified = false);
        }
        Ok(answer)
    }
}

/// Pairs of features that wait to be tested, earliest first, at most.
const MOST_GATHERED: usize = 1 << 16;

/// A span of the step takes the tool no further than this part of its size, unless there would be too many.
const SPAN: f64 = 0.1;
const MOST_SPANS: usize = 32;

fn spans(lines: Lines<'_>, length: f64) -> usize {
    let travel = lines.start.iter().zip(lines.end).fold(0.0, |m: f64, (&a, &b)| m.max((b - a).max_abs()));
    let wanted = (travel / length).ceil();
    if wanted <= MOST_SPANS as f64 { (wanted as usize).max(1) } else { MOST_SPANS }
}

/// How boxes are made: along the axes of the volume, in which a slanted tool is slim, relative to a place, and grown.
struct Frame {
    origin: Vec3,
    axes: [Vec3; 3],
    by: f64,
}

/// Half the margin, and more than what the place of a vertex in the frame rounds, with M the largest |x|_1: 4 u M at the end of a span, 2 u M
/// relative to the origin, 8 u M along an axis. Axes are of length one up to a few u.
fn half_margin(settings: &Settings, tool: Lines<'_>, body: Lines<'_>) -> f64 {
    let all = [tool.start, tool.end, body.start, body.end];
    let size = all.iter().flat_map(|of| of.iter()).fold(0.0, |m: f64, p| m.max(p.norm1()));
    next_up(0.5 * settings.margin * (1.0 + 64.0 * U) + 32.0 * U * size)
}

impl Frame {
    fn boxes(&self, lines: Lines<'_>, span: Span, out: &mut Vec<Box32>) {
        let at = |a: Vec3, b: Vec3, t: f64| {
            let p = a * (1.0 - t) + b * t - self.origin;
            Vec3::new(self.axes[0].dot(p), self.axes[1].dot(p), self.axes[2].dot(p))
        };
        let line = |(&a, &b): (&Vec3, &Vec3)| Box32::of_line(at(a, b, span.from), at(a, b, span.to), Vec3::ZERO, self.by);
        out.clear();
        out.extend(lines.start.iter().zip(lines.end).map(line));
    }
}
