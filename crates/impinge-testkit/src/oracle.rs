//! The slow twin: samples instants one after the other.
//!
//! [`Oracle::first_hit_sampled`] uses equal steps. [`Oracle::first_hit_stepped`] advances only as far as no point can cross the
//! present gap, so it misses nothing that is thicker than its smallest step: a much stricter oracle.

use crate::measure::{Gap, Measured, gap_between};
use crate::place::{Rigid, frames_at, speed_at_most};
use crate::world::World;

/// A world prepared for measuring.
#[derive(Debug)]
pub struct Oracle<'a> {
    world: &'a World,
    /// The pieces of each part, with their pose in the frame of the part.
    parts: Vec<Vec<(Measured, Rigid)>>,
    /// The largest distance of a point of each part from the origin of its frame.
    reach: Vec<f64>,
    pairs: Vec<(usize, usize)>,
    size: f64,
}

/// An instant with a gap below the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The last sampled instant before it with a larger gap.
    pub clear: f64,
    /// The time.
    pub time: f64,
    /// The two parts.
    pub pair: (usize, usize),
    /// The gap.
    pub gap: Gap,
}

impl<'a> Oracle<'a> {
    /// Builds the trees.
    pub fn new(world: &'a World) -> Self {
        let parts: Vec<Vec<_>> =
            world.parts.iter().map(|p| p.pieces.iter().map(|q| (Measured::new(&q.solid), q.place.into())).collect()).collect();
        let reach_of =
            |pieces: &Vec<(Measured, Rigid)>| pieces.iter().fold(0.0, |r: f64, (m, at)| r.max(m.reach + at.shift.norm()));
        let reach: Vec<f64> = parts.iter().map(reach_of).collect();
        let far = (0..world.parts.len())
            .map(|p| speed_at_most(world, world.parts[p].frame, 0, reach[p]) + reach[p])
            .chain(world.frames.iter().map(|f| f.place.xyz.norm()))
            .fold(0.0, f64::max);
        Oracle { world, parts, reach, pairs: world.pairs(), size: far }
    }

    /// Returns the resolution of lengths: the rounding of `f64` kinematics and distances is below it.
    pub fn rounding(&self) -> f64 {
        1e-12 * self.size
    }

    /// Returns the checked pairs.
    pub fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs
    }

    /// Returns the gap of one pair of parts at a time.
    pub fn pair_gap(&self, pair: (usize, usize), t: f64) -> Gap {
        self.placed_gap(pair, &frames_at(self.world, t), f64::INFINITY)
    }

    /// Returns the smallest gap of all pairs at a time, with its pair.
    pub fn gap(&self, t: f64) -> (Gap, Option<(usize, usize)>) {
        let frames = frames_at(self.world, t);
        let mut best = (Gap::FAR, None);
        for &pair in &self.pairs {
            let gap = self.placed_gap(pair, &frames, best.0.at_most);
            if gap.at_most < best.0.at_most {
                best.1 = Some(pair);
            }
            best.0 = best.0.min(gap);
        }
        best
    }

    /// Returns the first of `samples + 1` equal steps over [0, until] with a gap of at most `below`; the step before it is halved
    /// `refine` times.
    pub fn first_hit_sampled(&self, below: f64, until: f64, samples: usize, refine: usize) -> Option<Hit> {
        let at = |i: usize| until * i as f64 / samples as f64;
        let first = (0..=samples)
            .find_map(|i| self.hit_at(at(i), below).map(|hit| Hit { clear: if i > 0 { at(i - 1) } else { 0.0 }, ..hit }));
        let mut hit = first?;
        for _ in 0..refine {
            let middle = 0.5 * (hit.clear + hit.time);
            match self.hit_at(middle, below) {
                Some(earlier) => hit = Hit { clear: hit.clear, ..earlier },
                None => hit.clear = middle,
            }
        }
        Some(hit)
    }

    /// Returns the first instant found in [0, until] with a gap of at most `below`; no step is longer than the speed of the parts allows,
    /// or shorter than `smallest`.
    pub fn first_hit_stepped(&self, below: f64, until: f64, smallest: f64) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for &pair in &self.pairs {
            let until = best.map_or(until, |b| b.time);
            if let Some(hit) = self.step_pair(pair, below, until, smallest)
                && best.is_none_or(|b| hit.time < b.time)
            {
                best = Some(hit);
            }
        }
        best
    }

    fn step_pair(&self, pair: (usize, usize), below: f64, until: f64, smallest: f64) -> Option<Hit> {
        let (f, g) = (self.world.parts[pair.0].frame, self.world.parts[pair.1].frame);
        let ancestor = self.common_ancestor(f, g);
        let speed = speed_at_most(self.world, f, ancestor, self.reach[pair.0])
            + speed_at_most(self.world, g, ancestor, self.reach[pair.1]);
        let (mut clear, mut t) = (0.0, 0.0);
        loop {
            let gap = self.pair_gap(pair, t);
            if gap.at_most <= below {
                return Some(Hit { clear, time: t, pair, gap });
            }
            if t >= until {
                return None;
            }
            clear = t;
            let safe = if speed > 0.0 { (gap.at_least - below) / speed } else { 1.0 };
            t = (t + safe.max(smallest)).min(until);
        }
    }

    fn hit_at(&self, t: f64, below: f64) -> Option<Hit> {
        let frames = frames_at(self.world, t);
        // Only near pairs matter: gaps slightly above `below` are computed exactly.
        let near = below.abs() + self.rounding();
        self.pairs.iter().find_map(|&pair| {
            let gap = self.placed_gap(pair, &frames, near);
            (gap.at_most <= below).then_some(Hit { clear: t, time: t, pair, gap })
        })
    }

    fn placed_gap(&self, (a, b): (usize, usize), frames: &[Rigid], best: f64) -> Gap {
        let mut gap = Gap::FAR;
        for (x, at_x) in &self.parts[a] {
            let at_x = frames[self.world.parts[a].frame].after(at_x);
            for (y, at_y) in &self.parts[b] {
                let at_y = frames[self.world.parts[b].frame].after(at_y);
                gap = gap.min(gap_between((x, &at_x), (y, &at_y), best.min(gap.at_most)));
            }
        }
        gap
    }

    fn common_ancestor(&self, mut f: usize, mut g: usize) -> usize {
        while f != g {
            if f > g { f = self.world.frames[f].parent } else { g = self.world.frames[g].parent }
        }
        f
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Drive, Place, Solid, Soup};
    use impinge::math::Vec3;
    use impinge_io::example::solids::cuboid;
    use std::sync::Arc;

    /// A unit box that falls by 4 from a height of 3 (its middle) onto a unit box at the origin, turning about the vertical.
    fn falling(turn: f64) -> World {
        let soup = Arc::new(Soup::from(cuboid(Vec3::ZERO, Vec3::splat(0.5))));
        let mut world = World::default();
        let drive = Drive::Free { travel: Vec3::new(0.0, 0.0, -4.0), turn: Vec3::new(0.0, 0.0, turn) };
        let body = world.frame(0, Place::at(Vec3::new(0.0, 0.0, 3.0)), drive);
        world.part(body, Solid::Mesh(soup.clone()));
        world.part(0, Solid::Mesh(soup));
        world
    }

    #[test]
    fn a_falling_box_lands_when_it_should() {
        for turn in [0.0, 5.0] {
            let world = falling(turn);
            let oracle = Oracle::new(&world);
            assert!((oracle.gap(0.25).0.at_most - 1.0).abs() < 1e-12);
            let sampled = oracle.first_hit_sampled(0.0, 1.0, 10, 40).expect("it lands");
            assert!((sampled.time - 0.5).abs() < 1e-9 && sampled.clear < sampled.time, "{sampled:?}");
            let stepped = oracle.first_hit_stepped(1e-9, 1.0, 1e-6).expect("it lands");
            assert!((stepped.time - 0.5).abs() < 2e-6 && stepped.pair == (0, 1), "{stepped:?}");
            assert!(oracle.first_hit_stepped(-1e-9, 0.4, 1e-3).is_none());
        }
        assert!(falling(0.0).is_exact() && !falling(5.0).is_exact());
    }
}
