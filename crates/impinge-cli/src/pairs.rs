//! `impinge pairs`: what is checked against what, and why the rest is not.

use std::io::Write;

use anyhow::Result;
use impinge::scene::PairStatus;
use impinge_io::Loaded;
use serde::Serialize;

use crate::args::PairsArgs;
use crate::job::{Built, Job};
use crate::warn;

/// A pair and what is done with it.
#[derive(Debug, Serialize)]
struct Pair {
    parts: (String, String),
    checked: bool,
    /// One word for machines; `reason` is for people.
    status: &'static str,
    reason: Option<String>,
}

/// How many pairs share a status and a reason.
#[derive(Debug, Serialize)]
struct Count {
    status: &'static str,
    reason: Option<String>,
    pairs: usize,
}

#[derive(Debug, Serialize)]
struct Listing {
    checked: usize,
    skipped: usize,
    counts: Vec<Count>,
    pairs: Vec<Pair>,
}

/// Runs the command; the exit code.
///
/// # Errors
/// If a file is refused.
pub fn run(args: &PairsArgs) -> Result<u8> {
    let Loaded { value: job, warnings } = Job::load(&args.input, None, &[], &args.model)?;
    warn::tell(&warnings);
    let built = job.scene(None)?;
    warn::note(&built.warnings);
    let listing = listing(&built);
    let text = if args.json { serde_json::to_string(&listing)? + "\n" } else { text(&listing) };
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(0)
}

fn listing(built: &Built) -> Listing {
    let scene = &built.scene;
    let mut pairs = Vec::new();
    let mut counts: Vec<Count> = Vec::new();
    for (a, b, status) in scene.pairs() {
        let parts = (scene.part_name(a).to_owned(), scene.part_name(b).to_owned());
        let bare = built.bare.contains(&parts.0) || built.bare.contains(&parts.1);
        let (status, reason) = if bare { ("no_geometry", Some("one has no geometry".into())) } else { words(status) };
        match counts.iter_mut().find(|c| c.status == status && c.reason == reason) {
            Some(count) => count.pairs += 1,
            None => counts.push(Count { status, reason: reason.clone(), pairs: 1 }),
        }
        pairs.push(Pair { parts, checked: status == CHECKED, status, reason });
    }
    let checked = pairs.iter().filter(|p| p.checked).count();
    Listing { checked, skipped: pairs.len() - checked, counts, pairs }
}

const CHECKED: &str = "checked";

fn words(status: PairStatus) -> (&'static str, Option<String>) {
    match status {
        PairStatus::Checked => (CHECKED, None),
        PairStatus::Obstacles => ("obstacles", Some("neither moves".into())),
        PairStatus::Adjacent => ("adjacent", Some("a joint connects them".into())),
        PairStatus::Attached => ("attached", Some("one is attached to the other".into())),
        PairStatus::Rigid => ("rigid", Some("fixed joints hold them together".into())),
        PairStatus::SelfCollisionOff => ("self_off", Some("--no-self".into())),
        PairStatus::Disabled(reason) => ("disabled", Some(reason)),
    }
}

fn text(listing: &Listing) -> String {
    let mut out = format!("{} pairs are checked\n", listing.checked);
    for pair in listing.pairs.iter().filter(|p| p.checked) {
        out += &format!("  {} – {}\n", pair.parts.0, pair.parts.1);
    }
    out += &format!("{} pairs are not\n", listing.skipped);
    for count in listing.counts.iter().filter(|c| c.status != CHECKED) {
        out += &format!("  {} because: {}\n", count.pairs, count.reason.as_deref().unwrap_or(count.status));
        for pair in listing.pairs.iter().filter(|p| p.status == count.status && p.reason == count.reason) {
            out += &format!("    {} – {}\n", pair.parts.0, pair.parts.1);
        }
    }
    out
}
