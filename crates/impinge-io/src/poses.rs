//! Stamped poses of a tool, one JSON object per line, as sent by a teleoperation loop.
//!
//! ```text
//! {"t": 12.34, "p": [x, y, z], "q": [w, x, y, z]}
//! {"t": 12.35, "p": […], "q": […], "bodies": {"0": [[x, y, z], …]}}       body 0 was deformed: all its vertices
//! ```
//!
//! Time is in seconds, from any origin. Other keys are refused: a misspelled key would be ignored silently.

use impinge::math::{Pose, Vec3};

use crate::error::{Place, Result};
use crate::json::{self, Item};

/// The pose of the tool at a time, and changed bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct StampedPose {
    /// Seconds.
    pub time: f64,
    /// The tool in the world.
    pub pose: Pose,
    /// Bodies by number, with all their vertices.
    pub bodies: Vec<(usize, Vec<Vec3>)>,
}

/// Parses one line.
///
/// # Errors
/// If it has no form of the module documentation, a number is not finite, or the quaternion is not of unit length.
pub fn parse_pose(line: &[u8], at: &Place) -> Result<StampedPose> {
    let value = json::parse(line, at)?;
    let item = Item::root(&value, at);
    item.only(&["t", "p", "q", "bodies"])?;
    let (p, q) = (item.need("p")?.numbers::<3>()?, item.need("q")?);
    let pose = Pose::from_quaternion(Vec3::from(p), q.numbers::<4>()?).map_err(|e| q.model(e))?;
    let bodies = item.get("bodies").map_or(Ok(Vec::new()), |bodies| bodies.fields()?.iter().map(body).collect())?;
    Ok(StampedPose { time: item.need("t")?.number()?, pose, bodies })
}

fn body((name, vertices): &(&str, Item<'_>)) -> Result<(usize, Vec<Vec3>)> {
    let number =
        name.parse().map_err(|_| vertices.bad("is not named by a number", "number bodies from 0, as they were given"))?;
    let places = vertices.items()?.iter().map(|v| v.numbers::<3>().map(Vec3::from)).collect::<Result<_>>()?;
    Ok((number, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_or_their_fault_is_named() {
        let read = |text: &str| parse_pose(text.as_bytes(), &Place::line("poses", 7));
        let good = read(r#"{"t": 1.5, "p": [1, 2, 3], "q": [0, 0, 0, 1], "bodies": {"2": [[0, 0, 1]]}}"#).expect("a pose");
        assert_eq!((good.time, good.pose.translation), (1.5, Vec3::new(1.0, 2.0, 3.0)));
        assert_eq!(good.bodies, [(2, vec![Vec3::unit(2)])]);
        for (text, part) in [
            (r#"{"p": [1, 2, 3], "q": [0, 0, 0, 1]}"#, "key 't'"),
            (r#"{"t": 0, "p": [1, 2], "q": [0, 0, 0, 1]}"#, "p has 2 numbers"),
            (r#"{"t": 0, "p": [1, 2, 3], "q": [0, 0, 0, 2]}"#, "not 1; normalise"),
            (r#"{"t": "NaN", "p": [1, 2, 3], "q": [0, 0, 0, 1]}"#, "t"),
            (r#"{"t": 0, "p": [1, 2, 3], "q": [0, 0, 0, 1], "body": 1}"#, "unknown key 'body'"),
            (r#"{"t": 0, "p": [1, 2, 3], "q": [0, 0, 0, 1], "bodies": {"a": []}}"#, "not named by a number"),
            ("[", "JSON"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.starts_with("poses:7") && error.contains(part), "{error}");
        }
    }
}
