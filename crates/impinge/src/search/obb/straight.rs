//! Every pair of triangles that may touch while nothing turns: both trees walked once, over the whole motion.
//!
//! ```text
//! (box, box) ─► the larger is opened: its children against the other, eight at a time; those that never meet are dropped
//! (triangle, triangle) ─► the span in which all axes overlap: for convex things that are translated that is when they touch
//! ```
//!
//! Sound: what is dropped is proven apart at all times. A span is left without a proof of contact where the triangles graze each other.

use crate::bvh::RestingItem;
use crate::math::{V4, Vec3};
use crate::motion::Span;
use crate::narrow::triangle_pair::{near, proven_within};
use crate::search::obb::place::Before;
use crate::search::obb::triangles::{Approach, Doubles, reach_of};
use crate::search::obb::{Asked, Avx2, Lanes, Mover, Portable, Side, State, dispatch, f32_above, meet};
use crate::search::options::Engine;
use crate::search::pairs::{Body, Task};
use crate::search::sweep::{MOST_LISTED, Suspect};
use crate::search::verdict::Tally;
use crate::search::{Items, Query};

/// What is asked: all pairs of a task, with proofs of contact or without.
pub(crate) struct Straight<'a> {
    query: Query<'a>,
    side: Side<'a>,
    task: usize,
    prove: bool,
}

impl<'a> Straight<'a> {
    /// The task made ready, if this is the way to answer: two meshes, and nothing turns.
    pub fn new(query: &Query<'a>, (task, of): (usize, &Task), prove: bool) -> Option<Self> {
        let wanted = matches!(query.options.engine, Engine::Auto | Engine::Boxes);
        if !wanted || query.index.relative(&query.motion.chain, of).turns() {
            return None;
        }
        let side = Side::new(query, of).filter(Side::is_tame)?;
        Some(Straight { query: *query, side, task, prove })
    }

    /// The pairs, in no order; `None` if work ran out.
    pub fn suspects(&self, tally: &mut Tally) -> Option<Vec<Suspect>> {
        dispatch(walk_avx2, walk_portable, (self, tally))
    }
}

type Walk<'a, 'b> = (&'b Straight<'a>, &'b mut Tally);

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn walk_avx2((straight, tally): Walk<'_, '_>) -> Option<Vec<Suspect>> {
    straight.walk::<Avx2>(tally)
}

fn walk_portable((straight, tally): Walk<'_, '_>) -> Option<Vec<Suspect>> {
    straight.walk::<Portable>(tally)
}

impl Straight<'_> {
    #[inline(always)]
    fn walk<L: Lanes>(&self, tally: &mut Tally) -> Option<Vec<Suspect>> {
        let side = &self.side;
        let mut room = None;
        let state = side.state(0.0, 1.0, &mut room);
        let (mut found, mut open) = (Vec::new(), vec![(0u32, 0u32)]);
        while let Some((a, b)) = open.pop() {
            tally.boxes += 1;
            if found.len() >= MOST_LISTED || self.query.limits.end_at(tally.work()) {
                return None;
            }
            let (moving, resting) = (&side.moving.boxes[a as usize], &side.resting.boxes[b as usize]);
            let Some(mover) = Mover::of_larger(moving, resting) else {
                tally.pairs += 1;
                found.extend(self.pair::<L::Doubles>(&state, moving.first, resting.first));
                continue;
            };
            let (parent, pack) = side.opened(mover, moving, resting);
            let before = Before { state: &state, moving, resting, pack, mover, extra: side.extra };
            let asked = Asked { lanes: pack.filled, until: f32_above(1.0) };
            let mut near = asked.near(meet::<L>(&pack.lanes, &before.placed::<L>().probe, &before.straight(), asked));
            tally.pack_tests += 1;
            while near != 0 {
                let child = parent.first + near.trailing_zeros();
                near &= near - 1;
                open.push(if mover == Mover::Single { (a, child) } else { (child, b) });
            }
        }
        Some(found)
    }

    /// A pair that is not proven apart, with a proof of contact where there is one.
    #[inline(always)]
    fn pair<D: Doubles>(&self, state: &State<'_>, moving: u32, resting: u32) -> Option<Suspect> {
        let (side, tasks) = (&self.side, &self.query.index.tasks);
        let (Body::Mesh(mesh), RestingItem::Triangle(rest)) =
            (&tasks.moving[side.task.moving].body, tasks.resting[side.task.resting].tree.item(resting))
        else {
            return None;
        };
        let corners = mesh.corners(moving as usize);
        let reach = reach_of(&corners);
        let (from, to) = Approach::new::<D>(state, &corners, reach, rest, side.extra, 1.0).overlap::<D>()?;
        let span = Span::new(from, to);
        let middle = span.middle();
        let touches = self.prove && {
            let position = state.position.add(state.velocity.scale(middle));
            let place = |y: Vec3| position.add(state.rotation.apply(V4::from(y))).vec3();
            let error = state.tube.line_error(reach) + tasks.resting[side.task.resting].item_error;
            let placed = [place(corners[0]), place(corners[1]), place(corners[2])];
            let o = self.query.options;
            proven_within(&placed, rest, error, o.margin) || near(&placed, rest, error) <= o.margin + o.tolerance
        };
        let touches_at = if touches { middle } else { f64::INFINITY };
        let items = Items { task: self.task, moving, resting };
        Some(Suspect { items, span, lag: f64::INFINITY, touches_at })
    }
}
