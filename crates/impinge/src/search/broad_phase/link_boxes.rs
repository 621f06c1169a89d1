//! Stage 1: boxes around what links sweep, in a hierarchy built bottom-up for every question, against the hierarchy of the objects.
//! [Redon 2004, section 4.1]

use crate::bvh::PartBoxes;
use crate::geometry::bounding::Capsule;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::Vec3;
use crate::math::interval::IntervalVec3;
use crate::math::rounding::{INFLATE, U};
use crate::motion::interval_chain::IntervalMotion;
use crate::motion::{Carried, Chain, Relative};
use crate::search::broad_phase::{CarriedLink, Carriers, Culling, HERE, Other, Pass, WHOLE, regions, slices};
use crate::search::options::Bound;
use crate::swept::capsule::SweptCapsule;

impl Pass<'_> {
    /// Keeps the pairs whose boxes meet; returns how many boxes were tested against each other.
    pub fn boxes(&mut self) -> u64 {
        let (carriers, margin) = (&self.culling.carriers, self.query.options.margin);
        let boxes = match self.query.options.bound {
            Bound::Tube => by_tube(&self.query.motion.chain, carriers, margin),
            Bound::Interval => by_intervals(&self.query.motion.chain, carriers, margin),
        };
        let (near, tests) = self.culling.near(&boxes, carriers);
        self.pairs = near;
        tests
    }
}

impl Culling {
    /// The pairs whose boxes meet, ascending, and how many boxes were tested against each other. Links that one frame carries are rigid to
    /// each other and never meet.
    pub fn near(&self, boxes: &[Aabb], Carriers(carried): &Carriers) -> (Vec<usize>, u64) {
        let links = PartBoxes::bottom_up(boxes.iter().copied().zip(carried.iter().map(|c| c.frame as u32)));
        let mut near = Vec::new();
        let mut tests = links.meet(&self.objects, |i, object| near.extend(self.pair(carried[i].link, Other::Object(object))));
        if self.self_pairs {
            tests += links.meet(&links, |i, j| {
                let (a, b) = (carried[i].link, carried[j].link);
                near.extend(self.pair(a, Other::Link(b)));
                near.extend(self.pair(b, Other::Link(a)));
            });
        }
        near.sort_unstable();
        (near, tests)
    }
}

/// For each link, a box around all that its capsule sweeps, grown by the margin: the tube of a frame is made once for all that it carries.
pub(crate) fn by_tube(chain: &Chain, Carriers(carried): &Carriers, margin: f64) -> Vec<Aabb> {
    let states = chain.states(WHOLE);
    let mut boxes = Vec::with_capacity(carried.len());
    for of_frame in carried.chunk_by(|a, b| a.frame == b.frame) {
        let frame = of_frame[0].frame;
        let (moving, world) = (Carried { frame, placement: &HERE }, Carried { frame: 0, placement: &HERE });
        let relative = Relative::new(chain, moving, world, 0, Vec3::ZERO);
        let whole = relative.in_world(&states[frame], WHOLE);
        boxes.extend(of_frame.iter().map(|CarriedLink { capsule, .. }| {
            let swept = match slices(&whole, capsule) {
                1 => SweptCapsule::new(&whole, capsule).enclose(),
                _ => regions(&relative, capsule).iter().map(SweptCapsule::enclose).fold(Aabb::EMPTY, Aabb::union),
            };
            swept.grown(margin * INFLATE)
        }));
    }
    boxes
}

/// The same by interval matrices.
fn by_intervals(chain: &Chain, Carriers(carried): &Carriers, margin: f64) -> Vec<Aabb> {
    let frames = IntervalMotion::of_all(chain, WHOLE);
    carried.iter().map(|c| interval_box(&frames[c.frame], &c.capsule).grown(margin * INFLATE)).collect()
}

/// A box around all that a capsule sweeps with its frame.
pub(crate) fn interval_box(frame: &IntervalMotion, capsule: &Capsule) -> Aabb {
    let aabb = |v: IntervalVec3| Aabb { lo: v.coordinates.map(|c| c.lo()).into(), hi: v.coordinates.map(|c| c.hi()).into() };
    let [a, b] = [capsule.a, capsule.b].map(|end| aabb(frame.point(end)[0]));
    let both = a.union(b);
    // The sides are rounded once, now and when a margin is added.
    let rounding = (both.lo.max_abs() + both.hi.max_abs() + capsule.radius) * 4.0 * U;
    both.grown((capsule.radius + rounding) * INFLATE)
}
