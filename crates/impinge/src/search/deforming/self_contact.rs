//! Deforming bodies against themselves, feature by feature, as [`crate::deform`] does it for steps.
//!
//! Vertices are taken as they were given, so without a margin every answer is exact; those that were rounded before are within the radius of
//! [`crate::Mesh::within`], and what is nearer than that is never free. A margin applies to pairs of features: a vertex and a
//! face that does not contain it, two edges without a common end.

use crate::Error;
use crate::deform::own::{OwnAnswer, OwnQuery, Owned, own_contacts};
use crate::deform::{Element, Touch, Touching};
use crate::scene::{Motion, PartId, Scene};
use crate::search::Query;
use crate::search::contacts::{WitnessList, incomplete};
use crate::search::verdict::{Contact, ContactState, Feature, FeatureKind, Tally, Verdict, Witness};

/// A deforming body that is checked against itself.
#[derive(Debug)]
pub(crate) struct OwnTask {
    deformable: usize,
    part: PartId,
    owned: Owned,
}

impl OwnTask {
    /// All of a scene.
    pub fn all(scene: &Scene) -> Vec<OwnTask> {
        let wanted = scene.deformables.iter().enumerate().filter(|(_, d)| scene.rules.self_contacts.contains(&d.1));
        wanted
            .map(|(deformable, (_, part, mesh))| OwnTask {
                deformable,
                part: scene.part_id(*part),
                owned: Owned::new(mesh.triangles()),
            })
            .collect()
    }
}

impl Query<'_> {
    /// The first contact of a deforming body with itself before `limit`.
    pub(crate) fn own_first(&self, own: &OwnTask, limit: f64, tally: &mut Tally) -> Verdict {
        let Some(OwnAnswer { found: answer, .. }) = self.own_answer(own, self.own_query(limit, false), tally) else {
            return Verdict::Undecided { free_until: 0.0 };
        };
        let free_until = answer.free_until();
        match answer.first() {
            None if answer.undecided.is_none() => Verdict::Free,
            None => Verdict::Undecided { free_until },
            Some(touch) => {
                let Witness { parts, features, point, normal, .. } = witness(self.motion, own, touch);
                let state = match touch.time.1 > 0.0 {
                    true => ContactState::Begins,
                    false if touch.crosses() => ContactState::Overlapping,
                    false => ContactState::Touching,
                };
                let time = (free_until, touch.time.1);
                Verdict::Contact(Box::new(Contact { time, free_until, parts, features, point, normal, state }))
            }
        }
    }

    /// Everything of a deforming body that touches itself at the end of a bracket before which it is free.
    ///
    /// # Errors
    /// If work or memory runs out before all of it is found.
    pub(crate) fn own_witnesses(
        &self,
        own: &OwnTask,
        hi: f64,
        tally: &mut Tally,
        list: &mut WitnessList<'_>,
    ) -> Result<(), Error> {
        match self.own_answer(own, self.own_query(hi, true), tally) {
            Some(OwnAnswer { found, complete: true }) => {
                let mut touching = found.contacts.iter().filter(|c| c.time.0 <= hi);
                touching.try_for_each(|touch| list.add(witness(self.motion, own, touch)))
            }
            Some(OwnAnswer { complete: false, .. }) | None => Err(incomplete()),
        }
    }

    fn own_query(&self, limit: f64, all: bool) -> OwnQuery {
        let o = self.options;
        OwnQuery { margin: o.margin, tolerance: o.tolerance, time_tolerance: o.time_tolerance, limit, all }
    }

    /// `None` if nothing can be asked.
    fn own_answer(&self, own: &OwnTask, query: OwnQuery, tally: &mut Tally) -> Option<OwnAnswer> {
        let go_on = |work: u64| {
            tally.boxes += 1;
            tally.pairs += work - 1;
            tally.pair_steps += work - 1;
            !self.limits.end_at(tally.work())
        };
        let mut answer = own_contacts(&self.motion.lines[own.deformable], &own.owned, &query, go_on).ok()?;
        answer.found.contacts.sort_by(Touch::order);
        Some(answer)
    }
}

fn witness(motion: &Motion, own: &OwnTask, touch: &Touch) -> Witness {
    let triangles = motion.lines[own.deformable].triangles();
    let [a, b] = touch.sides.map(|side| feature(&side, triangles[side.triangle as usize]));
    Witness { parts: (own.part, own.part), features: (a, b), point: touch.point, to: None, normal: touch.normal }
}

/// What of a triangle touches.
fn feature(side: &Touching, corners: [u32; 3]) -> Feature {
    let corner = |v: u32| corners.iter().position(|&c| c == v).unwrap_or(0);
    let (kind, corner) = match side.element {
        Element::Vertex(v) => (FeatureKind::Vertex, corner(v)),
        Element::Edge([a, _]) => (FeatureKind::Edge, corner(a)),
        Element::Face(_) => (FeatureKind::Face, 0),
    };
    Feature { kind, piece: 0, triangle: side.triangle as usize, corner }
}
