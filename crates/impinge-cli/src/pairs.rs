//! `impinge pairs`: checked pairs of parts, and the reasons why other pairs are excluded.

use std::collections::{HashMap, HashSet};
use std::io::{BufWriter, Write};

use anyhow::{Result, bail};
use impinge::Scene;
use impinge::scene::{PairStatus, PartId};
use impinge_io::Loaded;
use serde::{Serialize, Serializer};

use crate::args::PairsArgs;
use crate::goal::part_name;
use crate::job::{Built, Job};
use crate::plain;
use crate::surfaces;
use crate::warn;

/// Maximum number of listed pairs.
const MOST: usize = 5_000_000;

/// A pair and its status.
#[derive(Debug, Serialize)]
struct Pair<'a> {
    parts: (&'a str, &'a str),
    checked: bool,
    /// One word for programs; `reason` is for readers.
    status: &'static str,
    reason: Option<&'a str>,
}

/// Number of pairs with the same status and reason.
#[derive(Debug, Serialize)]
struct Count {
    status: &'static str,
    reason: Option<String>,
    pairs: u64,
}

/// All pairs; names and reasons are stored once, because there may be millions of pairs.
#[derive(Serialize)]
struct Listing<'a> {
    checked: u64,
    skipped: u64,
    counts: Vec<Count>,
    /// Parts that are surfaces because one of their meshes is not closed.
    open_meshes: Vec<&'a str>,
    pairs: Pairs<'a>,
}

struct Pairs<'a> {
    scene: &'a Scene,
    /// Pairs with the index of their status in the counts.
    list: Vec<(PartId, PartId, u32)>,
    /// Status and reason of each count.
    words: Vec<(&'static str, Option<String>)>,
}

/// Runs the command; returns the exit code.
///
/// # Errors
/// If a file is refused, or there are too many pairs to list.
pub fn run(args: &PairsArgs) -> Result<u8> {
    let Loaded { value: job, warnings } = Job::load(&args.input, None, &[], &args.model)?;
    warn::print(&warnings);
    let built = job.scene(None)?;
    warn::note(&built.warnings);
    let listing = if args.checked { checked(&built)? } else { all(&built)? };
    let mut stdout = BufWriter::new(std::io::stdout().lock());
    if !args.json {
        warn::aside(surfaces::of_scene(&built.scene).as_slice());
    }
    if args.json {
        plain::write_json(&mut stdout, &listing)?;
    } else {
        listing.write(&mut stdout)?;
    }
    stdout.flush()?;
    Ok(0)
}

/// Returns the number of pairs without frames of skeletons, which have no geometry.
fn total(built: &Built) -> u64 {
    let parts = built.scene.part_names().filter(|name| !built.frames.contains(*name)).count() as u64;
    parts * parts.saturating_sub(1) / 2
}

/// Returns every pair with its reason.
fn all(built: &Built) -> Result<Listing<'_>> {
    let (scene, total) = (&built.scene, total(built));
    if total > MOST as u64 {
        bail!("there are {total} pairs of parts, and at most {MOST} can be listed; --checked lists only checked pairs");
    }
    let among = |names: &HashSet<String>| scene.part_names().map(|name| names.contains(name)).collect::<Vec<bool>>();
    let (bare, frames) = (among(&built.bare), among(&built.frames));
    let is_bare = |part: PartId| bare[part.index()];
    let is_frame = |part: PartId| frames[part.index()];
    let mut pairs = Pairs { scene, list: Vec::new(), words: Vec::new() };
    let mut known: HashMap<(&'static str, Option<String>), u32> = HashMap::new();
    for (a, b, status) in scene.pairs().filter(|(a, b, _)| !is_frame(*a) && !is_frame(*b)) {
        let words = if is_bare(a) || is_bare(b) { ("no_geometry", Some("one has no geometry".into())) } else { words(status) };
        let next = known.len() as u32;
        let at = *known.entry(words).or_insert_with_key(|words| {
            pairs.words.push(words.clone());
            next
        });
        pairs.list.push((a, b, at));
    }
    Ok(pairs.counted(total))
}

/// Returns only checked pairs.
fn checked(built: &Built) -> Result<Listing<'_>> {
    let scene = &built.scene;
    let list: Vec<_> = scene.checked_pairs().take(MOST + 1).map(|(a, b)| (a, b, 0)).collect();
    if list.len() > MOST {
        bail!(
            "more than {MOST} pairs of parts are checked, of {}, which is too many; \
             switch pairs off (disable_collisions of an SRDF, --ignore) or self-collision (--no-self)",
            total(built)
        );
    }
    Ok(Pairs { scene, list, words: vec![(CHECKED, None)] }.counted(total(built)))
}

const CHECKED: &str = "checked";

fn words(status: PairStatus) -> (&'static str, Option<String>) {
    match status {
        PairStatus::Checked => (CHECKED, None),
        PairStatus::Obstacles => ("obstacles", Some("neither moves".into())),
        PairStatus::Adjacent => ("adjacent", Some("a joint connects them".into())),
        PairStatus::Attached => ("attached", Some("one is attached to the other".into())),
        PairStatus::Rigid => ("rigid", Some("only fixed joints connect them".into())),
        PairStatus::SelfCollisionOff => ("self_off", Some("--no-self".into())),
        PairStatus::Disabled(reason) => ("disabled", Some(reason)),
    }
}

impl<'a> Pairs<'a> {
    fn counted(self, total: u64) -> Listing<'a> {
        let count = |(status, reason): &(&'static str, Option<String>)| Count { status, reason: reason.clone(), pairs: 0 };
        let mut counts: Vec<Count> = self.words.iter().map(count).collect();
        self.list.iter().for_each(|&(.., at)| counts[at as usize].pairs += 1);
        let checked = counts.iter().find(|c| c.status == CHECKED).map_or(0, |c| c.pairs);
        let open_meshes = self.scene.open_meshes().map(|part| part_name(self.scene, part)).collect();
        Listing { checked, skipped: total - checked, counts, open_meshes, pairs: self }
    }

    fn pair(&self, &(a, b, at): &(PartId, PartId, u32)) -> Pair<'_> {
        let (status, reason) = &self.words[at as usize];
        let parts = (part_name(self.scene, a), part_name(self.scene, b));
        Pair { parts, checked: *status == CHECKED, status, reason: reason.as_deref() }
    }
}

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.list.iter().map(|pair| self.pair(pair)))
    }
}

impl Listing<'_> {
    /// Writes the listing as text: checked pairs first, then the others by reason.
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let mut by_reason: Vec<_> = self.pairs.list.iter().collect();
        by_reason.sort_by_key(|pair| pair.2);
        let groups: Vec<_> = by_reason.chunk_by(|x, y| x.2 == y.2).collect();
        let (checked, rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| self.pairs.pair(group[0]).checked);
        let pairs = |count: u64| if count == 1 { "1 pair is".into() } else { format!("{count} pairs are") };
        writeln!(out, "{} checked", pairs(self.checked))?;
        let names = |pair| {
            let (a, b) = self.pairs.pair(pair).parts;
            (plain::shown(a), plain::shown(b))
        };
        for pair in checked.into_iter().flatten() {
            let (a, b) = names(pair);
            writeln!(out, "  {a} – {b}")?;
        }
        writeln!(out, "{} not", pairs(self.skipped))?;
        for group in rest {
            let Pair { status, reason, .. } = self.pairs.pair(group[0]);
            writeln!(out, "  {} because: {}", group.len(), plain::shown(reason.unwrap_or(status)))?;
            for pair in group {
                let (a, b) = names(pair);
                writeln!(out, "    {a} – {b}")?;
            }
        }
        Ok(())
    }
}
