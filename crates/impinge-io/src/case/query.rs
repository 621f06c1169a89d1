//! The query of a case: its preprocessed scene and its motion.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use impinge::geometry::Piece;
use impinge::motion::RigidMotion;
use impinge::query::Semantics;
use impinge::robot::Robot;
use impinge::scene::{BodyId, DeformableId, PairStatus, PartId, RobotId, SceneBuilder, SelfCollision};
use impinge::{Checker, Motion, Options, Pose, Scene, Vec3};

use super::attached;
use super::body::{Body, Moves};
use super::pose::pose;
use super::tree::{self, Tree};
use crate::error::{IoError, Result};
use crate::joint_values::{JointValues, to_configuration};
use crate::json::Item;
use crate::scene::{Attached, SceneFile, load_scene, moveit, native};
use crate::shapes::ShapeReader;
use crate::srdf::load_srdf;
use crate::urdf::{UrdfOptions, load_urdf};
use crate::warning::{Loaded, Warning};

/// A query ready to run.
#[derive(Debug)]
pub struct CaseQuery {
    /// The scene with the case's options.
    pub checker: Checker,
    /// The motion.
    pub motion: Motion,
    /// The distance that counts as contact, metres.
    pub margin: f64,
    /// The distance within which a contact may be reported although it is not proven, metres.
    pub tolerance: f64,
    /// Names in the case by names in the scene, where they differ.
    plain: HashMap<String, String>,
}

impl CaseQuery {
    /// Returns the name of a part in the case.
    ///
    /// # Errors
    /// If the part belongs to another scene.
    pub fn part_name(&self, part: PartId) -> std::result::Result<&str, impinge::Error> {
        let name = self.checker.scene().part_name(part)?;
        Ok(self.plain.get(name).map_or(name, String::as_str))
    }
}

type Pairs = Vec<(String, String)>;

pub(super) fn load(
    item: &Item<'_>,
    path: &Path,
    files: &UrdfOptions,
    base: Options,
    warnings: &mut Vec<Warning>,
) -> Result<CaseQuery> {
    let mut assembly = Assembly::new(ShapeReader::new(path, files));
    let built = assembly.assemble(item);
    warnings.append(&mut assembly.reader.warnings);
    built?;
    let Assembly { builder, parts, lines, bodies, deforming, plain, listed, .. } = assembly;
    let parts: HashSet<&str> = parts.iter().map(String::as_str).collect();
    let scene = builder.build().map_err(|source| item.model(source))?;
    if let Some(listed) = &listed {
        check_listed(&scene, listed, item)?;
    }
    let of_case: Vec<bool> = scene.part_names().map(|name| parts.contains(name)).collect();
    let meet = |(a, b): (PartId, PartId)| of_case[a.index()] && of_case[b.index()];
    if !scene.checked_pairs().any(meet) && scene.self_contacts().next().is_none() {
        let message = format!("{}: no pair of parts is checked, so every motion is free", item.trail());
        warnings.push(Warning::new(item.place(), "nothing-checked", message));
    }
    let motion = describe(&scene, &lines, &bodies, &deforming).map_err(|source| item.model(source))?;
    let QueryOptions { options, margin, tolerance } = options(item, base)?;
    let checker = Checker::new(scene, options).map_err(|source| item.model(source))?;
    Ok(CaseQuery { checker, motion, margin, tolerance, plain })
}

/// A case's scene under construction.
struct Assembly<'a> {
    reader: ShapeReader<'a>,
    builder: SceneBuilder,
    /// Parts with geometry, by their names in the scene.
    parts: Vec<String>,
    /// All links, by their names in the scene.
    links: Vec<String>,
    plain: HashMap<String, String>,
    lines: Vec<(RobotId, Vec<f64>, Vec<f64>)>,
    bodies: Vec<(BodyId, RigidMotion)>,
    deforming: Vec<(DeformableId, Vec<Vec3>)>,
    /// Names of deforming bodies.
    soft: HashSet<String>,
    /// The checked pairs, by names in the scene; all pairs if there is no list.
    listed: Option<Pairs>,
}

impl<'a> Assembly<'a> {
    fn new(reader: ShapeReader<'a>) -> Self {
        Assembly {
            reader,
            builder: Scene::builder(),
            parts: Vec::new(),
            links: Vec::new(),
            plain: HashMap::new(),
            lines: Vec::new(),
            bodies: Vec::new(),
            deforming: Vec::new(),
            soft: HashSet::new(),
            listed: None,
        }
    }

    fn assemble(&mut self, case: &Item<'_>) -> Result<()> {
        if ["bodies", "tree", "robot", "robots"].iter().all(|key| case.get(key).is_none()) {
            return Err(case.bad("has no moving part", "give bodies, a tree or a robot"));
        }
        let listed = pair_list(case, "pairs", true)?;
        let robots = case.get("robots").map_or(Ok(Vec::new()), |r| r.items())?;
        case.get("robot").iter().chain(&robots).try_for_each(|robot| self.robot(robot))?;
        if let Some(item) = case.get("tree") {
            let tree = Tree::from_json(&item, listed.as_deref().unwrap_or_default(), &mut self.reader)?;
            for link in tree.robot.links() {
                self.plain.insert(format!("{}/{}", tree::NAME, link.name), link.name.clone());
            }
            self.add_robot(tree::NAME, Arc::new(tree.robot), tree.base, tree.q0, tree.q1);
        }
        if let Some(scene) = case.get("scene") {
            let scenes = if scene.value().is_array() { scene.items()? } else { vec![scene] };
            scenes.iter().try_for_each(|s| self.scene(s))?;
        }
        for item in case.get("attached").map_or(Ok(Vec::new()), |a| a.items())? {
            let held = attached::from_json(&item, &mut self.reader)?;
            self.attach(held, &item)?;
        }
        let bodies = case.get("bodies").map_or(Ok(Vec::new()), |b| b.items())?;
        let bodies = bodies.iter().map(|b| Body::from_json(b, &mut self.reader)).collect::<Result<Vec<_>>>()?;
        self.add_bodies(bodies, listed.as_deref().unwrap_or_default());
        self.rules(case, listed)
    }

    /// Adds a robot from files.
    fn robot(&mut self, item: &Item<'_>) -> Result<()> {
        item.only(&["urdf", "srdf", "name", "base_pose", "q0", "q1"])?;
        let urdf = self.reader.file(&item.need("urdf")?)?;
        let Loaded { value: robot, warnings } = load_urdf(urdf, self.reader.options)?;
        self.reader.warnings.extend(warnings);
        let name = item.get("name").map_or(Ok(robot.name()), |n| n.text())?.to_owned();
        if let Some(srdf) = item.get("srdf") {
            let Loaded { value: srdf, warnings } = load_srdf(self.reader.file(&srdf)?)?;
            self.reader.warnings.extend(warnings.into_iter().chain(srdf.check(&robot)));
            for (a, b) in srdf.disabled_links(&robot) {
                let link = |i: usize| format!("{name}/{}", robot.links()[i].name);
                self.builder.add_disabled(link(a), link(b), "SRDF");
            }
        }
        let base = item.get("base_pose").map_or(Ok(Pose::IDENTITY), |p| pose(&p, "p"))?;
        let values = |key: &str, default: Option<&[f64]>| {
            let q = item.need(key)?;
            to_configuration(&robot, &JointValues::from_json(&q)?, default).map_err(|e| e.located(q.place()))
        };
        let q0 = values("q0", None)?;
        let q1 = values("q1", Some(&q0))?;
        self.add_robot(&name, Arc::new(robot), base, q0, q1);
        Ok(())
    }

    fn add_robot(&mut self, name: &str, robot: Arc<Robot>, base: Pose, q0: Vec<f64>, q1: Vec<f64>) {
        self.links.extend(robot.links().iter().map(|l| format!("{name}/{}", l.name)));
        let solid = robot.links().iter().filter(|l| !l.pieces.is_empty());
        self.parts.extend(solid.map(|l| format!("{name}/{}", l.name)));
        let id = self.builder.add_robot(name, robot, base);
        self.lines.push((id, q0, q1));
    }

    /// Adds obstacles from a file, or written inline.
    fn scene(&mut self, item: &Item<'_>) -> Result<()> {
        let Loaded { value: SceneFile { obstacles, attached, allowed }, warnings } = if !item.value().is_object() {
            load_scene(self.reader.file(item)?, self.reader.options)?
        } else if item.get("format").is_some() {
            native::scene(item.value(), self.reader.path, self.reader.options)?
        } else {
            moveit::scene(item.value(), &item.place())?
        };
        self.reader.warnings.extend(warnings);
        for obstacle in obstacles {
            if !obstacle.pieces.is_empty() {
                self.parts.push(obstacle.name.clone());
            }
            self.builder.add_obstacle(obstacle.name, obstacle.pieces);
        }
        attached.into_iter().try_for_each(|held| self.attach(held, item))?;
        for (a, b) in allowed {
            self.builder.add_disabled(self.find(&a, item)?, self.find(&b, item)?, "allowed by the scene");
        }
        Ok(())
    }

    /// Attaches a part to an existing link.
    fn attach(&mut self, held: Attached, case: &Item<'_>) -> Result<()> {
        let link = self.find_link(&held.link, case)?;
        let touch = held.touch.iter().map(|t| self.find(t, case)).collect::<Result<Vec<_>>>()?;
        let touch: Vec<&str> = touch.iter().map(String::as_str).collect();
        self.builder.add_attached(&held.name, held.pieces, &link, &touch);
        self.parts.push(held.name);
        Ok(())
    }

    /// Adds bodies; static ones become obstacles, unless a listed pair has two static bodies.
    fn add_bodies(&mut self, bodies: Vec<Body>, listed: &[(String, String)]) {
        let resting: Vec<&str> = bodies.iter().filter(|b| b.rests()).map(|b| b.name.as_str()).collect();
        let mut carried: Vec<String> = Vec::new();
        if self.lines.is_empty() && resting.len() == bodies.len() {
            carried.extend(bodies.first().map(|b| b.name.clone()));
        }
        for (a, b) in listed {
            let rests = |name: &String| !carried.contains(name) && resting.contains(&name.as_str());
            if rests(a) && rests(b) {
                carried.push(a.clone());
            }
        }
        for body in bodies {
            self.parts.push(body.name.clone());
            let rests = body.rests() && !carried.contains(&body.name);
            match body.moves {
                Moves::Rigid(shape, motion) if rests => {
                    self.builder.add_obstacle(body.name, vec![Piece::new(shape, motion.start)]);
                }
                Moves::Rigid(shape, motion) => {
                    let id = self.builder.add_body(body.name, vec![Piece::new(shape, Pose::IDENTITY)]);
                    self.bodies.push((id, motion));
                }
                Moves::Deforming(mesh, end) => {
                    let id = self.builder.add_deformable(&body.name, mesh);
                    self.soft.insert(body.name);
                    self.deforming.push((id, end));
                }
            }
        }
    }

    /// Excludes pairs: those named, and all that are not in a list of pairs.
    fn rules(&mut self, case: &Item<'_>, listed: Option<Pairs>) -> Result<()> {
        for (a, b) in pair_list(case, "ignore", false)?.unwrap_or_default() {
            self.builder.add_disabled(self.find(&a, case)?, self.find(&b, case)?, "ignored by the case");
        }
        if let Some(choice) = case.get("query").and_then(|q| q.get("self_collision")) {
            let check = choice.value().as_bool().ok_or_else(|| choice.bad("is neither true nor false", "write true or false"))?;
            let choice = if check { SelfCollision::Check } else { SelfCollision::Skip };
            self.builder = std::mem::take(&mut self.builder).self_collision(choice);
        }
        let Some(listed) = listed else { return Ok(()) };
        self.self_contacts(case, &listed)?;
        let found = listed.iter().map(|(a, b)| Ok((self.find(a, case)?, self.find(b, case)?))).collect::<Result<Pairs>>()?;
        let set: HashSet<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        for (i, a) in self.parts.iter().enumerate() {
            for b in self.parts[i + 1..].iter().filter(|b| !set.contains(&(a, b)) && !set.contains(&(b, a))) {
                self.builder.add_disabled(a.clone(), b.clone(), "not among the case's pairs");
            }
        }
        self.listed = Some(found);
        Ok(())
    }

    /// Adds pairs of a part with itself: only a deforming body can have such contacts.
    fn self_contacts(&mut self, case: &Item<'_>, listed: &[(String, String)]) -> Result<()> {
        for (i, (name, _)) in listed.iter().enumerate().filter(|(_, (a, b))| a == b) {
            let found = self.find(name, case)?;
            if !self.soft.contains(&found) {
                let item = &case.need("pairs")?.items()?[i];
                let what = format!("is not a pair of two parts: '{name}' is rigid");
                return Err(
                    item.bad(what, "write [\"a\", \"b\"]; only a deforming body (linear_vertices) is checked against itself")
                );
            }
            self.builder.add_self_contact(found);
        }
        Ok(())
    }

    /// Returns the name in the scene of a link, with or without geometry: by full name, or by its own name if it is unique.
    fn find_link(&self, name: &str, case: &Item<'_>) -> Result<String> {
        let links: Vec<&String> = self.links.iter().filter(|l| *l == name || l.rsplit('/').next() == Some(name)).collect();
        match (links.iter().find(|l| **l == name), &links[..]) {
            (Some(exact), _) => Ok((**exact).clone()),
            (None, [one]) => Ok((*one).clone()),
            (None, []) => {
                Err(IoError::UnknownName { at: case.place(), kind: "link", name: name.into(), known: self.links.join(", ") })
            }
            (None, _) => Err(case.bad(format!("names the link '{name}', which several robots have"), "write robot/link")),
        }
    }

    /// Returns the name in the scene of a part with geometry: by full name, by its name in the case, or by the link's name alone.
    fn find(&self, name: &str, case: &Item<'_>) -> Result<String> {
        let by = |test: &dyn Fn(&String) -> bool| self.parts.iter().filter(|p| test(p)).collect::<Vec<_>>();
        let plain = |p: &String| self.plain.get(p).is_some_and(|n| n == name);
        let link = |p: &String| p.rsplit_once('/').is_some_and(|(_, link)| link == name);
        let found = [by(&|p| p == name), by(&plain), by(&link)].into_iter().find(|found| !found.is_empty());
        match found.as_deref() {
            Some([one]) => Ok((*one).clone()),
            Some(_) => Err(case.bad(format!("names the part '{name}', which several robots have"), "write robot/link")),
            None => {
                let known: Vec<&str> = self.parts.iter().map(|p| self.plain.get(p).unwrap_or(p).as_str()).collect();
                Err(IoError::UnknownName {
                    at: case.place(),
                    kind: "part with geometry",
                    name: name.into(),
                    known: known.join(", "),
                })
            }
        }
    }
}

/// Reads a list of pairs; with `own` a part may be paired with itself.
fn pair_list(case: &Item<'_>, key: &str, own: bool) -> Result<Option<Pairs>> {
    let Some(list) = case.get(key) else { return Ok(None) };
    let pair = |item: &Item<'_>| match &item.items()?[..] {
        [a, b] if own || a.value() != b.value() => Ok((a.text()?.to_owned(), b.text()?.to_owned())),
        _ => Err(item.bad("is not a pair of two parts", "write [\"a\", \"b\"]")),
    };
    list.items()?.iter().map(pair).collect::<Result<_>>().map(Some)
}

/// Refuses listed pairs that the library would not check: they would appear to be free.
fn check_listed(scene: &Scene, listed: &[(String, String)], case: &Item<'_>) -> Result<()> {
    let parts: HashMap<&str, PartId> = scene.part_names().zip(scene.parts()).collect();
    for (a, b) in listed {
        let Some((&x, &y)) = parts.get(a.as_str()).zip(parts.get(b.as_str())) else { continue };
        let status = scene.pair(x, y).map_err(|source| case.model(source))?;
        if status != PairStatus::Checked {
            let why = match status {
                PairStatus::Obstacles => "neither moves",
                PairStatus::Adjacent => "a joint connects them",
                PairStatus::Attached => "one is attached to the other",
                PairStatus::Rigid => "only fixed joints connect them",
                PairStatus::Checked | PairStatus::Disabled(_) | PairStatus::SelfCollisionOff => "the case also excludes them",
            };
            return Err(case.bad(format!("lists the pair '{a}', '{b}', which is not checked: {why}"), "remove the pair"));
        }
    }
    Ok(())
}

fn describe(
    scene: &Scene,
    lines: &[(RobotId, Vec<f64>, Vec<f64>)],
    bodies: &[(BodyId, RigidMotion)],
    deforming: &[(DeformableId, Vec<Vec3>)],
) -> std::result::Result<Motion, impinge::Error> {
    let motion = lines.iter().fold(scene.motion(), |motion, (id, q0, q1)| motion.joint_line(*id, q0, q1));
    let motion = bodies.iter().fold(motion, |motion, (id, rigid)| motion.rigid(*id, *rigid));
    deforming.iter().fold(motion, |motion, (id, end)| motion.vertex_lines(*id, end)).build()
}

/// The options of a case's query.
struct QueryOptions {
    options: Options,
    margin: f64,
    tolerance: f64,
}

/// The tolerance of [`Options`], if the case has none.
const DEFAULT_TOLERANCE: f64 = 1e-9;

/// Reads the options of a query; meshes are surfaces unless the case defines otherwise.
fn options(case: &Item<'_>, base: Options) -> Result<QueryOptions> {
    let base = base.semantics(Semantics::Surface);
    let Some(query) = case.get("query") else {
        return Ok(QueryOptions { options: base, margin: 0.0, tolerance: DEFAULT_TOLERANCE });
    };
    query.only(&["margin", "semantics", "t_range", "tolerance", "time_tolerance", "self_collision"])?;
    let number = |key: &str| query.get(key).map(|n| n.number()).transpose();
    let (margin, tolerance) = (number("margin")?.unwrap_or(0.0), number("tolerance")?.unwrap_or(DEFAULT_TOLERANCE));
    let mut options = base.margin(margin).tolerance(tolerance);
    if let Some(tolerance) = number("time_tolerance")? {
        options = options.time_tolerance(tolerance);
    }
    if let Some(semantics) = query.get("semantics") {
        options = options.semantics(match semantics.text()? {
            "surface" => Semantics::Surface,
            "solid" => Semantics::Solid,
            other => return Err(semantics.bad(format!("is '{other}'"), "use surface or solid")),
        });
    }
    match query.get("t_range") {
        Some(range) if range.numbers::<2>()? != [0.0, 1.0] => Err(range.bad("is not [0, 1]", "cut the motion instead")),
        _ => Ok(QueryOptions { options, margin, tolerance }),
    }
}
