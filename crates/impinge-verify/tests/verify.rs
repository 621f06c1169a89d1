//! Small certificates written by hand: true ones are accepted up to the last digits, false ones are refused.

use impinge_verify::{Line, Problem, Verifier};

const STILL: &str = "\"r\":[1,0,0,0,1,0,0,0,1]";

/// Builds two parts, shape A on the last frame and shape B in the world at `b`, and a motion with one proof.
struct Certificate {
    solids: bool,
    frames: String,
    a: String,
    b: String,
    b_at: [f64; 3],
    checked: String,
    unchecked: String,
    margin: f64,
    moves: String,
    steps: String,
    numbers: String,
}

impl Certificate {
    /// Point A at (1, 0, 0) on a joint, point B at (x, 0, 0); the claim: A is farther along x.
    fn new(joint: &str, moves: &str, x: f64) -> Self {
        Certificate {
            solids: true,
            frames: format!("{{\"name\":\"j\",\"parent\":0,\"p\":[0,0,0],{STILL},\"joint\":{joint}}}"),
            a: "{\"sphere\":{\"radius\":0}}".into(),
            b: "{\"sphere\":{\"radius\":0}}".into(),
            b_at: [x, 0.0, 0.0],
            checked: "[0,1]".into(),
            unchecked: String::new(),
            margin: 0.0,
            moves: format!("[{moves}]"),
            steps: "B".into(),
            numbers: "1,0,0".into(),
        }
    }

    fn lines(&self) -> [String; 2] {
        let last = self.frames.matches("parent").count();
        let [x, y, z] = self.b_at;
        let scene = signed(&format!(
            "{{\"impinge\":\"scene\",\"version\":2,\"solids\":{},\"frames\":[{}],\"shapes\":[{},{}],\"parts\":[\
             {{\"name\":\"a\",\"frame\":{last},\"pieces\":[{{\"shape\":0,\"p\":[1,0,0],{STILL}}}]}},\
             {{\"name\":\"b\",\"frame\":0,\"pieces\":[{{\"shape\":1,\"p\":[{x},{y},{z}],{STILL}}}]}}],\
             \"checked\":[{}],\"unchecked\":[{}]",
            self.solids, self.frames, self.a, self.b, self.checked, self.unchecked
        ));
        let sum = scene[scene.len() - 18..scene.len() - 2].to_owned();
        let motion = signed(&format!(
            "{{\"impinge\":\"motion\",\"version\":2,\"scene\":\"{sum}\",\"id\":\"m\",\"margin\":{},\"moves\":[{}],\"proofs\":[\
             {{\"a\":[0,0],\"b\":[1,0],\"steps\":\"{}\",\"numbers\":[{}]}}]",
            self.margin, self.moves, self.steps, self.numbers
        ));
        [scene, motion]
    }

    fn verify(&self) -> Result<usize, Problem> {
        let mut verifier = Verifier::default();
        let [scene, motion] = self.lines();
        verifier.line(&scene)?;
        match verifier.line(&motion)? {
            Line::Free(verified) => Ok(verified.leaves),
            Line::Scene => panic!("a motion"),
        }
    }
}

fn signed(body: &str) -> String {
    let sum = body.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{body},\"checksum\":\"{sum:016x}\"}}")
}

const TURN: &str = "{\"revolute\":[0,0,1]}";
const SLIDE: &str = "{\"prismatic\":[0,0,2]}";
const QUARTER: f64 = std::f64::consts::FRAC_PI_4;

/// From -45 to 45 degrees: the claim holds in the middle, but at the ends x is only cos 45 degrees.
#[test]
fn what_bends_away_from_the_middle_is_seen() {
    let claim = |x: f64| Certificate::new(TURN, &format!("{},{}", -QUARTER, QUARTER), x).verify();
    let cosine = std::f64::consts::FRAC_1_SQRT_2;
    assert_eq!(claim(cosine - 1e-6), Ok(1));
    assert!(claim(cosine + 1e-6).is_err());
    // The same claim relative to A, where B turns.
    let seen_from_a = |x: f64| {
        let mut c = Certificate::new(TURN, "-0.1,0.1", x);
        c.steps = "A".into();
        c.verify()
    };
    // Along the x axis of A, B at (x, 0, 0) reaches x.
    assert_eq!(seen_from_a(1.0 - 1e-6), Ok(1));
    assert!(seen_from_a(1.0 + 1e-6).is_err());
}

/// From 0 to 90 degrees: the linear part matters at one end only.
#[test]
fn what_moves_on_is_seen_at_both_ends() {
    for (moves, sign) in [("0,1.5", 1.0), ("1.5,0", 1.0), ("0,-1.5", -1.0), ("-1.5,0", -1.0)] {
        let mut c = Certificate::new(TURN, moves, 0.0);
        c.numbers = format!("0,{sign},0");
        c.b_at = [0.0, -1e-6 * sign, 0.0];
        assert_eq!(c.verify(), Ok(1), "{moves}");
        c.b_at = [0.0, 1e-6 * sign, 0.0];
        assert!(c.verify().is_err(), "{moves}");
        c.numbers = format!("0,{},0", -sign);
        c.b_at = [0.0, (0.997_494_986_604_054_5 + 1e-6) * sign, 0.0];
        assert_eq!(c.verify(), Ok(1), "{moves}");
        c.b_at[1] -= 2e-6 * sign;
        assert!(c.verify().is_err(), "{moves}");
    }
}

/// A translation keeps its distance exactly: more than the margin is accepted, the margin itself is not.
#[test]
fn margins_and_radii_are_exact() {
    let mut c = Certificate::new(SLIDE, "-3,4", 0.5);
    (c.margin, c.a) = (0.25, "{\"sphere\":{\"radius\":0.125}}".into());
    assert_eq!(c.verify(), Ok(1));
    c.b = "{\"capsule\":{\"radius\":0.125,\"half_length\":7}}".into();
    assert!(c.verify().is_err(), "1 - 0.5 - 0.125 - 0.125 is exactly the margin");
    c.margin = 0.25 - 1e-15;
    assert_eq!(c.verify(), Ok(1));
    c.numbers = "1000,0,0".into();
    assert_eq!(c.verify(), Ok(1), "directions have any length");
    c.margin = 0.25 + 1e-15;
    assert!(c.verify().is_err());
}

/// A piece represents all pieces within a distance of it: the effect equals a larger margin.
#[test]
fn pieces_stand_for_all_that_are_near_them() {
    let within = |a: &str, b: &str| {
        let [scene, motion] = Certificate { margin: 0.25, ..Certificate::new(SLIDE, "-3,4", 0.5) }.lines();
        let body = scene.rsplit_once(",\"checksum\"").expect("signed").0.replace("\"p\":[1,0,0],", &format!("\"p\":[1,0,0],{a}"));
        let scene = signed(&body.replace("\"p\":[0.5,0,0],", &format!("\"p\":[0.5,0,0],{b}")));
        let sum = &scene[scene.len() - 18..scene.len() - 2];
        let (_, rest) = motion.rsplit_once(",\"checksum\"").expect("signed").0.split_once(",\"id\"").expect("an id");
        let motion = signed(&format!("{{\"impinge\":\"motion\",\"version\":2,\"scene\":\"{sum}\",\"id\"{rest}"));
        let mut verifier = Verifier::default();
        verifier.line(&scene)?;
        verifier.line(&motion).map(|_| ())
    };
    assert_eq!(within("", ""), Ok(()));
    assert_eq!(within("\"within\":0.125,", "\"within\":0.124,"), Ok(()));
    assert!(within("\"within\":0.125,", "\"within\":0.125,").is_err(), "exactly the margin is left");
    assert!(within("\"within\":0.25,", "").is_err() && within("", "\"within\":0.3,").is_err());
    assert!(within("\"within\":-0.1,", "").is_err() && within("\"within\":1e300,", "").is_err());
}

/// The extents of shapes along the diagonal.
#[test]
fn shapes_reach_as_far_as_they_do() {
    let diagonal = 0.5f64.sqrt();
    let far = [
        ("{\"box\":{\"half\":[0.1,0.2,0.3]}}", "1,1,0", 0.3 * diagonal),
        ("{\"sphere\":{\"radius\":0.2}}", "1,1,0", 0.2),
        ("{\"capsule\":{\"radius\":0.1,\"half_length\":0.3}}", "1,0,1", 0.1 + 0.3 * diagonal),
        ("{\"cylinder\":{\"radius\":0.1,\"half_length\":0.3}}", "1,0,1", 0.4 * diagonal),
        ("{\"cylinder\":{\"radius\":0.1,\"half_length\":0.3}}", "3,4,0", 0.1),
        ("{\"mesh\":{\"vertices\":[0,0,0,0.1,0.2,0,-1,-1,-1,9,9,9],\"triangles\":[0,1,2]}}", "1,1,0", 0.3 * diagonal),
    ];
    for (shape, n, reach) in far {
        let v: Vec<f64> = n.split(',').map(|c| c.parse().expect("a number")).collect();
        let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
        let a_is_at = v[0] / length;
        for (slack, holds) in [(-1e-9, true), (1e-9, false)] {
            let mut c = Certificate::new("\"fixed\"", "", 0.0);
            (c.b, c.numbers, c.margin) = (shape.into(), n.into(), a_is_at - reach + slack);
            assert_eq!(c.verify().is_ok(), holds, "{shape} {n} {slack}");
        }
    }
}

/// A free body with a rotation vector of any length, including nearly zero.
#[test]
fn free_bodies_move_as_told() {
    for (turn, x) in
        [("0,0,0", 1.0), ("0,0,1e-13", 1.0), ("0,0,1e-9", 1.0), ("0,0,0.5", 0.877_582_561_890_372_8), ("0,0,-600", -1.0)]
    {
        let moves = format!("0,0,0,0,0,5,1,0,0,0,1,0,0,0,1,{turn}");
        // 600 radians are shown in as many spans as necessary.
        let cut = |steps: usize| (0..steps).fold("B".to_owned(), |s, _| format!("t{s}{s}"));
        let steps = if turn.ends_with("600") { cut(4) } else { cut(0) };
        let leaves = steps.matches('B').count();
        let claim = |x: f64| {
            let mut c = Certificate::new("\"free\"", &moves, x);
            (c.steps, c.numbers) = (steps.clone(), vec!["1,0,0"; leaves].join(","));
            c.verify()
        };
        let slack = if leaves > 1 { 1e-3 } else { 1e-6 };
        assert_eq!(claim(x - slack), Ok(leaves), "{turn}");
        assert!(claim(x + slack).is_err(), "{turn}");
    }
}

#[test]
fn planar_joints_slide_and_turn() {
    let joint = "{\"planar\":[[0,0,3],0]}";
    let claim = |y: f64| {
        let mut c = Certificate::new(joint, "0,0,0,2,3,1.5", 0.0);
        (c.b_at, c.numbers) = ([0.0, y, 0.0], "0,1,0".into());
        c.verify()
    };
    assert_eq!(claim(-1e-6), Ok(1), "it moves up and turns up");
    assert!(claim(1e-6).is_err());
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let good = || Certificate::new(TURN, "0,0.1", 0.5);
    assert_eq!(good().verify(), Ok(1));
    let cut: [(&str, &str, bool); 11] = [
        ("tBB", "1,0,0,1,0,0", true),
        ("", "", false),
        ("tB", "1,0,0", false),
        ("BB", "1,0,0,1,0,0", false),
        ("B", "1,0", false),
        ("B", "1,0,0,0", false),
        ("aBB", "1,1,0,0,1,0,0", false),
        ("aBB", "0,1,0,0,1,0,0", false),
        ("bBB", "0.5,1,0,0,1,0,0", false),
        ("x", "1,0,0", false),
        ("B", "0,0,0", false),
    ];
    for (steps, numbers, holds) in cut {
        let c = Certificate { steps: steps.into(), numbers: numbers.into(), ..good() };
        assert_eq!(c.verify().is_ok(), holds, "{steps} {numbers}");
    }
    let frame =
        |parent: usize, r: &str| format!("{{\"name\":\"j\",\"parent\":{parent},\"p\":[0,0,0],\"r\":[{r}],\"joint\":{TURN}}}");
    let bad = [
        Certificate { frames: frame(1, "1,0,0,0,1,0,0,0,1"), ..good() },
        Certificate { frames: frame(0, "1,0,0,0,1,0,0,0,1.0000001"), ..good() },
        Certificate { frames: frame(0, "1,0,0,0,1,0,0,0,-1"), ..good() },
        Certificate { frames: frame(0, "1,0,0,0,1,0,0,0,1").replace("[0,0,1]", "[0,0,0]"), ..good() },
        Certificate { moves: "[0]".into(), ..good() },
        Certificate { moves: "[0,0.1],[]".into(), ..good() },
        Certificate { checked: String::new(), ..good() },
        Certificate { checked: "[0,1],[0,1]".into(), ..good() },
        Certificate { unchecked: "[0,1,\"both\"]".into(), ..good() },
        Certificate { checked: String::new(), unchecked: "[0,1,\"why not\"]".into(), ..good() },
        Certificate { margin: -1.0, ..good() },
        Certificate { a: "{\"sphere\":{\"radius\":-1}}".into(), ..good() },
        Certificate { a: "{\"mesh\":{\"vertices\":[0,0,0],\"triangles\":[0,0,1]}}".into(), ..good() },
        Certificate { a: "{\"mesh\":{\"vertices\":[0,0,0],\"triangles\":[]}}".into(), ..good() },
        Certificate { moves: "[0,1e300]".into(), ..good() },
        Certificate { b_at: [-1e30, 0.0, 0.0], ..good() },
    ];
    for (i, c) in bad.iter().enumerate() {
        assert!(c.verify().is_err(), "{i}");
    }
}

/// The sides of a tetrahedron around the origin, in the order z = -1, y = -1, x = -1, x + y + z = 3.
const TETRAHEDRON: &str = "{\"mesh\":{\"vertices\":[-1,-1,-1,5,-1,-1,-1,5,-1,-1,-1,5],\"triangles\":[0,2,1,0,1,3,0,3,2,1,2,3]}}";

/// A point in a tetrahedron, with a leaf for each side: as surfaces they are apart, as solids they are not.
#[test]
fn what_starts_inside_of_a_closed_mesh_is_refused() {
    let around = |at: [f64; 3]| {
        let mut c = Certificate::new("\"fixed\"", "", 1.0);
        (c.b, c.b_at, c.steps) = (TETRAHEDRON.into(), at, "bBbBbBB".into());
        c.numbers = "1,0,0,1,2,0,1,0,3,1,0,0,-1,-1,-1".into();
        c
    };
    let inside = around([1.0, 0.0, 0.0]);
    assert_eq!(Certificate { solids: false, ..around([1.0, 0.0, 0.0]) }.verify(), Ok(4), "surfaces");
    let problem = inside.verify().expect_err("inside").to_string();
    assert_eq!(problem, "'a' starts inside of 'b'");
    // A triangle and a box of the same size are inside, too.
    for a in [
        "{\"mesh\":{\"vertices\":[0,0,0,0.1,0,0,0,0.1,0],\"triangles\":[0,1,2]}}",
        "{\"box\":{\"half\":[0.1,0.1,0.1]}}",
        "{\"cylinder\":{\"radius\":0.1,\"half_length\":0.1}}",
    ] {
        assert!(Certificate { a: a.into(), ..around([1.0, 0.0, 0.0]) }.verify().is_err(), "{a}");
        assert_eq!(Certificate { a: a.into(), solids: false, ..around([1.0, 0.0, 0.0]) }.verify(), Ok(4), "{a}");
    }
    // A mesh with a reversed triangle encloses nothing, nor does one with an additional triangle, unless that is a repetition.
    for (triangles, is_solid) in [
        ("[0,2,1,0,1,3,0,3,2,1,2,3,0,3,1]", false),
        ("[0,2,1,0,1,3,0,3,2,1,2,3,0,1,3]", true),
        ("[0,2,1,0,1,3,0,3,2,1,2,3,3,0,1]", true),
        ("[0,2,1,0,1,3,0,3,2,1,3,2]", false),
    ] {
        let b = TETRAHEDRON.replace("[0,2,1,0,1,3,0,3,2,1,2,3]", triangles);
        let mut c = Certificate { b, ..around([1.0, 0.0, 0.0]) };
        if triangles.len() > 28 {
            (c.steps, c.numbers) = ("bBbBbBbBB".into(), "1,0,0,1,2,0,1,0,3,1,0,0,4,-1,-1,-1,0,1,0".into());
        }
        let refused = c.verify().is_err_and(|problem| problem.to_string() == "'a' starts inside of 'b'");
        assert_eq!((c.verify().is_ok(), refused), (!is_solid, is_solid), "{triangles}");
    }
    // In the box around it, but beyond the side x + y + z = 3; no single plane decides this, so a ray must.
    let mut beyond = around([-1.0, -2.0, -2.0]);
    beyond.numbers = "1,1,1,1,2,1,1,1,3,1,1,1,1,1,1".into();
    assert_eq!(beyond.verify(), Ok(4));
}

/// The piece that is checked first is the outer one.
#[test]
fn a_primitive_in_the_first_piece_is_refused() {
    let mut c = Certificate::new(TURN, "0,0", 1.0);
    (c.a, c.steps) = (TETRAHEDRON.into(), "aAaAaAA".into());
    c.numbers = "1,0,0,-1,2,0,-1,0,3,-1,0,0,1,1,1".into();
    assert_eq!(c.verify().expect_err("inside").to_string(), "'b' starts inside of 'a'");
    c.solids = false;
    assert_eq!(c.verify(), Ok(4));
}

#[test]
fn other_versions_are_named() {
    for version in [1, 3] {
        for line in Certificate::new(TURN, "0,0.1", 0.5).lines() {
            let body =
                line.rsplit_once(",\"checksum\"").expect("signed").0.replace("\"version\":2", &format!("\"version\":{version}"));
            for body in [body.clone(), body.replace("\"solids\":true,", "")] {
                let problem = Verifier::default().line(&signed(&body)).expect_err("another version").to_string();
                assert!(problem.contains(&format!("version {version}")) && problem.contains("version 2"), "{problem}");
            }
        }
    }
    let [scene, _] = Certificate::new(TURN, "0,0.1", 0.5).lines();
    let body = scene.rsplit_once(",\"checksum\"").expect("signed").0.replace("\"solids\":true,", "");
    let problem = Verifier::default().line(&signed(&body)).expect_err("what meshes are is not said").to_string();
    assert!(problem.contains("solids"), "{problem}");
}

/// A slides by a tenth of the value of the first frame; a tenth of 0.3 is not a double.
#[test]
fn joints_that_mimic_go_where_their_source_says() {
    let slide =
        |mimic: &str| format!("{{\"name\":\"j\",\"parent\":0,\"p\":[0,0,0],{STILL},\"joint\":{{\"prismatic\":[1,0,0]}}{mimic}}}");
    let fixed = format!("{{\"name\":\"j\",\"parent\":0,\"p\":[0,0,0],{STILL},\"joint\":\"fixed\"}}");
    let with = |first: &str, mimic: &str, moves: &str, x: f64| {
        let mut c = Certificate::new("\"fixed\"", "", x);
        (c.frames, c.moves) = (format!("{first},{}", slide(&format!(",\"mimic\":{{{mimic}}}"))), moves.into());
        c.verify()
    };
    let tenth = |frame: usize, radius: &str| format!("\"frame\":{frame},\"multiplier\":0.1,\"offset\":0.5,\"radius\":[{radius}]");
    let claim = |radius: &str, x: f64| with(&slide(""), &tenth(1, radius), "[3,0.3],[]", x);
    assert_eq!(claim("0,0", 1.53 - 1e-15), Ok(1));
    assert!(claim("0,0", 1.53 + 1e-15).is_err());
    for radius in ["1e-3,0", "0,1e-3"] {
        assert!(claim(radius, 1.53 - 2e-4).is_err(), "every factor and constant within the radius is meant");
        assert_eq!(claim(radius, 1.53 - 1e-2), Ok(1));
    }
    assert_eq!(with(&slide(""), &tenth(1, "0,0"), "[3,0.3],[]", 1.5), Ok(1));
    for (first, mimic, moves) in [
        (slide(""), tenth(0, "0,0"), "[3,0.3],[]"),
        (slide(""), tenth(2, "0,0"), "[3,0.3],[]"),
        (slide(""), tenth(3, "0,0"), "[3,0.3],[]"),
        (slide(""), tenth(1, "-1,0"), "[3,0.3],[]"),
        (slide(""), tenth(1, "0,1e300"), "[3,0.3],[]"),
        (slide(""), tenth(1, "0,0"), "[3,0.3],[1,1]"),
        (fixed, tenth(1, "0,0"), "[],[]"),
        (slide(&format!(",\"mimic\":{{{}}}", tenth(2, "0,0"))), tenth(1, "0,0"), "[],[]"),
    ] {
        assert!(with(&first, &mimic, moves, 0.0).is_err(), "{mimic} {moves}");
    }
}

/// Common motion cancels: two spheres on a joint that turns a hundred times need one leaf.
#[test]
fn what_both_share_does_not_matter() {
    let [scene, _] = Certificate::new(TURN, "", 0.0).lines();
    let body = scene.rsplit_once(",\"checksum\"").expect("signed").0.replace("\"frame\":0", "\"frame\":1");
    let scene = signed(&body);
    let sum = &scene[scene.len() - 18..scene.len() - 2];
    let motion = signed(&format!(
        "{{\"impinge\":\"motion\",\"version\":2,\"scene\":\"{sum}\",\"id\":\"m\",\"margin\":0.999,\"moves\":[[0,628]],\"proofs\":[\
         {{\"a\":[0,0],\"b\":[1,0],\"steps\":\"B\",\"numbers\":[1,0,0]}}]"
    ));
    let mut verifier = Verifier::default();
    verifier.line(&scene).expect("a scene");
    assert!(matches!(verifier.line(&motion), Ok(Line::Free(v)) if v.leaves == 1));
}

/// The verifier uses no code of the search for proofs.
#[test]
fn the_verifier_stands_alone() {
    let manifest = include_str!("../Cargo.toml").split("[dependencies]").nth(1).expect("dependencies");
    assert!(!manifest.contains("impinge"), "{manifest}");
}
