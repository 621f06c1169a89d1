//! Files loaded, scenes built: what a question is about.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use impinge::math::Vec3;
use impinge::query::Semantics;
use impinge::robot::Robot;
use impinge::scene::{PairStatus, SceneBuilder, SelfCollision};
use impinge::shape::{Mesh, Piece};
use impinge::{Options, Pose, Scene};
use impinge_io::{Loaded, Obstacle, SceneFile, Srdf, UrdfOptions, Warning, load_mesh, load_scene, load_srdf, load_urdf};

use crate::args::{AskArgs, FileArgs, ModelArgs};

/// What moves.
pub enum Mover {
    /// A robot, with what its maker says about pairs.
    Robot { name: String, model: Arc<Robot>, srdf: Option<Srdf> },
    /// A rigid body.
    Body { name: String, mesh: Arc<Mesh> },
}

/// Everything loaded; scenes are made of it.
pub struct Job {
    pub mover: Mover,
    scenes: Vec<SceneFile>,
    ignore: Vec<(String, String)>,
    self_collision: SelfCollision,
}

/// A scene, and what is worth knowing about it.
pub struct Built {
    pub scene: Scene,
    /// Parts without geometry: their pairs need no check.
    pub bare: HashSet<String>,
    pub warnings: Vec<String>,
}

/// Where files may be.
pub fn file_options(args: &FileArgs) -> UrdfOptions {
    UrdfOptions { package_paths: args.package_path.clone(), allow_outside: args.allow_outside, up_axis: None }
}

/// How it is asked.
pub fn options(ask: &AskArgs) -> Options {
    let mut options = Options::default().bound(ask.bound.into());
    if let Some(stages) = ask.stages {
        options = options.stages(stages);
    }
    if let Some(margin) = ask.margin {
        options = options.margin(margin);
    }
    if let Some(tolerance) = ask.tolerance {
        options = options.tolerance(tolerance);
    }
    if let Some(tolerance) = ask.time_tolerance {
        options = options.time_tolerance(tolerance);
    }
    if ask.solid { options.semantics(Semantics::Solid) } else { options }
}

impl Job {
    /// A robot among obstacles.
    ///
    /// # Errors
    /// If a file is refused.
    pub fn robot(urdf: &Path, args: &ModelArgs) -> Result<Loaded<Self>> {
        let Loaded { value: robot, mut warnings } = load_urdf(urdf, &file_options(&args.files))?;
        let mut srdf = None;
        if let Some(path) = &args.srdf {
            let Loaded { value, warnings: more } = load_srdf(path)?;
            warnings.extend(more.into_iter().chain(value.check(&robot)));
            srdf = Some(value);
        }
        let name = args.robot_name.clone().unwrap_or_else(|| robot.name().to_owned());
        Job::among(Mover::Robot { name, model: Arc::new(robot), srdf }, args, &[], warnings)
    }

    /// A rigid body among obstacles.
    ///
    /// # Errors
    /// If a file is refused.
    pub fn body(mesh: &Path, fixed: &[PathBuf], args: &ModelArgs) -> Result<Loaded<Self>> {
        let Loaded { value, warnings } = load_mesh(mesh, Vec3::splat(1.0))?;
        Job::among(Mover::Body { name: stem(mesh), mesh: Arc::new(value) }, args, fixed, warnings)
    }

    fn among(mover: Mover, args: &ModelArgs, fixed: &[PathBuf], mut warnings: Vec<Warning>) -> Result<Loaded<Self>> {
        let mut scenes = Vec::new();
        for path in &args.scene {
            let Loaded { mut value, warnings: more } = load_scene(path, &file_options(&args.files))?;
            if args.srdf.is_some() && !value.allowed.is_empty() && !is_native(path) {
                value.allowed.clear();
            }
            warnings.extend(more);
            scenes.push(value);
        }
        for path in args.obstacle.iter().chain(fixed) {
            let Loaded { value: mesh, warnings: more } = load_mesh(path, Vec3::splat(1.0))?;
            warnings.extend(more);
            let obstacle = Obstacle { name: stem(path), pieces: vec![Piece::new(mesh, Pose::IDENTITY)] };
            scenes.push(SceneFile { obstacles: vec![obstacle], allowed: Vec::new() });
        }
        let self_collision = if args.no_self { SelfCollision::Skip } else { SelfCollision::Check };
        Ok(Loaded { value: Job { mover, scenes, ignore: args.ignore.clone(), self_collision }, warnings })
    }

    /// The scene, with more obstacles than those loaded where a problem brings its own.
    ///
    /// # Errors
    /// If a pair to ignore is not there, or a pose is out of range.
    pub fn scene(&self, more: Option<&SceneFile>) -> Result<Built> {
        let mut build = Build {
            builder: Scene::builder().self_collision(self.self_collision),
            names: HashSet::new(),
            bare: HashSet::new(),
            warnings: Vec::new(),
        };
        build.mover(&self.mover);
        for scene in self.scenes.iter().chain(more) {
            build.obstacles(scene, &self.mover);
        }
        for (a, b) in &self.ignore {
            build.builder.add_disabled(a, b, "--ignore");
        }
        let scene = build.builder.build()?;
        Ok(Built { scene, bare: build.bare, warnings: build.warnings })
    }
}

impl Built {
    /// How many pairs are checked.
    pub fn checked_pairs(&self) -> usize {
        let is_bare = |part| self.bare.contains(self.scene.part_name(part));
        self.scene.pairs().filter(|(a, b, status)| *status == PairStatus::Checked && !is_bare(*a) && !is_bare(*b)).count()
    }
}

/// A scene while it is put together.
struct Build {
    builder: SceneBuilder,
    names: HashSet<String>,
    bare: HashSet<String>,
    warnings: Vec<String>,
}

impl Build {
    fn mover(&mut self, mover: &Mover) {
        match mover {
            Mover::Body { name, mesh } => {
                self.names.insert(name.clone());
                self.builder.add_body(name, vec![Piece::new(Arc::clone(mesh), Pose::IDENTITY)]);
            }
            Mover::Robot { name, model, srdf } => {
                let full = |link: &str| format!("{name}/{link}");
                self.builder.add_robot(name, Arc::clone(model), Pose::IDENTITY);
                self.names.extend(model.links().iter().map(|l| full(&l.name)));
                self.bare.extend(model.links().iter().filter(|l| l.pieces.is_empty()).map(|l| full(&l.name)));
                let disabled = srdf.iter().flat_map(|s| &s.disabled);
                for pair in disabled.filter(|p| model.find_link(&p.a).is_some() && model.find_link(&p.b).is_some()) {
                    let reason = if pair.reason.is_empty() { "SRDF".into() } else { format!("SRDF: {}", pair.reason) };
                    self.builder.add_disabled(full(&pair.a), full(&pair.b), reason);
                }
            }
        }
    }

    /// Obstacles under names of their own, and the pairs they may be in.
    fn obstacles(&mut self, scene: &SceneFile, mover: &Mover) {
        let mut renamed = HashMap::new();
        for obstacle in &scene.obstacles {
            let name = self.free_name(&obstacle.name);
            if obstacle.pieces.is_empty() {
                self.bare.insert(name.clone());
            }
            self.builder.add_obstacle(&name, obstacle.pieces.clone());
            renamed.insert(obstacle.name.as_str(), name);
        }
        let mut unknown = 0;
        for (a, b) in &scene.allowed {
            let find = |name: &str| renamed.get(name).cloned().or_else(|| link_name(mover, name));
            match find(a).zip(find(b)) {
                Some((a, b)) => self.builder.add_disabled(a, b, "allowed by the scene"),
                None => unknown += 1,
            }
        }
        if unknown > 0 {
            self.warnings.push(format!("{unknown} pairs that the scene allows name parts that are not here; they mean nothing"));
        }
    }

    /// The name itself, or with a number where it is taken.
    fn free_name(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 2;
        while !self.names.insert(free.clone()) {
            free = format!("{name}#{number}");
            number += 1;
        }
        free
    }
}

/// The full name of a link, given by that or by the link's own.
fn link_name(mover: &Mover, name: &str) -> Option<String> {
    let Mover::Robot { name: robot, model, .. } = mover else { return None };
    let link = name.strip_prefix(robot.as_str()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name);
    model.find_link(link).map(|_| format!("{robot}/{link}"))
}

/// Whether a scene is in our own format, where `allowed` is the user's word and not a copy of what the SRDF says.
fn is_native(path: &Path) -> bool {
    impinge_io::json::load(path).is_ok_and(|root| root.get("format").is_some())
}

/// What a mesh is called.
fn stem(path: &Path) -> String {
    path.file_stem().map_or("mesh".into(), |s| s.to_string_lossy().into_owned())
}
