//! Single motions, options, help and mistakes.

use serde_json::json;

use crate::world::World;

const CHECK: &str = "check arm.urdf --obstacle wall.obj";

#[test]
fn exit_codes_say_free_contact_or_error() {
    let world = World::new();
    let free = world.run(&format!("{CHECK} --from 0,0 --to 0.1,0.2"));
    assert_eq!((free.code, free.out.as_str(), free.err.as_str()), (Some(0), "free: proven for the whole motion\n", ""));
    let contact = world.run(&format!("{CHECK} --from 0,0 --to 1.2,0"));
    assert_eq!(contact.code, Some(1));
    assert!(contact.out.starts_with("contact: arm/hand touches wall\n"), "{}", contact.out);
    assert!(!contact.out.contains('\u{1b}'), "no colours in a pipe");
    let error = world.run(&format!("{CHECK} --from 0 --to 1.2,0"));
    assert_eq!((error.code, error.out.as_str()), (Some(2), ""));
    assert!(error.err.starts_with("error: --from, --to: ") && error.err.contains("in order: shoulder, stretch"), "{}", error.err);
}

#[test]
fn json_has_its_keys() {
    let world = World::new();
    let ran = world.run(&format!("{CHECK} --from 0,0 --to 1.2,0 --json"));
    let row = &ran.rows()[0];
    let wanted = [
        "id",
        "verdict",
        "time",
        "free_until",
        "pair",
        "features",
        "point",
        "normal",
        "state",
        "clearance_at_least",
        "micros",
        "warnings",
    ];
    let keys: Vec<&String> = row.as_object().expect("an object").keys().collect();
    assert!(keys.len() == wanted.len() && wanted.iter().all(|k| row.get(k).is_some()), "{row}");
    assert_eq!((&row["verdict"], &row["id"]), (&"contact".into(), &0.into()));
    // The ball, 1.1 from the axis, meets the wall's plane y = 0.5: 1.1 sin(q) + 0.05 = 0.5.
    let truth = (0.45f64 / 1.1).asin() / 1.2;
    let (lo, hi) = (row["time"][0].as_f64().expect("lo"), row["time"][1].as_f64().expect("hi"));
    assert!(lo <= truth + 1e-12 && truth <= hi + 1e-12 && hi - lo < 1e-8, "[{lo}, {hi}] and {truth}");
    assert_eq!(row["free_until"], row["time"][0]);
    let features = row["features"].as_array().expect("two features");
    assert!(features.iter().all(|f| ["kind", "triangle", "piece", "corner"].iter().all(|k| f.get(k).is_some())), "{row}");
    assert_eq!((row["point"].as_array().map(Vec::len), row["normal"].as_array().map(Vec::len)), (Some(3), Some(3)));
    assert!(row["warnings"].as_array().is_some_and(Vec::is_empty) && row["micros"].as_f64().is_some());
    let free = world.run(&format!("{CHECK} --from 0,0 --to 0.1,0 --margin 0.01 --json")).rows().remove(0);
    assert_eq!((&free["clearance_at_least"], &free["free_until"], &free["time"]), (&0.01.into(), &1.0.into(), &().into()));
}

#[test]
fn all_contacts_are_printed_on_request() {
    let world = World::new();
    let all = world.run(&format!("{CHECK} --from 0,0 --to 1.2,0 --all --json"));
    let row = &all.rows()[0];
    let contacts = row["contacts"].as_array().expect("contacts");
    assert_eq!((all.code, &row["state"], contacts.len()), (Some(1), &"begins".into(), 1), "{row}");
    assert_eq!((&contacts[0]["pair"], contacts[0]["points"].as_array().map(Vec::len)), (&row["pair"], Some(1)));
    let overlapping = world.run(&format!("{CHECK} --from 0.6,0 --to 1.2,0"));
    assert!(overlapping.code == Some(1) && overlapping.out.contains("at start  overlapping"), "{}", overlapping.out);
}

/// The hand is at the contact; the base has not moved.
#[test]
fn link_poses_are_printed_on_request() {
    let world = World::new();
    let row = world.run(&format!("{CHECK} --from 0,0 --to 1.2,0 --poses --json")).rows().remove(0);
    let links = row["links"].as_array().expect("links");
    assert!(links.len() >= 2 && links.iter().all(|l| l["name"].as_str().is_some_and(|n| n.starts_with("arm/"))), "{row}");
    assert_eq!(
        (&links[0]["pose"]["position"], &links[0]["pose"]["quaternion_wxyz"]),
        (&json!([0.0, 0.0, 0.0]), &json!([1.0, 0.0, 0.0, 0.0]))
    );
    let angle = row["time"][1].as_f64().expect("hi") * 1.2;
    let turned =
        links.iter().filter_map(|l| l["pose"]["quaternion_wxyz"][3].as_f64()).any(|z| (2.0 * z.asin() - angle).abs() < 1e-9);
    assert!(turned, "{row}");
}

#[test]
fn any_contact_is_sufficient_on_request() {
    let world = World::new();
    let any = world.run(&format!("{CHECK} --from 0,0 --to 1.2,0 --any --json"));
    assert_eq!((any.code, &any.rows()[0]["verdict"], &any.rows()[0]["free_until"]), (Some(1), &"contact".into(), &0.0.into()));
    assert_eq!(world.run(&format!("{CHECK} --from 0,0 --to 0.1,0 --any")).code, Some(0));
    assert_eq!(world.run(&format!("{CHECK} --from 0,0 --to 0.1,0 --any --first")).code, Some(2));
}

#[test]
fn values_by_name_margins_and_limits() {
    let world = World::new();
    let named = world.run(&format!("{CHECK} --from stretch=0,shoulder=-0.1 --to shoulder=0.1 --json"));
    assert_eq!((named.code, &named.rows()[0]["verdict"]), (Some(0), &"free".into()));
    assert_eq!(world.run(&format!("{CHECK} --from 0,0 --to 0.3,0")).code, Some(0));
    assert_eq!(world.run(&format!("{CHECK} --from 0,0 --to 0.3,0 --margin 0.2")).code, Some(1));
    let outside = world.run(&format!("{CHECK} --from 0,0 --to 0,0.6 --json"));
    let warning = outside.rows()[0]["warnings"][0].as_str().expect("a warning").to_owned();
    assert!(warning.contains("arm/stretch") && warning.contains("0.6 is not within [0, 0.5]"), "{warning}");
    let bad = world.run(&format!("{CHECK} --from elbow=0,shoulder=0 --to 0,0"));
    assert!(bad.code == Some(2) && bad.err.contains("no joint 'elbow'"), "{}", bad.err);
    let negative = world.run(&format!("{CHECK} --from 0,0 --to 0.1,0 --margin -1"));
    assert!(negative.code == Some(2) && negative.err.contains("margin"), "{}", negative.err);
}

#[test]
fn pairs_can_be_left_out_and_parts_renamed() {
    let world = World::new();
    let motion = "--from 0,0 --to 1.2,0 --json";
    let both = world.run(&format!("{CHECK} {motion} --ignore hand,wall --ignore arm/upper,wall"));
    assert_eq!(both.code, Some(0), "{}", both.out);
    let one = world.run(&format!("{CHECK} {motion} --ignore hand,wall --robot-name left"));
    assert_eq!(one.rows()[0]["pair"], serde_json::json!(["left/upper", "wall"]));
    let unknown = world.run(&format!("{CHECK} {motion} --ignore hand,door"));
    assert!(unknown.code == Some(2) && unknown.err.contains("'door'"), "{}", unknown.err);
}

#[test]
fn self_contact_is_checked_unless_switched_off() {
    let world = World::new();
    let fold = "check arm.urdf --from 0,0 --to 0,-1.15 --json";
    let urdf = crate::world::ARM.replace("<origin xyz=\"0 0 0.2\"/>", "<origin xyz=\"0 0 0.1\"/>");
    world.put("arm.urdf", &urdf);
    assert_eq!(world.run(fold).rows()[0]["pair"], serde_json::json!(["arm/hand", "arm/base"]));
    let off = world.run(&format!("{fold} --no-self"));
    assert_eq!(off.code, Some(0));
    assert!(off.err.contains("no pair of parts is checked"), "{}", off.err);
}

#[test]
fn help_has_examples_and_the_version_is_printed() {
    let world = World::new();
    for args in ["--help", "check --help", "pairs --help", "example --help"] {
        let help = world.run(args);
        assert_eq!(help.code, Some(0));
        assert!(help.out.contains("Examples:") && help.out.contains("  impinge "), "{args}: {}", help.out);
    }
    assert!(world.run("check --help").out.contains("Exit code: 0 all motions are free"));
    assert_eq!(world.run("--version").out, format!("impinge {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn mistakes_are_reported() {
    let world = World::new();
    world.put("bad.urdf", "<robot name='r'>\n<link name='a'/>\n<link name='a'/>\n</robot>");
    for (args, part) in [
        ("check arm.urdf", "error: no motion is given; add --from and --to"),
        ("check none.urdf --from 0 --to 0", "error: none.urdf: cannot be read"),
        ("check bad.urdf --from 0 --to 0", "error: bad.urdf:3: "),
        ("check arm.urdf --from 0,0", "--to"),
        ("check arm.urdf --from 0,x --to 0,0", "'x' is not a number"),
        ("check arm.urdf --from 0,nan --to 0,0", "not finite"),
        ("check arm.urdf --from 0,0 --to 0,0 --motions m.jsonl", "cannot be used with"),
        ("check arm.urdf --motions m.jsonl", "error: m.jsonl: cannot be read"),
        ("check arm.urdf --obstacle no.stl --from 0,0 --to 0,0", "error: no.stl: cannot be read"),
        ("check arm.urdf --ignore hand --from 0,0 --to 0,0", "two names separated by a comma"),
        ("check arm.urdf --threads 0 --from 0,0 --to 0,0", "--threads"),
        ("check", "ROBOT.urdf"),
    ] {
        let ran = world.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args}");
        assert!(ran.err.contains(part), "{args}: {}", ran.err);
        assert_eq!(ran.err.matches("os error").count(), usize::from(ran.err.contains("os error")), "printed once: {}", ran.err);
    }
}

#[test]
fn the_example_prints_all_answers() {
    let world = World::new();
    let ran = world.run("example --out demo");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("6 joints") && ran.out.contains("free") && ran.out.contains("contact    t in ["), "{}", ran.out);
    let rows = world.run("example --json").rows();
    assert!(rows.len() > 5 && rows.iter().all(|r| r["verdict"] == "free" || r["verdict"] == "contact"));
    let again = world.run("check demo/arm.urdf --obstacle demo/plant.stl --no-self --motions demo/motions.jsonl --json");
    let verdicts =
        |rows: &[serde_json::Value]| rows.iter().map(|r| (r["verdict"].clone(), r["time"].clone())).collect::<Vec<_>>();
    assert_eq!(verdicts(&again.rows()), verdicts(&rows), "the files are the same example");
}

/// Stages and bounds change the work, never the verdict; a report lists the counters of each stage.
#[test]
fn stages_and_bounds_are_switchable() {
    let world = World::new();
    let run = |flags: &str| {
        let ran = world.run(&format!("check arm.urdf --obstacle wall.obj --from 0,0 --to 1.2,0.3 --json --report {flags}"));
        assert_eq!(ran.err, "", "{flags}");
        (ran.code, ran.rows().remove(0))
    };
    let (code, usual) = run("");
    for stages in ["3", "1,3", "2,3", "1,2,3"] {
        for bound in ["tube", "interval"] {
            let (c, row) = run(&format!("--stages {stages} --bound {bound}"));
            assert_eq!((c, &row["verdict"], &row["pair"]), (code, &usual["verdict"], &usual["pair"]), "{stages} {bound}");
            let ran: Vec<String> = row["stages"].as_array().expect("a report").iter().map(|s| s["stage"].to_string()).collect();
            assert_eq!(ran.join(","), stages, "{row}");
        }
    }
    let text = world.run("check arm.urdf --obstacle wall.obj --from 0,0 --to 1.2,0.3 --report --stages 1,2,3").out;
    for word in ["1 boxes", "2 sweeps", "3 exact", "pairs in", "equations"] {
        assert!(text.contains(word), "{text}");
    }
    let wrong = world.run("check arm.urdf --from 0,0 --to 1,0 --stages 1,2");
    assert!(wrong.code == Some(2) && wrong.err.contains("stage 3 is required"), "{}", wrong.err);
}
