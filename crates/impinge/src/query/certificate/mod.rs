//! Certificates: what a proof of freedom rests on, written down so that a program that shares nothing with this one can check it.
//!
//! ```text
//! scene line    frames, shapes, parts, pairs             written once
//! motion line   joint values and, for every pair of pieces, a tree: items of A × items of B × time, cut until a direction separates
//!
//! write    the text            prove    the tree            items    ranges of triangles            separate    the directions
//! ```
//!
//! What is searched here need not be right: whoever reads a certificate checks it (`impinge verify`).

mod items;
mod prove;
mod separate;
mod write;

use std::borrow::Borrow;

use super::{Checker, Semantics};
use crate::Error;
use crate::scene::Motion;
use items::Items;
use prove::{Prover, Side};
use write::Frame;

/// Most pairs of parts that are listed.
const MOST_PAIRS: u128 = 5_000_000;

/// Writes certificates for motions of one checker, which is borrowed or shared.
#[derive(Debug)]
pub struct Certifier<C> {
    checker: C,
    scene_line: String,
    checksum: String,
    /// For every part and piece.
    items: Vec<Vec<Items>>,
    frames: Vec<Frame>,
}

impl<C: Borrow<Checker>> Certifier<C> {
    /// Prepares ranges of triangles and the line for the scene.
    ///
    /// # Errors
    /// If a body deforms, or the scene has too many pairs of parts.
    pub fn new(checker: C) -> Result<Self, Error> {
        let scene = checker.borrow().scene();
        if let Some((name, ..)) = scene.deformables.first() {
            return Err(Error::invalid("certificate", format!("'{name}' deforms, but a certificate speaks about rigid parts")));
        }
        let pairs = scene.parts.len() as u128 * (scene.parts.len() as u128).saturating_sub(1) / 2;
        if pairs > MOST_PAIRS {
            let reason = format!("it lists all pairs of parts, {pairs} here; more than {MOST_PAIRS} are refused");
            return Err(Error::invalid("certificate", reason));
        }
        let items: Vec<Vec<Items>> =
            scene.parts.iter().map(|p| p.pieces.iter().map(|s| Items::new(&s.shape)).collect()).collect();
        let frames = write::frames(scene);
        let solids = checker.borrow().options().semantics == Semantics::Solid;
        let (scene_line, checksum) = write::scene(scene, solids, &frames, &items);
        Ok(Certifier { checker, scene_line, checksum, items, frames })
    }

    /// The line that comes before those of motions, without its end.
    pub fn scene(&self) -> &str {
        &self.scene_line
    }

    /// The line for a motion, without its end; `None` when it is not free.
    ///
    /// # Errors
    /// If the motion belongs to another scene, the proof would be too long, or the motion was given by frames of links.
    pub fn certify(&self, id: &str, motion: &Motion) -> Result<Option<String>, Error> {
        let checker = self.checker.borrow();
        checker.scene().own(motion)?;
        if motion.by_frames {
            return Err(Error::invalid("certificate", "the motion was given by frames of links; give joint values instead"));
        }
        if !checker.check(motion)?.is_free() {
            return Ok(None);
        }
        let (scene, margin) = (checker.scene(), checker.options().margin);
        let mut work = prove::MOST_NODES;
        let mut proofs = Vec::new();
        for (a, b) in scene.checked_pairs().map(|(a, b)| (a.index(), b.index())) {
            for i in 0..self.items[a].len() {
                for j in 0..self.items[b].len() {
                    let (x, y) = (self.side(motion, a, i), self.side(motion, b, j));
                    let tree = Prover::new(&motion.chain, x, y, margin).prove(&mut work).ok_or_else(|| {
                        let names = format!("{} and {}", scene.parts[a].name, scene.parts[b].name);
                        Error::invalid(format!("certificate for {names}"), format!("no proof with {} nodes", prove::MOST_NODES))
                    })?;
                    proofs.push(write::proof((a, i), (b, j), &tree));
                }
            }
        }
        Ok(Some(write::motion(&self.checksum, id, margin, &write::moves(scene, &self.frames, motion), &proofs)))
    }

    fn side(&self, motion: &Motion, part: usize, piece: usize) -> Side<'_> {
        let p = &self.checker.borrow().scene().parts[part];
        let mut placement = p.pieces[piece].placement;
        if p.frame == 0 {
            placement.pose.translation -= motion.origin;
        }
        Side { frame: p.frame, placement, items: &self.items[part][piece] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Piece, Primitive};
    use crate::math::{Pose, Vec3};
    use crate::motion::RigidMotion;
    use crate::query::Options;
    use crate::robot::{JointKind, JointSpec, Link, Robot};
    use crate::scene::Scene;

    fn checker(semantics: Semantics) -> Checker {
        let cube = || Primitive::cuboid(Vec3::splat(1.0)).expect("a cube").flat_surface().expect("flat");
        let scene = Scene::builder().body("a", cube()).obstacle("b", cube(), Pose::IDENTITY).build().expect("a scene");
        Checker::new(scene, Options::default().semantics(semantics)).expect("good options")
    }

    fn past(checker: &Checker, y: f64) -> Motion {
        let start = Pose::from_translation(Vec3::new(-3.0, y, 0.0));
        let motion = RigidMotion { start, end_position: Vec3::new(3.0, y, 0.0), rotation_vector: Vec3::new(0.0, 0.0, 3.0) };
        let body = checker.scene().body("a").expect("there");
        checker.scene().motion().rigid(body, motion).build().expect("finite")
    }

    #[test]
    fn only_what_is_free_is_certified() {
        let checker = checker(Semantics::Surface);
        let certifier = Certifier::new(&checker).expect("surfaces");
        assert_eq!(certifier.certify("hits", &past(&checker, 0.5)), Ok(None));
        let line = certifier.certify("flies by", &past(&checker, 1.5)).expect("short").expect("free");
        assert!(line.contains("\"id\":\"flies by\"") && line.contains(&format!("\"scene\":\"{}\"", certifier.checksum)));
        assert_eq!(certifier.certify("flies by", &past(&checker, 1.5)), Ok(Some(line)), "always the same");
    }

    #[test]
    fn a_proof_ends_with_the_work_it_may_do() {
        let checker = checker(Semantics::Surface);
        let certifier = Certifier::new(&checker).expect("surfaces");
        let motion = past(&checker, 1.22);
        let prove = |mut work: usize| {
            let (a, b) = (certifier.side(&motion, 0, 0), certifier.side(&motion, 1, 0));
            Prover::new(&motion.chain, a, b, 0.0).prove(&mut work).map(|tree| (tree.steps.len(), work))
        };
        let (steps, left) = prove(1000).expect("enough");
        assert!(steps > 1 && steps + left == 1000);
        assert_eq!((prove(steps), prove(steps - 1)), (Some((steps, 0)), None));
    }

    #[test]
    fn the_scene_says_what_closed_meshes_are() {
        for (semantics, text) in [(Semantics::Solid, "\"solids\":true"), (Semantics::Surface, "\"solids\":false")] {
            assert!(Certifier::new(&checker(semantics)).expect("rigid").scene().contains(text));
        }
    }

    /// What was rounded before is part of what is certified.
    #[test]
    fn pieces_are_written_with_their_error() {
        let cube = Primitive::cuboid(Vec3::splat(1.0)).expect("a cube");
        let mesh = cube.flat_surface().map(|m| m.within(0.25).expect("a radius")).expect("a surface");
        let link = Link { name: "l".into(), pieces: vec![Piece::new(mesh, Pose::IDENTITY).within(0.5)] };
        let robot = Robot::new("r", vec![link], vec![]).expect("a link");
        let obstacle = vec![Piece::new(cube, Pose::from_translation(Vec3::new(9.0, 0.0, 0.0))).within(0.125)];
        let mut builder = Scene::builder().robot("r", robot);
        builder.add_obstacle("o", obstacle);
        let scene = builder.build().expect("a scene");
        let checker = Checker::new(scene, Options::default()).expect("good options");
        let text = Certifier::new(&checker).expect("rigid").scene().to_owned();
        assert!(text.contains("\"within\":0.75}") && text.contains("\"within\":0.125}"), "{text}");
    }

    /// A joint that mimics a mimic of the first joint, which comes later in the file than both.
    #[test]
    fn mimics_are_written_as_they_are_described() {
        let link = |name: &str| Link { name: name.into(), pieces: vec![] };
        let joint = |name: &str, child: &str, mimic: Option<(&str, f64, f64)>| JointSpec {
            name: name.into(),
            parent: "base".into(),
            child: child.into(),
            parent_from_joint: Pose::IDENTITY,
            kind: JointKind::Revolute { axis: Vec3::unit(2) },
            limits: None,
            mimic: mimic.map(|(joint, multiplier, offset)| (joint.into(), multiplier, offset)),
        };
        let joints =
            vec![joint("j3", "c", Some(("j2", 0.3, 0.7))), joint("j2", "b", Some(("j1", 0.1, 0.2))), joint("j1", "a", None)];
        let robot = Robot::new("r", ["base", "c", "b", "a"].map(link).to_vec(), joints).expect("a tree");
        let scene = Scene::builder().robot("r", robot).build().expect("a scene");
        let checker = Checker::new(scene, Options::default()).expect("good options");
        let certifier = Certifier::new(&checker).expect("rigid");
        let text = certifier.scene();
        assert!(text.contains("\"mimic\":{\"frame\":4,\"multiplier\":0.1,\"offset\":0.2,\"radius\":[0,0]}"), "{text}");
        let product =
            format!("\"mimic\":{{\"frame\":4,\"multiplier\":{:?},\"offset\":{:?},\"radius\":[", 0.3 * 0.1, 0.3 * 0.2 + 0.7);
        assert!(text.contains(&product) && text.matches("\"radius\":[0,0]").count() == 1, "{text}");
        let arm = checker.scene().robot("r").expect("there");
        let motion = checker.scene().motion().joint_line(arm, &[0.5], &[0.25]).build().expect("finite");
        let line = certifier.certify("m", &motion).expect("short").expect("free");
        assert!(line.contains("\"moves\":[[],[],[],[0.5,0.25]]"), "{line}");
    }
}
