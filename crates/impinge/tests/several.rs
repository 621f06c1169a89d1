//! Several things that move in one question: robots on robots, robots beside robots, attached parts.

use impinge::geometry::{Piece, Primitive};
use impinge::robot::{JointKind, JointSpec, Link, Robot};
use impinge::scene::{PairStatus, SceneBuilder};
use impinge::{Checker, Error, Motion, Options, Pose, RigidMotion, Scene, Vec3};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z))
}

fn ball(radius: f64, at: Pose) -> Piece {
    Piece::new(Primitive::sphere(radius).expect("a ball"), at)
}

fn joint(name: &str, parent: &str, child: &str, at: Pose, kind: JointKind) -> JointSpec {
    let (name, parent, child) = (name.into(), parent.into(), child.into());
    JointSpec { name, parent, child, parent_from_joint: at, kind, limits: None, mimic: None }
}

const TURN: JointKind = JointKind::Revolute { axis: Vec3::new(0.0, 0.0, 1.0) };

/// A deck that moves freely.
fn cart() -> Robot {
    let deck = Piece::new(Primitive::cuboid(Vec3::new(1.0, 1.0, 0.1)).expect("a box"), Pose::IDENTITY);
    let links = [("world", vec![]), ("deck", vec![deck])].map(|(name, pieces)| Link { name: name.into(), pieces });
    let free = joint("drive", "world", "deck", Pose::IDENTITY, JointKind::Floating);
    Robot::new("cart", links.to_vec(), vec![free]).expect("a tree")
}

/// A post, an arm that turns about it, with a ball of radius 0.1 at its end, one metre out, and a tool fixed to the ball.
fn arm() -> Robot {
    let links = [
        ("post", vec![ball(0.2, at(0.0, 0.0, 0.0))]),
        ("upper", vec![ball(0.1, at(1.0, 0.0, 0.5))]),
        ("tool", vec![ball(0.05, at(0.0, 0.0, 0.0))]),
    ];
    let links = links.map(|(name, pieces)| Link { name: name.into(), pieces });
    let joints = [
        joint("turn", "post", "upper", Pose::IDENTITY, TURN),
        joint("weld", "upper", "tool", at(1.0, 0.0, 0.6), JointKind::Fixed),
    ];
    Robot::new("arm", links.to_vec(), joints.to_vec()).expect("a tree")
}

fn status(scene: &Scene, a: &str, b: &str) -> PairStatus {
    let name = |part| scene.part_name(part).expect("of this scene");
    let named = |x, y| (name(x), name(y));
    let found = scene.pairs().find(|&(x, y, _)| named(x, y) == (a, b) || named(x, y) == (b, a));
    found.unwrap_or_else(|| panic!("no pair {a}, {b}")).2
}

fn build(builder: SceneBuilder) -> Scene {
    builder.build().expect("a scene")
}

/// Turns by two radians on the way.
const HERE: [f64; 7] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

fn far() -> [f64; 7] {
    let (s, c) = impinge::math::trig::sin_cos(1.0);
    [900.0, -500.0, 30.0, c, 0.0, 0.0, s]
}

fn two_arms() -> Scene {
    let builder = Scene::builder().robot("cart", cart()).robot_on("left", arm(), "cart/deck", at(-1.101, 0.0, 0.5));
    let turned = Pose::from_rpy(Vec3::new(1.101, 0.0, 0.5), Vec3::new(0.0, 0.0, std::f64::consts::PI)).expect("finite");
    build(builder.robot_on("right", arm(), "cart/deck", turned))
}

/// Two arms on one deck, their balls 2 mm apart, driven more than a kilometre: nothing between them moves.
#[test]
fn what_moves_rigidly_together_is_free_however_far_it_goes() {
    let scene = two_arms();
    let [cart, left, right] = ["cart", "left", "right"].map(|name| scene.robot(name).expect("there"));
    let checker = Checker::new(scene, Options::default()).expect("options");
    let ask = |q1: f64| {
        let end = far();
        let (from, to) = ([0.0], [q1]);
        let motion = checker.scene().motion().joint_line(cart, &HERE, &end).joint_line(left, &from, &to).rest(right, &[0.0]);
        let motion = motion.build().expect("finite");
        checker.first_contact(&motion).expect("of this scene")
    };
    assert!(ask(0.0).is_free());
    // The left arm turns away while the cart drives: still free.
    assert!(ask(0.5).is_free());
    // And they are looked at: 3 mm is more than there is between them.
    let options = Options::default().margin(0.003);
    let checker = Checker::new(two_arms(), options).expect("options");
    let [cart, left, right] = ["cart", "left", "right"].map(|name| checker.scene().robot(name).expect("there"));
    let end = far();
    let motion = checker.scene().motion().joint_line(cart, &HERE, &end).rest(left, &[0.0]).rest(right, &[0.0]);
    let touching = checker.first_contact(&motion.build().expect("finite")).expect("of this scene");
    assert!(touching.contact().is_some_and(|c| c.time.1 < 1e-6), "{touching:?}");
}

/// The same with two robots that know nothing of each other and move alike.
#[test]
fn two_robots_moving_alike_stay_apart() {
    let scene = build(Scene::builder().robot("a", cart()).robot_at("b", cart(), at(1.002, 0.0, 0.0)));
    let [a, b] = ["a", "b"].map(|name| scene.robot(name).expect("there"));
    let checker = Checker::new(scene, Options::default()).expect("options");
    let end = [70.0, -50.0, 3.0, 1.0, 0.0, 0.0, 0.0];
    let motion = checker.scene().motion().joint_line(a, &HERE, &end).joint_line(b, &HERE, &end).build().expect("finite");
    assert!(checker.first_contact(&motion).expect("of this scene").is_free());
    let ahead = [70.01, -50.0, 3.0, 1.0, 0.0, 0.0, 0.0];
    let motion = checker.scene().motion().joint_line(a, &HERE, &ahead).joint_line(b, &HERE, &end).build().expect("finite");
    let contact = checker.first_contact(&motion).expect("of this scene");
    let time = contact.contact().expect("a gains 1 cm on b, 2 mm ahead").time;
    assert!((time.1 - 0.2).abs() < 1e-6, "{time:?}");
}

#[test]
fn robots_on_robots_are_fixed_to_what_they_stand_on() {
    let scene = build(Scene::builder().robot("cart", cart()).robot_on("arm", arm(), "deck", at(0.0, 0.0, 0.2)));
    assert_eq!(status(&scene, "cart/deck", "arm/post"), PairStatus::Attached);
    assert_eq!(status(&scene, "cart/deck", "arm/upper"), PairStatus::Checked);
    assert_eq!(status(&scene, "arm/upper", "arm/tool"), PairStatus::Adjacent);
    let refused = |builder: SceneBuilder| builder.build().expect_err("refused").to_string();
    let twice = Scene::builder().robot("a", cart()).robot("b", cart());
    assert!(refused(twice.robot_on("arm", arm(), "deck", Pose::IDENTITY)).contains("write robot/link"));
    let none = Scene::builder().robot_on("arm", arm(), "deck", Pose::IDENTITY).build();
    assert!(matches!(none, Err(Error::Unknown { kind: "link", .. })));
    let frames = [Pose::IDENTITY; 3];
    let motion = scene.motion().rest(scene.robot("cart").expect("there"), &HERE);
    let motion = motion.link_frames(scene.robot("arm").expect("there"), &frames, &frames).build();
    assert!(motion.expect_err("frames").to_string().contains("stands on another"));
}

fn turning(scene: &Scene, to: f64) -> Motion {
    scene.motion().joint_line(scene.robot("arm").expect("there"), &[0.0], &[to]).build().expect("finite")
}

/// A rod held by the tool reaches what the arm alone does not.
#[test]
fn what_is_attached_moves_with_its_link() {
    let rod = Primitive::capsule(0.02, 1.0).expect("a rod");
    let along = Pose::from_rpy(Vec3::new(0.6, 0.0, 0.0), Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0)).expect("finite");
    let wall = || Primitive::cuboid(Vec3::new(0.1, 1.0, 2.0)).expect("a wall");
    let builder = || Scene::builder().robot("arm", arm()).obstacle("wall", wall(), at(0.0, 1.9, 0.6));
    let ask = |scene: Scene| {
        let motion = turning(&scene, 1.6);
        Checker::new(scene, Options::default()).expect("options").first_contact(&motion).expect("of this scene")
    };
    assert!(ask(build(builder())).is_free());
    let scene = build(builder().attach("rod", rod, "tool", along, &[]));
    assert_eq!(status(&scene, "rod", "arm/tool"), PairStatus::Attached);
    assert_eq!(status(&scene, "rod", "arm/upper"), PairStatus::Rigid);
    assert_eq!(status(&scene, "rod", "arm/post"), PairStatus::Checked);
    assert_eq!(status(&scene, "rod", "wall"), PairStatus::Checked);
    let tip = scene.poses(&turning(&scene, 1.0), 0.0).expect("of this scene").find(|(name, _)| *name == "rod").expect("told").1;
    assert!((tip.translation - Vec3::new(1.0, 0.0, 0.6)).norm() < 1e-15);
    let verdict = ask(scene);
    let contact = verdict.contact().expect("the rod is long");
    // Its side meets the wall's edge at (0.05, 1.4): 1.4 cos(q) - 0.05 sin(q) = 0.02.
    let truth = ((0.02 / 1.4f64.hypot(0.05)).acos() - (0.05f64 / 1.4).atan()) / 1.6;
    assert!((contact.time.1 - truth).abs() < 1e-8, "{:?}, not {truth}", contact.time);
    let scene = build(builder().attach("rod", rod, "arm/tool", along, &["post", "wall"]));
    assert!(matches!(status(&scene, "rod", "arm/post"), PairStatus::Disabled(why) if why == "may touch what 'arm/tool' holds"));
    assert!(matches!(status(&scene, "rod", "wall"), PairStatus::Disabled(_)));
    assert!(ask(scene).is_free());
    let refused = |link: &str, touch: &[&str]| builder().attach("rod", rod, link, along, touch).build().expect_err("refused");
    assert!(matches!(refused("ghost", &[]), Error::Unknown { kind: "link", .. }));
    assert!(matches!(refused("tool", &["ghost"]), Error::Unknown { kind: "part", .. }));
    assert!(matches!(builder().attach("rod", rod, "wall", along, &[]).build(), Err(Error::Unknown { .. })));
    let nowhere = Pose::from_translation(Vec3::splat(f64::NAN));
    assert!(matches!(builder().attach("rod", rod, "tool", nowhere, &[]).build(), Err(Error::NonFinite { .. })));
}

/// A robot, a person-like second robot and a moving obstacle, all on one clock: each pair meets when it should.
#[test]
fn a_moving_obstacle_meets_a_moving_arm() {
    let scene = build(Scene::builder().robot("arm", arm()).body("box", Primitive::sphere(0.1).expect("a ball")));
    let (robot, body) = (scene.robot("arm").expect("there"), scene.body("box").expect("there"));
    let checker = Checker::new(scene, Options::default()).expect("options");
    let ask = |start: Vec3, end_position: Vec3, q1: f64| {
        let rigid = RigidMotion { start: Pose::from_translation(start), end_position, rotation_vector: Vec3::ZERO };
        let to = [q1];
        let motion = checker.scene().motion().joint_line(robot, &[0.0], &to).rigid(body, rigid).build().expect("finite");
        checker.first_contact(&motion).expect("of this scene")
    };
    // The ball at the arm's end stays at (1, 0, 0.5); the obstacle comes down from 2.5 above, and touches after 2.3 of 5 metres.
    let down = ask(Vec3::new(1.0, 0.0, 3.0), Vec3::new(1.0, 0.0, -2.0), 0.0);
    // The tool is welded on top, 0.1 higher, radius 0.05: it is met first, at 0.6 + 0.15 above.
    let time = down.contact().expect("meets").time;
    assert!((time.1 - (3.0 - 0.75) / 5.0).abs() < 1e-6, "{time:?}");
    // The arm has turned away by then.
    assert!(ask(Vec3::new(1.0, 0.0, 3.0), Vec3::new(1.0, 0.0, -2.0), 3.0).is_free());
}

/// A half-space is solid all the way down, and reaches as far as motions may go; where they may go farther they are refused.
#[test]
fn half_spaces_rest_below_everything() {
    let tilted = Pose::from_rpy(Vec3::new(0.0, 0.0, 0.5), Vec3::new(0.3, -0.2, 1.0)).expect("finite");
    for pose in [Pose::IDENTITY, at(5.0, -3.0, 0.25), tilted] {
        let mut builder = Scene::builder().body("ball", Primitive::sphere(0.5).expect("a ball"));
        builder.add_obstacle("ground", vec![Piece::half_space(pose).expect("finite")]);
        let checker = Checker::new(build(builder), Options::default()).expect("options");
        let body = checker.scene().body("ball").expect("there");
        let up = pose.rotation * Vec3::unit(2);
        let along = pose.rotation * Vec3::unit(0);
        let ask = |from: f64, to: f64, aside: f64| {
            let place = |height: f64| pose.translation + up * height + along * aside;
            let motion =
                RigidMotion { start: Pose::from_translation(place(from)), end_position: place(to), rotation_vector: Vec3::ZERO };
            checker.scene().motion().rigid(body, motion).build().map(|m| checker.first_contact(&m).expect("of this scene"))
        };
        for aside in [0.0, 300.0, -700.0] {
            let verdict = ask(1.5, -0.5, aside).expect("near enough");
            let contact = verdict.contact().expect("it goes into the ground");
            assert!((contact.time.1 - 0.5).abs() < 1e-8, "{:?}", contact.time);
            assert!(ask(1.5, 0.500001, aside).expect("near enough").is_free());
            assert_eq!(ask(-3.0, -2.0, aside).expect("near enough").contact().map(|c| c.time), Some((0.0, 0.0)), "deep inside");
        }
        assert!(ask(1.5, 2.0, 2000.0).expect_err("too far").to_string().contains("half-space 'ground'"));
    }
    let mut moving = Scene::builder();
    moving.add_body("ground", vec![Piece::half_space(Pose::IDENTITY).expect("finite")]);
    assert!(moving.build().expect_err("it moves").to_string().contains("must rest"));
}

/// A link's own name that two robots have names no pair: leaving out both would hide contacts.
#[test]
fn pairs_to_leave_out_are_unique() {
    let arms = || Scene::builder().robot("left", arm()).robot_at("right", arm(), at(5.0, 0.0, 0.0));
    let wall = || arms().obstacle("wall", Primitive::sphere(0.1).expect("a ball"), at(1.0, 2.0, 0.0));
    let refused = |builder: SceneBuilder| builder.build().expect_err("ambiguous").to_string();
    assert!(refused(wall().disable("upper", "wall", "off")).contains("several robots have it; write robot/link"));
    let held = |touch| arms().attach("cup", Primitive::sphere(0.1).expect("a ball"), "left/tool", Pose::IDENTITY, &[touch]);
    assert!(refused(held("nobody")).contains("nobody"));
    build(held("upper"));
    let scene = build(wall().disable("left/upper", "wall", "off"));
    assert_eq!(status(&scene, "right/upper", "wall"), PairStatus::Checked);
    assert_ne!(status(&scene, "left/upper", "wall"), PairStatus::Checked);
}
