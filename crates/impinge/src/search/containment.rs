//! Solids: is anything wholly inside something else when the motion begins?
//!
//! A body can only get inside a closed surface by crossing it, which the search for contacts sees. So it is enough to test one instant: one
//! point of each connected cluster of one shape against the inside of the other, and the other way round. Boxes are solids always,
//! closed meshes unless surfaces are asked for. Spheres, capsules and cylinders are searched as solids anyway. Where a surface crosses
//! a cluster the test may say either, and the search finds the contact.
//!
//! A point inside does not prove which shape contains the other: the centre of a large box may lie in a small one.
//! [`crate::narrow::nesting`] proves which; otherwise the pair is reported as overlapping.
//!
//! Deforming parts are meshes at t = 0; their containment is not tested at any other time.
//!
//! Bounding spheres are tested first, then a coarse grid is looked up with the point in world coordinates. Only points that these do not
//! prove outside are transformed into the frame of the other body, where common motion cancels and distance from the origin costs no accuracy.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::interior::{Components, Side, SideGrid};
use crate::geometry::{Mesh, Primitive, Shape};
use crate::math::pose::Placement;
use crate::math::rounding::{INFLATE, U};
use crate::math::{Pose, Vec3};
use crate::motion::{Carried, FramePose, Relative, Span, Tube};
use crate::narrow::interior::{side_of_cuboid, side_of_mesh};
use crate::narrow::nesting::is_inside;
use crate::scene::{Motion, Owner, PartId, PlacedShape, Scene};
use crate::search::options::Semantics;
use crate::search::verdict::{Contact, ContactState, Feature, FeatureKind};

/// Every pair of pieces of which one could be inside the other.
#[derive(Debug, Default)]
pub(crate) struct Containment {
    pieces: Vec<Piece>,
    /// For each part, the position of its first piece; and how many pieces there are.
    first_of: Vec<usize>,
    /// Positions of an outer and an inner piece.
    pairs: Vec<(u32, u32)>,
    /// The pieces in any of the pairs.
    paired: Vec<u32>,
}

/// A piece of a part.
pub(crate) type PieceOf = (PartId, usize);

#[derive(Debug)]
struct Piece {
    part: PartId,
    piece: usize,
    frame: usize,
    placement: Placement,
    shape: Shape,
    interior: Option<Interior>,
    /// Its connected components, in the piece's own frame.
    components: Arc<Components>,
    /// The ball around the piece, in its own frame.
    center: Vec3,
    radius: f64,
}

#[derive(Clone, Debug)]
enum Interior {
    Cuboid(Vec3),
    Mesh(Arc<Mesh>, Arc<SideGrid>),
}

/// What is known of containment at an instant.
#[derive(Debug)]
pub(crate) enum Contained {
    /// Proven: nothing is inside of anything.
    Nothing,
    /// A point of one piece is proven to be inside of another. The state is `Contained` where the first piece is proven to be wholly inside the
    /// second, and `Overlapping` where that is not known.
    Found(Box<Contact>),
    /// A point is so near a surface that its side is not known: where surfaces are apart, nothing is proven.
    Unclear,
}

/// Memory that is used again.
#[derive(Default)]
struct Room {
    frames: Vec<FramePose>,
    placed: Vec<Placed>,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

impl Containment {
    /// For all pairs of parts that are checked.
    pub fn new(scene: &Scene, semantics: Semantics) -> Self {
        Containment::of_pairs(scene, semantics, scene.checked_pairs())
    }

    /// For some pairs of parts.
    pub fn of_pairs(scene: &Scene, semantics: Semantics, checked: impl Iterator<Item = (PartId, PartId)>) -> Self {
        let shapes: Vec<Vec<(usize, Placement, Shape)>> = (0..scene.parts.len()).map(|part| shapes_of(scene, part)).collect();
        let interiors: Vec<Option<Interior>> = shapes.iter().flatten().map(|s| interior_of(&s.2, semantics)).collect();
        let any = interiors.iter().any(Option::is_some);
        let mut interiors = interiors.into_iter();
        let (mut pieces, mut first_of) = (Vec::new(), Vec::new());
        for (part, shapes) in shapes.into_iter().enumerate() {
            first_of.push(pieces.len());
            for (piece, (frame, placement, shape)) in shapes.into_iter().enumerate() {
                let interior = interiors.next().flatten();
                let components = if any { components_of(&shape) } else { Arc::default() };
                let ((center, radius), part) = (ball_of(&shape), scene.part_id(part));
                pieces.push(Piece { part, piece, frame, placement, shape, interior, components, center, radius });
            }
        }
        first_of.push(pieces.len());
        let of = |part: PartId| first_of[part.index()]..first_of[part.index() + 1];
        let mut pairs = Vec::new();
        for (a, b) in checked.filter(|_| any) {
            for (outer, inner) in [(a, b), (b, a)] {
                for i in of(outer).filter(|&i| pieces[i].interior.is_some()) {
                    let fits = |j: &usize| pieces[*j].components.may_be_in(&pieces[i].components);
                    pairs.extend(of(inner).filter(fits).map(|j| (i as u32, j as u32)));
                }
            }
        }
        let paired = pairs.iter().flat_map(|&(i, j)| [i, j]).collect::<BTreeSet<u32>>().into_iter().collect();
        Containment { pieces, first_of, pairs, paired }
    }

    /// Whether anything is inside of something else at time t of a motion: the first pair in a fixed order.
    pub fn at(&self, motion: &Motion, t: f64) -> Contained {
        let mut unclear = false;
        let found = self.each(motion, t, &mut unclear, ControlFlow::Break);
        match found {
            ControlFlow::Break(contact) => Contained::Found(contact),
            ControlFlow::Continue(()) if unclear => Contained::Unclear,
            ControlFlow::Continue(()) => Contained::Nothing,
        }
    }

    /// Every pair of pieces that share a point because one is inside of the other, as far as is known, at time t of a motion: each pair once,
    /// in a fixed order; whether any pair is unclear.
    pub fn each<B>(
        &self,
        motion: &Motion,
        t: f64,
        unclear: &mut bool,
        mut found: impl FnMut(Box<Contact>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.every(motion, t, |_, contained| match contained {
            Contained::Found(contact) => found(contact),
            Contained::Unclear => {
                *unclear = true;
                ControlFlow::Continue(())
            }
            Contained::Nothing => ControlFlow::Continue(()),
        })
    }

    /// What is known of every pair of an inner and an outer part whose bounding spheres meet, piece by piece, in a fixed order; each pair that
    /// is found comes once, the inner part first where that is proven.
    pub fn every<B>(
        &self,
        motion: &Motion,
        t: f64,
        visit: impl FnMut((PartId, PartId), Contained) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.pairs.is_empty() {
            return ControlFlow::Continue(());
        }
        // Taken out, not borrowed: what is visited may need it as well.
        let mut room = ROOM.take();
        motion.chain.poses_into(t, &mut room.frames);
        room.placed.resize(self.pieces.len(), Placed::NOWHERE);
        for &i in &self.paired {
            room.placed[i as usize] = self.pieces[i as usize].placed(motion, &room.frames);
        }
        let flow = self.every_placed(motion, t, &room.placed, visit);
        ROOM.set(room);
        flow
    }

    fn every_placed<B>(
        &self,
        motion: &Motion,
        t: f64,
        placed: &[Placed],
        mut visit: impl FnMut((PartId, PartId), Contained) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut found = BTreeSet::new();
        for &(i, j) in &self.pairs {
            let (i, j) = (i as usize, j as usize);
            if placed[i].is_apart_from(&placed[j]) || found.contains(&(j, i)) {
                continue;
            }
            let parts = (self.pieces[j].part, self.pieces[i].part);
            match self.pair(motion, t, (i, &placed[i]), (j, &placed[j])) {
                (Side::Inside, at) => {
                    found.insert((i, j));
                    let point = placed[i].pose.apply(at) + motion.origin;
                    let contact = match self.nested_of(motion, t, placed, [j, i]) {
                        Some([inner, outer]) => self.contact(inner, outer, point, ContactState::Contained),
                        None => self.contact(j, i, point, ContactState::Overlapping),
                    };
                    visit(contact.parts, Contained::Found(Box::new(contact)))?;
                }
                (Side::Unclear, _) => visit(parts, Contained::Unclear)?,
                (Side::Outside, _) => visit(parts, Contained::Nothing)?,
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether a piece is proven to be wholly inside another, a solid, at time t.
    pub fn is_piece_inside(&self, motion: &Motion, t: f64, inner: PieceOf, outer: PieceOf) -> bool {
        let at = |(part, piece): PieceOf| self.of(part).nth(piece);
        let (Some(inner), Some(outer)) = (at(inner), at(outer)) else { return false };
        self.with_frames(motion, t, |frames| {
            let [x, y] = [inner, outer].map(|i| self.pieces[i].placed(motion, frames));
            !x.is_apart_from(&y) && self.is_nested(motion, t, inner, (outer, &y))
        })
    }

    /// Positions of the pieces of a part.
    fn of(&self, part: PartId) -> Range<usize> {
        self.first_of.get(part.index()..part.index() + 2).map_or(0..0, |f| f[0]..f[1])
    }

    /// Calls with where all frames are at time t.
    fn with_frames<T>(&self, motion: &Motion, t: f64, ask: impl FnOnce(&[FramePose]) -> T) -> T {
        let mut room = ROOM.take();
        motion.chain.poses_into(t, &mut room.frames);
        let answer = ask(&room.frames);
        ROOM.set(room);
        answer
    }

    /// Every piece of some pairs of parts that is proven to be inside of a round one at time t, in a fixed order. Searches take those as solids
    /// anyway, so [`Containment::each`] leaves them out.
    pub fn inside_round(&self, motion: &Motion, t: f64, checked: impl Iterator<Item = (PartId, PartId)>) -> Vec<Contact> {
        let is_round = |i: usize| self.pieces[i].shape.is_round();
        if !(0..self.pieces.len()).any(is_round) {
            return Vec::new();
        }
        let mut room = ROOM.take();
        motion.chain.poses_into(t, &mut room.frames);
        room.placed.clear();
        room.placed.extend(self.pieces.iter().map(|piece| piece.placed(motion, &room.frames)));
        let (placed, mut found) = (&room.placed, Vec::new());
        for (a, b) in checked {
            for (i, j) in self.of(a).flat_map(|i| self.of(b).map(move |j| (i, j))) {
                let mut ways = [[i, j], [j, i]].into_iter().filter(|[_, outer]| is_round(*outer));
                if !placed[i].is_apart_from(&placed[j])
                    && let Some([inner, outer]) = ways.find(|[x, y]| self.is_nested(motion, t, *x, (*y, &placed[*y])))
                {
                    let point = placed[inner].pose.apply(self.pieces[inner].some_point()) + motion.origin;
                    found.push(self.contact(inner, outer, point, ContactState::Contained));
                }
            }
        }
        ROOM.set(room);
        found
    }

    /// A contact of two parts at time t of which one is proven to be wholly inside the other: every piece of it inside one of the other's.
    pub fn nested(&self, motion: &Motion, t: f64, (a, b): (PartId, PartId)) -> Option<Contact> {
        self.with_frames(motion, t, |frames| {
            let placed = |part: PartId| self.of(part).map(|i| (i, self.pieces[i].placed(motion, frames))).collect::<Vec<_>>();
            let (of_a, of_b) = (placed(a), placed(b));
            let all_inside = |inner: &[(usize, Placed)], outer: &[(usize, Placed)]| {
                let mut first = None;
                for (i, x) in inner {
                    let holds = |(k, y): &&(usize, Placed)| !x.is_apart_from(y) && self.is_nested(motion, t, *i, (*k, y));
                    let (k, _) = outer.iter().find(holds)?;
                    first.get_or_insert((*i, *k, x.pose.apply(self.pieces[*i].some_point()) + motion.origin));
                }
                first
            };
            let (inner, outer, point) = all_inside(&of_a, &of_b).or_else(|| all_inside(&of_b, &of_a))?;
            Some(self.contact(inner, outer, point, ContactState::Contained))
        })
    }

    /// Which of two pieces is proven to be wholly inside the other; the first way round comes first.
    fn nested_of(&self, motion: &Motion, t: f64, placed: &[Placed], [a, b]: [usize; 2]) -> Option<[usize; 2]> {
        [[a, b], [b, a]].into_iter().find(|[inner, outer]| self.is_nested(motion, t, *inner, (*outer, &placed[*outer])))
    }

    fn is_nested(&self, motion: &Motion, t: f64, inner: usize, (outer, place): (usize, &Placed)) -> bool {
        if !self.pieces[outer].is_solid() {
            return false;
        }
        let seen = self.seen(motion, t, outer, inner, place);
        is_inside(&self.pieces[inner].shape, &self.pieces[outer].shape, &|p| seen.point(p))
    }

    /// Whether a component of the inner piece is inside of the outer one, and its point in the frame of that.
    fn pair(&self, motion: &Motion, t: f64, (i, outer): (usize, &Placed), (j, inner): (usize, &Placed)) -> (Side, Vec3) {
        let mut worst = (Side::Outside, Vec3::ZERO);
        let Some(interior) = &self.pieces[i].interior else { return worst };
        let mut seen = None;
        // No point outside of the ball around the outer piece is inside of it.
        let (center, error) = inner.local(outer.center, outer.radius);
        for p in self.pieces[j].components.near(center, error, &self.pieces[i].components) {
            let (x, error) = inner.point(p);
            let (local, error) = outer.local(x, error);
            if interior.excludes(local, error) {
                continue;
            }
            let seen = seen.get_or_insert_with(|| self.seen(motion, t, i, j, outer));
            let (local, error) = seen.point(p);
            match interior.side(local, error) {
                Side::Inside => return (Side::Inside, local),
                Side::Unclear => worst = (Side::Unclear, local),
                Side::Outside => {}
            }
        }
        worst
    }

    /// The inner piece as seen from the outer one.
    fn seen(&self, motion: &Motion, t: f64, i: usize, j: usize, outer: &Placed) -> Seen {
        let (inner_place, outer_place) = (self.pieces[j].relative_to(motion), self.pieces[i].relative_to(motion));
        let moving = Carried { frame: self.pieces[j].frame, placement: &inner_place };
        let resting = Carried { frame: self.pieces[i].frame, placement: &outer_place };
        let tube = Relative::new(&motion.chain, moving, resting, 0, Vec3::ZERO).tube(Span::new(t, t));
        // Seen from the world what rests there is not placed yet.
        Seen { tube, outer: (resting.frame == 0).then_some(*outer) }
    }

    fn contact(&self, inside: usize, around: usize, point: Vec3, state: ContactState) -> Contact {
        let solid = |piece: usize| Feature { kind: FeatureKind::Solid, piece, triangle: 0, corner: 0 };
        let (inside, around) = (&self.pieces[inside], &self.pieces[around]);
        Contact {
            time: (0.0, 0.0),
            free_until: 0.0,
            parts: (inside.part, around.part),
            features: (solid(inside.piece), solid(around.piece)),
            point,
            normal: Vec3::ZERO,
            state,
        }
    }
}

/// A body in the frame of another at an instant.
struct Seen {
    tube: Tube,
    outer: Option<Placed>,
}

impl Seen {
    /// A point, and at least how far off it is.
    fn point(&self, p: Vec3) -> (Vec3, f64) {
        let (x, error) = (self.tube.line(p).0, self.tube.rounding(p.norm() * INFLATE));
        self.outer.as_ref().map_or((x, error), |outer| outer.local(x, error))
    }
}

/// A piece in the world, relative to the motion's origin, with the errors of its pose.
#[derive(Clone, Copy, Debug)]
struct Placed {
    pose: Pose,
    rotation_error: f64,
    position_error: f64,
    center: Vec3,
    /// Of the ball around it, errors included.
    radius: f64,
}

impl Piece {
    /// Whether it is solid: round, or with an interior.
    fn is_solid(&self) -> bool {
        self.interior.is_some() || self.shape.is_round()
    }

    /// A point of it, in its own frame.
    fn some_point(&self) -> Vec3 {
        match &self.shape {
            Shape::Primitive(_) => Vec3::ZERO,
            Shape::Mesh(mesh) => mesh.corners(0)[0],
        }
    }

    /// Where it sits in its frame; in the world, relative to the motion's origin.
    fn relative_to(&self, motion: &Motion) -> Placement {
        if self.frame == 0 { self.placement.relative_to(motion.origin) } else { self.placement }
    }

    fn placed(&self, motion: &Motion, frames: &[FramePose]) -> Placed {
        let own = self.relative_to(motion);
        let Placement { pose, rotation_error, position_error } = if self.frame == 0 {
            own
        } else {
            let (frame, errors) = (&frames[self.frame], &motion.chain.errors[self.frame]);
            let pose = Pose { rotation: frame.rotation.mat3(), translation: frame.position.vec3() };
            Placement { pose, rotation_error: errors.rotation, position_error: errors.position }.after(&own)
        };
        let mut placed = Placed { pose, rotation_error, position_error, center: Vec3::ZERO, radius: 0.0 };
        let (center, error) = placed.point(self.center);
        (placed.center, placed.radius) = (center, (self.radius + error) * INFLATE);
        placed
    }
}

impl Placed {
    /// Of a piece that is in no pair.
    const NOWHERE: Placed =
        Placed { pose: Pose::IDENTITY, rotation_error: 0.0, position_error: 0.0, center: Vec3::ZERO, radius: 0.0 };

    /// Where a point of the piece is, and at least how far off that is: rotating and adding rounds by 8 u of the lengths.
    fn point(&self, p: Vec3) -> (Vec3, f64) {
        let (reach, at) = (p.norm(), self.pose.translation.norm());
        let error = self.position_error + (self.rotation_error + 16.0 * U) * reach + 8.0 * U * at;
        (self.pose.apply(p), error * INFLATE)
    }

    /// A point of the world in the frame of the piece, and at least how far off that is: the transposed rotation is as far off as the
    /// rotation, and is a rotation up to that.
    fn local(&self, x: Vec3, error: f64) -> (Vec3, f64) {
        let d = x - self.pose.translation;
        let reach = d.norm() + error + self.position_error;
        let error = error + self.position_error + (2.0 * self.rotation_error + 32.0 * U) * reach + 8.0 * U * (x.norm() + reach);
        (self.pose.rotation.transpose_mul(d), error * INFLATE)
    }

    /// Whether the balls around both are proven apart.
    fn is_apart_from(&self, other: &Placed) -> bool {
        let (d, radius) = (self.center - other.center, self.radius + other.radius);
        d.norm_squared() > (radius * radius) * INFLATE + 64.0 * U * (self.center.norm_squared() + other.center.norm_squared())
    }
}

impl Interior {
    /// Whether a point is proven to be outside at the cost of a look-up.
    fn excludes(&self, p: Vec3, error: f64) -> bool {
        match self {
            Interior::Cuboid(half) => side_of_cuboid(*half, p, error) == Side::Outside,
            Interior::Mesh(_, sides) => sides.side(p, error) == Side::Outside,
        }
    }

    fn side(&self, p: Vec3, error: f64) -> Side {
        match self {
            Interior::Cuboid(half) => side_of_cuboid(*half, p, error),
            Interior::Mesh(mesh, sides) => match sides.side(p, error) {
                Side::Unclear => side_of_mesh(mesh, p, error),
                known => known,
            },
        }
    }
}

/// The pieces of a part: the frame that carries each, where it is in that, and its shape. What deforms is a mesh at rest, as it is at t = 0.
fn shapes_of(scene: &Scene, part: usize) -> Vec<(usize, Placement, Shape)> {
    let p = &scene.parts[part];
    match p.owner {
        Owner::Deformable { deformable } => {
            let mesh = scene.deformables[deformable].2.clone();
            let mut placement = Placement::new(Pose::IDENTITY);
            placement.position_error = mesh.error();
            vec![(0, placement, Shape::Mesh(mesh))]
        }
        Owner::Obstacle | Owner::Link { .. } | Owner::Attached { .. } | Owner::Body => {
            p.pieces.iter().map(|PlacedShape { placement, shape, .. }| (p.frame, *placement, shape.clone())).collect()
        }
    }
}

fn interior_of(shape: &Shape, semantics: Semantics) -> Option<Interior> {
    match shape {
        Shape::Primitive(Primitive::Cuboid { half }) => Some(Interior::Cuboid(*half)),
        Shape::Primitive(_) => None,
        Shape::Mesh(m) => {
            (semantics == Semantics::Solid && m.encloses()).then(|| Interior::Mesh(m.clone(), m.side_grid().clone()))
        }
    }
}

/// A ball around a shape, in its own frame.
fn ball_of(shape: &Shape) -> (Vec3, f64) {
    match shape {
        Shape::Primitive(p) => (Vec3::ZERO, p.half_extent().norm() * INFLATE),
        Shape::Mesh(mesh) => {
            let center = Aabb::of(mesh.vertices().iter().copied()).center();
            let radius = mesh.vertices().iter().fold(0.0f64, |r, &v| r.max((v - center).norm()));
            (center, radius * INFLATE + 8.0 * U * center.norm())
        }
    }
}

/// Returns the connected components of a shape.
fn components_of(shape: &Shape) -> Arc<Components> {
    match shape {
        Shape::Primitive(p) => Arc::new(Components::of_convex(p.half_extent())),
        Shape::Mesh(mesh) => mesh.components().clone(),
    }
}
