//! Files loaded, scenes built: what a question is about.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use impinge::geometry::Piece;
use impinge::query::Semantics;
use impinge::scene::{SceneBuilder, SelfCollision};
use impinge::{Options, Pose, Scene};
use impinge_io::suggest::did_you_mean;
use impinge_io::{Attached, Loaded, Obstacle, SceneFile, UrdfOptions, Warning, load_scene};

use crate::args::{AskArgs, FileArgs, ModelArgs};
use crate::mover_args::{Attach, EndArg};
use crate::movers::{BodyMover, Movers, RobotMover, Stand, read_mesh};
use crate::names::PartNames;

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
    /// Of these, the frames of skeletons: a link for each recorded channel, which nobody wrote.
    pub frames: HashSet<String>,
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
    if ask.surfaces { options.semantics(Semantics::Surface) } else { options }
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
            pose.tell("--attach");
            let pieces = vec![piece(mesh, pose.pose, &mut warnings)?];
            held.push(Attached { name: stem(mesh), link: link.clone(), pieces, touch: args.movers.touch.clone() });
        }
        let self_collision = if args.no_self { SelfCollision::Skip } else { SelfCollision::Check };
        Ok(Loaded { value: Job { robots, bodies, held, scenes, ignore: args.ignore.clone(), self_collision }, warnings })
    }

    /// Refuses `--from` beside motions where one thing moves: each motion says where it begins.
    ///
    /// # Errors
    /// If it is given and has no use.
    pub fn refuse_from(&self, from: &[EndArg]) -> Result<()> {
        if !from.is_empty() && self.robots.len() + self.bodies.len() == 1 {
            bail!(
                "--from: motions say themselves where they begin; leave it out, or give joints that they do not name with --state"
            );
        }
        Ok(())
    }

    /// The scene, with more obstacles than those loaded where a problem brings its own.
    ///
    /// # Errors
    /// If a pair to ignore or a link to attach to is not there, or a pose is out of range.
    pub fn scene(&self, more: Option<&SceneFile>) -> Result<Built> {
        let mut build = Build {
            builder: Scene::builder().self_collision(self.self_collision),
            links: PartNames::default(),
            names: BTreeSet::new(),
            bare: HashSet::new(),
            frames: HashSet::new(),
            touch: Vec::new(),
            warnings: Vec::new(),
        };
        for robot in &self.robots {
            build.robot(robot)?;
        }
        for BodyMover { name, mesh } in &self.bodies {
            build.names.insert(name.clone());
            build.builder.add_body(name, vec![Piece::new(Arc::clone(mesh), Pose::IDENTITY)]);
        }
        for held in &self.held {
            let name = build.free_name(&held.name);
            build.attach(&name, held, &held.touch, "--attach")?;
        }
        for scene in self.scenes.iter().chain(more) {
            build.surroundings(scene)?;
        }
        let all = PartNames::of(build.names.iter().map(String::as_str));
        for (held, other, reason) in std::mem::take(&mut build.touch) {
            let other = all.find(&other, "--touch")?;
            build.builder.add_disabled(held, other, reason);
        }
        for (a, b) in &self.ignore {
            build.builder.add_disabled(all.find(a, "--ignore")?, all.find(b, "--ignore")?, "--ignore");
        }
        let scene = build.builder.build()?;
        Ok(Built { scene, bare: build.bare, frames: build.frames, warnings: build.warnings })
    }
}

/// A scene while it is put together.
struct Build {
    builder: SceneBuilder,
    /// Links of robots.
    links: PartNames,
    /// All parts.
    names: BTreeSet<String>,
    bare: HashSet<String>,
    frames: HashSet<String>,
    /// What is held, what it may touch as the user writes it, and the reason for reports.
    touch: Vec<(String, String, String)>,
    warnings: Vec<String>,
}

impl Build {
    fn robot(&mut self, robot: &RobotMover) -> Result<()> {
        let RobotMover { name, model, stand, srdf, recorded, .. } = robot;
        let full = |link: &str| format!("{name}/{link}");
        match stand {
            Stand::World(base) => self.builder.add_robot(name, Arc::clone(model), *base),
            Stand::On { link, at } => self.builder.add_robot_on(name, Arc::clone(model), self.links.find(link, "--base")?, *at),
        };
        self.names.extend(model.links().iter().map(|l| full(&l.name)));
        model.links().iter().for_each(|l| self.links.add(full(&l.name), &l.name));
        let (bare, solid): (Vec<_>, Vec<_>) = model.links().iter().partition(|l| l.pieces.is_empty());
        self.bare.extend(bare.iter().map(|l| full(&l.name)));
        self.frames.extend(bare.iter().filter(|_| recorded.is_some()).map(|l| full(&l.name)));
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
        Ok(())
    }

    /// Adds what a link holds; `touch` are names of links of the same robot, or of any parts, and are found when all parts are known.
    fn attach(&mut self, name: &str, held: &Attached, touch: &[String], who: &str) -> Result<()> {
        if held.pieces.is_empty() {
            self.bare.insert(name.to_owned());
        }
        let link = self.links.find(&held.link, who)?.to_owned();
        self.builder.add_attached(name, held.pieces.clone(), &link, &[]);
        for other in touch {
            let other = self.sibling(&link, other).unwrap_or_else(|| other.clone());
            self.touch.push((name.to_owned(), other, format!("may touch what '{link}' holds")));
        }
        Ok(())
    }

    /// The full name of a link of the same robot, given by its own.
    fn sibling(&self, link: &str, own: &str) -> Option<String> {
        let (robot, _) = link.rsplit_once('/')?;
        Some(format!("{robot}/{own}")).filter(|full| self.names.contains(full))
    }

    /// Obstacles and held objects under names of their own, and the pairs they may be in.
    fn surroundings(&mut self, scene: &SceneFile) -> Result<()> {
        let mut renamed = HashMap::new();
        for obstacle in &scene.obstacles {
            let name = self.free_name(&obstacle.name);
            if obstacle.pieces.is_empty() {
                self.bare.insert(name.clone());
            }
            self.builder.add_obstacle(&name, obstacle.pieces.clone());
            renamed.insert(obstacle.name.as_str(), name);
        }
        let mut lost = Lost::default();
        for held in &scene.attached {
            let name = self.free_name(&held.name);
            let holder = self.links.find(&held.link, "the scene attaches an object")?.to_owned();
            let touch = held.touch.iter().filter_map(|t| {
                let own = self.sibling(&holder, t);
                own.or_else(|| lost.unless(&[t], self.find(&renamed, t), &self.names))
            });
            let touch: Vec<String> = touch.collect();
            self.attach(&name, held, &touch, "the scene attaches an object")?;
            renamed.insert(held.name.as_str(), name);
        }
        for (a, b) in &scene.allowed {
            let both = self.find(&renamed, a).and_then(|a| Ok(a.zip(self.find(&renamed, b)?)));
            let unknown: Vec<&str> =
                [a, b].into_iter().map(String::as_str).filter(|n| matches!(self.find(&renamed, n), Ok(None))).collect();
            if let Some((a, b)) = lost.unless(&unknown, both, &self.names) {
                self.builder.add_disabled(a, b, "allowed by the scene");
            }
        }
        self.warnings.extend(lost.warnings());
        Ok(())
    }

    /// The name here of what a scene names: an object of its own, or a link.
    fn find(&self, renamed: &HashMap<&str, String>, name: &str) -> Result<Option<String>> {
        match renamed.get(name) {
            Some(here) => Ok(Some(here.clone())),
            None => Ok(self.links.find_if_any(name)?.map(str::to_owned)),
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

/// Pairs of a scene that mean nothing here; they are checked.
#[derive(Default)]
struct Lost {
    unknown: usize,
    ambiguous: usize,
    /// The first name that is not known, and what may be meant.
    first: Option<String>,
}

impl Lost {
    /// What was found; otherwise counts why not. `names`: what was looked for in vain, `known`: what there is.
    fn unless<T>(&mut self, names: &[&str], found: Result<Option<T>>, known: &BTreeSet<String>) -> Option<T> {
        match &found {
            Ok(Some(_)) => {}
            Ok(None) => {
                self.unknown += 1;
                let meant = |name: &&str| format!("'{name}'; {}", did_you_mean(name, known.iter().map(String::as_str)));
                let told = || names.first().map(meant).map(|text| text.trim_end_matches(['?', ' ', ';']).to_owned());
                self.first = self.first.take().or_else(told);
            }
            Err(_) => self.ambiguous += 1,
        }
        found.ok().flatten()
    }

    fn warnings(&self) -> impl Iterator<Item = String> {
        let first = self.first.as_ref().map_or(String::new(), |first| format!(" (first {first})"));
        let unknown = (self.unknown, format!("names of parts that are not here{first}: this means nothing"));
        let ambiguous =
            (self.ambiguous, "names of links that several robots have; write robot/link, or this means nothing".into());
        let counted = [unknown, ambiguous].into_iter().filter(|(count, _)| *count > 0);
        counted.map(|(count, why)| match count {
            1 => format!("1 pair that the scene allows has {why}"),
            _ => format!("{count} pairs that the scene allows have {why}"),
        })
    }
}

/// A mesh from a file, placed.
fn piece(path: &Path, pose: Pose, warnings: &mut Vec<Warning>) -> Result<Piece> {
    let Loaded { value, warnings: more } = read_mesh(path)?;
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
