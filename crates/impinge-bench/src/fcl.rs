//! FCL in a separate process, driven over pipes so that its rounds and those of impinge can alternate.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use impinge::geometry::{Mesh, Shape};
use impinge::math::{Pose, Vec3};
use impinge::robot::{JointKind, Robot};

use crate::Outcome;

const SOURCE: &str = include_str!("../peers/fcl.cpp");
const LIBRARIES: [&str; 4] = ["-lfcl", "-lccd", "-loctomap", "-loctomath"];

/// The running peer process.
#[derive(Debug)]
pub struct Fcl {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    meshes: usize,
}

/// A pass of the peer over all data sent, after an untimed pass (except for building): CPU seconds, mean over `repeats`, and its results.
pub type Pass = (f64, String);

impl Fcl {
    /// Starts the peer; `None` if it cannot be compiled or started, see [`why_missing`].
    pub fn start() -> Option<Self> {
        let program = program().as_ref().ok()?;
        Fcl::spawn(program).inspect_err(|why| eprintln!("FCL does not start: {why}")).ok()
    }

    fn spawn(program: &PathBuf) -> Outcome<Self> {
        let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) = (child.stdin.take().ok_or("no stdin")?, child.stdout.take().ok_or("no stdout")?);
        Ok(Fcl { child, input, output: BufReader::new(output), meshes: 0 })
    }

    /// Sends a command and reads its line of results.
    fn ask(&mut self, command: &str) -> Outcome<String> {
        self.input.write_all(command.as_bytes())?;
        self.input.write_all(b"\n")?;
        self.input.flush()?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        if line.is_empty() { Err("the FCL peer ended early".into()) } else { Ok(line.trim_end().to_owned()) }
    }

    /// Sends a mesh and returns its number.
    pub fn mesh(&mut self, mesh: &Mesh) -> Outcome<usize> {
        let mut text = format!("mesh {} {}\n", mesh.vertices().len(), mesh.triangles().len());
        for v in mesh.vertices() {
            let _ = writeln!(text, "{} {} {}", v.x, v.y, v.z);
        }
        for [a, b, c] in mesh.triangles() {
            let _ = writeln!(text, "{a} {b} {c}");
        }
        self.ask(&text)?;
        self.meshes += 1;
        Ok(self.meshes - 1)
    }

    /// Sends a robot of revolute joints, one mesh per link, with parents first; joints have the same order.
    pub fn arm(&mut self, robot: &Robot, plant: &Mesh) -> Outcome<()> {
        for (l, link) in robot.links().iter().enumerate() {
            let [piece] = &link.pieces[..] else { return Err(format!("link '{}' is not one mesh", link.name).into()) };
            let Shape::Mesh(mesh) = &piece.shape else { return Err(format!("link '{}' is not one mesh", link.name).into()) };
            let mesh = self.mesh(mesh)?;
            let (parent, axis, pose) = match robot.joint_above(l) {
                None => (-1, Vec3::unit(2), Pose::IDENTITY),
                Some(j) => {
                    let joint = &robot.joints()[j];
                    let JointKind::Revolute { axis } = joint.kind else { return Err("a joint is not revolute".into()) };
                    if j + 1 != l || joint.parent >= l {
                        return Err("joints are not in the order of links".into());
                    }
                    (joint.parent as i64, axis, joint.parent_from_joint)
                }
            };
            self.ask(&format!("link {mesh} {parent} {} {} {} {}", axis.x, axis.y, axis.z, rows(&pose)))?;
        }
        let plant = self.mesh(plant)?;
        self.ask(&format!("plant {plant}"))?;
        Ok(())
    }

    /// Sends motions, which replace the previous ones.
    pub fn motions(&mut self, motions: &[(Vec<f64>, Vec<f64>)]) -> Outcome<()> {
        let mut text = format!("motions {}\n", motions.len());
        for (from, to) in motions {
            from.iter().chain(to).for_each(|q| {
                let _ = write!(text, "{q} ");
            });
            text.push('\n');
        }
        self.ask(&text).map(drop)
    }

    /// Sends two meshes and start poses of the first.
    pub fn pair(&mut self, a: &Mesh, b: &Mesh) -> Outcome<()> {
        let (a, b) = (self.mesh(a)?, self.mesh(b)?);
        self.ask(&format!("pair {a} {b}")).map(drop)
    }

    /// Sends poses of the first mesh of the pair, which replace the previous ones.
    pub fn starts(&mut self, poses: impl ExactSizeIterator<Item = Pose>) -> Outcome<()> {
        let mut text = format!("starts {}\n", poses.len());
        poses.for_each(|p| {
            let _ = writeln!(text, "{}", rows(&p));
        });
        self.ask(&text).map(drop)
    }

    /// Tests all links against the plant at the start of each motion.
    pub fn poses(&mut self, repeats: usize) -> Outcome<Pass> {
        self.pass(&format!("poses {repeats}"))
    }

    /// Tests all links against the plant along each motion, at every `step` radians.
    pub fn sampled(&mut self, step: f64, repeats: usize) -> Outcome<Pass> {
        self.pass(&format!("sampled {step} {repeats}"))
    }

    /// Computes the distance of the pair at each pose, and the sum.
    pub fn distance(&mut self, repeats: usize) -> Outcome<Pass> {
        self.pass(&format!("distance {repeats}"))
    }

    /// Builds both models of the pair again.
    pub fn build(&mut self) -> Outcome<Pass> {
        self.pass("build")
    }

    fn pass(&mut self, command: &str) -> Outcome<Pass> {
        let line = self.ask(command)?;
        let (seconds, rest) = line.split_once(' ').ok_or_else(|| format!("FCL answered '{line}'"))?;
        Ok((seconds.parse()?, rest.to_owned()))
    }
}

impl Drop for Fcl {
    fn drop(&mut self) {
        // The peer ends by itself at the end of its input; this process was started here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Formats a pose as three rows of four.
fn rows(p: &Pose) -> String {
    let [x, y, z] = p.rotation.columns;
    (0..3).map(|i| format!("{} {} {} {}", x[i], y[i], z[i], p.translation[i])).collect::<Vec<_>>().join(" ")
}

/// Returns a sentence for reports without the numbers of FCL; `None` if FCL is available.
pub fn why_missing() -> Option<String> {
    let why = program().as_ref().err()?;
    Some(format!("**FCL was not measured**: {why}. On Debian: `apt install g++ libfcl-dev`."))
}

/// Returns the peer program, or the reason why there is none; determined once.
fn program() -> &'static Result<PathBuf, String> {
    static PROGRAM: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let compiled = compiled().and_then(runs).map_err(|why| why.to_string());
        compiled.inspect_err(|why| {
            eprintln!("FCL is not available, measuring without it: {why}\n  on Debian: apt install g++ libfcl-dev")
        })
    })
}

/// Returns the program if it starts: its libraries may have been removed since it was compiled.
fn runs(program: PathBuf) -> Outcome<PathBuf> {
    let status = Command::new(&program).stdin(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.success() { Ok(program) } else { Err("the compiled peer does not start, its libraries are missing".into()) }
}

/// Returns the peer program beside this program, recompiled if its source has changed.
fn compiled() -> Outcome<PathBuf> {
    let folder = std::env::current_exe()?.parent().ok_or("no folder of the program")?.join("peers");
    let (source, program) = (folder.join("fcl.cpp"), folder.join("fcl"));
    if program.exists() && fs::read_to_string(&source).is_ok_and(|text| text == SOURCE) {
        return Ok(program);
    }
    fs::create_dir_all(&folder)?;
    let _ = fs::remove_file(&program);
    fs::write(&source, SOURCE)?;
    eprintln!("compiling the FCL peer …");
    let mut compiler = Command::new("g++");
    compiler.args(["-O2", "-std=c++17", "-I/usr/include/eigen3", "-o"]).arg(&program).arg(&source).args(LIBRARIES);
    let output = compiler.output().map_err(|e| format!("g++: {e}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.lines().find(|l| l.contains("error")).unwrap_or("g++ failed").to_owned().into());
    }
    Ok(program)
}
