//! One motion's answer in the user's terms.

use impinge::query::{Clearance, ContactState, Ended, Feature, FeatureKind, Report, StageReport, Witness};
use impinge::scene::{LimitBreach, LoopOpening, Motion, PartId};
use impinge::{Contact, Pose, Verdict};
use impinge_io::Id;
use serde::Serialize;

use crate::certificate::Certificate;
use crate::repeats::Note;

/// What was found about a motion, in one word.
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

/// What of a part touches.
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

/// One place of contact.
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

    /// The place that a contact is shown at, where others are not known.
    pub fn of_contact<'a>(contact: &Contact, name: impl Fn(PartId) -> &'a str) -> Self {
        let Contact { parts, features, point, normal, .. } = *contact;
        Touching::of(&Witness { parts, features, point, to: None, normal }, name)
    }
}

/// Where a link or a body is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkPose {
    pub name: String,
    pub pose: PoseNumbers,
}

/// Position and unit quaternion, in the world.
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

/// What a stage did.
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
    /// The stages that ran.
    pub fn all(report: &Report) -> Vec<StageLine> {
        let line = |(stage, report): (usize, Option<StageReport>)| {
            let StageReport { suspects_in, suspects_out, node_pairs, equations, intervals, seconds } = report?;
            let micros = (seconds * 1e7).round() / 10.0;
            Some(StageLine { stage, suspects_in, suspects_out, node_pairs, equations, intervals, micros })
        };
        (1..).zip(report.stages).filter_map(line).collect()
    }

    /// Adds what the same stage did for another motion.
    pub fn add(&mut self, other: &StageLine) {
        self.suspects_in += other.suspects_in;
        self.suspects_out += other.suspects_out;
        self.node_pairs += other.node_pairs;
        self.equations += other.equations;
        self.intervals += other.intervals;
        self.micros += other.micros;
    }
}

/// How near things come.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClearanceLine {
    /// Proven; null where nothing is checked.
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    pub time: Option<f64>,
    pub pair: Option<(String, String)>,
    /// A point of each.
    pub points: Option<[[f64; 3]; 2]>,
    /// Why the bounds are farther apart than asked for: `resolution`, `undecided` or `work`; null where they are not.
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

/// A loop that is open by more than this, metres or radians, where a motion begins or ends, was hardly meant to be.
const LOOSE: f64 = 1e-3;

/// How far a loop opens.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoopLine {
    pub name: String,
    pub opens_at_most: LoopSize,
}

/// A gap; no angle where the joint leaves all of them free.
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
    /// How things stand at the start, if that is where the contact is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<&'static str>,
    /// Where links and bodies are when the first contact begins, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<LinkPose>>,
    /// Everything that touches at the first contact, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Vec<Touching>>,
    /// Whether these are all: work or memory may run out on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts_complete: Option<bool>,
    /// What each stage did, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<StageLine>>,
    pub clearance_at_least: Option<f64>,
    /// The smallest distance over the motion, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clearance: Option<ClearanceLine>,
    pub micros: Option<f64>,
    pub warnings: Vec<Note>,
    /// Why it is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The contact's time in seconds, where a trajectory has times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<(f64, f64)>,
    /// The same in frames of a recording, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<(f64, f64)>,
    /// How far loops of the mechanism open on the way, where it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loops: Option<Vec<LoopLine>>,
    /// Whether a case's expected answer was met, and how it was graded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_met: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<&'static str>,
    /// What the proof rests on, where that was asked for; or why it cannot be said.
    #[serde(skip)]
    pub certificate: Option<Result<Certificate, String>>,
    /// What the user may have meant instead, on stderr before the first answer it is for.
    #[serde(skip)]
    pub hint: Option<String>,
    /// The line it is written as, where that is JSON and was made ready by who found the answer.
    #[serde(skip)]
    pub line: Option<String>,
}

/// How a contact stands at the start, in a word.
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

    /// A verdict about a motion; `name` names parts.
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

    /// A motion that could not be asked about.
    pub fn error(id: &Id, message: impl Into<String>) -> Self {
        Answer { message: Some(message.into()), ..Answer::empty(id, Word::Error) }
    }

    /// Adds how far loops open; a loop that is open where the motion begins or ends is warned of.
    pub fn tell_loops(&mut self, openings: &[LoopOpening]) {
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

    /// Adds what the motion itself is warned of: joints beyond their limits.
    pub fn warn_limits(&mut self, motion: &Motion) {
        let note = |b: &LimitBreach| {
            let detail = format!("{} is not within [{}, {}]", b.value, b.lower, b.upper);
            Note::new(format!("joint '{}' leaves its limits", b.joint), &detail)
        };
        self.warnings.extend(motion.limit_breaches().iter().map(note));
    }
}
