//! Objects attached to a robot in MoveIt files.
//!
//! ```text
//! {"link_name": "hand", "touch_links": ["finger"], "object": {"id", "header": {"frame_id": "hand"}, "pose", "primitives", …}}
//! ```

use super::Reader;
use crate::error::{IoError, Result, shorten};
use crate::json::Item;
use crate::scene::{Attached, SceneFile};
use crate::warning::Warning;

/// Returns the attached objects of a robot state.
pub(super) fn of_state(state: &Item<'_>, warnings: &mut Vec<Warning>) -> Result<Vec<Attached>> {
    let list = state.get("attached_collision_objects").map_or(Ok(Vec::new()), |list| list.items())?;
    let mut held: Vec<Attached> = Vec::new();
    for item in list {
        let next = attached(&item, warnings)?;
        if held.iter().any(|a| a.name == next.name) {
            return Err(item.bad(format!("has the id '{}' of another object", shorten(&next.name)), "make ids unique"));
        }
        held.push(next);
    }
    Ok(held)
}

/// Adds the attached objects of a start state to those of the scene: both may name the same object on the same link.
pub(super) fn add(scene: &mut SceneFile, state: &Item<'_>, warnings: &mut Vec<Warning>) -> Result<()> {
    for next in of_state(state, warnings)? {
        let known = scene.attached.iter().find(|a| a.name == next.name);
        let elsewhere = scene.obstacles.iter().any(|o| o.name == next.name) || known.is_some_and(|a| a.link != next.link);
        if elsewhere {
            let what = format!("attaches '{}', which the scene places elsewhere", shorten(&next.name));
            return Err(state.bad(what, "define its place once"));
        }
        if known.is_none() {
            scene.attached.push(next);
        }
    }
    Ok(())
}

fn attached(item: &Item<'_>, warnings: &mut Vec<Warning>) -> Result<Attached> {
    let link = item.need("link_name")?.text()?.to_owned();
    let object = item.need("object")?;
    let frame = object.get("header").and_then(|h| h.get("frame_id")).map_or(Ok(""), |f| f.text())?;
    if !frame.is_empty() && frame != link {
        return Err(IoError::UnsupportedFormat {
            at: object.place(),
            what: format!(
                "{}: an attached object in frame '{}', not in that of its link '{}'",
                object.trail(),
                shorten(frame),
                shorten(&link)
            ),
            remedy: "give its poses in the frame of the link".into(),
        });
    }
    let mut reader = Reader { warnings: std::mem::take(warnings), frame: None };
    let read = reader.object_in_frame(&object);
    *warnings = reader.warnings;
    let touch = item.get("touch_links").map_or(Ok(Vec::new()), |list| list.items())?;
    let touch = touch.iter().map(|name| Ok(name.text()?.to_owned())).collect::<Result<_>>()?;
    let object = read?;
    Ok(Attached { name: object.name, link, pieces: object.pieces, touch })
}

#[cfg(test)]
mod tests {
    use crate::error::{Place, Result};
    use crate::json;
    use crate::scene::SceneFile;
    use crate::scene::moveit::{problem, scene};

    const CUP: &str = r#"{"link_name": "hand", "touch_links": ["finger"], "weight": 1,
        "object": {"id": "cup", "header": {"frame_id": "hand"}, "pose": {"position": [0, 0, 1]},
                   "primitives": [{"type": "cylinder", "dimensions": [0.2, 0.05]}], "primitive_poses": [{"position": [1, 0, 0]}]}}"#;

    fn read(attached: &str, objects: &str) -> Result<SceneFile> {
        let text = format!(
            r#"{{"world": {{"collision_objects": [{objects}]}}, "robot_state": {{"attached_collision_objects": [{attached}]}}}}"#
        );
        let at = Place::file("s.json");
        scene(&json::parse(text.as_bytes(), &at).expect("JSON"), &at).map(|l| l.value)
    }

    #[test]
    fn attached_objects_are_in_the_frame_of_their_link() {
        let held = read(CUP, "").expect("a scene").attached;
        assert_eq!(
            (held.len(), held[0].name.as_str(), held[0].link.as_str(), &held[0].touch[..]),
            (1, "cup", "hand", &["finger".to_owned()][..])
        );
        assert_eq!(held[0].pieces[0].part_from_shape.translation.to_array(), [1.0, 0.0, 1.0]);
    }

    #[test]
    fn what_would_lose_them_is_refused() {
        for (attached, class) in [
            ("{}".to_owned(), "MissingElement"),
            (CUP.replace(r#""frame_id": "hand""#, r#""frame_id": "world""#), "UnsupportedFormat"),
            (CUP.replace("cylinder", "cone"), "UnsupportedFormat"),
            (CUP.replace(r#"["finger"]"#, "[1]"), "BadElement"),
            (format!("{CUP}, {CUP}"), "BadElement"),
        ] {
            assert_eq!(read(&attached, "").expect_err(&attached).class(), class);
        }
        assert_eq!(read(CUP, r#"{"id": "cup"}"#).expect_err("twice").class(), "BadElement");
    }

    #[test]
    fn start_states_hold_objects_too() {
        let problem = |scene_objects: &str, in_scene: &str, in_start: &str| {
            let text = format!(
                r#"{{"scene": {{"world": {{"collision_objects": [{scene_objects}]}}, "robot_state": {{"attached_collision_objects": [{in_scene}]}}}},
                "request": {{"start_state": {{"joint_state": {{"name": [], "position": []}}, "attached_collision_objects": [{in_start}]}},
                "goal_constraints": [{{"joint_constraints": []}}]}}}}"#
            );
            let at = Place::line("p.jsonl", 1);
            problem(&json::parse(text.as_bytes(), &at).expect("JSON"), &at).map(|l| l.value.scene.attached.len())
        };
        assert_eq!(problem("", "", CUP).expect("a problem"), 1);
        assert_eq!(problem("", CUP, CUP).expect("the same one"), 1);
        assert!(
            problem(
                "",
                CUP,
                &CUP.replace(r#""link_name": "hand""#, r#""link_name": "foot""#)
                    .replace(r#""frame_id": "hand""#, r#""frame_id": """#)
            )
            .is_err()
        );
        assert!(problem(r#"{"id": "cup"}"#, "", CUP).is_err());
    }
}
