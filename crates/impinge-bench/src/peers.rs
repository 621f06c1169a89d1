//! Whole motions and distances against parry and FCL, in one run, as ratios.

use std::path::Path;

use clap::Args;
use impinge::geometry::Mesh;
use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;
use impinge::query::distance::HullTree;
use impinge::query::distance::{DistanceLimits, DistanceSession, distance};
use impinge::scene::{BodyId, Motion};
use impinge::{Checker, Options, Scene};
use impinge_io::load_mesh;
use parry3d_f64::math::{Pose3, Rot3, Vector};
use parry3d_f64::query::{self, NonlinearRigidMotion, ShapeCastOptions};
use parry3d_f64::shape::TriMesh;

use crate::fcl::{self, Fcl};
use crate::report::{Goal, Report};
use crate::rounds::{Rounds, turns, warm};
use crate::table::{Table, at_least, count, number, ratio, words};
use crate::{Outcome, Source, clock, rigid_motions};

/// Targets of first contacts, as multiples of the speed of parry's casts: linear and nonlinear.
const LINEAR: f64 = 150.0;
const NONLINEAR: f64 = 3000.0;
/// Target of distances, as a multiple of the speed of FCL.
const DISTANCE: f64 = 5.0;

/// Options of the benchmark.
#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    source: Source,
    /// CPU seconds that parry may take for one pass; at least one query is made.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
}

/// A pair of meshes in the representation of each library.
struct Site {
    name: &'static str,
    checker: Checker,
    body: BodyId,
    trees: [HullTree; 2],
    parry: [TriMesh; 2],
    fcl: Option<Fcl>,
    motions: Vec<RigidMotion>,
}

/// The kind of a query.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Moving,
    Turning,
    Distance,
}

/// Queries that all libraries run.
struct Cell {
    site: usize,
    what: What,
    motions: Vec<RigidMotion>,
    /// The number of queries of this kind; parry is too slow for more than `motions`.
    of: usize,
    hits: usize,
    contacts: usize,
    parry: Rounds,
    fcl: Rounds,
    ours: Rounds,
    any: Rounds,
}

/// Measures all sets.
pub fn measure(run: &Run) -> Outcome<Report> {
    let dir = run.source.needed()?;
    let mut sites = Vec::new();
    for name in ["knot2880", "knot11520", "knot34560", "gpm"] {
        sites.push(Site::load(name, &dir.join("rigid").join(name))?);
    }
    let mut cells = Vec::new();
    for (at, site) in sites.iter().enumerate() {
        eprintln!("{}: as many queries as parry answers in {} s", site.name, run.seconds);
        for what in [What::Moving, What::Turning, What::Distance] {
            cells.extend(site.cell(at, what, run.seconds)?);
        }
    }
    for round in 0..run.source.rounds {
        eprintln!("round {} of {}", round + 1, run.source.rounds);
        for k in turns(cells.len(), round) {
            cells[k].round(&mut sites, round)?;
        }
    }
    Ok(report(&sites, &cells, run))
}

impl What {
    fn word(self) -> &'static str {
        match self {
            What::Moving => "first, moving",
            What::Turning => "first, turning",
            What::Distance => "distance",
        }
    }

    /// The targets against parry and against FCL.
    fn least(self) -> (f64, f64) {
        match self {
            What::Moving => (LINEAR, 0.0),
            What::Turning => (NONLINEAR, 0.0),
            What::Distance => (0.0, DISTANCE),
        }
    }

    fn includes(self, motion: &RigidMotion) -> bool {
        match self {
            What::Moving => motion.rotation_vector == Vec3::ZERO,
            What::Turning => motion.rotation_vector != Vec3::ZERO,
            What::Distance => true,
        }
    }
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

    /// Returns parry's result: whether the motion or its start is in contact.
    fn parry(&self, what: What, m: &RigidMotion) -> Outcome<bool> {
        let [a, b] = &self.parry;
        let (rest, velocity) = (Pose3::IDENTITY, vector(m.end_position - m.start.translation));
        Ok(match what {
            What::Moving => {
                let options = ShapeCastOptions::with_max_time_of_impact(1.0);
                query::cast_shapes(&pose(&m.start), velocity, a, &rest, Vector::ZERO, b, options)?.is_some()
            }
            What::Turning => {
                let motion = NonlinearRigidMotion::new(pose(&m.start), Vector::ZERO, velocity, vector(m.rotation_vector));
                let fixed = NonlinearRigidMotion::constant_position(rest);
                query::cast_shapes_nonlinear(&motion, a, &fixed, b, 0.0, 1.0, true)?.is_some()
            }
            What::Distance => query::distance(&pose(&m.start), a, &rest, b)?.distance <= 0.0,
        })
    }

    /// Returns as many queries of a kind as parry completes in `seconds`; `None` if there is no such query.
    fn cell(&self, site: usize, what: What, seconds: f64) -> Outcome<Option<Cell>> {
        let all: Vec<RigidMotion> = self.motions.iter().filter(|m| what.includes(m)).copied().collect();
        let (begin, mut n) = (clock::of_thread(), 0);
        while n < all.len() && (n == 0 || clock::of_thread() - begin < seconds) {
            self.parry(what, &all[n])?;
            n += 1;
        }
        let (motions, of, rounds) = (all[..n].to_vec(), all.len(), Rounds::default);
        let [parry, fcl, ours, any] = [rounds(), rounds(), rounds(), rounds()];
        Ok((n > 0).then_some(Cell { site, what, motions, of, hits: 0, contacts: 0, parry, fcl, ours, any }))
    }
}

impl Cell {
    /// Runs FCL, parry and both queries of impinge, in turns; each after an untimed pass.
    fn round(&mut self, sites: &mut [Site], round: usize) -> Outcome<()> {
        let site = &mut sites[self.site];
        for who in turns(4, round) {
            match who {
                0 => self.ask_fcl(site)?,
                1 => self.ask_parry(site)?,
                2 if self.what == What::Distance => self.distances(site)?,
                2 => self.first_contacts(site)?,
                _ if self.what == What::Distance => {}
                _ => {
                    let built = self.built(site)?;
                    let asked = warm(|| built.iter().try_for_each(|m| site.checker.check(m).map(drop)));
                    asked.1?;
                    self.any.push(asked.0);
                }
            }
        }
        Ok(())
    }

    fn ask_fcl(&mut self, site: &mut Site) -> Outcome<()> {
        let Some(fcl) = &mut site.fcl else { return Ok(()) };
        fcl.starts(self.motions.iter().map(|m| m.start))?;
        self.fcl.push(fcl.distance(1)?.0);
        Ok(())
    }

    fn ask_parry(&mut self, site: &Site) -> Outcome<()> {
        let hit = |m: &RigidMotion| site.parry(self.what, m);
        let (seconds, hits) = warm(|| self.motions.iter().map(hit).collect::<Outcome<Vec<bool>>>());
        self.parry.push(seconds);
        self.hits = hits?.into_iter().filter(|hit| *hit).count();
        Ok(())
    }

    fn first_contacts(&mut self, site: &Site) -> Outcome<()> {
        let built = self.built(site)?;
        let touches = |m: &Motion| site.checker.first_contact(m).map(|verdict| verdict.contact().is_some());
        let (seconds, contacts) = warm(|| built.iter().map(touches).collect::<Result<Vec<bool>, _>>());
        self.ours.push(seconds);
        self.contacts = contacts?.into_iter().filter(|touches| *touches).count();
        Ok(())
    }

    fn built(&self, site: &Site) -> Outcome<Vec<Motion>> {
        let motions = self.motions.iter().map(|&m| site.checker.scene().motion().rigid(site.body, m).build());
        Ok(motions.collect::<Result<_, _>>()?)
    }

    fn distances(&mut self, site: &Site) -> Outcome<()> {
        let pass = || {
            let mut session = DistanceSession::new();
            self.motions.iter().try_for_each(|m| {
                let (a, b) = ((&site.trees[0], &m.start), (&site.trees[1], &Pose::IDENTITY));
                distance(a, b, DistanceLimits::default(), &mut session).map(drop)
            })
        };
        let (seconds, measured) = warm(pass);
        self.ours.push(seconds);
        Ok(measured?)
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

fn report(sites: &[Site], cells: &[Cell], run: &Run) -> Report {
    let mut goals = [
        Goal::at_least(format!("knots with translation: {LINEAR} times as fast as parry"), LINEAR),
        Goal::at_least(format!("knots with rotation: {NONLINEAR} times as fast as parry"), NONLINEAR),
        Goal::at_least(format!("distance: {DISTANCE} times as fast as FCL"), DISTANCE),
    ];
    for cell in cells {
        let (n, name) = (cell.motions.len(), sites[cell.site].name);
        let [parry, fcl, ours] = [&cell.parry, &cell.fcl, &cell.ours].map(|r| r.microseconds(n));
        match cell.what {
            // The plates of the gear workload are large flat triangles, which favour a linear cast.
            What::Moving => goals[0].add(name, ratio(parry, ours).filter(|_| name != "gpm")),
            What::Turning => goals[1].add(name, ratio(parry, ours)),
            What::Distance => goals[2].add(name, ratio(fcl, ours)),
        }
    }
    Report::new("peers", "First contacts and distances against parry and FCL")
        .text(format!(
            "parry is too slow for all queries: `n` of `of` queries are measured, as many as it completes in {} s, at least one. Every \
             library runs the same n queries, once untimed and then timed, in turns. `FCL distance`: one distance at the start of each \
             motion. `parry hits`, `our contacts`: number of motions with a contact. `spread %` refers to `ours`.",
            run.seconds
        ))
        .text(fcl::why_missing().unwrap_or_default())
        .table(table(sites, cells, run.source.rounds))
        .goals(goals)
}

fn table(sites: &[Site], cells: &[Cell], rounds: usize) -> Table {
    let title = format!(
        "Microseconds per query, median of {rounds} rounds; ! misses its target (parry/ours >= {LINEAR} with translation, {NONLINEAR} \
         with rotation, FCL/ours >= {DISTANCE} for distances)"
    );
    let columns = [
        "set",
        "query",
        "n",
        "of",
        "parry",
        "FCL distance",
        "ours",
        "spread %",
        "any",
        "parry/ours",
        "FCL/ours",
        "parry hits",
        "our contacts",
    ];
    let mut table = Table::new(title, &columns);
    for cell in cells {
        let n = cell.motions.len();
        let [parry, fcl, ours, any] = [&cell.parry, &cell.fcl, &cell.ours, &cell.any].map(|r| r.microseconds(n));
        let (over_parry, over_fcl) = cell.what.least();
        table.row(vec![
            words(sites[cell.site].name),
            words(cell.what.word()),
            count(n),
            count(cell.of),
            number(parry, 0),
            number(fcl, 0),
            number(ours, 1),
            number(cell.ours.spread(), 0),
            number(any, 1),
            at_least(ratio(parry, ours), over_parry, 0),
            at_least(ratio(fcl, ours), over_fcl, 1),
            count(cell.hits),
            count(cell.contacts),
        ]);
    }
    table
}
