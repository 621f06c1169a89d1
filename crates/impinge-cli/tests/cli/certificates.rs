//! Certificates are written for free motions, verified, and refused after changes.

use std::fs;

use crate::world::{CUBE, World};

const CHECK: &str = "check arm.urdf --obstacle wall.obj";

const MOTIONS: &str = r#"{"id": "left", "q0": [0, 0], "q1": [-0.5, 0.3]}
{"id": "hits", "q0": [0, 0], "q1": [1.2, 0]}
{"id": "right", "q0": [0, 0], "q1": [0.2, 0.1]}
"#;

#[test]
fn free_motions_have_a_certificate() {
    let world = World::new();
    world.put("m.jsonl", MOTIONS);
    let ran = world.run(&format!("{CHECK} --motions m.jsonl --margin 0.01 --certificate proofs.jsonl"));
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), "2 certificates written to proofs.jsonl\n"), "{}", ran.out);
    let text = fs::read_to_string(world.folder.join("proofs.jsonl")).expect("written");
    assert_eq!(text.lines().count(), 3, "a scene and two motions");
    let ran = world.run("verify proofs.jsonl");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    assert!(ran.out.starts_with("left   verified  ") && ran.out.contains("more than 0.01 m apart"), "{}", ran.out);
    assert!(ran.out.contains("2 certificates: 2 verified") && ran.out.contains("joined by a joint"), "{}", ran.out);
    let rows = world.run("verify proofs.jsonl --json").rows();
    assert!(rows.len() == 2 && rows[1]["id"] == "right" && rows[1]["verified"] == true && rows[1]["margin"] == 0.01, "{rows:?}");
}

#[test]
fn changed_certificates_are_refused() {
    let world = World::new();
    world.put("m.jsonl", MOTIONS);
    world.run(&format!("{CHECK} --motions m.jsonl --certificate proofs.jsonl"));
    let text = fs::read_to_string(world.folder.join("proofs.jsonl")).expect("written");
    world.put("changed.jsonl", &text.replace("\"margin\":0,", "\"margin\":9,"));
    let ran = world.run("verify changed.jsonl --json");
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.rows().iter().all(|r| r["verified"] == false && r["reason"].as_str().is_some_and(|t| t.contains("checksum"))),
        "{}",
        ran.out
    );
    // Without its scene, with another scene, and truncated.
    let lines: Vec<&str> = text.lines().collect();
    world.put("alone.jsonl", lines[1]);
    assert_eq!(world.run("verify alone.jsonl").code, Some(1));
    world.put("short.jsonl", &format!("{}\n{}\n{}\n", lines[0], &lines[1][..lines[1].len() / 2], lines[2]));
    let short = world.run("verify short.jsonl");
    assert!(
        short.code == Some(2) && short.out.contains("line 2 unreadable") && short.out.contains("1 verified"),
        "{}",
        short.out
    );
    world.put("none.jsonl", lines[0]);
    assert_eq!(world.run("verify none.jsonl").code, Some(2), "nothing is claimed");
    assert_eq!(world.run("verify arm.urdf").code, Some(2));
    assert_eq!(world.run("verify missing.jsonl").code, Some(2));
}

/// A leaf that does not separate is reported although the checksum fits.
#[test]
fn a_wrong_leaf_is_named() {
    let world = World::new();
    world.run(&format!("{CHECK} --from 0,0 --to 0.2,0.1 --certificate proof.jsonl"));
    let text = fs::read_to_string(world.folder.join("proof.jsonl")).expect("written");
    let lines: Vec<&str> = text.lines().collect();
    let (body, _) = lines[1].rsplit_once(",\"checksum\"").expect("a checksum");
    let (before, after) = body.rsplit_once("\"numbers\":[").expect("numbers");
    let changed = format!("{before}\"numbers\":[-1{after}").replacen("\"numbers\":[-1-", "\"numbers\":[", 1);
    world.put("changed.jsonl", &format!("{}\n{}\n", lines[0], signed(&changed).0));
    let ran = world.run("verify changed.jsonl");
    assert_eq!(ran.code, Some(1), "{} {changed}", ran.out);
    assert!(ran.out.contains("refused") && ran.out.contains("leaf 1 of arm/hand and wall"), "{}", ran.out);
}

#[test]
fn rigid_bodies_and_trajectories_have_certificates() {
    let world = World::new();
    world.put("A.obj", CUBE);
    world.put("B.obj", CUBE);
    world.put("m.jsonl", r#"{"id": 1, "start": {"p": [3, 0, 0], "q": [1, 0, 0, 0]}, "v": [0, 4, 0], "w": [0, 2, 5]}"#);
    let ran = world.run("check --moving A.obj --fixed B.obj --motions m.jsonl --certificate c.jsonl");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(world.run("verify c.jsonl").code, Some(0));
    world.put("path.csv", "shoulder, stretch\n0, 0\n0.1, 0\n0.2, 0.1\n");
    assert_eq!(world.run(&format!("{CHECK} --trajectory path.csv --certificate t.jsonl")).code, Some(0));
    assert!(world.run("verify t.jsonl").out.contains("2 certificates: 2 verified"));
}

/// A small cube in a large one has no certificate as solids; it has one as surfaces, which states that and does not pass for
/// solids.
#[test]
fn certificates_record_the_semantics_of_closed_meshes() {
    let world = World::new();
    world.put("A.obj", CUBE);
    world.put("B.obj", &CUBE.replace("0.5", "5"));
    world.put("m.jsonl", r#"{"id": 1, "start": {"p": [0, 0, 0], "q": [1, 0, 0, 0]}, "v": [1, 0, 0], "w": [0, 2, 5]}"#);
    let check = "check --moving A.obj --fixed B.obj --motions m.jsonl --certificate c.jsonl";
    let solids = world.run(check);
    assert_eq!((solids.code, solids.err.as_str()), (Some(1), "0 certificates written to c.jsonl\n"), "{}", solids.out);
    assert_eq!(world.run(&format!("{check} --surfaces")).code, Some(0));
    let ran = world.run("verify c.jsonl");
    assert!(ran.code == Some(0) && ran.out.contains("closed meshes are surfaces"), "{}", ran.out);
    assert_eq!(world.run("verify c.jsonl --json").rows()[0]["solids"], false);
    let text = fs::read_to_string(world.folder.join("c.jsonl")).expect("written");
    let lines: Vec<&str> = text.lines().collect();
    let (scene, old) = lines[0].rsplit_once(",\"checksum\":\"").expect("a checksum");
    let (scene, sum) = signed(&scene.replace("\"solids\":false", "\"solids\":true"));
    let motion = lines[1].rsplit_once(",\"checksum\"").expect("a checksum").0.replace(&old[..16], &sum);
    world.put("forged.jsonl", &format!("{scene}\n{}\n", signed(&motion).0));
    let forged = world.run("verify forged.jsonl");
    assert!(forged.code == Some(1) && forged.out.contains("'A' starts inside of 'B'"), "{}", forged.out);
    // Beside it, both are free as solids.
    world.put("m.jsonl", r#"{"id": 1, "start": {"p": [7, 7, 0], "q": [1, 0, 0, 0]}, "v": [0, -14, 0], "w": [0, 2, 5]}"#);
    assert_eq!(world.run(check).code, Some(0));
    let ran = world.run("verify c.jsonl");
    assert!(ran.code == Some(0) && ran.out.contains("closed meshes are solids\n"), "{}", ran.out);
}

/// Returns the line with a correct checksum, and the checksum.
fn signed(body: &str) -> (String, String) {
    let sum = body.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (format!("{body},\"checksum\":\"{sum:016x}\"}}"), format!("{sum:016x}"))
}

/// Sizes beyond the resolution of the verifier are reported when the certificate is written, not only when it is refused.
#[test]
fn sizes_beyond_verification_are_reported() {
    let world = World::new();
    let cube = |size: f64, at: f64| {
        let text = crate::world::CUBE.lines().map(|line| match line.strip_prefix("v ") {
            Some(corner) => {
                let corner: Vec<f64> = corner.split_whitespace().map(|c| c.parse().expect("a number")).collect();
                format!("v {} {} {}\n", corner[0] * size + at, corner[1] * size, corner[2] * size)
            }
            None => format!("{line}\n"),
        });
        text.collect::<String>()
    };
    for (size, at) in [(1.0, 3.0), (1e-5, 3e-5), (1e-25, 3e-25), (1e-30, 3e-30), (1e13, 3e13)] {
        world.put("a.obj", &cube(size, 0.0));
        world.put("b.obj", &cube(size, at));
        let to = format!("0,{},0", 0.1 * size);
        let ran = world.run(&format!("check --moving a.obj --fixed b.obj --from 0,0,0 --to {to} --certificate c.jsonl"));
        let verified = world.run("verify c.jsonl").code == Some(0);
        let is_reported = ran.err.contains("impinge verify refuses") || ran.err.contains("no certificate");
        assert_eq!((ran.out.contains("free"), is_reported), (true, !verified), "{size}: {}{}", ran.out, ran.err);
        assert_eq!(verified, (1e-6..1e12).contains(&size), "{size}: {}", ran.err);
    }
}
