//! `--engine`: all engines give the same verdicts.

use crate::world::{CUBE, World};

#[test]
fn engines_agree() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    let query = |engine: &str, to: &str| {
        let ends = format!("--from arm:0,0 --to arm:0,0 --from box:0.5,3,0.2 --to box:{to}");
        world.run(&format!("check arm.urdf --body box=cube.obj {ends} --json --engine {engine}"))
    };
    for (to, code) in [("0.5,0,0.2", 1), ("0.5,0.7,0.2", 0), ("0.5,0.7,0.2,0,0,0.7853981633974483", 1)] {
        let usual = query("auto", to);
        assert_eq!(usual.code, Some(code), "{usual:?}");
        for engine in ["sweep", "boxes", "hulls"] {
            let ran = query(engine, to);
            assert_eq!(ran.code, usual.code, "{engine} {ran:?}");
            let time = |row: &serde_json::Value| row["time"][1].as_f64().unwrap_or(2.0);
            assert!((time(&ran.rows()[0]) - time(&usual.rows()[0])).abs() < 1e-8, "{engine} {ran:?}");
        }
    }
    assert_eq!(query("magic", "0.5,0,0.2").code, Some(2));
}
