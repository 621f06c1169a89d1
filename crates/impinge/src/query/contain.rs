//! Solids: is anything wholly inside something else when the motion begins?
//!
//! A body can only get inside a closed surface by crossing it, which the search for contacts sees. So it is enough to test one instant: one
//! point of each connected component of one shape against the inside of the other, and the other way round. Boxes are solids always,
//! closed meshes unless surfaces are asked for. Spheres, capsules and cylinders are searched as solids anyway.
//!
//! Bounding spheres come first, then the point in plain coordinates, looked up in a coarse grid; only what is not proven outside by these is placed anew, relative to
//! the other body, where what moves both cancels, and far from the origin nothing is lost.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::options::Semantics;
use super::verdict::{Contact, ContactState, Feature, FeatureKind};
use crate::exact::interior::{side_of_cuboid, side_of_mesh};
use crate::math::pose::Placement;
use crate::math::rounding::{INFLATE, U};
use crate::math::{Pose, Vec3};
use crate::motion::{Carried, LinkState, Relative, Span, Tube};
use crate::scene::{Motion, PartId, PlacedShape, Scene};
use crate::shape::aabb::Aabb;
use crate::shape::interior::{Components, Side, SideGrid};
use crate::shape::{Mesh, Primitive, Shape};

/// Every pair of pieces of which one could be inside the other.
#[derive(Debug, Default)]
pub(crate) struct Containment {
    pieces: Vec<Piece>,
    /// Positions of an outer and an inner piece.
    pairs: Vec<(u32, u32)>,
}

#[derive(Debug)]
struct Piece {
    part: PartId,
    piece: usize,
    frame: usize,
    placement: Placement,
    interior: Option<Interior>,
    /// One point of each component, in the piece's own frame.
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
    /// A point of one piece is proven to be inside of another.
    Found(Box<Contact>),
    /// A point is so near a surface that its side is not known: where surfaces are apart, nothing is proven.
    Unclear,
}

/// Memory that is used again.
#[derive(Default)]
struct Room {
    states: Vec<LinkState>,
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
        let all = || scene.parts.iter().flat_map(|p| &p.pieces);
        let interiors: Vec<Option<Interior>> = all().map(|s| interior_of(&s.shape, semantics)).collect();
        if interiors.iter().all(Option::is_none) {
            return Containment::default();
        }
        let mut interiors = interiors.into_iter();
        let (mut pieces, mut first_of) = (Vec::new(), Vec::new());
        for (part, p) in scene.parts.iter().enumerate() {
            first_of.push(pieces.len());
            for (piece, PlacedShape { placement, shape, .. }) in p.pieces.iter().enumerate() {
                let (interior, components) = (interiors.next().flatten(), components_of(shape));
                let (center, radius) = ball_of(shape);
                let (part, frame, placement) = (scene.part_id(part), p.frame, *placement);
                pieces.push(Piece { part, piece, frame, placement, interior, components, center, radius });
            }
        }
        let of = |part: PartId| first_of[part.index()]..first_of[part.index()] + scene.parts[part.index()].pieces.len();
        let mut pairs = Vec::new();
        for (a, b) in checked {
            for (outer, inner) in [(a, b), (b, a)] {
                for i in of(outer).filter(|&i| pieces[i].interior.is_some()) {
                    pairs.extend(of(inner).map(|j| (i as u32, j as u32)));
                }
            }
        }
        Containment { pieces, pairs }
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

    /// Every piece that is proven to be inside of another at time t of a motion, in a fixed order; whether any pair is unclear.
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

    /// What is known of every pair of an inner and an outer part whose bounding spheres meet, piece by piece, in a fixed order.
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
        motion.chain.states_into(Span::new(t, t), &mut room.states);
        room.placed.clear();
        room.placed.extend(self.pieces.iter().map(|piece| piece.placed(motion, &room.states)));
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
        for &(i, j) in &self.pairs {
            let (i, j) = (i as usize, j as usize);
            if placed[i].is_apart_from(&placed[j]) {
                continue;
            }
            let contained = match self.pair(motion, t, (i, &placed[i]), (j, &placed[j])) {
                (Side::Inside, at) => Contained::Found(Box::new(self.contact(motion, (i, &placed[i]), j, at))),
                (Side::Unclear, _) => Contained::Unclear,
                (Side::Outside, _) => Contained::Nothing,
            };
            visit((self.pieces[j].part, self.pieces[i].part), contained)?;
        }
        ControlFlow::Continue(())
    }

    /// Whether a component of the inner piece is inside of the outer one, and its point in the frame of that.
    fn pair(&self, motion: &Motion, t: f64, (i, outer): (usize, &Placed), (j, inner): (usize, &Placed)) -> (Side, Vec3) {
        let mut worst = (Side::Outside, Vec3::ZERO);
        let Some(interior) = &self.pieces[i].interior else { return worst };
        let mut seen = None;
        // No point outside of the ball around the outer piece is inside of it.
        let (center, error) = inner.local(outer.center, outer.radius);
        for p in self.pieces[j].components.near(center, error) {
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

    fn contact(&self, motion: &Motion, (i, outer): (usize, &Placed), j: usize, at: Vec3) -> Contact {
        let solid = |piece: usize| Feature { kind: FeatureKind::Solid, piece, triangle: 0, corner: 0 };
        let (inside, around) = (&self.pieces[j], &self.pieces[i]);
        Contact {
            time: (0.0, 0.0),
            free_until: 0.0,
            parts: (inside.part, around.part),
            features: (solid(inside.piece), solid(around.piece)),
            point: outer.pose.apply(at) + motion.origin,
            normal: Vec3::ZERO,
            state: ContactState::Contained,
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
    /// Where it sits in its frame; in the world, relative to the motion's origin.
    fn relative_to(&self, motion: &Motion) -> Placement {
        if self.frame == 0 { self.placement.relative_to(motion.origin) } else { self.placement }
    }

    fn placed(&self, motion: &Motion, states: &[LinkState]) -> Placed {
        let own = self.relative_to(motion);
        let Placement { pose, rotation_error, position_error } = if self.frame == 0 {
            own
        } else {
            let (state, errors) = (&states[self.frame], &motion.chain.errors[self.frame]);
            let pose = Pose { rotation: state.rotation.mat3(), translation: state.position.vec3() };
            Placement { pose, rotation_error: errors.rotation, position_error: errors.position }.after(&own)
        };
        let mut placed = Placed { pose, rotation_error, position_error, center: Vec3::ZERO, radius: 0.0 };
        let (center, error) = placed.point(self.center);
        (placed.center, placed.radius) = (center, (self.radius + error) * INFLATE);
        placed
    }
}

impl Placed {
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

fn interior_of(shape: &Shape, semantics: Semantics) -> Option<Interior> {
    match shape {
        Shape::Primitive(Primitive::Cuboid { half }) => Some(Interior::Cuboid(*half)),
        Shape::Primitive(_) => None,
        Shape::Mesh(m) => {
            (semantics == Semantics::Solid && m.is_closed()).then(|| Interior::Mesh(m.clone(), m.side_grid().clone()))
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

/// One point of each connected component.
fn components_of(shape: &Shape) -> Arc<Components> {
    match shape {
        Shape::Primitive(_) => Arc::new(Components::of_point(Vec3::ZERO)),
        Shape::Mesh(mesh) => mesh.components().clone(),
    }
}
