//! Loads files and builds scenes.

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

use crate::args::{FileArgs, ModelArgs, SearchArgs};
use crate::mover_args::{Attach, EndArg};
use crate::movers::{BaseFrame, BodyMover, Movers, RobotMover, read_mesh};
use crate::names::PartNames;

/// All loaded files; scenes are built from them.
pub struct Job {
    pub robots: Vec<RobotMover>,
    pub bodies: Vec<BodyMover>,
    held: Vec<Attached>,
    scenes: Vec<SceneFile>,
    ignore: Vec<(String, String)>,
    self_collision: SelfCollision,
}

/// A scene, and notes about it.
pub struct Built {
    pub scene: Scene,
    /// Parts without geometry: their pairs need no check.
    pub bare: HashSet<String>,
    /// Of these, the frames of skeletons: one link for each recorded channel, which the user did not define.
    pub frames: HashSet<String>,
    pub warnings: Vec<String>,
}

/// Converts options of file lookup and file formats.
pub fn file_options(args: &FileArgs) -> UrdfOptions {
    UrdfOptions {
        package_paths: args.package_path.clone(),
        allow_outside: args.allow_outside,
        up_axis: args.up_axis,
        lenient: args.lenient,
    }
}

/// Converts options of the search.
pub fn options(search: &SearchArgs) -> Options {
    let mut options = Options::default().bound(search.bound.into()).engine(search.engine.into());
    if let Some(stages) = search.stages {
        options = options.stages(stages);
    }
    if let Some(margin) = search.margin {
        options = options.margin(margin);
    }
    if let Some(tolerance) = search.tolerance {
        options = options.tolerance(tolerance);
    }
    if let Some(tolerance) = search.time_tolerance {
        options = options.time_tolerance(tolerance);
    }
    if let Some(work) = search.max_work {
        options = options.max_work(work);
    }
    if search.surfaces { options.semantics(Semantics::Surface) } else { options }
}

impl Job {
    /// Loads moving robots and bodies, and obstacles.
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
            pose.print_hint("--attach");
            let pieces = vec![piece(mesh, pose.pose, &mut warnings)?];
            held.push(Attached { name: stem(mesh), link: link.clone(), pieces, touch: args.movers.touch.clone() });
        }
        let self_collision = if args.no_self { SelfCollision::Skip } else { SelfCollision::Check };
        Ok(Loaded { value: Job { robots, bodies, held, scenes, ignore: args.ignore.clone(), self_collision }, warnings })
    }

    /// Refuses `--from` together with motions where one robot or body moves: each motion defines its start.
    ///
    /// # Errors
    /// If it is given and has no effect.
    pub fn refuse_from(&self, from: &[EndArg]) -> Result<()> {
        if !from.is_empty() && self.robots.len() + self.bodies.len() == 1 {
            bail!(
                "--from: every motion defines its own start; remove --from, or give joints that motions do not name with --state"
            );
        }
        Ok(())
    }

    /// Builds the scene, with additional obstacles if a problem defines some.
    ///
    /// # Errors
    /// If a pair to ignore or a link to attach to does not exist, or a pose is out of range.
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

/// A scene under construction.
struct Build {
    builder: SceneBuilder,
    /// Links of robots.
    links: PartNames,
    /// All parts.
    names: BTreeSet<String>,
    bare: HashSet<String>,
    frames: HashSet<String>,
    /// Attached parts, the parts they may touch as written by the user, and the reason for reports.
    touch: Vec<(String, String, String)>,
    warnings: Vec<String>,
}

impl Build {
    fn robot(&mut self, robot: &RobotMover) -> Result<()> {
        let RobotMover { name, model, base_frame, srdf, recorded, .. } = robot;
        let full = |link: &str| format!("{name}/{link}");
        match base_frame {
            BaseFrame::World(base) => self.builder.add_robot(name, Arc::clone(model), *base),
            BaseFrame::On { link, at } => {
                self.builder.add_robot_on(name, Arc::clone(model), self.links.find(link, "--base")?, *at)
            }
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
        // Bones overlap at joints, and capsules approximate the body: contacts within a skeleton are meaningless.
        for (i, a) in solid.iter().enumerate().filter(|_| recorded.is_some()) {
            for b in &solid[i + 1..] {
                self.builder.add_disabled(full(&a.name), full(&b.name), "bones of the same skeleton");
            }
        }
        Ok(())
    }

    /// Attaches a part to a link; `touch` names links of the same robot, or any parts, and is resolved when all parts are known.
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

    /// Returns the full name of a link of the same robot.
    fn sibling(&self, link: &str, own: &str) -> Option<String> {
        let (robot, _) = link.rsplit_once('/')?;
        Some(format!("{robot}/{own}")).filter(|full| self.names.contains(full))
    }

    /// Adds obstacles and attached objects under unique names, and their allowed pairs.
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

    /// Returns the name in this scene of an object or link of a scene file.
    fn find(&self, renamed: &HashMap<&str, String>, name: &str) -> Result<Option<String>> {
        match renamed.get(name) {
            Some(here) => Ok(Some(here.clone())),
            None => Ok(self.links.find_if_any(name)?.map(str::to_owned)),
        }
    }

    /// Returns the name itself, or the name with a number if it is taken.
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

/// Allowed-collision pairs with unknown or ambiguous names; they are checked.
#[derive(Default)]
struct Lost {
    unknown: usize,
    ambiguous: usize,
    /// The first unknown name, and a suggestion.
    first: Option<String>,
}

impl Lost {
    /// Returns the result; if there is none, counts the reason. `names`: the names that were not found, `known`: all known names.
    fn unless<T>(&mut self, names: &[&str], found: Result<Option<T>>, known: &BTreeSet<String>) -> Option<T> {
        match &found {
            Ok(Some(_)) => {}
            Ok(None) => {
                self.unknown += 1;
                let meant = |name: &&str| format!("'{name}'; {}", did_you_mean(name, known.iter().map(String::as_str)));
                let unknown_name = || names.first().map(meant).map(|text| text.trim_end_matches(['?', ' ', ';']).to_owned());
                self.first = self.first.take().or_else(unknown_name);
            }
            Err(_) => self.ambiguous += 1,
        }
        found.ok().flatten()
    }

    fn warnings(&self) -> impl Iterator<Item = String> {
        let first = self.first.as_ref().map_or(String::new(), |first| format!(" (first {first})"));
        let unknown = (self.unknown, format!("unknown part names{first}; ignored"));
        let ambiguous = (self.ambiguous, "names of links that several robots have; write robot/link; ignored".into());
        let counted = [unknown, ambiguous].into_iter().filter(|(count, _)| *count > 0);
        counted.map(|(count, why)| match count {
            1 => format!("1 allowed-collision pair has {why}"),
            _ => format!("{count} allowed-collision pairs have {why}"),
        })
    }
}

/// Loads a mesh at a pose.
fn piece(path: &Path, pose: Pose, warnings: &mut Vec<Warning>) -> Result<Piece> {
    let Loaded { value, warnings: more } = read_mesh(path)?;
    warnings.extend(more);
    Ok(Piece::new(value, pose))
}

/// Tests whether a scene is in impinge's own format, where `allowed` is written by the user and not copied from the SRDF.
fn is_native(path: &Path) -> bool {
    impinge_io::json::load(path).is_ok_and(|root| root.get("format").is_some())
}

/// Returns the name of a mesh: its file name without extension.
pub fn stem(path: &Path) -> String {
    path.file_stem().map_or("mesh".into(), |s| s.to_string_lossy().into_owned())
}
