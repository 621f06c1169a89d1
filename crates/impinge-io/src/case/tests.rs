use std::path::Path;

use impinge::Verdict;
use serde_json::{Value, json};

use super::*;

const CUBE: &str = r#"{"type": "mesh", "vertices": [[-0.5,-0.5,-0.5],[0.5,-0.5,-0.5],[-0.5,0.5,-0.5],[0.5,0.5,-0.5],
    [-0.5,-0.5,0.5],[0.5,-0.5,0.5],[-0.5,0.5,0.5],[0.5,0.5,0.5]], "triangles": [[0,2,3],[0,3,1],[4,5,7],[4,7,6],[0,1,5],[0,5,4],
    [2,6,7],[2,7,3],[0,4,6],[0,6,2],[1,3,7],[1,7,5]]}"#;

fn file(root: Value) -> CaseFile {
    parse(root.to_string().as_bytes(), Path::new("case.json"), &UrdfOptions::default()).expect("JSON")
}

fn cube() -> Value {
    json::parse(CUBE.as_bytes(), &Place::file("cube")).expect("JSON")
}

fn body(name: &str, p0: [f64; 3], p1: [f64; 3]) -> Value {
    json!({"name": name, "shape": cube(), "motion": {"type": "rigid", "p0": p0, "quat0_wxyz": [1, 0, 0, 0], "p1": p1, "rotvec": [0, 0, 0]}})
}

fn run(root: Value) -> (Verdict, CaseQuery) {
    let query = file(root).case(0).expect("a case").question.expect("a query");
    (query.checker.first_contact(&query.motion).expect("of this scene"), query)
}

fn refusal(root: Value) -> String {
    file(root).case(0).expect("a case").question.expect_err("refused").to_string()
}

#[test]
fn bodies_meet_when_they_should() {
    let bodies = [body("a", [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]), body("b", [0.0; 3], [0.0; 3])];
    let (verdict, query) = run(json!({"id": "x", "bodies": bodies, "pairs": [["a", "b"]]}));
    let contact = verdict.contact().expect("contact").clone();
    assert!((contact.time.1 - 2.0 / 3.0).abs() < 1e-8, "{:?}", contact.time);
    let names = [contact.parts.0, contact.parts.1].map(|part| query.part_name(part).expect("of this case"));
    assert!(names.contains(&"a") && names.contains(&"b"));
    assert!(run(json!({"bodies": bodies, "pairs": []})).0.is_free(), "only listed pairs are checked");
    let warnings = file(json!({"bodies": bodies, "pairs": []})).case(0).expect("a case").warnings;
    assert_eq!(warnings.iter().map(|w| w.kind).collect::<Vec<_>>(), ["nothing-checked"]);
    assert!(run(json!({"bodies": bodies, "ignore": [["b", "a"]]})).0.is_free());
    let wide = run(json!({"bodies": bodies, "query": {"margin": 0.5}})).0;
    assert!((wide.contact().expect("contact").time.1 - 0.5).abs() < 1e-8);
}

#[test]
fn static_bodies_are_checked_on_request() {
    let bodies = [body("a", [0.2, 0.0, 0.0], [0.2, 0.0, 0.0]), body("b", [0.0; 3], [0.0; 3])];
    assert_eq!(run(json!({"bodies": bodies})).0.contact().expect("overlap").time.0, 0.0);
    let with_mover = [&bodies[..], &[body("far", [9.0, 0.0, 0.0], [8.0, 0.0, 0.0])]].concat();
    assert!(run(json!({"bodies": with_mover})).0.is_free(), "obstacles are not checked against each other");
    assert!(run(json!({"bodies": with_mover, "pairs": [["a", "b"]]})).0.contact().is_some(), "unless listed");
}

#[test]
fn trees_are_named_by_their_links() {
    let tree = json!({"root": "base", "base_pose": {"p": [0, 0, 0], "quat_wxyz": [1, 0, 0, 0]},
        "links": [{"name": "base", "shape": cube()}, {"name": "car", "shape": cube()}],
        "joints": [{"name": "j", "type": "prismatic", "parent": "base", "child": "car", "origin": {"xyz": [0, 0, 0], "quat_wxyz": [1, 0, 0, 0]},
            "axis": [2, 0, 0], "q0": 4, "q1": 0}]});
    let wall = body("wall", [-3.0, 0.0, 0.0], [-3.0, 0.0, 0.0]);
    assert!(run(json!({"tree": tree, "bodies": [wall]})).0.is_free(), "neighbours are not checked");
    let (verdict, query) = run(json!({"tree": tree, "bodies": [wall], "pairs": [["car", "base"]]}));
    let contact = verdict.contact().expect("neighbours are checked when listed");
    assert!((contact.time.1 - 0.75).abs() < 1e-8, "the axis is normalised: {:?}", contact.time);
    assert!(["base", "car"].contains(&query.part_name(contact.parts.0).expect("of this scene")));
}

#[test]
fn invalid_queries_are_refused_by_name() {
    let still = || body("b", [0.0; 3], [0.0; 3]);
    let moving = || body("a", [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]);
    let with = |pointer: &str, value: Value| {
        let mut root = json!({"bodies": [moving(), still()], "query": {"margin": 0, "t_range": [0, 1]}});
        *root.pointer_mut(pointer).expect("there") = value;
        refusal(root)
    };
    for (pointer, value, part) in [
        ("/bodies/0/motion/p0/1", json!("NaN"), "bodies[0].motion.p0[1]: 'NaN' is not finite"),
        ("/bodies/0/motion/quat0_wxyz", json!([2, 0, 0, 0]), "normalise"),
        ("/bodies/0/motion", json!({"type": "linear_vertices", "vertices1": [[0, 0, 0]]}), "one position for each vertex"),
        ("/bodies/0/motion/type", json!("screw"), "use rigid or linear_vertices"),
        ("/bodies/0/shape", json!({"type": "sphere", "radius": -1}), "negative"),
        ("/bodies/0/shape", json!({"type": "sphere", "radius": 1, "colour": 1}), "colour"),
        ("/bodies/0/shape", json!({"type": "mesh", "file": "none.stl"}), "none.stl"),
        ("/bodies/0/shape/triangles/0/0", json!(8), "out of range"),
        ("/bodies/1/name", json!("a"), "named 'a'"),
        ("/query/margin", json!(-1), "margin"),
        ("/query/t_range", json!([0, 2]), "cut the motion"),
        ("/query", json!({"speed": 1}), "unknown key 'speed'"),
    ] {
        let message = with(pointer, value);
        assert!(message.starts_with("case.json: ") && message.contains(part), "{pointer}: {message}");
    }
    assert!(refusal(json!({"bodies": [moving(), still()], "pairs": [["a", "c"]]})).contains("known names: a, b"));
    assert!(refusal(json!({"scene": "x.stl"})).contains("no moving part"));
    assert!(refusal(json!({"bodies": [moving(), still()], "pairs": [["a", "a"]]})).contains("pairs[0] is not a pair"));
}

#[test]
fn expectations_outlive_refused_queries() {
    let broken = json!({"id": 7, "bodies": [{"name": "a"}], "expected": {"status": "reject", "hit": null}, "title": "t"});
    let case = file(broken).case(0).expect("a case");
    assert!(case.question.is_err() && case.id == 7.into());
    let expected = case.expected.expect("an expectation");
    assert_eq!((expected.outcome, expected.accept.as_slice()), (Outcome::Reject, &[Said::Reject][..]));
    let whole = file(
        json!({"cases": [{"bodies": []}, {"id": "b", "speed": 1}, {"expected": {"hit": "no"}}, {"expected": {"hit": true, "toc_tool": 1}}]}),
    );
    assert_eq!((whole.len(), whole.id(0), whole.id(1)), (4, 0.into(), "b".into()));
    assert!(whole.case(1).expect_err("unknown key").to_string().contains("cases[1] has the unknown key 'speed'"));
    assert!(whole.case(2).expect_err("no Boolean").to_string().contains("cases[2].expected.hit"));
    let misspelt = whole.case(3).expect_err("unknown key").to_string();
    assert!(misspelt.contains("has the unknown key 'toc_tool'; did you mean 'toc_tol'? known names: hit"), "{misspelt}");
    assert!(whole.case(4).is_err());
}

#[test]
fn files_stay_in_the_cases_folder() {
    let message = refusal(json!({"robot": {"urdf": "../../etc/passwd", "q0": [], "q1": []}}));
    assert!(message.contains("is outside"), "{message}");
    let error = load_cases(Path::new("no such case.json"), &UrdfOptions::default()).expect_err("missing");
    assert_eq!(error.class(), "Read");
}

/// Two cranks on a bench: a ball at the end of one, a rod attached to the hand of the other.
fn cranks() -> Value {
    let turn = |name: &str, child: &str, x: f64, q1: f64| {
        json!({"name": name, "type": "revolute", "parent": "bench", "child": child, "axis": [0, 0, 1],
            "origin": {"xyz": [x, 0, 0], "rpy": [0, 0, 0]}, "q0": 0, "q1": q1})
    };
    json!({"links": [{"name": "bench"}, {"name": "left", "shape": {"type": "sphere", "radius": 0.1}}, {"name": "right"}],
        "joints": [turn("a", "left", 0.0, 1.0), turn("b", "right", 2.0, 1.0)]})
}

#[test]
fn links_have_attached_parts() {
    let rod = json!({"name": "rod", "link": "right", "shape": {"type": "capsule", "radius": 0.05, "length": 4},
        "pose": {"p": [0, 2.5, 0], "rpy": [std::f64::consts::FRAC_PI_2, 0, 0]}});
    // The rod turns past the ball, which is static at the origin.
    let mut tree = cranks();
    tree["joints"][1]["q1"] = 2.into();
    let (verdict, query) = run(json!({"tree": tree, "attached": [rod], "query": {"margin": 0.0}}));
    let contact = verdict.contact().unwrap_or_else(|| panic!("{verdict:?}")).clone();
    let names = [contact.parts.0, contact.parts.1].map(|part| query.part_name(part).expect("of this case"));
    assert!(names.contains(&"rod") && names.contains(&"left"), "{names:?}");
    let mut kind = rod.clone();
    kind["touch"] = json!(["left"]);
    assert!(run(json!({"tree": tree, "attached": [kind]})).0.is_free());
    for (key, value, why) in [
        ("link", json!("ghost"), "there is no link 'ghost'"),
        ("touch", json!(["ghost"]), "there is no part with geometry 'ghost'"),
        ("weight", json!(1), "unknown key 'weight'"),
    ] {
        let mut bad = rod.clone();
        bad[key] = value;
        let message = refusal(json!({"tree": cranks(), "attached": [bad]}));
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn trees_have_loops() {
    let mut tree = cranks();
    tree["loops"] = json!([{"name": "rope", "type": "spherical", "links": ["left", "right"], "frames": [{"p": [1, 0, 0]}, {"p": [-1, 0, 0]}]}]);
    let (_, query) = run(json!({"tree": tree}));
    let open = query.checker.scene().loop_openings(&query.motion).expect("of this scene").remove(0);
    // Both ends turn by one radian about centres two apart: (1, 0) and (2, 0) - (1, 0), so they separate by 2 |2 sin(1/2)| at
    // most.
    assert!(open.name == "tree/rope" && open.at_start.metres < 1e-12 && open.at_most.radians.is_none());
    assert!((open.at_end.metres - 4.0 * impinge::math::trig::sin_cos(0.5).0).abs() < 1e-11, "{open:?}");
    for (key, value, why) in [
        ("type", json!("universal"), "is 'universal'"),
        ("links", json!(["left"]), "are not two"),
        ("frames", json!([{}]), "are not two"),
        ("links", json!(["left", "ghost"]), "ghost"),
        ("type", json!("revolute"), "key 'axis' is missing"),
    ] {
        let mut bad = tree.clone();
        bad["loops"][0][key] = value;
        let message = refusal(json!({"tree": bad}));
        assert!(message.contains(why), "{message}");
    }
}

/// A tetrahedron whose apex moves down through its base, at z = 0, half way.
fn crumpling(apex: f64) -> Value {
    json!({"name": "cloth", "shape": {"type": "mesh", "vertices": [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, 1]],
            "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]},
        "motion": {"type": "linear_vertices", "vertices1": [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, apex]]}})
}

#[test]
fn self_contact_is_checked_on_request() {
    let own = |apex: f64, query: Value| json!({"bodies": [crumpling(apex)], "pairs": [["cloth", "cloth"]], "query": query});
    let (verdict, query) = run(own(-1.0, json!({})));
    let contact = verdict.contact().expect("the apex goes through the base");
    assert!(contact.time.0 <= 0.5 && 0.5 <= contact.time.1 && contact.time.1 - contact.time.0 < 1e-8, "{:?}", contact.time);
    assert_eq!([contact.parts.0, contact.parts.1].map(|p| query.part_name(p).expect("of this case")), ["cloth"; 2]);
    assert!((contact.point - impinge::Vec3::new(1.0, 1.0, 0.0)).norm() < 1e-8, "{:?}", contact.point);
    assert!(run(own(0.25, json!({}))).0.is_free());
    // The apex approaches the base to 0.25, and stays 1/sqrt(2) away from edges that do not contain it.
    let near = run(own(0.25, json!({"margin": 0.5}))).0;
    let time = near.contact().expect("within the margin").time;
    assert!((time.1 - 2.0 / 3.0).abs() < 1e-6, "{time:?}");
    assert!(run(own(0.25, json!({"margin": 0.2}))).0.is_free());
    // Unless it is listed, a body is not checked against itself; a warning reports this.
    let silent = file(json!({"bodies": [crumpling(-1.0)]})).case(0).expect("a case");
    assert_eq!(silent.warnings.iter().map(|w| w.kind).collect::<Vec<_>>(), ["nothing-checked"]);
    let listed = file(own(-1.0, json!({}))).case(0).expect("a case");
    assert!(listed.warnings.is_empty(), "{:?}", listed.warnings);
}

#[test]
fn rigid_bodies_have_no_self_contact() {
    let bodies = [crumpling(-1.0), body("b", [0.0; 3], [0.0; 3])];
    let message = refusal(json!({"bodies": bodies, "pairs": [["cloth", "cloth"], ["b", "b"]]}));
    assert!(message.contains("pairs[1] is not a pair of two parts: 'b' is rigid"), "{message}");
    let message = refusal(json!({"bodies": bodies, "ignore": [["cloth", "cloth"]]}));
    assert!(message.contains("ignore[0] is not a pair"), "{message}");
}

/// Two sliders on one rail: the second moves the opposite way, twice as far.
#[test]
fn joints_of_a_tree_mimic_others() {
    let slider = |name: &str, child: &str| {
        json!({"name": name, "type": "prismatic", "parent": "rail", "child": child, "axis": [1, 0, 0],
            "origin": {"xyz": [0, 0, 0], "quat_wxyz": [1, 0, 0, 0]}})
    };
    let mut joints = [slider("a", "one"), slider("b", "other")];
    (joints[0]["q0"], joints[0]["q1"]) = (json!(0), json!(3));
    joints[1]["mimic"] = json!({"joint": "a", "multiplier": -2, "offset": 7});
    let tree = |joints: &[Value]| json!({"links": [{"name": "rail"}, {"name": "one", "shape": cube()}, {"name": "other", "shape": cube()}], "joints": joints});
    // One at 3 t, the other at 7 - 6 t: cubes of side 1 meet when 7 - 9 t = 1.
    let (verdict, _) = run(json!({"tree": tree(&joints)}));
    let time = verdict.contact().expect("they meet").time;
    assert!((time.1 - 2.0 / 3.0).abs() < 1e-8, "{time:?}");
    let message = |pointer: &str, value: Value| {
        let mut bad = joints[1].clone();
        *bad.pointer_mut(pointer).expect("there") = value;
        refusal(json!({"tree": tree(&[joints[0].clone(), bad])}))
    };
    for (pointer, value, why) in [
        ("/mimic/joint", json!("ghost"), "ghost"),
        ("/mimic/joint", json!("b"), "mimic"),
        ("/mimic", json!({"joint": "a", "factor": 2}), "unknown key 'factor'"),
        ("/mimic", json!({"multiplier": 2}), "key 'joint' is missing"),
        ("/mimic/multiplier", json!("NaN"), "not finite"),
        ("/type", json!("fixed"), "mimic belongs to a fixed joint"),
    ] {
        let message = message(pointer, value);
        assert!(message.contains(why), "{pointer}: {message}");
    }
    // Values of a mimic joint may be given if they agree with those of the source joint.
    let mut both = joints.clone();
    (both[1]["q0"], both[1]["q1"]) = (json!(7), json!([1.0000005]));
    let (agreeing, _) = run(json!({"tree": tree(&both)}));
    assert_eq!(agreeing.contact().expect("they meet").time, time);
    for (key, value, why) in [
        ("q0", json!(0), "joints[1].q0 is 0, but the joint mimics another, which requires 7; remove it"),
        ("q1", json!(1.00001), "q1 is 1.00001"),
        ("q1", json!([1, 1]), "has 2"),
    ] {
        let mut other = both.clone();
        other[1][key] = value;
        let message = refusal(json!({"tree": tree(&other)}));
        assert!(message.contains(why), "{message}");
    }
    let fixed = |q1: Value| json!({"name": "b", "type": "fixed", "parent": "rail", "child": "other", "q0": 0, "q1": q1});
    assert!(refusal(json!({"tree": tree(&[joints[0].clone(), fixed(json!(0.5))])})).contains("q1 moves a fixed joint"));
    run(json!({"tree": tree(&[joints[0].clone(), fixed(json!([]))])}));
}
