//! Motion planning problems: a scene with a request, as one line of a benchmark file.

use serde_json::Value;

use super::{attached, check_robot_state, refuse_entries, scene};
use crate::error::{Place, Result};
use crate::joint_values::JointValues;
use crate::json::Item;
use crate::scene::SceneFile;
use crate::warning::{Loaded, Warning};

/// A motion planning problem: obstacles, start and goal.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its name, if it has one.
    pub id: Option<String>,
    /// The obstacles.
    pub scene: SceneFile,
    /// The start configuration, by joint name; may name joints that a reduced model lacks, see [`JointValues::keep_known`].
    pub start: JointValues,
    /// The goal configuration, by joint name; joints not named keep their start values.
    pub goal: JointValues,
}

/// Parses `{"id", "scene", "request"}`: a scene with a motion plan request, as one line of a benchmark file.
///
/// # Errors
/// See the list in the module documentation; also if start or goal is not given by joint values.
pub fn problem(value: &Value, at: &Place) -> Result<Loaded<Problem>> {
    let Loaded { value: mut scene, mut warnings } = scene(value, at)?;
    let root = Item::root(value, at);
    let request = root.need("request")?;
    let state = match request.get("start_state").filter(|s| s.get("joint_state").is_some()) {
        Some(state) => state,
        None => root.need("scene")?.need("robot_state")?,
    };
    check_robot_state(&state)?;
    attached::add(&mut scene, &state, &mut warnings)?;
    let start = joint_state(&state.need("joint_state")?)?;
    let goals = request.need("goal_constraints")?;
    let goal_items = goals.items()?;
    let first = goal_items.first().ok_or_else(|| goals.bad("is empty", "give a goal"))?;
    if goal_items.len() > 1 {
        let message = format!("the first of {} goals was used", goal_items.len());
        warnings.push(Warning::new(at.clone(), "several-goals", message));
    }
    let goal = joint_goal(first)?;
    let id = root.get("id").map(|id| id.value().as_str().map_or_else(|| id.value().to_string(), str::to_owned));
    Ok(Loaded { value: Problem { id, scene, start, goal }, warnings })
}

fn joint_state(item: &Item<'_>) -> Result<JointValues> {
    let names = item.need("name")?.items()?;
    let positions = item.need("position")?.list()?;
    if names.len() != positions.len() {
        return Err(
            item.bad(format!("has {} names for {} positions", names.len(), positions.len()), "give one position per name")
        );
    }
    let named: Result<Vec<_>> = names.iter().zip(positions).map(|(n, x)| Ok((n.text()?.to_owned(), vec![x]))).collect();
    named.map(JointValues::ByName)
}

fn joint_goal(item: &Item<'_>) -> Result<JointValues> {
    for key in ["position_constraints", "orientation_constraints", "visibility_constraints"] {
        if let Some(other) = item.get(key) {
            refuse_entries(&other, "a goal that is not given by joint values")?;
        }
    }
    let constraints = item.need("joint_constraints")?.items()?;
    let value = |c: &Item<'_>| Ok((c.need("joint_name")?.text()?.to_owned(), vec![c.need("position")?.number()?]));
    constraints.iter().map(value).collect::<Result<Vec<_>>>().map(JointValues::ByName)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn problems_have_a_start_and_a_goal() {
        let text = r#"{"id": 7, "scene": {"world": {"collision_objects": []}}, "request": {
            "start_state": {"joint_state": {"name": ["a", "b"], "position": [1, 2]}},
            "goal_constraints": [{"joint_constraints": [{"joint_name": "a", "position": 3}]}, {}]}}"#;
        let at = Place::line("p.jsonl", 4);
        let value = json::parse(text.as_bytes(), &at).expect("JSON");
        let loaded = problem(&value, &at).expect("a problem");
        assert_eq!(loaded.value.id.as_deref(), Some("7"));
        assert_eq!(loaded.value.start, JointValues::ByName(vec![("a".into(), vec![1.0]), ("b".into(), vec![2.0])]));
        assert_eq!(loaded.value.goal, JointValues::ByName(vec![("a".into(), vec![3.0])]));
        assert!(loaded.warns("several-goals"));
        let broken = json::parse(text.replace("[1, 2]", "[1]").as_bytes(), &at).expect("JSON");
        assert!(
            problem(&broken, &at)
                .expect_err("lengths differ")
                .to_string()
                .starts_with("p.jsonl:4: request.start_state.joint_state has")
        );
    }
}
