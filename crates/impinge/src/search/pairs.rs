//! What has to be searched: every moving piece against everything at rest that it may meet.
//!
//! Whatever rests in the world and is met by the same movers is one tree. Two moving pieces are one task: the one with fewer triangles
//! moves, seen from the other, which rests.

use std::collections::HashMap;
use std::sync::Arc;

pub(crate) use crate::motion::chain::common_ancestor;

use crate::Error;
use crate::bvh::{MovingTree, RestingSolid, RestingTree};
use crate::geometry::{Mesh, Primitive, Shape};
use crate::math::pose::Placement;
use crate::math::rounding::U;
use crate::math::{Mat3, Pose, Vec3};
use crate::motion::chain::Ancestors;
use crate::narrow::convex_pair::{Convex, Core};
use crate::scene::{Meetings, Owner, Part, PlacedShape, Scene};

/// A piece of a part, as it moves.
#[derive(Debug)]
pub(crate) struct MovingPiece {
    pub part: usize,
    pub piece: usize,
    pub frame: usize,
    pub placement: Placement,
    pub tree: Arc<MovingTree>,
    pub body: Body,
}

impl MovingPiece {
    /// A piece of a part; what rests in the world is placed relative to `origin`.
    pub fn new(scene: &Scene, part: usize, piece: usize, origin: Vec3) -> Self {
        let p = &scene.parts[part];
        let PlacedShape { placement, shape, .. } = &p.pieces[piece];
        let body = Body::of(shape);
        let tree = match &body {
            Body::Mesh(m) => m.moving_tree().clone(),
            Body::Solid(s) => Arc::new(MovingTree::of_box(s.half_extent())),
        };
        let placement = if p.frame == 0 { placement.relative_to(origin) } else { *placement };
        MovingPiece { part, piece, frame: p.frame, placement, tree, body }
    }

    /// One of its triangles, or the solid.
    pub fn item(&self, id: u32) -> Convex {
        match &self.body {
            Body::Mesh(mesh) => Convex { core: Core::Facet(mesh.corners(id as usize)), radius: 0.0 },
            Body::Solid(primitive) => (*primitive).into(),
        }
    }
}

/// What a piece is made of, as far as surfaces go.
#[derive(Debug)]
pub(crate) enum Body {
    /// Triangles: a mesh, or the surface of a box.
    Mesh(Arc<Mesh>),
    /// A round solid.
    Solid(Primitive),
}

impl Body {
    fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Mesh(m) => Body::Mesh(m.clone()),
            Shape::Primitive(p) => p.flat_surface().map_or(Body::Solid(*p), |m| Body::Mesh(Arc::new(m))),
        }
    }
}

/// A tree at rest in some frame.
#[derive(Debug)]
pub(crate) struct Resting {
    pub frame: usize,
    pub placement: Placement,
    pub tree: Arc<RestingTree>,
    /// How far the tree's coordinates may be from the described ones.
    pub item_error: f64,
    /// `(first item id, part, piece)`, ascending, triangles before solids.
    pub owners: Vec<(u32, usize, usize)>,
    /// A half-space, whose size says nothing about that of the scene.
    pub half_space: bool,
}

impl Resting {
    /// Every piece at rest here: its part and its items.
    pub fn pieces(&self) -> impl Iterator<Item = (usize, std::ops::Range<u32>)> {
        let ends = self.owners.iter().skip(1).map(|o| o.0).chain([self.tree.items()]);
        self.owners.iter().zip(ends).map(|(&(first, part, _), end)| (part, first..end))
    }

    /// Which of the pieces an item belongs to.
    pub fn piece_of(&self, id: u32) -> usize {
        self.owners.partition_point(|o| o.0 <= id) - 1
    }

    /// Part, piece, and triangle within the piece, of an item.
    pub fn owner(&self, id: u32) -> (usize, usize, usize) {
        let (first, part, piece) = self.owners[self.piece_of(id)];
        (part, piece, (id - first) as usize)
    }
}

/// One moving piece against one resting tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub moving: usize,
    pub resting: usize,
    /// Lowest common ancestor of the two frames.
    pub ancestor: usize,
}

/// Most pairs of moving pieces and trees at rest that are taken on: all pairs of 3000 links, and a gigabyte with what hangs on them.
const MOST_TASKS: usize = 5_000_000;

/// Everything to search for a scene.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    pub moving: Vec<MovingPiece>,
    pub resting: Vec<Resting>,
    /// Those in which something can move.
    pub tasks: Vec<Task>,
    /// Those in which nothing can: searched once.
    pub standing: Vec<Task>,
}

impl Tasks {
    /// # Errors
    /// If there are too many.
    pub fn new(scene: &Scene) -> Result<Self, Error> {
        let mut t = Tasks::default();
        let origin = scene.origin.unwrap_or(Vec3::ZERO);
        let meetings = Meetings::new(scene);
        let pieces_of = t.add_moving(scene, origin);
        t.add_world(scene, &meetings, origin, &pieces_of)?;
        // Distal first: the hand moves most and hits first.
        let mut depths = vec![0u32; scene.parents.len()];
        for (frame, &parent) in scene.parents.iter().enumerate().skip(1) {
            depths[frame] = depths[parent as usize] + 1;
        }
        let mut moving = std::mem::take(&mut t.tasks);
        moving.sort_by_key(|task| std::cmp::Reverse(depths[t.moving[task.moving].frame]));
        t.tasks = moving;
        t.add_pairs(scene, &meetings, &pieces_of)?;
        Ok(t)
    }

    /// Takes a task on, unless there are too many.
    fn push(&mut self, task: Task, meetings: &Meetings<'_>) -> Result<(), Error> {
        if self.tasks.len() + self.standing.len() >= MOST_TASKS {
            let (parts, pairs) = (meetings.solid.len(), meetings.possible());
            let reason = format!(
                "its {parts} parts with geometry make {pairs} pairs that may touch, and at most {MOST_TASKS} pairs of pieces are checked; \
                 switch pairs off (disable_collisions of an SRDF, --ignore) or self-collision (--no-self)"
            );
            return Err(Error::invalid("scene", reason));
        }
        if self.moving[task.moving].frame == 0 {
            self.standing.push(task)
        } else {
            self.tasks.push(task)
        }
        Ok(())
    }

    /// Every task with every piece at rest in it.
    pub fn suspects(&self) -> Vec<(usize, usize)> {
        let pieces = |task: usize| self.resting[self.tasks[task].resting].owners.len();
        (0..self.tasks.len()).flat_map(|task| (0..pieces(task)).map(move |piece| (task, piece))).collect()
    }

    /// Every piece of every part that has a checked pair, movers and standing links alike; returns the pieces of each part.
    fn add_moving(&mut self, scene: &Scene, origin: Vec3) -> Vec<Vec<usize>> {
        let mut pieces_of = vec![Vec::new(); scene.parts.len()];
        for (part, p) in scene.parts.iter().enumerate() {
            if matches!(p.owner, Owner::Obstacle | Owner::Deformable { .. }) {
                continue;
            }
            for piece in 0..p.pieces.len() {
                pieces_of[part].push(self.moving.len());
                self.moving.push(MovingPiece::new(scene, part, piece, origin));
            }
        }
        pieces_of
    }

    /// Trees over what rests in the world, one for each set of parts that may meet it.
    fn add_world(&mut self, scene: &Scene, meetings: &Meetings<'_>, origin: Vec3, pieces_of: &[Vec<usize>]) -> Result<(), Error> {
        let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        let mut group_of: HashMap<(bool, Vec<usize>), usize> = HashMap::new();
        let rests = |p: usize| scene.parts[p].frame == 0 && !matches!(scene.parts[p].owner, Owner::Deformable { .. });
        for (at, &part) in meetings.solid.iter().enumerate().filter(|&(_, &p)| rests(p)) {
            let meets: Vec<usize> = meetings
                .partners(at)
                .filter(|&m| !pieces_of[m].is_empty())
                // A standing link meets an obstacle from its own side.
                .filter(|&m| scene.parts[m].frame != 0 || scene.parts[part].owner == Owner::Obstacle || m < part)
                .collect();
            if meets.is_empty() {
                continue;
            }
            // A half-space is larger than anything else: in one tree the rest would be a speck.
            let at = *group_of.entry((is_half_space(&scene.parts[part]), meets.clone())).or_insert_with(|| {
                groups.push((meets, Vec::new()));
                groups.len() - 1
            });
            groups[at].1.push(part);
        }
        for (meets, parts) in groups {
            let resting = self.resting.len();
            self.resting.push(world_tree(scene, &parts, origin));
            for moving in meets.iter().flat_map(|&m| pieces_of[m].iter().copied()) {
                self.push(Task { moving, resting, ancestor: 0 }, meetings)?;
            }
        }
        Ok(())
    }

    /// Pairs of moving parts.
    fn add_pairs(&mut self, scene: &Scene, meetings: &Meetings<'_>, pieces_of: &[Vec<usize>]) -> Result<(), Error> {
        let mut resting_of: HashMap<usize, usize> = HashMap::new();
        let ancestors = Ancestors::new(&scene.parents);
        for (a, b) in meetings.pairs() {
            let (fa, fb) = (scene.parts[a.index()].frame, scene.parts[b.index()].frame);
            if fa == 0 || fb == 0 {
                continue;
            }
            let ancestor = ancestors.of(fa, fb);
            for &x in &pieces_of[a.index()] {
                for &y in &pieces_of[b.index()] {
                    let (moving, rests) = if self.moving[x].tree.boxes.order.len() <= self.moving[y].tree.boxes.order.len() {
                        (x, y)
                    } else {
                        (y, x)
                    };
                    let resting = *resting_of.entry(rests).or_insert_with(|| {
                        self.resting.push(body_tree(&self.moving[rests]));
                        self.resting.len() - 1
                    });
                    self.push(Task { moving, resting, ancestor }, meetings)?;
                }
            }
        }
        Ok(())
    }
}

fn is_half_space(part: &Part) -> bool {
    part.pieces.iter().any(|piece| piece.covered.is_some())
}

fn world_tree(scene: &Scene, parts: &[usize], origin: Vec3) -> Resting {
    let (mut triangles, mut solids) = (Vec::new(), Vec::new());
    let (mut owners, mut solid_owners) = (Vec::new(), Vec::new());
    let mut item_error = 0.0f64;
    for &part in parts {
        for (piece, PlacedShape { placement, shape, .. }) in scene.parts[part].pieces.iter().enumerate() {
            let placement = placement.relative_to(origin);
            let at = placement.pose.translation.norm();
            let size = match Body::of(shape) {
                Body::Mesh(m) => {
                    owners.push((triangles.len() as u32, part, piece));
                    triangles.extend((0..m.triangles().len()).map(|i| m.corners(i).map(|c| placement.pose.apply(c))));
                    m.vertices().iter().fold(0.0f64, |s, v| s.max(v.norm()))
                }
                Body::Solid(p) => {
                    solid_owners.push((part, piece));
                    solids.push(RestingSolid { primitive: p, pose: placement.pose });
                    p.half_extent().norm()
                }
            };
            // Rotating and adding rounds by 8 u of the lengths; a solid's support function uses the rotation twice. What is not turned
            // is only added, and what is not moved either is exact.
            let rounding = match placement.pose {
                p if p.is_identity() => 0.0,
                p if p.rotation == Mat3::IDENTITY => 2.0 * U * (size + at),
                _ => 32.0 * U * size + 16.0 * U * at,
            };
            item_error = item_error.max(placement.position_error + 2.0 * placement.rotation_error * size + rounding);
        }
    }
    owners.extend(solid_owners.iter().enumerate().map(|(i, &(part, piece))| ((triangles.len() + i) as u32, part, piece)));
    // Coordinates are already near zero: the scene's origin is the middle of everything at rest.
    let tree = Arc::new(RestingTree::new(Vec3::ZERO, triangles, solids));
    let half_space = parts.iter().any(|&part| is_half_space(&scene.parts[part]));
    Resting { frame: 0, placement: Placement::new(Pose::IDENTITY), tree, item_error, owners, half_space }
}

fn body_tree(m: &MovingPiece) -> Resting {
    let (tree, extent) = match &m.body {
        Body::Mesh(mesh) => (mesh.resting_tree().clone(), mesh.resting_tree().extent),
        Body::Solid(primitive) => {
            let solid = RestingSolid { primitive: *primitive, pose: Pose::IDENTITY };
            (Arc::new(RestingTree::new(Vec3::ZERO, Vec::new(), vec![solid])), primitive.half_extent().norm())
        }
    };
    let owners = vec![(0, m.part, m.piece)];
    Resting { frame: m.frame, placement: m.placement, tree, item_error: 4.0 * U * extent, owners, half_space: false }
}
