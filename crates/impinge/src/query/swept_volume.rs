//! What a part sweeps during a motion: the region of its capsule, as a mesh and as a proof.

use std::sync::Arc;

use crate::Error;
use crate::geometry::Mesh;
use crate::geometry::bounding::Capsule;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::pose::Placement;
use crate::math::rounding::U;
use crate::math::{Pose, Vec3};
use crate::motion::interval_chain::IntervalMotion;
use crate::motion::{Span, Tube};
use crate::scene::{Motion, Owner, Part, Scene, SceneIdentity};
use crate::search::broad_phase::interval_box;
use crate::search::broad_phase::part_capsule::capsule_around;
use crate::search::options::Bound;
use crate::swept::capsule::SweptCapsule;
use crate::swept::surface::{CarriedCapsule, SweptSurface};

/// What the capsule around a part sweeps, in the world.
///
/// The region is a union of convex pieces. It holds every point of the capsule at every t in [0, 1], rounding included, and every point of it
/// is within `2 * error` of the capsule at some t.
#[derive(Clone, Debug)]
pub struct SweptVolume {
    scene: SceneIdentity,
    capsule: Capsule,
    frame: usize,
    surface: SweptSurface,
    mesh: Arc<Mesh>,
    slices: Vec<SweptCapsule>,
}

impl SweptVolume {
    /// The capsule around the part, in the frame that carries it: see [`Motion`].
    pub fn capsule(&self) -> &Capsule {
        &self.capsule
    }

    /// The frame's pose in the world at time t (rounded, for display): it puts the capsule in its place.
    ///
    /// # Errors
    /// If the motion belongs to another scene than the one of this volume.
    pub fn frame_pose(&self, motion: &Motion, t: f64) -> Result<Pose, Error> {
        if motion.scene != self.scene {
            return Err(Error::ForeignScene { what: "motion" });
        }
        Ok(motion.frame_pose(self.frame, t))
    }

    /// The surfaces of the convex pieces, outside out, each closed, without pieces that lie inside another one: solid as a whole. All of the
    /// region's boundary is part of it, nothing of it is outside the region; it is not trimmed, so pieces of it are inside.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// Whether a point is inside; a point within rounding of the boundary may be called either.
    pub fn holds(&self, p: Vec3) -> bool {
        self.surface.holds(p)
    }

    /// Whether the capsule is proven not to touch a triangle at any time. `false` proves nothing.
    pub fn proven_apart(&self, triangle: &[Vec3; 3]) -> bool {
        let around = Aabb::of(*triangle);
        self.slices.iter().all(|slice| slice.enclose().apart(around) || slice.proven_apart(triangle))
    }
}

impl Scene {
    /// What the capsule around a part sweeps, with a surface no more than `2 * error` metres outside of it. Parts are named as in
    /// [`Scene::part_names`]; links as `robot/link`.
    ///
    /// # Errors
    /// A motion of another scene; no such part, a part without geometry or one that deforms; an error that is not positive, or so small that coordinates written as
    /// `f32` could not keep it or the mesh would have more than some 16,000 pieces.
    pub fn swept_volume(&self, motion: &Motion, part: &str, error: f64) -> Result<SweptVolume, Error> {
        self.own(motion)?;
        let (found, capsule) = self.capsule_of(part)?;
        let origin = if found.frame == 0 { Vec3::ZERO } else { motion.origin };
        let body = CarriedCapsule { chain: &motion.chain, frame: found.frame, capsule, origin };
        let refused = || Error::invalid("error of a swept volume", format!("{error} is not positive or too small for '{part}'"));
        let surface = SweptSurface::new(&body, error).ok_or_else(refused)?;
        let mesh = Arc::new(Mesh::new(surface.surface.vertices.clone(), surface.surface.triangles.clone())?);
        let slices = surface.spans.iter().map(|(span, _)| {
            let state = motion.chain.state(found.frame, span.middle(), span.half());
            let here = Placement::new(Pose::IDENTITY);
            SweptCapsule::new(&Tube::in_world(&state, &motion.chain.errors[found.frame], &here, -origin, *span), &capsule)
        });
        let slices = slices.collect();
        Ok(SweptVolume { scene: self.identity, capsule, frame: found.frame, surface, mesh, slices })
    }

    /// A box around all that the capsule of a part sweeps within a span of the motion, by either bound: what there is to compare them by.
    ///
    /// # Errors
    /// A motion of another scene; no such part, a part without geometry or one that deforms; a span that is none of [0, 1].
    pub fn swept_box(&self, motion: &Motion, part: &str, (from, to): (f64, f64), bound: Bound) -> Result<Aabb, Error> {
        if !(0.0 <= from && from <= to && to <= 1.0) {
            return Err(Error::invalid("span of a swept box", format!("[{from}, {to}] is no part of [0, 1]")));
        }
        self.own(motion)?;
        let (found, capsule) = self.capsule_of(part)?;
        let (frame, span) = (found.frame, Span::new(from, to));
        let origin = if frame == 0 { Vec3::ZERO } else { motion.origin };
        let relative = match bound {
            Bound::Tube => {
                let state = motion.chain.state(frame, span.middle(), span.half());
                let here = Placement::new(Pose::IDENTITY);
                SweptCapsule::new(&Tube::in_world(&state, &motion.chain.errors[frame], &here, Vec3::ZERO, span), &capsule)
                    .enclose()
            }
            Bound::Interval => interval_box(&IntervalMotion::of_frame(&motion.chain, frame, span), &capsule),
        };
        let moved = Aabb { lo: relative.lo + origin, hi: relative.hi + origin };
        Ok(moved.grown(4.0 * U * (moved.lo.max_abs() + moved.hi.max_abs())))
    }

    /// A rigid part by its name, and the capsule around it.
    fn capsule_of(&self, part: &str) -> Result<(&Part, Capsule), Error> {
        let found = self.rigid_part(part)?;
        let capsule = capsule_around(found);
        Ok((found, capsule.ok_or_else(|| Error::invalid(format!("part '{part}'"), "it has no geometry to sweep"))?))
    }

    /// A rigid part by its name.
    pub(crate) fn rigid_part(&self, part: &str) -> Result<&Part, Error> {
        let unknown = || Error::Unknown { kind: "part", name: part.into(), user: "the swept volume".into() };
        let found = self.parts.iter().find(|p| p.name == part).ok_or_else(unknown)?;
        if matches!(found.owner, Owner::Deformable { .. }) {
            return Err(Error::invalid(format!("part '{part}'"), "it deforms; only rigid parts are swept"));
        }
        Ok(found)
    }
}
