//! Stamped joint values of a robot, line by line, as sent by a controller: JSON or a table.
//!
//! ```text
//! {"t": 12.34, "q": [0.1, 0.2]}                   all values, in the order of the moving joints
//! {"t": 12.35, "q": {"elbow": 0.21}}              by name; joints that are not named keep their last values, or a default
//!
//! time, shoulder, elbow                           the header of a table, as in trajectories; then a line per sample
//! 12.34,     0.1,   0.2
//! ```
//!
//! Time is in seconds, from any origin. The first line determines the form. Other keys are refused.

use impinge::robot::Robot;

use crate::error::{IoError, Place, Result};
use crate::joint_values::{JointValues, to_configuration};
use crate::json::{self, Item};
use crate::{read, trajectory};

/// A reader of consecutive lines of one source.
#[derive(Clone, Debug)]
pub struct JointLines<'a> {
    robot: &'a Robot,
    form: Option<Form>,
    /// The last values; before the first line, values of joints that it does not name.
    last: Option<Vec<f64>>,
    /// Joints that the first line did not name.
    unnamed: Vec<String>,
    /// Whether a line with values was read.
    begun: bool,
}

#[derive(Clone, Debug)]
enum Form {
    Json,
    /// A table with its header.
    Table(Vec<u8>),
}

/// The configuration of a robot at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct StampedJoints {
    /// Seconds.
    pub time: f64,
    /// Values in the order of the moving joints.
    pub values: Vec<f64>,
}

impl<'a> JointLines<'a> {
    /// Creates a reader.
    pub fn new(robot: &'a Robot) -> Self {
        JointLines { robot, form: None, last: None, unnamed: Vec::new(), begun: false }
    }

    /// Sets the configuration for joints that the first line does not name.
    pub fn over(self, configuration: Vec<f64>) -> Self {
        JointLines { last: Some(configuration), ..self }
    }

    /// Returns the joints that the first line with values did not name; they take their values from [`JointLines::over`] until a
    /// line names them. Empty before that line, and after the first call.
    pub fn take_unnamed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.unnamed)
    }

    /// Reads one line that is not empty; returns `None` for the header of a table and for comments in one.
    ///
    /// # Errors
    /// If it has no form of the module documentation, a number is not finite, or values do not fit the robot.
    pub fn read(&mut self, line: &[u8], at: &Place) -> Result<Option<StampedJoints>> {
        let line = line.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(line).trim_ascii();
        match &self.form {
            None if line.starts_with(b"{") => self.form = Some(Form::Json),
            Some(Form::Json) => {}
            _ if line.starts_with(b"#") => return Ok(None),
            None => {
                self.check_header(line, at)?;
                self.form = Some(Form::Table(line.to_vec()));
                return Ok(None);
            }
            Some(Form::Table(_)) => {}
        }
        let read = self.sample(line, at, self.last.as_deref())?;
        if let Some(default) = self.last.as_ref().filter(|_| !self.begun) {
            // A value equal to the default was not named.
            let other: Vec<f64> = default.iter().map(|x| x + 1.0).collect();
            self.unnamed = self.different(&read.values, &self.sample(line, at, Some(&other))?.values);
        }
        (self.begun, self.last) = (true, Some(read.values.clone()));
        Ok(Some(read))
    }

    /// Tests whether there was a header without any values.
    pub fn is_header_alone(&self) -> bool {
        matches!(self.form, Some(Form::Table(_))) && !self.begun
    }

    /// Refuses a line that is not a header: it must not turn the following lines into a table.
    fn check_header(&self, line: &[u8], at: &Place) -> Result<()> {
        let located = |e: IoError| e.located(at.clone());
        read::text(&at.path, line).map_err(located)?;
        let table = trajectory::table(line, &at.path).map_err(located)?;
        if table.times.is_none() {
            return Err(no_time(at));
        }
        table.joints(self.robot).map_err(located).map(drop)
    }

    /// Returns the names of joints whose values differ.
    fn different(&self, a: &[f64], b: &[f64]) -> Vec<String> {
        let differs = |j: usize| {
            let joint = &self.robot.joints()[j];
            let values = self.robot.value_at(j).filter(|_| joint.mimic.is_none()).map(|at| at..at + joint.kind.values());
            values.filter(|at| a[at.clone()] != b[at.clone()]).map(|_| joint.name.clone())
        };
        (0..self.robot.joints().len()).filter_map(differs).collect()
    }

    fn sample(&self, line: &[u8], at: &Place, default: Option<&[f64]>) -> Result<StampedJoints> {
        match &self.form {
            Some(Form::Table(header)) => self.row(header, line, at, default),
            Some(Form::Json) | None => self.object(line, at, default),
        }
    }

    fn object(&self, line: &[u8], at: &Place, default: Option<&[f64]>) -> Result<StampedJoints> {
        let value = json::parse(line, at)?;
        let item = Item::root(&value, at);
        item.only(&["t", "q"])?;
        let values = JointValues::from_json(&item.need("q")?)?;
        let values = to_configuration(self.robot, &values, default).map_err(|e| e.located(at.clone()))?;
        Ok(StampedJoints { time: item.need("t")?.number()?, values })
    }

    /// Reads a row as a trajectory of one waypoint.
    fn row(&self, header: &[u8], line: &[u8], at: &Place, default: Option<&[f64]>) -> Result<StampedJoints> {
        let located = |e: IoError| e.located(at.clone());
        let table = trajectory::parse(&[header, b"\n", line, b"\n"].concat(), &at.path).map_err(located)?.value;
        let Some(&[time]) = table.times.as_deref() else {
            return Err(no_time(at));
        };
        let values = table.configurations(self.robot, default).map_err(located)?.swap_remove(0);
        Ok(StampedJoints { time, values })
    }
}

fn no_time(at: &Place) -> IoError {
    let what = "the table has no column 'time'".into();
    let remedy = "begin with a header of 'time' and joint names, or write {\"t\": …, \"q\": […]}".into();
    IoError::BadElement { at: at.clone(), what, remedy }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint_values::tests::robot;

    const BASE: &str = "base[0],base[1],base[2],base[3],base[4],base[5],base[6]";

    #[test]
    fn objects_and_tables_say_the_same() {
        let robot = robot();
        let read = |lines: &[&str]| -> Vec<StampedJoints> {
            let mut reader = JointLines::new(&robot);
            let line = |(i, text): (usize, &&str)| reader.read(text.as_bytes(), &Place::line("joints", i + 1)).expect(text);
            lines.iter().enumerate().filter_map(line).collect()
        };
        let objects = read(&[r#"{"t": 0.5, "q": [1, 2, 3, 1, 0, 0, 0, 0.25]}"#, r#"{"t": 0.6, "q": {"elbow": 0.5}}"#]);
        let table =
            read(&[&format!("time, elbow, {BASE}"), "# a comment", "0.5, 0.25, 1,2,3,1,0,0,0", "0.6, 0.5, 1,2,3,1,0,0,0"]);
        assert_eq!(objects, table);
        assert_eq!((objects[1].time, objects[1].values[7]), (0.6, 0.5));
    }

    /// Joints that the first line does not name take their default, and are reported.
    #[test]
    fn joints_that_are_not_named_take_a_default() {
        let robot = robot();
        let default = vec![1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.25];
        let first = r#"{"t": 0, "q": {"elbow": 0.5}}"#;
        for lines in [&[first][..], &["time,elbow", "0,0.5"]] {
            let mut reader = JointLines::new(&robot).over(default.clone());
            let line = |(i, text): (usize, &&str)| reader.read(text.as_bytes(), &Place::line("joints", i + 1)).expect(text);
            let read: Vec<_> = lines.iter().enumerate().filter_map(line).collect();
            assert_eq!(read[0].values, [&default[..7], &[0.5]].concat());
            assert_eq!((reader.take_unnamed(), reader.take_unnamed()), (vec!["base".to_owned()], Vec::new()));
            if lines.len() == 1 {
                reader.read(br#"{"t": 1, "q": {}}"#, &Place::line("joints", 2)).expect("as before");
                assert_eq!(reader.take_unnamed(), Vec::<String>::new(), "only the first line");
            }
        }
        let mut whole = JointLines::new(&robot).over(default);
        whole.read(br#"{"t": 0, "q": [1, 2, 3, 1, 0, 0, 0, 0.25]}"#, &Place::line("joints", 1)).expect("all");
        assert_eq!(whole.take_unnamed(), Vec::<String>::new());
    }

    #[test]
    fn faults_are_named_with_their_lines() {
        let robot = robot();
        for (lines, part) in [
            (&[r#"{"t": 0, "q": {"elbow": 1}}"#][..], "joints:1: robot 'r': a value for joint 'base' is missing"),
            (&[r#"{"q": [1]}"#], "joints:1"),
            (&[r#"{"t": 0, "q": [1, 2, 3, 1, 0, 0, 0, 0.25], "p": 1}"#], "unknown key 'p'"),
            (&["elbow", "0.1"], "joints:1: the table has no column 'time'"),
            (&["time,wheel", "0,1"], "joints:1: there is no joint 'wheel'"),
            (&["time,elbow", "0,x"], "joints:2: column 'elbow'"),
            (&["time,elbow", "0"], "joints:2: the row has 1 fields"),
            (&["nonsense", "more"], "joints:1"),
        ] {
            let mut reader = JointLines::new(&robot);
            let mut read = lines.iter().enumerate().map(|(i, text)| reader.read(text.as_bytes(), &Place::line("joints", i + 1)));
            let error = read.find_map(Result::err).expect(part).to_string();
            assert!(error.contains(part) && error.starts_with("joints:"), "{error}");
        }
    }
}
