//! The answer for one motion, as shown to the user.

use impinge::query::{Clearance, ContactState, Ended, Feature, FeatureKind, Report, StageReport, Witness};
use impinge::scene::{LimitBreach, LoopOpening, Motion, PartId};
use impinge::{Contact, Pose, Verdict};
use impinge_io::Id;
use serde::Serialize;

use crate::certificate::Certificate;
use crate::repeats::Note;

/// The verdict of a motion, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    Free,
    Contact,
    Undecided,
    Error,
}

impl Word {
    pub fn text(self) -> &'static str {
        match self {
            Word::Free => "free",
            Word::Contact => "contact",
            Word::Undecided => "undecided",
            Word::Error => "error",
        }
    }
}

/// A feature of a part that is in contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TouchedFeature {
    pub kind: &'static str,
    pub triangle: usize,
    pub piece: usize,
    pub corner: usize,
}

impl From<Feature> for TouchedFeature {
    fn from(f: Feature) -> Self {
        let kind = match f.kind {
            FeatureKind::Vertex => "vertex",
            FeatureKind::Edge => "edge",
            FeatureKind::Face => "face",
            FeatureKind::Solid => "solid",
        };
        TouchedFeature { kind, triangle: f.triangle, piece: f.piece, corner: f.corner }
    }
}

/// One contact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Touching {
    pub pair: (String, String),
    pub features: [TouchedFeature; 2],
    /// One point, or the two ends of a segment.
    pub points: Vec<[f64; 3]>,
    pub normal: [f64; 3],
}

impl Touching {
    pub fn of<'a>(w: &Witness, name: impl Fn(PartId) -> &'a str) -> Self {
        Touching {
            pair: (name(w.parts.0).to_owned(), name(w.parts.1).to_owned()),
            features: [w.features.0.into(), w.features.1.into()],
            points: std::iter::once(w.point).chain(w.to).map(|p| p.to_array()).collect(),
            normal: w.normal.to_array(),
        }
    }

    /// Returns the contact of a verdict that lists no others.
    pub fn of_contact<'a>(contact: &Contact, name: impl Fn(PartId) -> &'a str) -> Self {
        let Contact { parts, features, point, normal, .. } = *contact;
        Touching::of(&Witness { parts, features, point, to: None, normal }, name)
    }
}

/// The pose of a link or a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkPose {
    pub name: String,
    pub pose: PoseNumbers,
}

/// Position and unit quaternion, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PoseNumbers {
    pub position: [f64; 3],
    pub quaternion_wxyz: [f64; 4],
}

impl LinkPose {
    pub fn of(name: &str, pose: &Pose) -> Self {
        let pose = PoseNumbers { position: pose.translation.to_array(), quaternion_wxyz: pose.quaternion() };
        LinkPose { name: name.to_owned(), pose }
    }
}

/// Counters of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StageLine {
    pub stage: usize,
    pub suspects_in: u64,
    pub suspects_out: u64,
    pub node_pairs: u64,
    pub equations: u64,
    pub intervals: u64,
    pub micros: f64,
}

impl StageLine {
    /// Returns the stages that ran.
    pub fn all(report: &Report) -> Vec<StageLine> {
        let line = |(stage, report): (usize, Option<StageReport>)| {
            let StageReport { suspects_in, suspects_out, node_pairs, equations, intervals, seconds } = report?;
            let micros = (seconds * 1e7).round() / 10.0;
            Some(StageLine { stage, suspects_in, suspects_out, node_pairs, equations, intervals, micros })
        };
        (1..).zip(report.stages).filter_map(line).collect()
    }

    /// Adds the counters of the same stage for another motion.
    pub fn add(&mut self, other: &StageLine) {
        self.suspects_in += other.suspects_in;
        self.suspects_out += other.suspects_out;
        self.node_pairs += other.node_pairs;
        self.equations += other.equations;
        self.intervals += other.intervals;
        self.micros += other.micros;
    }
}

/// The minimum distance over a motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClearanceLine {
    /// Proven; null where no pair is checked.
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    pub time: Option<f64>,
    pub pair: Option<(String, String)>,
    /// One point on each part.
    pub points: Option<[[f64; 3]; 2]>,
    /// The reason why the bounds differ by more than the requested width: `resolution`, `undecided` or `work`; null if they do
    /// not.
    pub limited_by: Option<&'static str>,
}

impl ClearanceLine {
    pub fn of<'a>(found: &Clearance, name: impl Fn(PartId) -> &'a str) -> Self {
        let finite = |x: f64| x.is_finite().then_some(x);
        let nearest = found.nearest.as_ref();
        ClearanceLine {
            at_least: finite(found.at_least),
            at_most: finite(found.at_most),
            time: nearest.map(|n| n.time),
            pair: nearest.map(|n| (name(n.parts.0).to_owned(), name(n.parts.1).to_owned())),
            points: nearest.map(|n| [n.points.0.to_array(), n.points.1.to_array()]),
            limited_by: match found.ended {
                Ended::Width => None,
                Ended::Resolution => Some("resolution"),
                Ended::Undecided => Some("undecided"),
                Ended::Work => Some("work"),
            },
        }
    }
}

/// A loop that is open by more than this (metres or radians) at the start or the end of a motion is reported: it is rarely
/// intended.
const LOOSE: f64 = 1e-3;

/// The opening of a loop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoopLine {
    pub name: String,
    pub opens_at_most: LoopSize,
}

/// A gap; the angle is absent where the joint leaves all angles free.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LoopSize {
    pub metres: f64,
    pub radians: Option<f64>,
}

impl LoopLine {
    fn of(opening: &LoopOpening) -> Self {
        let LoopOpening { name, at_most, .. } = opening;
        LoopLine { name: name.clone(), opens_at_most: LoopSize { metres: at_most.metres, radians: at_most.radians } }
    }
}

/// The answer for one motion; its fields are those of the JSON line, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    pub id: Id,
    pub verdict: Word,
    pub time: Option<(f64, f64)>,
    pub free_until: Option<f64>,
    pub pair: Option<(String, String)>,
    pub features: Option<[TouchedFeature; 2]>,
    pub point: Option<[f64; 3]>,
    pub normal: Option<[f64; 3]>,
    /// The contact state at the start, if the contact is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<&'static str>,
    /// Poses of links and bodies at the start of the first contact, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<LinkPose>>,
    /// All contacts at the first contact, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Vec<Touching>>,
    /// Whether `contacts` is complete: the search may run out of work or memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts_complete: Option<bool>,
    /// Counters of each stage, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<StageLine>>,
    pub clearance_at_least: Option<f64>,
    /// The minimum distance over the motion, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clearance: Option<ClearanceLine>,
    pub micros: Option<f64>,
    pub warnings: Vec<Note>,
    /// The reason of an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The time of the contact in seconds, if the trajectory has times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<(f64, f64)>,
    /// The same in frames of a recording, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<(f64, f64)>,
    /// Openings of the mechanism's loops during the motion, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loops: Option<Vec<LoopLine>>,
    /// Whether the expected answer of a case was met, and its grade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_met: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<&'static str>,
    /// The certificate, if requested; or the reason why there is none.
    #[serde(skip)]
    pub certificate: Option<Result<Certificate, String>>,
    /// A hint about a likely mistake, printed on stderr before the first answer it applies to.
    #[serde(skip)]
    pub hint: Option<String>,
    /// The line of output, if it is JSON and the thread that computed the answer has formatted it.
    #[serde(skip)]
    pub line: Option<String>,
}

/// Returns the name of a contact state.
pub fn state(state: ContactState) -> &'static str {
    match state {
        ContactState::Begins => "begins",
        ContactState::Touching => "touching",
        ContactState::Overlapping => "overlapping",
        ContactState::Contained => "contained",
    }
}

impl Answer {
    fn empty(id: &Id, verdict: Word) -> Self {
        Answer {
            id: id.clone(),
            verdict,
            time: None,
            free_until: None,
            pair: None,
            features: None,
            point: None,
            normal: None,
            state: None,
            links: None,
            contacts: None,
            contacts_complete: None,
            stages: None,
            clearance_at_least: None,
            clearance: None,
            micros: None,
            warnings: Vec::new(),
            message: None,
            seconds: None,
            frame: None,
            loops: None,
            expected_met: None,
            grade: None,
            certificate: None,
            hint: None,
            line: None,
        }
    }

    /// Returns the answer for a verdict; `name` returns the names of parts.
    pub fn of<'a>(id: &Id, verdict: &Verdict, margin: f64, name: impl Fn(PartId) -> &'a str) -> Self {
        match verdict {
            Verdict::Free => Answer {
                free_until: Some(1.0),
                clearance_at_least: Some(margin).filter(|&m| m > 0.0),
                ..Answer::empty(id, Word::Free)
            },
            Verdict::Undecided { free_until } => Answer { free_until: Some(*free_until), ..Answer::empty(id, Word::Undecided) },
            Verdict::Contact(contact) => Answer::of_contact(id, contact, name),
        }
    }

    fn of_contact<'a>(id: &Id, contact: &Contact, name: impl Fn(PartId) -> &'a str) -> Self {
        Answer {
            time: Some(contact.time),
            free_until: Some(contact.free_until),
            pair: Some((name(contact.parts.0).to_owned(), name(contact.parts.1).to_owned())),
            features: Some([contact.features.0.into(), contact.features.1.into()]),
            point: Some(contact.point.to_array()),
            normal: Some(contact.normal.to_array()),
            state: Some(state(contact.state)),
            ..Answer::empty(id, Word::Contact)
        }
    }

    /// Returns the answer for a motion whose query failed.
    pub fn error(id: &Id, message: impl Into<String>) -> Self {
        Answer { message: Some(message.into()), ..Answer::empty(id, Word::Error) }
    }

    /// Adds the openings of loops; warns of a loop that is open where the motion starts or ends.
    pub fn add_loops(&mut self, openings: &[LoopOpening]) {
        if openings.is_empty() {
            return;
        }
        self.loops = Some(openings.iter().map(LoopLine::of).collect());
        for opening in openings {
            for (end, what) in [(&opening.at_start, "start"), (&opening.at_end, "end")] {
                if end.metres > LOOSE || end.radians.is_some_and(|r| r > LOOSE) {
                    let angle = end.radians.map_or(String::new(), |r| format!(" and {r:.6} rad"));
                    let about = format!("loop '{}' is not closed at the {what}", opening.name);
                    self.warnings.push(Note::new(about, &format!("it is open by up to {:.6} m{angle}", end.metres)));
                }
            }
        }
    }

    /// Adds warnings about the motion itself: joints beyond their limits.
    pub fn warn_limits(&mut self, motion: &Motion) {
        let note = |b: &LimitBreach| {
            let detail = format!("{} is not within [{}, {}]", b.value, b.lower, b.upper);
            Note::new(format!("joint '{}' leaves its limits", b.joint), &detail)
        };
        self.warnings.extend(motion.limit_breaches().iter().map(note));
    }
}
