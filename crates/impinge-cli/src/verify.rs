//! `impinge verify`: verifies certificates by arithmetic that shares nothing with the search that created them.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context, Result, bail};
use impinge_verify::read::{self, Scene};
use impinge_verify::{Line, Problem, Verified, Verifier};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;

use crate::ERROR;
use crate::args::VerifyArgs;
use crate::input;
use crate::plain;

/// Maximum length of a line, bytes: a scene of millions of triangles. The parsed tree of a longer line would not fit into memory.
const MAX_LINE: u64 = 512 << 20;

/// Number of lines that are verified at once.
const CHUNK: usize = 64;

/// The result for a line with a certificate.
#[derive(Debug, Serialize)]
struct Finding {
    line: usize,
    id: Option<String>,
    verified: bool,
    margin: Option<f64>,
    solids: Option<bool>,
    checked: Option<usize>,
    unchecked: BTreeMap<String, usize>,
    leaves: Option<usize>,
    reason: Option<String>,
    #[serde(skip)]
    readable: bool,
}

/// Runs the command; returns the exit code.
///
/// # Errors
/// If the file cannot be read, or has no certificate.
pub fn run(args: &VerifyArgs) -> Result<u8> {
    let mut report =
        Report { json: args.json, verified: 0, refused: 0, unreadable: 0, solid: 0, leaves: 0, unchecked: BTreeMap::new() };
    let mut verifier = Verifier::default();
    let mut waiting: Vec<(usize, String)> = Vec::new();
    for (at, line) in input::lines_up_to(&args.file, input::open(&args.file)?, MAX_LINE) {
        let number = at.line.unwrap_or(0);
        let line = String::from_utf8(line?).with_context(|| format!("{at}: cannot read the line"))?;
        let line = line.trim_end_matches(['\r', '\n']).to_owned();
        if number == 1 && !line.trim_start_matches('\u{FEFF}').trim_start().starts_with('{') {
            bail!("{at}: this is not a file of certificates; give a file written by impinge check --certificate");
        }
        if read::kind(&line) == Some("scene") {
            report.check(&verifier, std::mem::take(&mut waiting))?;
            if let Err(problem) = verifier.line(&line).map(|line| debug_assert!(matches!(line, Line::Scene))) {
                report.add(&refused(number, None, &problem, None))?;
            }
            continue;
        }
        waiting.push((number, line));
        if waiting.len() == CHUNK {
            report.check(&verifier, std::mem::take(&mut waiting))?;
        }
    }
    report.check(&verifier, waiting)?;
    report.finish()
}

/// The results so far.
struct Report {
    json: bool,
    verified: usize,
    refused: usize,
    unreadable: usize,
    /// Number of verified certificates that treat closed meshes as solids.
    solid: usize,
    leaves: usize,
    /// Reasons for pairs that no certificate covers, of the last scene.
    unchecked: BTreeMap<String, usize>,
}

impl Report {
    /// Verifies motions of one scene and prints the results, in order.
    fn check(&mut self, verifier: &Verifier, lines: Vec<(usize, String)>) -> Result<()> {
        let findings: Vec<Finding> = lines.par_iter().map(|(number, text)| finding(verifier, *number, text)).collect();
        findings.iter().try_for_each(|f| self.add(f))
    }

    fn add(&mut self, f: &Finding) -> Result<()> {
        match (f.verified, f.readable) {
            (true, _) => self.verified += 1,
            (false, true) => self.refused += 1,
            (false, false) => self.unreadable += 1,
        }
        self.leaves += f.leaves.unwrap_or(0);
        self.solid += usize::from(f.solids == Some(true));
        if f.verified {
            self.unchecked.clone_from(&f.unchecked);
        }
        let text = if self.json { plain::json(f)? } else { text(f) };
        say(&text)
    }

    /// Returns the semantics of closed meshes in the verified certificates.
    fn semantics(&self) -> String {
        match (self.solid, self.verified) {
            (_, 0) => String::new(),
            (0, _) => "closed meshes are surfaces: a part inside one is not in contact\n".into(),
            (solid, verified) if solid == verified => "closed meshes are solids\n".into(),
            (solid, _) => format!("closed meshes are solids in {solid} of them, surfaces in the others\n"),
        }
    }

    /// Prints the summary; returns the exit code.
    fn finish(&self) -> Result<u8> {
        let Report { verified, refused, unreadable, leaves, .. } = self;
        if verified + refused + unreadable == 0 {
            bail!("there are no certificates to verify");
        }
        if !self.json {
            let leaves = counted(*leaves, "leaf", "leaves");
            let all = counted(verified + refused + unreadable, "certificate", "certificates");
            let mut out = format!("{all}: {verified} verified ({leaves}), {refused} refused");
            if *unreadable > 0 {
                out += &format!(", {unreadable} cannot be read");
            }
            out.push('\n');
            out += &self.semantics();
            for (reason, count) in &self.unchecked {
                out += &format!("not checked: {}, {}\n", counted(*count, "pair", "pairs"), plain::shown(reason));
            }
            say(&out)?;
        }
        Ok(if *unreadable > 0 { ERROR } else { u8::from(*refused > 0) })
    }
}

fn finding(verifier: &Verifier, number: usize, text: &str) -> Finding {
    match verifier.motion(text) {
        Ok(verified) => accepted(number, verified, verifier.scene.as_ref()),
        Err(problem) => refused(number, id(text), &problem, verifier.scene.as_ref()),
    }
}

fn accepted(line: usize, v: Verified, scene: Option<&Scene>) -> Finding {
    let mut unchecked = BTreeMap::new();
    for (_, _, reason) in scene.iter().flat_map(|s| &s.unchecked) {
        *unchecked.entry(reason.clone()).or_insert(0) += 1;
    }
    let (margin, solids, checked, leaves) = (Some(v.margin), Some(v.solids), Some(v.checked), Some(v.leaves));
    Finding { line, id: Some(v.id), verified: true, margin, solids, checked, unchecked, leaves, reason: None, readable: true }
}

fn refused(line: usize, id: Option<String>, problem: &Problem, scene: Option<&Scene>) -> Finding {
    let readable = matches!(problem, Problem::Refused { .. });
    let name = |part: usize| scene.and_then(|s| s.parts.get(part)).map_or("?", |p| p.name.as_str());
    let reason = match problem {
        Problem::Refused { reason, leaf: Some(([a, b], number)) } => {
            format!("leaf {number} of {} and {}: {reason}", name(a.0), name(b.0))
        }
        other => other.to_string(),
    };
    let (unchecked, reason) = (BTreeMap::new(), Some(reason));
    Finding { line, id, verified: false, margin: None, solids: None, checked: None, unchecked, leaves: None, reason, readable }
}

/// Returns the id in a line, even if the certificate is not verified.
fn id(text: &str) -> Option<String> {
    serde_json::from_str::<Value>(text).ok()?.get("id")?.as_str().map(str::to_owned)
}

fn text(f: &Finding) -> String {
    let id = f.id.as_deref().map_or_else(|| format!("line {}", f.line), |id| plain::shown(id).into_owned());
    match (f.verified, &f.reason) {
        (true, _) => {
            let margin = f.margin.filter(|&m| m > 0.0).map_or(String::new(), |m| format!(", more than {m} m apart"));
            let (pairs, leaves) = (f.checked.unwrap_or(0), f.leaves.unwrap_or(0));
            format!("{id:<6} verified  {}{margin}, {}\n", counted(pairs, "pair", "pairs"), counted(leaves, "leaf", "leaves"))
        }
        (false, reason) => {
            let word = if f.readable { "refused " } else { "unreadable" };
            format!("{id:<6} {word}  {}\n", plain::shown(reason.as_deref().unwrap_or_default()))
        }
    }
}

/// Returns a number with its noun.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn say(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}
