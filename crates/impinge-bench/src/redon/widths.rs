//! Widths of the boxes around a chain's tip, by interval matrices and by the tube: against depth, over spans of several lengths.

use impinge::geometry::{Piece, Primitive};
use impinge::math::{Pose, Vec3};
use impinge::query::Bound;
use impinge::robot::{JointKind, JointSpec, Link, Robot};
use impinge::scene::SelfCollision;
use impinge::{Motion, Scene};

use crate::Outcome;
use crate::plot::{Axis, Line, Plot, Scale, Stroke};
use crate::report::Report;
use crate::table::{Table, count, number, power};

const DEPTHS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// Parts of the motion: all of it, an eighth, a sixty-fourth.
const PARTS: [f64; 3] = [1.0, 8.0, 64.0];
/// Radians of each joint over the whole motion, and metres of the whole chain.
const TURN: f64 = 0.5;
const LENGTH: f64 = 1.0;

/// Builds consecutive joints, their axes x, y and z in turn, and a small sphere at the tip.
fn chain(depth: usize) -> Outcome<(Scene, Motion)> {
    let ball = Piece::new(Primitive::sphere(1e-3)?, Pose::IDENTITY);
    let link = |k: usize| Link { name: format!("link{k}"), pieces: if k == depth { vec![ball.clone()] } else { Vec::new() } };
    let joint = |k: usize| JointSpec {
        name: format!("joint{k}"),
        parent: format!("link{k}"),
        child: format!("link{}", k + 1),
        parent_from_joint: Pose::from_translation(Vec3::new(1.0, 0.5, 0.0) * (LENGTH / depth as f64)),
        kind: JointKind::Revolute { axis: Vec3::unit(k % 3) },
        limits: None,
        mimic: None,
    };
    let robot = Robot::new("chain", (0..=depth).map(link).collect(), (0..depth).map(joint).collect())?;
    let scene = Scene::builder().robot("chain", robot).self_collision(SelfCollision::Skip).build()?;
    let id = scene.robot("chain").ok_or("no chain")?;
    let motion = scene.motion().joint_line(id, &vec![0.0; depth], &vec![TURN; depth]).build()?;
    Ok((scene, motion))
}

/// Measures widths.
pub fn measure() -> Outcome<Report> {
    let title = format!(
        "Widest side of the box around the tip of a chain, in metres: length {LENGTH} m, every joint turns by {TURN} rad; interval \
         matrices, tube, and their ratio"
    );
    let mut table = Table::new(title, &["joints", "part", "interval", "tube", "ratio"]);
    let name =
        |bound: Bound, part: f64| format!("{}, 1/{part} of the motion", if bound == Bound::Tube { "tube" } else { "interval" });
    let bounds = [(Bound::Interval, Stroke::Dashed), (Bound::Tube, Stroke::Solid)];
    let mut lines: Vec<Line> = Vec::new();
    for (colour, part) in PARTS.into_iter().enumerate() {
        let mut points = [Vec::new(), Vec::new()];
        for depth in DEPTHS {
            let (scene, motion) = chain(depth)?;
            let half = 0.5 / part;
            let width = |bound| -> Outcome<f64> {
                let tip = format!("chain/link{depth}");
                Ok(scene.swept_box(&motion, &tip, (0.5 - half, 0.5 + half), bound)?.size().max_abs())
            };
            let [interval, tube] = [width(Bound::Interval)?, width(Bound::Tube)?];
            points[0].push((depth as f64, interval));
            points[1].push((depth as f64, tube));
            table.row(vec![count(depth), count(part as usize), power(interval), power(tube), number(Some(interval / tube), 2)]);
        }
        for ((bound, stroke), points) in bounds.into_iter().zip(points) {
            lines.push(Line { name: name(bound, part), points, stroke, colour });
        }
    }
    let log = |label: &str| Axis { label: label.into(), scale: Scale::Log };
    let plot = Plot { title: "Width of the box around the tip".into(), x: log("joints"), y: log("metres"), lines };
    Ok(Report::new("redon-widths", "Widths of both bounds")
        .text(
            "The widest side of the box around the tip of a chain, by interval matrices and by the tube, over a whole motion and over \
             parts of it. Widths are computed, not timed.",
        )
        .table(table)
        .plot("", "widths against depth", plot))
}
