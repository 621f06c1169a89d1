//! The convex hull of points in space, triangle by triangle (Barber, Dobkin and Huhdanpaa 1996), with exact decisions.
//!
//! ```text
//!      p            p sees a facet if it is strictly above its plane. What p sees is a disc; its rim, the horizon,
//!     /|\           is joined to p by new facets. Points above a facet that went are above a new one, or inside:
//!    / | \          the way from such a point q down to the old facet enters the new hull through a facet that lies
//!   o--+--o         above the old one, and all of those are new.
//!    horizon
//! ```
//! Decisions are exact, so this holds as it does on paper, coplanar points included: facets in one plane tile it, p is never on the line of
//! a horizon edge (it would not see the facet that goes), and what p sees around a vertex is contiguous.
//!
//! Heights, which choose the next point, are rounded: any choice gives the same hull.

use crate::math::Vec3;
use crate::math::orient::{Plane, collinear};

/// No point, no facet.
const NONE: u32 = u32::MAX;

/// A triangle of the surface. Neighbour k lies across the edge from corner k to the next.
#[derive(Clone, Debug)]
pub(crate) struct Facet {
    pub plane: Plane,
    pub corners: [u32; 3],
    pub neighbours: [u32; 3],
    /// The first point above it, see `Quickhull::next`; the highest of them, and its estimated height.
    head: u32,
    highest: u32,
    height: f64,
    pub alive: bool,
    /// The last insertion that looked at it and saw it.
    seen: u32,
}

/// A horizon edge of the facet `below`, which stays.
struct Rim {
    from: u32,
    to: u32,
    below: u32,
    edge: usize,
}

/// The hull so far, and all points that are not yet inside it.
#[derive(Debug)]
pub(crate) struct Quickhull<'a> {
    points: &'a [Vec3],
    pub facets: Vec<Facet>,
    /// Points above one facet are chained.
    next: Vec<u32>,
    /// Facets that had points above them when made.
    pending: Vec<u32>,
    /// Scratch: the new facet that starts at a vertex.
    starting_at: Vec<u32>,
    insertions: u32,
    /// Facets that are alive.
    alive: usize,
}

/// How the points lie.
pub(crate) enum Spread {
    Point(u32),
    /// The ends of a segment; all are on it.
    Line([u32; 2]),
    /// Three that are not on a line; all are in their plane.
    Plane([u32; 3]),
    /// Four that are not in a plane.
    Space([u32; 4]),
}

/// Points as far from each other as a quick look finds; dimensions are exact.
pub(crate) fn spread(points: &[Vec3]) -> Spread {
    let all = || 0..points.len() as u32;
    let at = |i: u32| points[i as usize];
    let a = highest(all(), |i| -at(i).x).unwrap_or(0);
    let Some(b) = highest(all().filter(|&i| at(i) != at(a)), |i| (at(i) - at(a)).norm_squared()) else { return Spread::Point(a) };
    let off_line = |i: &u32| !collinear([at(a), at(b), at(*i)]);
    let area = |i: u32| (at(b) - at(a)).cross(at(i) - at(a)).norm_squared();
    let Some(c) = best(all(), area, off_line) else { return Spread::Line(ends(points)) };
    let plane = Plane::new([at(a), at(b), at(c)]);
    let volume = |i: u32| plane.estimate_height(at(i)).abs();
    match best(all(), volume, |&i| plane.side(at(i)) != 0) {
        Some(d) if plane.side(at(d)) < 0 => Spread::Space([a, b, c, d]),
        Some(d) => Spread::Space([a, c, b, d]),
        None => Spread::Plane([a, b, c]),
    }
}

/// The ends of points on a line: along it coordinates rise or fall or stay, so the first and the last in the order of coordinates.
fn ends(points: &[Vec3]) -> [u32; 2] {
    let order = |i: &u32, k: &u32| {
        let (p, q) = (points[*i as usize], points[*k as usize]);
        (p.x, p.y, p.z).partial_cmp(&(q.x, q.y, q.z)).unwrap_or(std::cmp::Ordering::Equal)
    };
    let all = || 0..points.len() as u32;
    [all().min_by(order).unwrap_or(0), all().max_by(order).unwrap_or(0)]
}

fn highest(items: impl Iterator<Item = u32>, of: impl Fn(u32) -> f64) -> Option<u32> {
    items.map(|i| (of(i), i)).reduce(|x, y| if y.0 > x.0 { y } else { x }).map(|(_, i)| i)
}

/// The highest if it is good, else the first that is.
fn best(items: impl Iterator<Item = u32> + Clone, of: impl Fn(u32) -> f64, good: impl Fn(&u32) -> bool) -> Option<u32> {
    highest(items.clone(), of).filter(|i| good(i)).or_else(|| items.clone().find(|i| good(i)))
}

impl<'a> Quickhull<'a> {
    /// The tetrahedron of four points, its first three seen clockwise from the fourth, and all points shared out among its facets.
    pub fn new(points: &'a [Vec3], [a, b, c, d]: [u32; 4]) -> Self {
        let n = points.len();
        let (next, starting_at) = (vec![NONE; n], vec![NONE; n]);
        let (facets, pending) = (Vec::with_capacity(64), Vec::new());
        let mut hull = Quickhull { points, facets, next, pending, starting_at, insertions: 0, alive: 4 };
        for (corners, neighbours) in
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
        {
            hull.add_facet(corners, neighbours);
        }
        for i in 0..n as u32 {
            hull.assign(i, 0);
        }
        hull.await_points_above(0);
        hull
    }

    /// Takes in every point.
    pub fn finish(&mut self) {
        while let Some(f) = self.pending.pop() {
            if self.facets[f as usize].alive && self.facets[f as usize].head != NONE {
                self.insert_highest(f);
            }
        }
    }

    /// Takes in the point farthest from the surface; false when none is left.
    pub fn take_farthest(&mut self) -> bool {
        let facets = &self.facets;
        self.pending.retain(|&f| facets[f as usize].alive && facets[f as usize].head != NONE);
        let height = |f: &u32| facets[*f as usize].height / facets[*f as usize].plane.normal().norm();
        match self.pending.iter().copied().max_by(|f, g| height(f).total_cmp(&height(g)).then(g.cmp(f))) {
            Some(f) => self.insert_highest(f),
            None => return false,
        }
        true
    }

    /// Every point above the surface, with a facet that it is above.
    pub fn outside(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let linked = |i: u32| (i != NONE).then_some(i);
        let chain = move |f: u32| {
            std::iter::successors(linked(self.facets[f as usize].head), move |&i| linked(self.next[i as usize]))
                .map(move |i| (i, f))
        };
        self.pending.iter().copied().filter(|&f| self.facets[f as usize].alive).flat_map(chain)
    }

    /// How many corners the surface has: a closed surface of n triangles has n / 2 + 2.
    pub fn corner_count(&self) -> usize {
        self.alive / 2 + 2
    }

    /// The facets of the surface.
    pub fn surface(&self) -> impl Iterator<Item = &Facet> + '_ {
        self.facets.iter().filter(|f| f.alive)
    }

    pub fn point(&self, i: u32) -> Vec3 {
        self.points[i as usize]
    }

    /// Every point that is a corner of the surface, once each, in ascending order.
    pub fn corners(&self) -> Vec<u32> {
        let mut list: Vec<u32> = self.surface().flat_map(|f| f.corners).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    fn add_facet(&mut self, corners: [u32; 3], neighbours: [u32; 3]) {
        let plane = Plane::new(corners.map(|i| self.points[i as usize]));
        let height = f64::NEG_INFINITY;
        self.facets.push(Facet { plane, corners, neighbours, head: NONE, highest: NONE, height, alive: true, seen: NONE });
    }

    /// Chains a point to the first facet from `first` on that it is above, if any.
    fn assign(&mut self, i: u32, first: usize) {
        let p = self.points[i as usize];
        for f in &mut self.facets[first..] {
            if f.plane.side(p) > 0 {
                self.next[i as usize] = f.head;
                f.head = i;
                let height = f.plane.estimate_height(p);
                if height > f.height {
                    (f.height, f.highest) = (height, i);
                }
                return;
            }
        }
    }

    fn await_points_above(&mut self, first: usize) {
        let facets = &self.facets;
        self.pending.extend((first..facets.len()).filter(|&f| facets[f].head != NONE).map(|f| f as u32));
    }

    fn insert_highest(&mut self, f: u32) {
        let facet = &self.facets[f as usize];
        // A height that is not a number leaves `highest` unset.
        let i = if facet.highest == NONE { facet.head } else { facet.highest };
        let (seen, horizon) = self.look_from(i, f);
        let first = self.facets.len();
        self.join(i, &horizon, first);
        self.alive += horizon.len();
        self.alive -= seen.len();
        for g in seen {
            let mut point = std::mem::replace(&mut self.facets[g as usize].head, NONE);
            while point != NONE {
                let next = self.next[point as usize];
                if point != i {
                    self.assign(point, first);
                }
                point = next;
            }
        }
        self.await_points_above(first);
    }

    /// What a point sees, from facet `f` on, no longer alive; and the rim of it.
    fn look_from(&mut self, i: u32, f: u32) -> (Vec<u32>, Vec<Rim>) {
        let (p, mark) = (self.points[i as usize], self.insertions);
        self.insertions += 1;
        let (mut seen, mut horizon) = (vec![f], Vec::new());
        (self.facets[f as usize].seen, self.facets[f as usize].alive) = (mark, false);
        let mut at = 0;
        while at < seen.len() {
            let facet = &self.facets[seen[at] as usize];
            let (corners, neighbours) = (facet.corners, facet.neighbours);
            for k in 0..3 {
                let g = neighbours[k];
                let neighbour = &mut self.facets[g as usize];
                if neighbour.seen == mark {
                    continue;
                }
                if neighbour.plane.side(p) > 0 {
                    (neighbour.seen, neighbour.alive) = (mark, false);
                    seen.push(g);
                } else {
                    let edge = neighbour.corners.iter().position(|&c| c == corners[(k + 1) % 3]).unwrap_or(0);
                    horizon.push(Rim { from: corners[k], to: corners[(k + 1) % 3], below: g, edge });
                }
            }
            at += 1;
        }
        (seen, horizon)
    }

    /// New facets from the horizon to a point.
    fn join(&mut self, i: u32, horizon: &[Rim], first: usize) {
        for (k, rim) in horizon.iter().enumerate() {
            self.starting_at[rim.from as usize] = (first + k) as u32;
        }
        for (k, rim) in horizon.iter().enumerate() {
            self.add_facet([rim.from, rim.to, i], [rim.below, self.starting_at[rim.to as usize], NONE]);
            self.facets[rim.below as usize].neighbours[rim.edge] = (first + k) as u32;
        }
        for k in first..self.facets.len() {
            let after = self.facets[k].neighbours[1];
            self.facets[after as usize].neighbours[2] = k as u32;
        }
    }
}
