//! Whole motions and distances beside parry and FCL, in one run, as ratios.

use std::path::Path;
use std::time::Instant;

use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;
use impinge::query::distance::{DistanceLimits, DistanceSession, distance};
use impinge::scene::BodyId;
use impinge::shape::Mesh;
use impinge::shape::hull::HullTree;
use impinge::{Checker, Options, Scene};
use impinge_io::load_mesh;
use parry3d_f64::math::{Pose3, Rot3, Vector};
use parry3d_f64::query::{self, NonlinearRigidMotion, ShapeCastOptions};
use parry3d_f64::shape::TriMesh;

use crate::fcl::Fcl;
use crate::rounds::Rounds;
use crate::table::{Table, at_least, count, number, ratio, words};
use crate::{Outcome, Source, clock, rigid_motions};

/// First contacts should be so many times faster than parry's casts: along a line, and turning.
const LINEAR: f64 = 150.0;
const NONLINEAR: f64 = 3000.0;
/// And distances than FCL's.
const DISTANCE: f64 = 5.0;

/// Seconds that parry may take for one cell; at least one query is made.
const SECONDS: f64 = 4.0;

/// A pair of meshes as everybody holds it.
struct Site {
    name: &'static str,
    checker: Checker,
    body: BodyId,
    trees: [HullTree; 2],
    parry: [TriMesh; 2],
    fcl: Option<Fcl>,
    motions: Vec<RigidMotion>,
}

/// Work that parry and we did.
struct Cell {
    site: usize,
    what: &'static str,
    motions: Vec<RigidMotion>,
    /// Seconds for all of `motions`.
    parry: f64,
    hits: usize,
    contacts: usize,
    fcl: Rounds,
    /// By the clock on the wall, as FCL's.
    wall: Rounds,
    ours: Rounds,
    any: Rounds,
    goal: (f64, f64),
}

/// Measures all sets.
pub fn measure(source: &Source) -> Outcome<Table> {
    let dir = source.folder().ok_or("peers need the shared workloads")?;
    let mut sites = Vec::new();
    for name in ["knot2880", "knot11520", "knot34560", "gpm"] {
        sites.push(Site::load(name, &dir.join("rigid").join(name))?);
    }
    let mut cells = Vec::new();
    for (at, site) in sites.iter().enumerate() {
        eprintln!("{}: parry", site.name);
        cells.extend(site.parry_cells(at)?);
    }
    for round in 0..source.rounds {
        eprintln!("round {} of {}", round + 1, source.rounds);
        for cell in &mut cells {
            cell.round(&mut sites)?;
        }
    }
    Ok(table(&sites, &cells, source.rounds))
}

impl Site {
    fn load(name: &'static str, dir: &Path) -> Outcome<Self> {
        let mesh = |file: &str| load_mesh(dir.join(file), Vec3::splat(1.0)).map(|m| m.value);
        let (a, b) = (mesh("A.obj")?, mesh("B.obj")?);
        let mut fcl = Fcl::start();
        if let Some(fcl) = &mut fcl {
            fcl.pair(&a, &b)?;
        }
        let (trees, parry) = ([HullTree::new(&a), HullTree::new(&b)], [to_parry(&a)?, to_parry(&b)?]);
        let scene = Scene::builder().body("a", a).obstacle("b", b, Pose::IDENTITY).build()?;
        let checker = Checker::new(scene, Options::default())?;
        let body = checker.scene().body("a").ok_or("no body")?;
        Ok(Site { name, checker, body, trees, parry, fcl, motions: rigid_motions::of_workload(dir)? })
    }

    /// What parry does in the time it is given: casts along lines, casts that turn, distances.
    fn parry_cells(&self, site: usize) -> Outcome<Vec<Cell>> {
        let turning = |m: &&RigidMotion| m.rotation_vector != Vec3::ZERO;
        let moving: Vec<_> = self.motions.iter().filter(|m| !turning(m)).copied().collect();
        let turning: Vec<_> = self.motions.iter().filter(turning).copied().collect();
        let [a, b] = &self.parry;
        let (rest, still) = (Pose3::IDENTITY, Vector::ZERO);
        let linear = |m: &RigidMotion| -> Outcome<bool> {
            let options = ShapeCastOptions::with_max_time_of_impact(1.0);
            let velocity = vector(m.end_position - m.start.translation);
            Ok(query::cast_shapes(&pose(&m.start), velocity, a, &rest, still, b, options)?.is_some())
        };
        let nonlinear = |m: &RigidMotion| -> Outcome<bool> {
            let velocity = vector(m.end_position - m.start.translation);
            let motion = NonlinearRigidMotion::new(pose(&m.start), Vector::ZERO, velocity, vector(m.rotation_vector));
            let fixed = NonlinearRigidMotion::constant_position(rest);
            Ok(query::cast_shapes_nonlinear(&motion, a, &fixed, b, 0.0, 1.0, true)?.is_some())
        };
        let apart = |m: &RigidMotion| -> Outcome<bool> { Ok(query::distance(&pose(&m.start), a, &rest, b)?.distance <= 0.0) };
        let mut cells = vec![Cell::new(site, "first, moving", &moving, (LINEAR, 0.0), linear)?];
        if !turning.is_empty() {
            cells.push(Cell::new(site, "first, turning", &turning, (NONLINEAR, 0.0), nonlinear)?);
        }
        cells.push(Cell::new(site, "distance", &self.motions, (0.0, DISTANCE), apart)?);
        Ok(cells)
    }
}

impl Cell {
    fn new(
        site: usize,
        what: &'static str,
        motions: &[RigidMotion],
        goal: (f64, f64),
        mut ask: impl FnMut(&RigidMotion) -> Outcome<bool>,
    ) -> Outcome<Self> {
        let (begin, mut done, mut hits) = (clock::of_thread(), Vec::new(), 0);
        for motion in motions {
            hits += usize::from(ask(motion)?);
            done.push(*motion);
            if clock::of_thread() - begin > SECONDS {
                break;
            }
        }
        let (parry, rounds) = (clock::of_thread() - begin, Rounds::default);
        Ok(Cell {
            site,
            what,
            motions: done,
            parry,
            hits,
            contacts: 0,
            fcl: rounds(),
            wall: rounds(),
            ours: rounds(),
            any: rounds(),
            goal,
        })
    }

    fn round(&mut self, sites: &mut [Site]) -> Outcome<()> {
        let site = &mut sites[self.site];
        if let Some(fcl) = &mut site.fcl {
            fcl.starts(self.motions.iter().map(|m| m.start))?;
            self.fcl.push(fcl.distance()?.0);
        }
        if self.what == "distance" {
            return self.distances(site);
        }
        let built = self.motions.iter().map(|&m| site.checker.scene().motion().rigid(site.body, m).build());
        let built = built.collect::<Result<Vec<_>, _>>()?;
        // Once untimed, so that trees are built and caches warm, as they are for the peers.
        built.iter().for_each(|m| drop(site.checker.first_contact(m)));
        let begin = clock::of_thread();
        let wall = Instant::now();
        self.contacts =
            built.iter().filter(|m| site.checker.first_contact(m).expect("of this scene").contact().is_some()).count();
        self.wall.push(wall.elapsed().as_secs_f64());
        self.ours.push(clock::of_thread() - begin);
        let begin = clock::of_thread();
        built.iter().for_each(|m| drop(site.checker.check(m)));
        self.any.push(clock::of_thread() - begin);
        Ok(())
    }

    fn distances(&mut self, site: &Site) -> Outcome<()> {
        let mut session = DistanceSession::new();
        let (begin, wall) = (clock::of_thread(), Instant::now());
        for m in &self.motions {
            let (a, b) = ((&site.trees[0], &m.start), (&site.trees[1], &Pose::IDENTITY));
            distance(a, b, DistanceLimits::default(), &mut session)?;
        }
        self.wall.push(wall.elapsed().as_secs_f64());
        self.ours.push(clock::of_thread() - begin);
        Ok(())
    }
}

fn to_parry(mesh: &Mesh) -> Outcome<TriMesh> {
    Ok(TriMesh::new(mesh.vertices().iter().map(|v| vector(*v)).collect(), mesh.triangles().to_vec())?)
}

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn pose(p: &Pose) -> Pose3 {
    let [w, x, y, z] = p.quaternion();
    Pose3 { rotation: Rot3::from_xyzw(x, y, z, w), translation: vector(p.translation) }
}

fn table(sites: &[Site], cells: &[Cell], rounds: usize) -> Table {
    let title = format!(
        "Peers, microseconds of one core per query, ours the median of {rounds} rounds, parry once over as many queries as it makes in \
         {SECONDS} s; FCL by the wall's clock, the best round, and so are the ratios to it; ! misses its goal (parry/first >= {LINEAR} moving, {NONLINEAR} turning, FCL/distance >= {DISTANCE}); FCL: one \
         distance at the start"
    );
    let columns = [
        "set",
        "what",
        "n",
        "parry",
        "FCL distance",
        "ours",
        "any",
        "parry/ours",
        "FCL/ours",
        "ours/FCL",
        "parry hits",
        "our contacts",
    ];
    let mut table = Table::new(title, &columns);
    for cell in cells {
        let n = cell.motions.len();
        let parry = Some(1e6 * cell.parry / n as f64);
        let [ours, any] = [&cell.ours, &cell.any].map(|r| r.microseconds(n));
        let [fcl, wall] = [&cell.fcl, &cell.wall].map(|r| r.best(n));
        table.row(vec![
            words(sites[cell.site].name),
            words(cell.what),
            count(n),
            number(parry, 0),
            number(fcl, 0),
            number(ours, 1),
            number(any, 1),
            at_least(ratio(parry, ours), cell.goal.0, 0),
            at_least(ratio(fcl, wall), cell.goal.1, 1),
            number(ratio(wall, fcl), 3),
            count(cell.hits),
            count(cell.contacts),
        ]);
    }
    table
}
