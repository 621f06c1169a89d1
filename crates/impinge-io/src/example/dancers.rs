//! Two dancers as motion capture files: they walk towards each other with swinging arms, turn, and separate again.

use std::f64::consts::PI;
use std::fmt::Write;

use impinge::math::trig::sin_cos;

/// Number of frames of the recording.
pub const FRAMES: usize = 90;
/// Frames per second.
const RATE: f64 = 30.0;

/// Name, depth, offset in metres, and the end of the bone if it has no children.
type Joint = (&'static str, usize, [f64; 3], Option<[f64; 3]>);

const JOINTS: [Joint; 8] = [
    ("Hips", 0, [0.0, 0.0, 0.0], None),
    ("LeftLeg", 1, [0.1, 0.0, 0.0], Some([0.0, -0.9, 0.0])),
    ("RightLeg", 1, [-0.1, 0.0, 0.0], Some([0.0, -0.9, 0.0])),
    ("Spine", 1, [0.0, 0.15, 0.0], None),
    ("Neck", 2, [0.0, 0.45, 0.0], Some([0.0, 0.25, 0.0])),
    ("LeftArm", 2, [0.2, 0.4, 0.0], None),
    ("LeftHand", 3, [0.3, 0.0, 0.0], Some([0.3, 0.0, 0.0])),
    ("RightArm", 2, [-0.2, 0.4, 0.0], Some([-0.6, 0.0, 0.0])),
];

/// Returns the two files, in metres, y up; their times agree.
pub fn dancers() -> [String; 2] {
    [dancer(-1.0), dancer(1.0)]
}

/// Returns the file of the dancer that starts on this side.
fn dancer(side: f64) -> String {
    let mut out = String::from("HIERARCHY\n");
    let mut open = 0;
    for (name, depth, offset, end) in JOINTS {
        while open > depth {
            open -= 1;
            out += "}\n";
        }
        let (kind, channels) = if depth == 0 { ("ROOT", "6 Xposition Yposition Zposition") } else { ("JOINT", "3") };
        let [x, y, z] = offset;
        let _ = writeln!(out, "{kind} {name}\n{{\nOFFSET {x} {y} {z}\nCHANNELS {channels} Zrotation Yrotation Xrotation");
        open += 1;
        if let Some([x, y, z]) = end {
            let _ = writeln!(out, "End Site\n{{\nOFFSET {x} {y} {z}\n}}");
        }
    }
    out += &"}\n".repeat(open);
    let _ = writeln!(out, "MOTION\nFrames: {FRAMES}\nFrame Time: {:.6}", 1.0 / RATE);
    for frame in 0..FRAMES {
        out += &numbers(side, frame as f64 / (FRAMES - 1) as f64);
    }
    out
}

/// Returns the frame at a fraction of the dance.
fn numbers(side: f64, t: f64) -> String {
    let (near, _) = sin_cos(PI * t);
    let (swing, _) = sin_cos(6.0 * PI * t + 0.3 * side);
    let mut line = format!("{:.6} {:.6} {:.6}", side * (1.6 - 1.25 * near), 1.0 + 0.02 * swing, 0.05 * swing);
    for (name, ..) in JOINTS {
        let [z, y, x] = match name {
            "Hips" => [0.0, side * 60.0 * near - 90.0 * side, 0.0],
            "LeftLeg" => [0.0, 0.0, 25.0 * swing],
            "RightLeg" => [0.0, 0.0, -25.0 * swing],
            "Spine" => [4.0 * swing, 10.0 * swing, 0.0],
            "LeftArm" => [-70.0 + 60.0 * near, 0.0, 20.0 * swing],
            "LeftHand" => [20.0 * near, 30.0 * swing, 0.0],
            "RightArm" => [70.0 - 60.0 * near, 0.0, -20.0 * swing],
            _ => [0.0; 3],
        };
        let _ = write!(line, " {z:.6} {y:.6} {x:.6}");
    }
    line + "\n"
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::bvh::{BvhOptions, parse};

    #[test]
    fn they_can_be_read() {
        for text in dancers() {
            let loaded = parse(text.as_bytes(), Path::new("d.bvh"), &BvhOptions::default()).expect("a dancer");
            assert!(loaded.warnings.is_empty());
            let with_bones = loaded.value.robot.links().iter().filter(|l| !l.pieces.is_empty()).count();
            assert_eq!((with_bones, loaded.value.track.rows.len()), (8, FRAMES));
        }
    }
}
