//! Paths of any kind: over a span each vertex keeps near a straight line, within a radius. Straight lines, rigid and articulated motions
//! are one interface, and time is halved where the radius, not the geometry, leaves something open.
//!
//! ```text
//!    .--~~--.        true path of a vertex       halving a span divides the radius of a curved path by four
//! --o--------o--     line from start to end
//!   |-- radius: no vertex strays further from its place on the line at the same time
//! ```

use crate::Error;
use crate::math::pose::Placement;
use crate::math::rounding::U;
use crate::math::{Pose, Vec3};
use crate::motion::{Carried, Chain, InBetween, Relative, RigidMotion, Span};
use crate::narrow::features::{Answer, FeaturePair, Kind, Settings, contact_near_lines};

/// Where four vertices are during a span: near lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearPiece {
    /// Where the lines start, at the beginning of the span.
    pub start: [Vec3; 4],
    /// Where they end.
    pub end: [Vec3; 4],
    /// At least how far a vertex of the one feature strays from its line, plus how far one of the other does.
    pub radius: f64,
}

/// How the vertices of two features move over t in [0, 1]: `[v, f0, f1, f2]` or `[a0, a1, b0, b1]`.
pub trait VertexPaths {
    /// Lines and a radius for a closed span of t.
    fn over(&self, span: (f64, f64)) -> LinearPiece;
}

/// Straight lines: the radius is the rounding of their ends. A coordinate a (1 - t) + b t has four roundings, each of at most u max(|a|, |b|),
/// and sqrt(3) of it in length; both features: 16 u.
impl VertexPaths for FeaturePair {
    fn over(&self, (from, to): (f64, f64)) -> LinearPiece {
        let at = |t: f64| -> [Vec3; 4] {
            match t {
                0.0 => self.start,
                1.0 => self.end,
                _ => std::array::from_fn(|i| self.start[i] * (1.0 - t) + self.end[i] * t),
            }
        };
        let whole = [0.0, 1.0].contains(&from) && [0.0, 1.0].contains(&to);
        let largest = self.start.iter().chain(&self.end).fold(0.0, |m: f64, p| m.max(p.max_abs()));
        LinearPiece { start: at(from), end: at(to), radius: if whole { 0.0 } else { 16.0 * U * largest } }
    }
}

/// A vertex of a body that moves, in the frame of that body, or of one that is seen as resting, in the frame of that one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Corner {
    Moving(Vec3),
    /// Relative to the origin that was given to [`Relative`].
    Resting(Vec3),
}

/// Features of two bodies, one seen from the other: rigid or articulated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TubePaths<'a> {
    pub relative: Relative<'a>,
    pub corners: [Corner; 4],
}

/// The radius is that of the tube, and the rounding of both ends of its line: once each.
impl VertexPaths for TubePaths<'_> {
    fn over(&self, (from, to): (f64, f64)) -> LinearPiece {
        let tube = self.relative.tube(Span::new(from, to));
        let mut piece = LinearPiece { start: [Vec3::ZERO; 4], end: [Vec3::ZERO; 4], radius: 0.0 };
        for (i, corner) in self.corners.iter().enumerate() {
            match *corner {
                Corner::Resting(p) => (piece.start[i], piece.end[i]) = (p, p),
                Corner::Moving(y) => {
                    let (x, dx) = tube.line(y);
                    (piece.start[i], piece.end[i]) = (x - dx, x + dx);
                    let stray = tube.radius(y.norm() * (1.0 + 8.0 * U)) + 4.0 * U * (x.norm1() + dx.norm1());
                    // NaN must not be lost.
                    piece.radius = if piece.radius >= stray { piece.radius } else { stray };
                }
            }
        }
        piece
    }
}

/// Features of two rigid bodies in motion; vertices are given in the frames of their bodies.
#[derive(Clone, Debug)]
pub struct RigidPaths {
    chain: Chain,
    placement: Placement,
    corners: [Corner; 4],
}

impl RigidPaths {
    /// `vertices` are `[v, f0, f1, f2]`, v of the first body, or `[a0, a1, b0, b1]`, the first edge of the first body.
    ///
    /// # Errors
    /// If a number of a motion is not finite or out of range.
    pub fn new(kind: Kind, motions: [&RigidMotion; 2], vertices: [Vec3; 4]) -> Result<RigidPaths, Error> {
        let [a, b] = motions.map(|m| InBetween::of_rigid(m, Vec3::ZERO));
        let chain = Chain::new(vec![0, 0, 0], vec![InBetween::resting(Pose::IDENTITY), a?, b?]);
        let of_first = if kind == Kind::VertexFace { 1 } else { 2 };
        let corner = |i: usize| if i < of_first { Corner::Moving(vertices[i]) } else { Corner::Resting(vertices[i]) };
        Ok(RigidPaths { chain, placement: Placement::new(Pose::IDENTITY), corners: [0, 1, 2, 3].map(corner) })
    }
}

impl VertexPaths for RigidPaths {
    fn over(&self, span: (f64, f64)) -> LinearPiece {
        let [a, b] = [1, 2].map(|frame| Carried { frame, placement: &self.placement });
        let relative = Relative::new(&self.chain, a, b, 0, Vec3::ZERO);
        TubePaths { relative, corners: self.corners }.over(span)
    }
}

/// Pieces of time for each of `max_steps`: curved paths need some to become thin.
const PIECES_PER_STEP: u32 = 8;
/// A radius below this part of the tolerance is not what keeps an answer open.
const THIN: f64 = 0.25;

/// Whether two features on these paths touch, and when first. As [`crate::narrow::features::first_contact`]; but curved paths are known up to rounding only, so
/// that their contacts are certified only with a margin.
pub fn first_contact_on(paths: &impl VertexPaths, kind: Kind, settings: &Settings) -> Answer {
    let mut open = vec![(0.0, 1.0)];
    let mut pieces = settings.max_steps.saturating_mul(PIECES_PER_STEP);
    while let Some(span) = open.pop() {
        let LinearPiece { start, end, radius } = paths.over(span);
        let pair = FeaturePair { kind, start, end };
        match contact_near_lines(&pair, radius, settings) {
            Answer::Free => {}
            answer if radius == 0.0 && span == (0.0, 1.0) => return answer,
            Answer::Contact { time, certified } => {
                return Answer::Contact { time: (not_after(span, time.0), not_before(span, time.1)), certified };
            }
            Answer::Undecided { span: rest } => {
                let (from, to) = (not_after(span, rest.0), span.1);
                let middle = 0.5 * (from + to);
                let thin = radius <= THIN * settings.tolerance * pair.size();
                if pieces == 0 || thin || !(middle > from && middle < to) {
                    return Answer::Undecided { span: (from, 1.0) };
                }
                pieces -= 1;
                open.push((middle, to));
                open.push((from, middle));
            }
        }
    }
    Answer::Free
}

/// At most the time at part s of a span: a few roundings of numbers up to 1, and the tube's half span is up to 2 u too long.
fn not_after((from, to): (f64, f64), s: f64) -> f64 {
    (from + (to - from) * s - 8.0 * U).clamp(from, to)
}

/// At least the time at part s of a span.
fn not_before((from, to): (f64, f64), s: f64) -> f64 {
    (from + (to - from) * s + 8.0 * U).clamp(from, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0f64..1.0).prop_map(Vec3::from)
    }

    fn motion() -> impl Strategy<Value = RigidMotion> {
        (point(), point(), point()).prop_map(|(from, to, turn)| RigidMotion {
            start: Pose::from_translation(from),
            end_position: to,
            rotation_vector: turn * 2.0,
        })
    }

    /// The largest distance of sampled places from the piece's lines, in radii.
    fn use_of_radius(paths: &impl VertexPaths, (from, to): (f64, f64)) -> f64 {
        let piece = paths.over((from, to));
        let mut most = 0.0f64;
        for k in 0..=16 {
            let s = k as f64 / 16.0;
            let t = from + (to - from) * s;
            let true_place = paths.over((t, t)).start;
            for i in 0..4 {
                let on_line = piece.start[i] * (1.0 - s) + piece.end[i] * s;
                most = most.max((true_place[i] - on_line).norm() / (piece.radius + 1e-300));
            }
        }
        most
    }

    /// The smallest distance at sampled times, by the margin at which the answer at an instant turns.
    fn distance_at(paths: &impl VertexPaths, kind: Kind, t: f64) -> f64 {
        let piece = paths.over((t, t));
        let (mut low, mut high) = (0.0, 8.0);
        for _ in 0..40 {
            let margin = 0.5 * (low + high);
            let settings = Settings { margin, ..Settings::default() };
            let pair = FeaturePair { kind, start: piece.start, end: piece.start };
            if crate::narrow::features::first_contact(&pair, &settings) == Answer::Free { low = margin } else { high = margin }
        }
        low
    }

    proptest! {
        #[test]
        fn vertices_stay_within_the_radius(
            a in motion(), b in motion(), v in prop::array::uniform4(point()), ee in any::<bool>(), from in 0.0f64..0.9, length in 1e-3f64..0.1,
        ) {
            let kind = if ee { Kind::EdgeEdge } else { Kind::VertexFace };
            let paths = RigidPaths::new(kind, [&a, &b], v).expect("in range");
            prop_assert!(use_of_radius(&paths, (from, from + length)) <= 1.0 + 1e-6);
        }

        #[test]
        fn answers_for_rigid_bodies_agree_with_samples(
            a in motion(), b in motion(), v in prop::array::uniform4(point()), ee in any::<bool>(), margin in 0.0f64..0.3,
        ) {
            let kind = if ee { Kind::EdgeEdge } else { Kind::VertexFace };
            let paths = RigidPaths::new(kind, [&a, &b], v).expect("in range");
            let settings = Settings { margin, tolerance: 1e-6, ..Settings::default() };
            let answer = first_contact_on(&paths, kind, &settings);
            let free_until = match answer {
                Answer::Free => 2.0,
                Answer::Contact { time, .. } => {
                    prop_assert!(distance_at(&paths, kind, time.1) <= margin + 1e-5, "{:?}", answer);
                    time.0
                }
                Answer::Undecided { span } => span.0,
            };
            for k in 0..=20 {
                let t = k as f64 / 20.0;
                if t < free_until {
                    prop_assert!(distance_at(&paths, kind, t) >= margin - 1e-9, "{:?} at {}", answer, t);
                }
            }
        }

        #[test]
        fn straight_paths_cut_in_time_stay_within_their_radius(
            start in prop::array::uniform4(point()), end in prop::array::uniform4(point()), from in 0.0f64..0.9, length in 1e-3f64..0.1,
        ) {
            let pair = FeaturePair { kind: Kind::EdgeEdge, start, end };
            prop_assert!(use_of_radius(&pair, (from, from + length)) <= 1.0);
            let settings = Settings::default();
            prop_assert_eq!(first_contact_on(&pair, pair.kind, &settings), crate::narrow::features::first_contact(&pair, &settings));
        }
    }

    /// A vertex at the end of a turning link meets a face that it reaches at half time, after an eighth turn of each joint.
    #[test]
    fn an_articulated_vertex_finds_the_face_in_its_way() {
        let turn = |angle: f64| {
            let motion = RigidMotion { rotation_vector: Vec3::unit(2) * angle, ..RigidMotion::resting(Pose::IDENTITY) };
            InBetween::of_rigid(&motion, Vec3::ZERO).expect("in range")
        };
        // A quarter turn each.
        let half_pi = std::f64::consts::FRAC_PI_2;
        let joints = vec![InBetween::resting(Pose::IDENTITY), turn(half_pi), turn(half_pi)];
        let chain = Chain::new(vec![0, 0, 1], joints);
        let placement = Placement::new(Pose::IDENTITY);
        let carried = |frame| Carried { frame, placement: &placement };
        let relative = Relative::new(&chain, carried(2), carried(0), 0, Vec3::ZERO);
        let face = [Vec3::new(0.0, 0.5, -1.0), Vec3::new(0.0, 2.0, -1.0), Vec3::new(0.0, 1.0, 2.0)].map(Corner::Resting);
        let corners = [Corner::Moving(Vec3::unit(0)), face[0], face[1], face[2]];
        let paths = TubePaths { relative, corners };
        let answer = first_contact_on(&paths, Kind::VertexFace, &Settings::default());
        let Answer::Contact { time, .. } = answer else { panic!("{answer:?}") };
        assert!(time.0 <= 0.5 && time.0 > 0.5 - 1e-8 && time.1 - time.0 < 1e-8, "{time:?}");
        let short = TubePaths { corners: [Corner::Moving(Vec3::unit(0) * 0.4), face[0], face[1], face[2]], ..paths };
        assert_eq!(first_contact_on(&short, Kind::VertexFace, &Settings::default()), Answer::Free);
    }
}
