//! Steps of deforming bodies: boxes, shared features, refitting and the volume of the tool drop no contact.

use std::sync::Arc;

use impinge::deform::{
    Element, Lines, Planes, StepAnswer, StepChecker, StepOptions, Surface, Tool, ToolChecker, ToolOptions, ToolPath, Touch, Who,
};
use impinge::features::{Answer, FeaturePair, Kind, Settings, first_contact};
use impinge::math::Vec3;
use impinge::{Mesh, Pose};
use impinge_testkit::Random;

fn point(random: &mut Random, size: f64) -> Vec3 {
    Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size))
}

/// Uses a coarse grid sometimes: parallel edges, coplanar faces, shared coordinates.
fn place(random: &mut Random, grid: bool, size: f64) -> Vec3 {
    let p = point(random, size);
    if grid { Vec3::new((p.x * 4.0).round() / 4.0, (p.y * 4.0).round() / 4.0, (p.z * 4.0).round() / 4.0) } else { p }
}

/// Generates triangles that share vertices: a strip, and some random ones, including degenerate ones.
fn triangles(random: &mut Random, vertices: u32) -> Vec<[u32; 3]> {
    let strip = (0..vertices - 2).map(|i| [i, i + 1, i + 2]);
    let pick = |random: &mut Random| random.below(vertices as usize) as u32;
    let more: Vec<[u32; 3]> = (0..4).map(|_| [pick(random), pick(random), pick(random)]).collect();
    strip.chain(more).collect()
}

/// Tests every pair of features of two bodies, or of one, one by one; the start by its edges and faces.
fn brute(bodies: [(&[[u32; 3]], Lines<'_>); 2], own: bool) -> Vec<(Vec<u32>, (f64, f64))> {
    let mut found = Vec::new();
    let mut ask = |kind, start: [Vec3; 4], end: [Vec3; 4], name: Vec<u32>, at_start: bool| {
        if let Answer::Contact { time, .. } = first_contact(&FeaturePair { kind, start, end }, &Settings::default()) {
            found.push((name, if at_start { (0.0, 0.0) } else { time }));
        }
    };
    let edges = |t: &[[u32; 3]]| {
        let mut all: Vec<[u32; 2]> =
            t.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).map(|e| [e[0].min(e[1]), e[0].max(e[1])]).collect();
        all.retain(|e| e[0] != e[1]);
        all.sort_unstable();
        all.dedup();
        all
    };
    for (a, b) in [(0, 1), (1, 0)] {
        if own && a == 1 {
            continue;
        }
        let ((ta, la), (tb, lb)) = (bodies[a], bodies[b]);
        let mut vertices: Vec<u32> = ta.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        for f in tb {
            let face = |l: &Lines<'_>, end: bool| f.map(|i| if end { l.end[i as usize] } else { l.start[i as usize] });
            let (s, e) = (face(&lb, false), face(&lb, true));
            for &v in vertices.iter().filter(|v| !own || !f.contains(v)) {
                let name = vec![0, v, f[0], f[1], f[2]];
                ask(
                    Kind::VertexFace,
                    [la.start[v as usize], s[0], s[1], s[2]],
                    [la.end[v as usize], e[0], e[1], e[2]],
                    name,
                    false,
                );
            }
            for g in edges(ta).iter().filter(|g| !own || !g.iter().any(|v| f.contains(v))) {
                let [p, q] = g.map(|v| la.start[v as usize]);
                ask(Kind::VertexFace, [p, s[0], s[1], s[2]], [q, s[0], s[1], s[2]], vec![2, g[0], g[1], f[0], f[1], f[2]], true);
            }
        }
    }
    let ((ta, la), (tb, lb)) = (bodies[0], bodies[1]);
    for e in edges(ta) {
        for f in edges(tb).iter().filter(|f| !own || (e < **f && !e.iter().any(|v| f.contains(v)))) {
            let ends = |a: &[Vec3], b: &[Vec3]| [a[e[0] as usize], a[e[1] as usize], b[f[0] as usize], b[f[1] as usize]];
            ask(Kind::EdgeEdge, ends(la.start, lb.start), ends(la.end, lb.end), vec![1, e[0], e[1], f[0], f[1]], false);
        }
    }
    found
}

/// Returns the first contact time, and the number of contacts of each kind.
fn summary(found: &[(Vec<u32>, (f64, f64))]) -> (Option<(f64, f64)>, [usize; 3]) {
    let first = found.iter().map(|f| f.1).reduce(|a, b| (a.0.min(b.0), a.1.min(b.1)));
    let mut names: Vec<&Vec<u32>> = found.iter().map(|f| &f.0).collect();
    names.sort();
    (first, [0, 1, 2].map(|kind| names.iter().filter(|n| n[0] == kind).count()))
}

fn kind(touch: &Touch) -> usize {
    match touch.sides.map(|s| s.element) {
        [Element::Vertex(_), _] => 0,
        [Element::Edge(_), Element::Edge(_)] => 1,
        _ => 2,
    }
}

fn compare(answer: &StepAnswer, found: &[(Vec<u32>, (f64, f64))], what: &str) {
    let (first, counts) = summary(found);
    assert_eq!(answer.is_free(), first.is_none(), "{what}: {answer:?} {first:?}");
    let told = [0, 1, 2].map(|k| answer.contacts.iter().filter(|c| kind(c) == k).count());
    assert_eq!(told, counts, "{what}");
    if let Some((lo, hi)) = first {
        let c = answer.first().expect("a contact");
        assert!(c.time.0 <= hi && lo <= c.time.1 && answer.free_until() <= hi, "{what}: {c:?} {first:?}");
    }
}

/// Two bodies and a sequence of steps with one refitted checker: it finds every contact of every step, as the test of single pairs does.
#[test]
fn every_contact_of_every_step_is_found() {
    let mut seen = [0; 2];
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let (grid, own) = (seed % 3 == 0, seed % 2 == 0);
        let n = 8;
        let (ta, tb) = (unique(triangles(&mut random, n)), unique(triangles(&mut random, n)));
        let cloud = |random: &mut Random, shift: f64| -> Vec<Vec3> {
            (0..n).map(|_| place(random, grid, 1.0) + Vec3::unit(0) * shift).collect()
        };
        let (mut a, mut b) = (cloud(&mut random, 0.0), cloud(&mut random, 2.2));
        let who = if own { Who::Own } else { Who::Others };
        let bodies: Vec<&[[u32; 3]]> = if own { vec![&ta] } else { vec![&ta, &tb] };
        let mut checker = StepChecker::new(&bodies, StepOptions { who, all: true, margin: 0.0 }).expect("good options");
        for step in 0..4 {
            let moved = |random: &mut Random, of: &[Vec3], by: f64| -> Vec<Vec3> {
                of.iter().map(|&p| p + Vec3::unit(0) * by + place(random, grid, 0.3)).collect()
            };
            let (a1, b1) = (moved(&mut random, &a, 0.1), moved(&mut random, &b, -0.4));
            let (la, lb) = (Lines { start: &a, end: &a1 }, Lines { start: &b, end: &b1 });
            let answer = if own { checker.check(&[la]) } else { checker.check(&[la, lb]) }.expect("finite");
            let expected = if own { brute([(&ta, la), (&ta, la)], true) } else { brute([(&ta, la), (&tb, lb)], false) };
            compare(&answer, &expected, &format!("seed {seed}, step {step}"));
            seen[usize::from(answer.is_free())] += 1;
            (a, b) = (a1, b1);
        }
    }
    assert!(seen[0] > 60 && seen[1] > 60, "{seen:?}");
}

/// A repeated triangle would count twice, by its faces.
fn unique(mut triangles: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
    triangles.sort_unstable();
    triangles.dedup();
    triangles
}

fn pose(random: &mut Random, reach: f64) -> Pose {
    Pose::from_rpy(point(random, reach), point(random, 3.0)).expect("finite")
}

/// Generates a tool and a body, at rest or not, with small triangles and triangles larger than the tool, aimed at its surface and its edges.
struct Case {
    tool: Arc<Tool>,
    from: Pose,
    to: Pose,
    triangles: Vec<[u32; 3]>,
    start: Vec<Vec3>,
    end: Vec<Vec3>,
}

impl Case {
    fn new(random: &mut Random, seed: u64) -> Case {
        let tool = if seed.is_multiple_of(2) {
            Tool::cylinder(0.2, 1.5, 8).expect("a cylinder")
        } else {
            let vertices: Vec<Vec3> = (0..60).map(|_| point(random, 0.6)).collect();
            Tool::new(Mesh::new(vertices, (0..80).map(|_| [0; 3].map(|_| random.below(60) as u32)).collect()).expect("a mesh"))
        };
        let from = pose(random, 1.0);
        let turned = Pose::from_rpy(point(random, 0.5), point(random, 0.4)).expect("finite");
        let to = if seed.is_multiple_of(5) {
            from
        } else {
            Pose { rotation: turned.rotation * from.rotation, translation: from.translation + turned.translation }
        };
        let far = if seed.is_multiple_of(7) { 1e6 } else { 0.0 };
        let (shift, n) = (Vec3::splat(far), 30u32);
        let size = [0.05, 0.3, 8.0][seed as usize % 3];
        let mut start = Vec::new();
        for _ in 0..n {
            // Near the path of a vertex of the tool, so that many just touch.
            let v = tool.mesh().vertices()[random.below(tool.mesh().vertices().len())];
            let t = random.unit();
            let off = random.pick(&[0.0, 1e-9, 0.3]);
            let near = from.apply(v) * (1.0 - t) + to.apply(v) * t + point(random, off);
            let corners = [near, near + point(random, size), near + point(random, size)];
            start.extend(corners.map(|c| c + shift));
        }
        let end = if seed % 4 < 2 { start.clone() } else { start.iter().map(|&p| p + point(random, 0.2)).collect() };
        let placed = |p: Pose| Pose { translation: p.translation + shift, ..p };
        Case {
            tool: Arc::new(tool),
            from: placed(from),
            to: placed(to),
            triangles: (0..n).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
            start,
            end,
        }
    }

    fn lines(&self, resting: bool) -> Lines<'_> {
        if resting { Lines::resting(&self.start) } else { Lines { start: &self.start, end: &self.end } }
    }
}

/// Clipping never drops a triangle that the exact test finds: whichever planes bound the volume, the contacts are those of all pairs.
#[test]
fn the_clip_loses_no_triangle_that_touches() {
    let (mut touched, mut listed) = (0, [0; 3]);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let case = Case::new(&mut random, seed);
        let resting = seed % 4 < 2;
        let lines = case.lines(resting);
        let body = Surface { triangles: &case.triangles, lines };
        let (mesh, tool) = (case.tool.mesh().clone(), case.tool.clone());
        let places = |p: &Pose| -> Vec<Vec3> { mesh.vertices().iter().map(|&v| p.apply(v)).collect() };
        let (start, end) = (places(&case.from), places(&case.to));
        let mut all =
            StepChecker::new(&[mesh.triangles(), &case.triangles], StepOptions { who: Who::Others, all: true, margin: 0.0 })
                .expect("good options");
        let truth = all.check(&[Lines { start: &start, end: &end }, lines]).expect("finite");
        let mut expected: Vec<u32> =
            truth.contacts.iter().flat_map(|c| c.sides).filter(|s| s.body == 1).map(|s| s.triangle).collect();
        expected.sort_unstable();
        expected.dedup();
        touched += expected.len();
        for (k, planes) in [Planes::Box, Planes::Clipped, Planes::Clusters].into_iter().enumerate() {
            let mut checker = ToolChecker::new(
                tool.clone(),
                ToolOptions { planes, path: ToolPath::Lines, all: true, ..ToolOptions::default() },
            )
            .expect("good options");
            checker.sweep(&case.from, &case.to).expect("finite");
            let list = checker.triangles(&body).expect("in range").to_vec();
            assert!(expected.iter().all(|t| list.contains(t)), "seed {seed}, {planes:?}: {expected:?} {list:?}");
            listed[k] += list.len();
            let answer = checker.first_contact(&body).expect("finite");
            assert_eq!(answer.contacts, truth.contacts, "seed {seed}, {planes:?}");
        }
    }
    assert!(touched > 1000 && listed[0] >= listed[1] && listed[1] >= listed[2], "{touched} {listed:?}");
    assert!(listed[1] < listed[0], "planes cut something off: {listed:?}");
}

/// Free for a tool on its rigid arc: no sample of that motion is in contact, although straight vertex paths differ.
#[test]
fn a_turning_tool_is_free_only_if_its_arc_is() {
    let mut free = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let tool = Tool::cylinder(0.02, 1.0, 6).expect("a cylinder");
        let mesh = tool.mesh().clone();
        let angle = random.within(0.1, 1.5);
        let at = |t: f64| Pose::from_rpy(Vec3::ZERO, Vec3::new(angle * t, 0.0, 0.0)).expect("finite");
        // Just outside the chord of the end of the tool, and inside its arc or not.
        let end = at(0.5).apply(Vec3::new(0.0, 0.0, 0.5));
        let place = end * random.within(0.8, 1.5);
        let vertices: Vec<Vec3> = [Vec3::ZERO, Vec3::unit(0) * 0.01, Vec3::unit(1) * 0.01].iter().map(|&v| place + v).collect();
        let triangles = [[0, 1, 2]];
        let body = Surface { triangles: &triangles, lines: Lines::resting(&vertices) };
        let mut checker =
            ToolChecker::new(tool, ToolOptions { path: ToolPath::Rigid, ..ToolOptions::default() }).expect("good options");
        checker.sweep(&at(0.0), &at(1.0)).expect("finite");
        if !checker.first_contact(&body).expect("finite").is_free() {
            continue;
        }
        free += 1;
        let mut all =
            StepChecker::new(&[mesh.triangles(), &triangles], StepOptions { who: Who::Others, ..StepOptions::default() })
                .expect("good options");
        for i in 0..64 {
            let [a, b] = [i, i + 1].map(|i| {
                let pose = at(f64::from(i) / 64.0);
                mesh.vertices().iter().map(|&v| pose.apply(v)).collect::<Vec<Vec3>>()
            });
            let answer = all.check(&[Lines { start: &a, end: &b }, Lines::resting(&vertices)]).expect("finite");
            assert!(answer.is_free(), "seed {seed}, piece {i}: {answer:?}");
        }
    }
    assert!(free > 20, "{free}");
}

#[test]
fn bad_input_is_told_and_never_free() {
    let good = vec![Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)];
    let mut checker = StepChecker::new(&[&[[0, 1, 2]]], StepOptions::default()).expect("good options");
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let mut moved = good.clone();
        moved[1].y = bad;
        assert!(checker.check(&[Lines { start: &good, end: &moved }]).is_err());
        assert!(checker.check(&[Lines { start: &moved, end: &good }]).is_err());
        let mut tool =
            ToolChecker::new(Tool::cylinder(1.0, 1.0, 8).expect("fine"), ToolOptions::default()).expect("good options");
        tool.sweep(&Pose::IDENTITY, &Pose::IDENTITY).expect("finite");
        let body = Surface { triangles: &[[0, 1, 2]], lines: Lines::resting(&moved) };
        assert!(tool.first_contact(&body).is_err());
        assert!(tool.sweep(&Pose::from_translation(moved[1]), &Pose::IDENTITY).is_err());
        assert!(tool.first_contact(&Surface { triangles: &[[0, 1, 9]], ..body }).is_err());
    }
    assert!(checker.check(&[Lines { start: &good, end: &good[..2] }]).is_err());
    assert!(checker.check(&[Lines { start: &good[..2], end: &good[..2] }]).is_err());
    assert!(checker.check(&[]).is_err());
    for margin in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(StepChecker::new(&[], StepOptions { margin, ..StepOptions::default() }).is_err());
        assert!(
            ToolChecker::new(Tool::cylinder(1.0, 1.0, 8).expect("fine"), ToolOptions { margin, ..ToolOptions::default() })
                .is_err()
        );
    }
    assert!(Tool::cylinder(0.0, 1.0, 8).is_err() && Tool::cylinder(1.0, 1.0, 2).is_err());
    assert!(StepChecker::new(&[], StepOptions::default()).and_then(|mut c| c.check(&[])).expect("nothing").is_free());
}

/// Two sheets that come within a distance of each other: contact for larger margins, free for smaller ones.
#[test]
fn margins_are_kept() {
    let sheet = |z: f64| vec![Vec3::new(-1.0, -1.0, z), Vec3::new(1.0, -1.0, z), Vec3::new(0.0, 1.0, z)];
    let (low, high, near) = (sheet(0.0), sheet(1.0), sheet(0.25));
    for (margin, free) in [(0.0, true), (0.2, true), (0.2499, true), (0.26, false), (0.5, false)] {
        let options = StepOptions { margin, ..StepOptions::default() };
        let mut checker = StepChecker::new(&[&[[0, 1, 2]], &[[0, 1, 2]]], options).expect("good options");
        let answer = checker.check(&[Lines::resting(&low), Lines { start: &high, end: &near }]).expect("finite");
        assert_eq!(answer.is_free(), free, "{margin}: {answer:?}");
        if !free {
            let t = (1.0 - margin) / 0.75;
            assert!(answer.free_until() <= t && answer.free_until() > t - 1e-6, "{margin}: {answer:?}");
        }
    }
}

/// A closed box as triangles, around a place.
fn closed_box(half: Vec3, at: Vec3) -> Mesh {
    let side = |k: u32, bit: u32, h: f64| if k & bit == 0 { -h } else { h };
    let corner = |k: u32| at + Vec3::new(side(k, 1, half.x), side(k, 2, half.y), side(k, 4, half.z));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new((0..8).map(corner).collect(), triangles).expect("valid")
}

/// Random boxes, indexed or with separate corners for every triangle, in any order: contained exactly if all corners of one are inside
/// the other, along axes.
#[test]
fn a_body_that_starts_inside_another_is_in_contact() {
    let mut contained = 0;
    for seed in 0..2000 {
        let random = &mut Random::new(seed);
        let half = |random: &mut Random, size: f64| Vec3::new(1.0, 1.0, 1.0) * 0.1 * size + (point(random, size) * 0.9).abs();
        let (inner, outer) = (half(random, 0.3), half(random, 1.0));
        let (at, by) = (point(random, 1.0), point(random, 0.3));
        let soup = |mesh: &Mesh| {
            let vertices: Vec<Vec3> = mesh.triangles().iter().flatten().map(|&v| mesh.vertices()[v as usize]).collect();
            let triangles = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            Mesh::new(vertices, triangles).expect("valid")
        };
        let mut bodies = [closed_box(inner, at), closed_box(outer, Vec3::ZERO)];
        if random.below(2) == 0 {
            bodies = [soup(&bodies[0]), soup(&bodies[1])];
        }
        let swapped = random.below(2) == 0;
        if swapped {
            bodies.swap(0, 1);
        }
        let depth = outer - inner - at.abs();
        let is_inside = depth.x > 0.0 && depth.y > 0.0 && depth.z > 0.0;
        let (i, k) = if swapped { (1, 0) } else { (0, 1) };
        let moved: Vec<Vec<Vec3>> = bodies.iter().map(|b| b.vertices().iter().map(|&v| v + by).collect()).collect();
        let lines: Vec<Lines<'_>> = (0..2)
            .map(|n| Lines { start: bodies[n].vertices(), end: if n == i { &moved[n] } else { bodies[n].vertices() } })
            .collect();
        let triangles = [bodies[0].triangles(), bodies[1].triangles()];
        let mut checker =
            StepChecker::new(&triangles, StepOptions { who: Who::Others, ..StepOptions::default() }).expect("valid");
        for _ in 0..2 {
            let answer = checker.check(&lines).expect("finite");
            let inside = answer.contained;
            assert_eq!(inside.map(|c| (c.inner, c.outer)), is_inside.then_some((i, k)), "{seed}: {depth:?}");
            assert!(!is_inside || (!answer.is_free() && answer.free_until() == 0.0), "{seed}");
            assert!(inside.is_none_or(|c| bodies[i].vertices()[c.vertex as usize] == c.point), "{seed}");
        }
        contained += u32::from(is_inside);
        // An open body encloses nothing.
        let open = [&triangles[0][..11], &triangles[1][..11]];
        let mut checker = StepChecker::new(&open, StepOptions { who: Who::Others, ..StepOptions::default() }).expect("valid");
        assert_eq!(checker.check(&lines).expect("finite").contained, None, "{seed}");
        // The same for a tool.
        let pose = Pose::IDENTITY;
        let copy = Mesh::new(bodies[0].vertices().to_vec(), bodies[0].triangles().to_vec()).expect("valid");
        let mut tool = ToolChecker::new(Tool::new(copy), ToolOptions::default()).expect("valid");
        let surface = Surface { triangles: triangles[1], lines: Lines::resting(bodies[1].vertices()) };
        let inside = tool.contained(&pose, &surface).expect("finite");
        let crosses = !tool_is_apart(&mut tool, &pose, &surface);
        assert!(crosses || inside.map(|c| (c.inner, c.outer)) == is_inside.then_some((i, k)), "{seed}");
    }
    assert!(contained > 100, "{contained}");
}

/// Tests whether the surfaces of a tool and a body share no point.
fn tool_is_apart(tool: &mut ToolChecker, pose: &Pose, body: &Surface<'_>) -> bool {
    tool.sweep(pose, pose).expect("finite");
    tool.first_contact(body).expect("finite").is_free()
}
