//! `impinge pairs`.

use std::io::Read;
use std::process::Stdio;

use serde_json::json;

use crate::world::World;

const SRDF: &str = r#"<robot name="arm"><disable_collisions link1="base" link2="hand" reason="Never"/>
    <disable_collisions link1="base" link2="ghost" reason="Never"/></robot>"#;

#[test]
fn every_pair_has_its_reason() {
    let world = World::new();
    world.put("arm.srdf", SRDF);
    let ran = world.run("pairs arm.urdf --srdf arm.srdf --obstacle wall.obj --scene wall.obj --ignore upper,wall --json");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("ghost"), "unknown links are reported: {}", ran.err);
    let listing = ran.rows().remove(0);
    assert_eq!((&listing["checked"], &listing["skipped"]), (&5.into(), &10.into()));
    let find = |a: &str, b: &str| {
        let pairs = listing["pairs"].as_array().expect("a list");
        let pair = pairs.iter().find(|p| p["parts"] == json!([a, b])).unwrap_or_else(|| panic!("{a}, {b} is not there"));
        (pair["status"].as_str().expect("a word").to_owned(), pair["reason"].as_str().map(str::to_owned))
    };
    let because = |status: &str, reason: &str| (status.to_owned(), Some(reason.to_owned()));
    assert_eq!(find("arm/base", "arm/upper"), because("adjacent", "a joint connects them"));
    assert_eq!(find("arm/base", "arm/hand"), because("disabled", "SRDF: Never"));
    assert_eq!(find("arm/hand", "arm/frame"), because("no_geometry", "one has no geometry"));
    assert_eq!(find("arm/upper", "wall"), because("disabled", "--ignore"));
    assert_eq!(find("wall", "wall#2"), because("obstacles", "neither moves"));
    assert_eq!(find("arm/upper", "wall#2"), ("checked".to_owned(), None));
    let counted: u64 = listing["counts"].as_array().expect("a list").iter().filter_map(|c| c["pairs"].as_u64()).sum();
    assert_eq!(counted, 15);
}

#[test]
fn text_has_counts_and_reasons() {
    let world = World::new();
    let ran = world.run("pairs arm.urdf --obstacle wall.obj");
    assert!(ran.out.starts_with("4 pairs are checked\n  arm/base – arm/hand\n"), "{}", ran.out);
    assert!(ran.out.contains("6 pairs are not\n") && ran.out.contains("  2 because: a joint connects them\n"), "{}", ran.out);
    let off = world.run("pairs arm.urdf --obstacle wall.obj --no-self");
    assert!(off.out.contains("  1 because: --no-self\n    arm/base – arm/hand\n"), "{}", off.out);
}

/// A chain of links; those that `solid` selects have geometry, and all joints but the first mimic the previous one.
fn chain(links: usize, solid: impl Fn(usize) -> bool) -> String {
    let mut text = String::from("<robot name='r'>");
    for i in 0..links {
        let shape = if solid(i) { "<collision><geometry><sphere radius='0.1'/></geometry></collision>" } else { "" };
        text += &format!("<link name='l{i}'>{shape}</link>\n");
        if i > 0 {
            let mimic = if i > 1 { format!("<mimic joint='j{}'/>", i - 1) } else { String::new() };
            let parent = i - 1;
            text += &format!(
                "<joint name='j{i}' type='continuous'><origin xyz='1 0 0'/><axis xyz='0 0 1'/><parent link='l{parent}'/>\
                 <child link='l{i}'/>{mimic}</joint>\n"
            );
        }
    }
    text + "</robot>"
}

/// A list whose reader closes the pipe is no error, but the exit code differs from that of a complete list.
#[test]
fn a_closed_pipe_ends_the_list_quietly() {
    let world = World::new();
    world.put("chain.urdf", &chain(300, |_| true));
    for form in ["", "--json"] {
        let mut child = world
            .command(&format!("pairs chain.urdf {form}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        drop(child.stdout.take());
        let mut output = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut output).expect("UTF-8");
        assert_eq!((child.wait().expect("ends").code(), output.as_str()), (Some(3), ""), "{form}");
    }
}

#[test]
fn very_many_links_are_no_trouble() {
    let world = World::new();
    let links = 20_000;
    world.put("bare.urdf", &chain(links, |i| i == 0 || i == links - 1));
    let started = std::time::Instant::now();
    let checked = world.run("pairs bare.urdf --checked");
    assert_eq!(checked.out, "1 pair is checked\n  r/l0 – r/l19999\n199989999 pairs are not\n", "{}", checked.err);
    let free = world.run("check bare.urdf --obstacle wall.obj --from 0 --to 1e-9 --json");
    assert_eq!((free.code, &free.rows()[0]["verdict"]), (Some(0), &json!("free")), "{}", free.err);
    let all = world.run("pairs bare.urdf");
    assert_eq!(all.code, Some(2));
    assert!(all.err.contains("199990000 pairs") && all.err.contains("--checked"), "{}", all.err);
    // Milliseconds; visiting each pair of links would take minutes.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn too_many_pairs_are_refused_with_their_number() {
    let world = World::new();
    world.put("solid.urdf", &chain(20_000, |_| true));
    for command in ["check solid.urdf --from 0 --to 1", "pairs solid.urdf --checked"] {
        let ran = world.run(command);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        for word in ["5000000", "19999", "SRDF", "--no-self"] {
            assert!(ran.err.contains(word), "{command}: {word} in {}", ran.err);
        }
    }
}
