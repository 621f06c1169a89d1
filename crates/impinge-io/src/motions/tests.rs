//! Valid and invalid lines of motions.

use impinge::math::{Pose, Vec3};

use super::*;

fn read(text: &str) -> Vec<Result<Motion>> {
    MotionReader::new(text.as_bytes(), "m.jsonl").collect()
}

fn one(text: &str) -> Result<MotionKind> {
    parse(text.as_bytes(), &Place::line("m.jsonl", 5)).map(|m| m.kind)
}

#[test]
fn a_bad_line_is_reported_and_later_lines_are_read() {
    let motions = read(
        "{\"id\": 0, \"q0\": [0], \"q1\": [1]}\n\n{\"q0\": [0]}\nx\n\
         {\"id\": \"last\", \"q0\": {\"j\": 0}, \"q1\": {\"j\": [1, 2]}, \"comment\": 1}",
    );
    assert_eq!(motions.len(), 4);
    assert_eq!(motions[0].as_ref().expect("good").id, 0.into());
    let missing = motions[1].as_ref().expect_err("half a motion");
    assert_eq!(missing.to_string(), "m.jsonl:3: the outermost value: key 'q1' is missing; add it");
    assert_eq!(motions[2].as_ref().expect_err("garbage").place().line, Some(4));
    let last = motions[3].as_ref().expect("good");
    assert_eq!((last.id.json(), last.line), ("\"last\"", 5));
    let named = MotionKind::Joints {
        q0: JointValues::ByName(vec![("j".into(), vec![0.0])]),
        q1: JointValues::ByName(vec![("j".into(), vec![1.0, 2.0])]),
    };
    assert_eq!(last.kind, named);
    assert!(read("\n \n").is_empty());
}

#[test]
fn bodies_move_in_every_notation() {
    let start = r#""start": {"p": [1, 2, 3], "q": [1, 0, 0, 0]}"#;
    let end = r#""end": {"p": [2, 2, 3], "q": [0, 0, 0, 1]}"#;
    let p0 = r#""p0": [1, 2, 3], "quat0_wxyz": [1, 0, 0, 0], "p1": [2, 2, 3]"#;
    let p1 = Vec3::new(2.0, 2.0, 3.0);
    for (text, expected) in [
        (
            format!(r#"{{{start}, "v": [1, 0, 0], "w": [0, 0, 9]}}"#),
            RigidEnd::Velocity { v: Vec3::unit(0), w: Vec3::unit(2) * 9.0 },
        ),
        (format!("{{{start}, {end}}}"), RigidEnd::Pose { p1, quat1_wxyz: [0.0, 0.0, 0.0, 1.0] }),
        (format!(r#"{{{p0}, "rotvec": [0, 0, 9]}}"#), RigidEnd::Turn { p1, rotvec: Vec3::unit(2) * 9.0 }),
        (format!(r#"{{{p0}, "quat1_wxyz": [0, 0, 0, 1]}}"#), RigidEnd::Pose { p1, quat1_wxyz: [0.0, 0.0, 0.0, 1.0] }),
    ] {
        let expected = RigidMove { p0: Vec3::new(1.0, 2.0, 3.0), quat0_wxyz: [1.0, 0.0, 0.0, 0.0], end: expected };
        assert_eq!(one(&text).expect("a motion"), MotionKind::Rigid(expected), "{text}");
    }
    for text in [format!("{{{start}}}"), format!("{{{p0}}}"), format!(r#"{{{start}, "v": [1, 0, 0]}}"#), "{}".into(), "[]".into()]
    {
        assert!(one(&text).is_err(), "{text}");
    }
    assert!(matches!(one(r#"{"q0": ["NaN"], "q1": [0]}"#), Err(IoError::NonFinite { .. })));
}

#[test]
fn several_move_by_name() {
    let text = r#"{"robots": {"b": {"q0": [0], "q1": {"j": 1}}, "a": {"q0": [2]}},
        "bodies": {"box": {"start": {"p": [0, 0, 0], "q": [1, 0, 0, 0]}, "v": [1, 0, 0], "w": [0, 0, 0]}}}"#;
    let MotionKind::Several { mut robots, bodies } = one(text).expect("a motion") else { panic!("several") };
    robots.sort_by(|x, y| x.0.cmp(&y.0));
    let resting = RobotMove::Joints(JointMove { q0: JointValues::Array(vec![2.0]), q1: None });
    let q1 = Some(JointValues::ByName(vec![("j".into(), vec![1.0])]));
    let moving = RobotMove::Joints(JointMove { q0: JointValues::Array(vec![0.0]), q1 });
    assert_eq!(robots, [("a".into(), resting), ("b".into(), moving)]);
    assert!(bodies.len() == 1 && bodies[0].0 == "box");
    for (text, why) in [
        (r#"{"robots": {"a": {"q1": [0]}}}"#, "robots.a: key 'q0' is missing"),
        (r#"{"robots": {"a": {"q0": [0], "q2": [0]}}}"#, "unknown key 'q2'"),
        (r#"{"robots": {"a": [0]}}"#, "robots.a is not an object"),
        (r#"{"robots": {}, "q0": [0], "q1": [0]}"#, "'q0' beside robots"),
        (r#"{"bodies": {"box": {}}}"#, "bodies.box is not a motion"),
    ] {
        let message = one(text).expect_err(text).to_string();
        assert!(message.starts_with("m.jsonl:5: ") && message.contains(why), "{message}");
    }
}

#[test]
fn links_move_from_frames_to_frames() {
    let at = |x: f64| format!(r#"{{"p": [{x}, 0, 0], "q": [1, 0, 0, 0]}}"#);
    let text = |frames0: &str, frames1: &str| format!(r#"{{"frames0": {frames0}, "frames1": {frames1}}}"#);
    let all = |x: f64| format!("[{}]", vec![at(x); 5].join(", "));
    let some = |x: f64| format!(r#"{{"a": {0}, "c": {0}, "b": {0}}}"#, at(x));
    let poses = |text: &str| match one(text).expect("a motion") {
        MotionKind::Frames(frames) => {
            let base = Pose::from_translation(Vec3::unit(2));
            frames.poses(&crate::joint_values::tests::robot(), &base, &Place::line("m.jsonl", 5))
        }
        other => panic!("{other:?}"),
    };
    let (start, end) = poses(&text(&all(1.0), &all(2.0))).expect("all links");
    assert_eq!((start[4].translation.x, end[0].translation.x), (1.0, 2.0));
    let (start, end) = poses(&text(&some(1.0), &all(2.0))).expect("those that joints move");
    assert_eq!((start[1].translation.x, start[0].translation, end[3].translation.x), (1.0, Vec3::unit(2), 2.0));
    assert_eq!(start[4], start[2], "where the fixed joint holds it");
    for (frames, why) in [
        (format!(r#"{{"a": {0}, "b": {0}}}"#, at(0.0)), "link 'c' has no frame"),
        (format!(r#"{{"aa": {}}}"#, at(0.0)), "no link 'aa'; did you mean 'a'?"),
        (format!("[{}]", at(0.0)), "has 5 links, but 1 frames are given"),
    ] {
        let message = poses(&text(&all(0.0), &frames)).expect_err(why).to_string();
        assert!(message.starts_with("m.jsonl:5: ") && message.contains(why), "{message}");
    }
    for (text, why) in [
        (format!(r#"{{"frames0": {}}}"#, all(0.0)), "key 'frames1' is missing"),
        (format!(r#"{{"frames0": {0}, "frames1": {0}, "q0": [1]}}"#, all(0.0)), "'q0' beside frames"),
        (text("[{\"p\": [0,0,0], \"q\": [2,0,0,0]}]", "[]"), "normalise"),
        (r#"{"robots": {"r": {"frames0": [], "frames1": [], "q1": []}}}"#.into(), "'q1' beside frames"),
    ] {
        let message = one(&text).expect_err(&text).to_string();
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn repeated_and_unknown_keys_are_refused() {
    let pose = |x: f64, q: &str| format!(r#"{{"p": [{x}, 0, 0], "q": {q}}}"#);
    let (start, end) = (pose(0.0, "[1, 0, 0, 0]"), pose(2.0, "[0, 0, 0, -1]"));
    let turn = |v: f64, w: f64| format!(r#"{{"start": {start}, "end": {end}, "v": [{v}, 0, 0], "w": [0, 0, {w}]}}"#);
    for same in
        [turn(2.0, std::f64::consts::PI), turn(2.0 + 1e-7, std::f64::consts::PI + 1e-7), turn(2.0, -3.0 * std::f64::consts::PI)]
    {
        let MotionKind::Rigid(RigidMove { end: RigidEnd::Velocity { .. }, .. }) = one(&same).expect("the end fits") else {
            panic!("{same}")
        };
    }
    let joints = r#""q0": [0], "q1": [1]"#;
    for (text, why) in [
        (turn(2.001, std::f64::consts::PI), "end disagrees with v and w"),
        (turn(2.0, 3.1), "end disagrees with v and w"),
        (format!(r#"{{{joints}, "start": {start}, "end": {end}}}"#), "'start' beside q0 and q1"),
        (format!(r#"{{{joints}, "v": [1, 0, 0]}}"#), "'v' beside q0 and q1"),
        (format!(r#"{{{joints}, "frames1": {{}}}}"#), "'q0' beside frames0 and frames1"),
        (r#"{"frames0": [], "frames1": [], "p1": [1, 0, 0]}"#.into(), "'p1' beside frames0 and frames1"),
        (r#"{"robots": {}, "frames0": []}"#.into(), "'frames0' beside robots and bodies"),
        (r#"{"bodies": {}, "rotvec": [0, 0, 1]}"#.into(), "'rotvec' beside robots and bodies"),
        (format!(r#"{{"start": {start}, "p0": [0, 0, 0], "end": {end}}}"#), "'p0' beside 'start'"),
        (format!(r#"{{"start": {start}, "end": {end}, "rotvec": [0, 0, 1]}}"#), "'rotvec' beside 'end'"),
        (format!(r#"{{"start": {start}, "v": [1, 0, 0], "w": [0, 0, 0], "p1": [9, 0, 0]}}"#), "'p1' beside 'v'"),
        (format!(r#"{{{joints}, "q2": [1]}}"#), "unknown key 'q2'; known keys: id, robots, bodies, frames0"),
        (format!(r#"{{"start": {start}, "end": {end}, "velocity": 1}}"#), "unknown key 'velocity'"),
        (format!(r#"{{"bodies": {{"b": {{"start": {start}, "end": {end}, "id": 1}}}}}}"#), "bodies.b has the unknown key 'id'"),
        (r#"{"start": {"p": [0, 0, 0], "q": [1, 0, 0, 0], "rpy": [0, 0, 1]}, "v": [1, 0, 0], "w": [0, 0, 0]}"#.into(), "'rpy'"),
    ] {
        let message = one(&text).expect_err(&text).to_string();
        assert!(message.starts_with("m.jsonl:5: ") && message.contains(why), "{message}");
    }
}
