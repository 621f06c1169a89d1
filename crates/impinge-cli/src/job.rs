//! Files loaded, scenes built: what a question is about.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use impinge::math::Vec3;
use impinge::query::Semantics;
use impinge::scene::{SceneBuilder, SelfCollision};
use impinge::shape::Piece;
use impinge::{Options, Pose, Scene};
use impinge_io::{Attached, Loaded, Obstacle, SceneFile, UrdfOptions, Warning, load_mesh, load_scene};

use crate::args::{AskArgs, FileArgs, ModelArgs};
use crate::mover_args::Attach;
use crate::movers::{BodyMover, Movers, RobotMover, Stand};

/// Everything loaded; scenes are made of it.
pub struct Job {
    pub robots: Vec<RobotMover>,
    pub bodies: Vec<BodyMover>,
    held: Vec<Attached>,
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
    UrdfOptions {
        package_paths: args.package_path.clone(),
        allow_outside: args.allow_outside,
        up_axis: args.up_axis,
        lenient: args.lenient,
    }
}

/// How it is asked.
pub fn options(ask: &AskArgs) -> Options {
    let mut options = Options::default().bound(ask.bound.into()).engine(ask.engine.into());
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
    if let Some(work) = ask.max_work {
        options = options.max_work(work);
    }
    if ask.solid { options.semantics(Semantics::Solid) } else { options }
}

impl Job {
    /// What moves, among obstacles.
    ///
    /// # Errors
    /// If a file is refused, or arguments do not fit together.
    pub fn load(files: &[PathBuf], moving: Option<&Path>, fixed: &[PathBuf], args: &ModelArgs) -> Result<Loaded<Self>> {
        let Loaded { value: Movers { robots, bodies }, mut warnings } = Movers::load(files, moving, args)?;
        let mut scenes = Vec::new();
        for path in &args.scene {
            let Loaded { mut value, warnings: more } = load_scene(path, &file_options(&args.files))?;
            if !args.srdf.is_empty() && !value.allowed.is_empty() && !is_native(path) {
                value.allowed.clear();
            }
            warnings.extend(more);
            scenes.push(value);
        }
        for path in args.obstacle.iter().chain(fixed) {
            let obstacle = Obstacle { name: stem(path), pieces: vec![piece(path, Pose::IDENTITY, &mut warnings)?] };
            scenes.push(SceneFile { obstacles: vec![obstacle], ..SceneFile::default() });
        }
        let mut held = Vec::new();
        for Attach { link, mesh, pose } in &args.movers.attach {
            let pieces = vec![piece(mesh, *pose, &mut warnings)?];
            held.push(Attached { name: stem(mesh), link: link.clone(), pieces, touch: args.movers.touch.clone() });
        }
        let self_collision = if args.no_self { SelfCollision::Skip } else { SelfCollision::Check };
        Ok(Loaded { value: Job { robots, bodies, held, scenes, ignore: args.ignore.clone(), self_collision }, warnings })
    }

    /// The scene, with more obstacles than those loaded where a problem brings its own.
    ///
    /// # Errors
    /// If a pair to ignore or a link to attach to is not there, or a pose is out of range.
    pub fn scene(&self, more: Option<&SceneFile>) -> Result<Built> {
        let mut build = Build {
            builder: Scene::builder().self_collision(self.self_collision),
            robots: &self.robots,
            names: HashSet::new(),
            bare: HashSet::new(),
            warnings: Vec::new(),
        };
        self.robots.iter().for_each(|robot| build.robot(robot));
        for BodyMover { name, mesh } in &self.bodies {
            build.names.insert(name.clone());
            build.builder.add_body(name, vec![Piece::new(Arc::clone(mesh), Pose::IDENTITY)]);
        }
        for held in &self.held {
            let name = build.free_name(&held.name);
            build.attach(&name, held, &held.touch.iter().map(String::as_str).collect::<Vec<_>>());
        }
        for scene in self.scenes.iter().chain(more) {
            build.surroundings(scene);
        }
        for (a, b) in &self.ignore {
            build.builder.add_disabled(a, b, "--ignore");
        }
        let scene = build.builder.build()?;
        Ok(Built { scene, bare: build.bare, warnings: build.warnings })
    }
}

/// A scene while it is put together.
struct Build<'a> {
    builder: SceneBuilder,
    robots: &'a [RobotMover],
    names: HashSet<String>,
    bare: HashSet<String>,
    warnings: Vec<String>,
}

impl Build<'_> {
    fn robot(&mut self, robot: &RobotMover) {
        let RobotMover { name, model, stand, srdf, recorded } = robot;
        let full = |link: &str| format!("{name}/{link}");
        match stand {
            Stand::World(base) => self.builder.add_robot(name, Arc::clone(model), *base),
            Stand::On { link, at } => self.builder.add_robot_on(name, Arc::clone(model), link, *at),
        };
        self.names.extend(model.links().iter().map(|l| full(&l.name)));
        let (bare, solid): (Vec<_>, Vec<_>) = model.links().iter().partition(|l| l.pieces.is_empty());
        self.bare.extend(bare.iter().map(|l| full(&l.name)));
        let disabled = srdf.iter().flat_map(|s| &s.disabled);
        for pair in disabled.filter(|p| model.find_link(&p.a).is_some() && model.find_link(&p.b).is_some()) {
            let reason = if pair.reason.is_empty() { "SRDF".into() } else { format!("SRDF: {}", pair.reason) };
            self.builder.add_disabled(full(&pair.a), full(&pair.b), reason);
        }
        // Bones meet where they are joined, and capsules stand in for flesh: contact within a skeleton would mean nothing.
        for (i, a) in solid.iter().enumerate().filter(|_| recorded.is_some()) {
            for b in &solid[i + 1..] {
                self.builder.add_disabled(full(&a.name), full(&b.name), "bones of one skeleton");
            }
        }
    }

    fn attach(&mut self, name: &str, held: &Attached, touch: &[&str]) {
        if held.pieces.is_empty() {
            self.bare.insert(name.to_owned());
        }
        self.builder.add_attached(name, held.pieces.clone(), &held.link, touch);
    }

    /// Obstacles and held objects under names of their own, and the pairs they may be in.
    fn surroundings(&mut self, scene: &SceneFile) {
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
        for held in &scene.attached {
            let name = self.free_name(&held.name);
            let (known, strange): (Vec<&str>, Vec<&str>) = held
                .touch
                .iter()
                .map(String::as_str)
                .partition(|t| link_name(self.robots, t).is_some() || renamed.contains_key(t));
            unknown += strange.len();
            let touch: Vec<&str> = known.iter().map(|t| renamed.get(t).map_or(*t, String::as_str)).collect();
            self.attach(&name, held, &touch);
            renamed.insert(held.name.as_str(), name);
        }
        for (a, b) in &scene.allowed {
            let find = |name: &str| renamed.get(name).cloned().or_else(|| link_name(self.robots, name));
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
fn link_name(robots: &[RobotMover], name: &str) -> Option<String> {
    robots.iter().find_map(|RobotMover { name: robot, model, .. }| {
        let link = name.strip_prefix(robot.as_str()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name);
        model.find_link(link).map(|_| format!("{robot}/{link}"))
    })
}

/// A mesh from a file, placed.
fn piece(path: &Path, pose: Pose, warnings: &mut Vec<Warning>) -> Result<Piece> {
    let Loaded { value, warnings: more } = load_mesh(path, Vec3::splat(1.0))?;
    warnings.extend(more);
    Ok(Piece::new(value, pose))
}

/// Whether a scene is in our own format, where `allowed` is the user's word and not a copy of what the SRDF says.
fn is_native(path: &Path) -> bool {
    impinge_io::json::load(path).is_ok_and(|root| root.get("format").is_some())
}

/// What a mesh is called.
pub fn stem(path: &Path) -> String {
    path.file_stem().map_or("mesh".into(), |s| s.to_string_lossy().into_owned())
}
