//! Loads robots, skeletons and bodies, with their bases and recorded motions.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use impinge::Pose;
use impinge::geometry::Mesh;
use impinge::math::Vec3;
use impinge::robot::Robot;
use impinge_io::bvh::is_bvh;
use impinge_io::mesh::Format;
use impinge_io::suggest::known_names;
use impinge_io::{
    BvhOptions, Loaded, Place, Srdf, Track, Warning, load_bvh, load_mesh, load_srdf, load_state, load_urdf, zero_configuration,
};

use crate::args::ModelArgs;
use crate::job::{file_options, stem};
use crate::mover_args::{Base, Given, Setting};
use crate::values::{Resolver, configuration};
use crate::warn;

/// A robot that moves, with its SRDF.
pub struct RobotMover {
    pub name: String,
    pub model: Arc<Robot>,
    pub base_frame: BaseFrame,
    pub srdf: Option<Srdf>,
    /// Values of joints that a motion does not name, if given.
    pub state: Option<Vec<f64>>,
    /// The recorded motion of a skeleton.
    pub recorded: Option<Track>,
}

impl RobotMover {
    /// Returns the pose of the root in the world, if it does not depend on another robot.
    pub fn base(&self) -> Pose {
        match &self.base_frame {
            BaseFrame::World(base) => *base,
            BaseFrame::On { at, .. } => *at,
        }
    }
}

/// The base of a robot.
pub enum BaseFrame {
    World(Pose),
    On { link: String, at: Pose },
}

/// A rigid body that moves.
pub struct BodyMover {
    pub name: String,
    pub mesh: Arc<Mesh>,
}

/// All moving robots and bodies.
#[derive(Default)]
pub struct Movers {
    /// Robots on other robots come after them.
    pub robots: Vec<RobotMover>,
    pub bodies: Vec<BodyMover>,
}

impl Movers {
    /// Loads robots and skeletons from files, and bodies from meshes; `moving` is a body named after its file.
    ///
    /// # Errors
    /// If a file is refused, a name is given twice, or an argument names an unknown robot.
    pub fn load(files: &[PathBuf], moving: Option<&Path>, args: &ModelArgs) -> Result<Loaded<Self>> {
        let mut loader = Loader { args, movers: Movers::default(), warnings: Vec::new() };
        files.iter().try_for_each(|file| loader.robot(None, file))?;
        args.movers.robots.iter().try_for_each(|(name, file)| loader.robot(Some(name), file))?;
        if let Some(mesh) = moving {
            loader.body(stem(mesh), mesh)?;
        }
        args.movers.bodies.iter().try_for_each(|(name, mesh)| loader.body(name.clone(), mesh))?;
        loader.check_skeletons()?;
        loader.check_robots()?;
        loader.srdfs()?;
        loader.states()?;
        loader.bases()?;
        let Loader { mut movers, warnings, .. } = loader;
        movers.check_names()?;
        movers.robots.sort_by_key(|r| matches!(r.base_frame, BaseFrame::On { .. }));
        Ok(Loaded { value: movers, warnings })
    }

    fn check_names(&self) -> Result<()> {
        let mut names = HashSet::new();
        let all = self.robots.iter().map(|r| &r.name).chain(self.bodies.iter().map(|b| &b.name));
        for name in all {
            if !names.insert(name) {
                bail!("two robots or bodies are named '{name}'; give them names: --robot left=FILE --robot right=FILE");
            }
        }
        Ok(())
    }
}

/// Loads robots and bodies in order.
struct Loader<'a> {
    args: &'a ModelArgs,
    movers: Movers,
    warnings: Vec<Warning>,
}

impl Loader<'_> {
    fn robot(&mut self, name: Option<&String>, file: &Path) -> Result<()> {
        refuse_other_files(file)?;
        let is_named_bvh = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("bvh"));
        let (model, recorded) = if is_named_bvh || begins(file).is_some_and(|start| is_bvh(&start)) {
            let args = &self.args.movers;
            let options = BvhOptions {
                scale: args.bvh_scale.unwrap_or(1.0),
                bone_radius: args.bone_radius,
                meshes: args.bones.clone(),
                between: args.bvh_between.unwrap_or_default(),
            };
            let loaded = load_bvh(file, &options)?;
            self.warnings.extend(loaded.warnings);
            (loaded.value.robot, Some(loaded.value.track))
        } else {
            let loaded = load_urdf(file, &file_options(&self.args.files))?;
            self.warnings.extend(loaded.warnings);
            (loaded.value, None)
        };
        let name = name.or(self.args.robot_name.as_ref()).map_or(model.name(), String::as_str).to_owned();
        let base_frame = BaseFrame::World(Pose::IDENTITY);
        self.movers.robots.push(RobotMover { name, model: Arc::new(model), base_frame, srdf: None, state: None, recorded });
        Ok(())
    }

    fn body(&mut self, name: String, mesh: &Path) -> Result<()> {
        let Loaded { value, warnings } = read_mesh(mesh)?;
        self.warnings.extend(warnings);
        self.movers.bodies.push(BodyMover { name, mesh: Arc::new(value) });
        Ok(())
    }

    /// Refuses arguments for skeletons if there is none.
    fn check_skeletons(&self) -> Result<()> {
        match self.args.movers.of_skeletons() {
            Some(flag) if self.movers.robots.iter().all(|r| r.recorded.is_none()) => {
                bail!("{flag} applies to skeletons, but no BVH file is given")
            }
            _ => Ok(()),
        }
    }

    /// Refuses names of unknown robots. Without a robot, `--no-self` has no effect and is accepted.
    fn check_robots(&self) -> Result<()> {
        if self.args.robot_name.is_some() && self.movers.robots.is_empty() {
            bail!("--robot-name: there is no robot");
        }
        Ok(())
    }

    fn srdfs(&mut self) -> Result<()> {
        for text in &self.args.srdf {
            let (name, file) = split_name(text, &self.movers.robots);
            let at = chosen(&self.movers.robots, name, "--srdf")?;
            let robot = &mut self.movers.robots[at];
            let Loaded { value, warnings } = load_srdf(file)?;
            self.warnings.extend(warnings.into_iter().chain(value.check(&robot.model)));
            if robot.srdf.replace(value).is_some() {
                bail!("--srdf is given twice for robot '{}'", robot.name);
            }
        }
        Ok(())
    }

    fn states(&mut self) -> Result<()> {
        for text in &self.args.movers.state {
            let (name, file) = split_name(text, &self.movers.robots);
            let at = chosen(&self.movers.robots, name, "--state")?;
            let robot = &mut self.movers.robots[at];
            let state = match file.to_str().and_then(|text| text.strip_prefix('@')) {
                Some(state) => group_state(robot, state)?,
                None => state(&robot.model, file)?,
            };
            if robot.state.replace(state).is_some() {
                bail!("--state is given twice for robot '{}'", robot.name);
            }
        }
        Ok(())
    }

    fn bases(&mut self) -> Result<()> {
        let mut placed = HashSet::new();
        for Base { name, link, pose } in &self.args.movers.base {
            let at = chosen(&self.movers.robots, name.as_deref(), "--base")?;
            if !placed.insert(at) {
                bail!("--base is given twice for robot '{}'", self.movers.robots[at].name);
            }
            pose.print_hint("--base");
            self.movers.robots[at].base_frame = match link {
                Some(link) => BaseFrame::On { link: link.clone(), at: pose.pose },
                None => BaseFrame::World(pose.pose),
            };
        }
        Ok(())
    }
}

/// Loads the configuration of a file; joints that it does not name are zero.
///
/// # Errors
/// If it is refused, or does not fit the robot.
pub fn state(robot: &Robot, file: &Path) -> Result<Vec<f64>> {
    configuration(robot, &load_state(file)?, Some(&zero_configuration(robot)), &Place::file(file))
}

/// Returns a group state of the robot's SRDF; joints that it does not name are zero.
fn group_state(robot: &RobotMover, name: &str) -> Result<Vec<f64>> {
    let (srdf, at) = (robot.srdf.as_ref(), &Place::file("--state"));
    let given = Given::Named(vec![Setting::State(name.to_owned())]);
    let (q, note) = Resolver { robot: &robot.model, srdf, default: None, at }.resolve(&given)?;
    warn::aside(note.as_slice());
    Ok(q)
}

/// Loads a mesh, in metres.
///
/// # Errors
/// If the file is refused.
pub fn read_mesh(path: &Path) -> Result<Loaded<Mesh>> {
    if path.is_dir() {
        bail!("{}: this is a folder; give a mesh file (stl, obj, dae, ply, off, gltf, glb)", path.display());
    }
    Ok(load_mesh(path, Vec3::splat(1.0))?)
}

/// Refuses files that are not robots.
///
/// # Errors
/// If it is a folder, a mesh, an SRDF or JSON; the message names the correct argument.
pub fn refuse_other_files(path: &Path) -> Result<()> {
    let what = if path.is_dir() {
        "this is a folder; give the URDF file in it"
    } else if Format::of(path).is_some() {
        "this is a mesh, not a robot (URDF); give a moving body with --body NAME=MESH, a static one with --obstacle"
    } else if is_srdf(path) {
        "this is an SRDF, not a robot; give the robot's URDF, and this file with --srdf"
    } else if is_json(path) {
        "this is JSON, not a robot (URDF); impinge check, clearance and cases accept case files; give a scene with --scene"
    } else {
        return Ok(());
    };
    bail!("{}: {what}", path.display())
}

/// Tests whether a file begins like JSON, or has its extension and does not begin like XML: errors are then reported as errors of
/// JSON.
pub fn is_json(path: &Path) -> bool {
    let start = begins(path).unwrap_or_default();
    let text = start.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(&start).trim_ascii_start();
    let is_named = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    matches!(text.first(), Some(b'{' | b'[')) || (is_named && text.first() != Some(&b'<'))
}

/// Tests whether a file begins like a URDF.
pub fn is_robot(path: &Path) -> bool {
    let start = begins(path).unwrap_or_default();
    Format::of(path).is_none() && start.windows(6).any(|w| w == b"<robot")
}

/// Tests whether a file has the elements of an SRDF, and no links.
fn is_srdf(path: &Path) -> bool {
    let start = begins(path).unwrap_or_default();
    let has = |tag: &str| start.windows(tag.len()).any(|w| w == tag.as_bytes());
    let elements = ["<disable_collisions", "<group", "<virtual_joint", "<end_effector", "<passive_joint"];
    has("<robot") && !has("<link") && elements.iter().any(|tag| has(tag))
}

/// Splits `NAME=FILE`; a file name may contain a `=` if no robot has the name before it.
pub fn split_name<'a>(text: &'a str, robots: &[RobotMover]) -> (Option<&'a str>, &'a Path) {
    let is_robot = |name: &str| robots.iter().any(|r| r.name == name);
    let is_file = |name: &str| name.contains(['/', '\\', '@']) || Path::new(text).exists();
    match text.split_once('=').filter(|(name, _)| is_robot(name) || !is_file(name)) {
        Some((name, file)) => (Some(name), Path::new(file)),
        None => (None, Path::new(text)),
    }
}

/// Returns the index of the named robot, or of the only one without a name.
///
/// # Errors
/// If there is no such robot, or several and no name.
pub fn chosen(robots: &[RobotMover], name: Option<&str>, flag: &str) -> Result<usize> {
    let names = || robots.iter().map(|r| r.name.as_str());
    let known = || names().collect::<Vec<_>>().join(", ");
    match (name, robots) {
        (Some(name), _) => robots
            .iter()
            .position(|r| r.name == name)
            .ok_or_else(|| anyhow!("{flag}: there is no robot '{name}'; {}", known_names(name, names()))),
        (None, [_]) => Ok(0),
        (None, []) => bail!("{flag}: there is no robot"),
        (None, _) => bail!("{flag}: add the name of a robot, NAME=…; robots are: {}", known()),
    }
}

/// Returns the beginning of a regular file, if it can be read; opening a pipe would block until a process writes to it.
pub fn begins(path: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    if !path.is_file() {
        return None;
    }
    File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start)).ok().map(|_| start)
}
