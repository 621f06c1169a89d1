//! `--certificate FILE`: what proofs of freedom rest on, one line per motion after one line per scene.

use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use impinge::query::Certifier;
use impinge::{Checker, Motion};
use impinge_verify::Verifier;
use serde_json::Value;

use crate::answer::Answer;
use crate::args::AskArgs;
use crate::plain;

/// A motion's line and the line of its scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    scene: Arc<str>,
    motion: String,
}

/// Makes certificates for one scene.
pub struct Certificates<C> {
    certifier: Certifier<C>,
    scene: Arc<str>,
}

impl<C: Borrow<Checker>> Certificates<C> {
    /// Prepares what all motions share.
    ///
    /// # Errors
    /// If there can be none for this scene.
    pub fn new(checker: C) -> Result<Self, impinge::Error> {
        let certifier = Certifier::new(checker)?;
        let scene = certifier.scene().into();
        Ok(Certificates { certifier, scene })
    }

    /// The certificate of a motion that was found to be free, or why there is none.
    pub fn of(&self, id: &str, motion: &Motion) -> Result<Certificate, String> {
        let line = self.certifier.certify(id, motion).map_err(|e| e.to_string())?;
        line.map(|motion| Certificate { scene: self.scene.clone(), motion })
            .ok_or_else(|| "it could not be proven free again".into())
    }
}

/// Coordinates beyond this, and meshes and solids below the second, metres, may be more than the verifier can tell apart.
const LARGE: f64 = 1e12;
const SMALL: f64 = 1e-6;

/// The verifier, where sizes in a scene are such that it may refuse what is written; or why it refuses the scene already.
fn doubter(scene: &str) -> Option<Result<Verifier, String>> {
    let line: Value = serde_json::from_str(scene).ok()?;
    let is_large = ["frames", "shapes", "parts"].iter().any(|key| largest(line.get(key)) > LARGE);
    let is_small = |shape: &Value| largest(Some(shape)) < SMALL;
    if !is_large && !line.get("shapes")?.as_array()?.iter().any(is_small) {
        return None;
    }
    let mut verifier = Verifier::default();
    Some(verifier.line(scene).map(|_| verifier).map_err(|why| why.to_string()))
}

/// The largest number in a value, without its sign; numbers of vertices are none.
fn largest(value: Option<&Value>) -> f64 {
    match value {
        Some(Value::Number(number)) => number.as_f64().map_or(0.0, f64::abs),
        Some(Value::Array(list)) => list.iter().map(|v| largest(Some(v))).fold(0.0, f64::max),
        Some(Value::Object(fields)) => {
            fields.iter().filter(|(key, _)| *key != "triangles").map(|(_, v)| largest(Some(v))).fold(0.0, f64::max)
        }
        _ => 0.0,
    }
}

/// A file of certificates.
pub struct Output {
    path: PathBuf,
    file: BufWriter<File>,
    /// The scene that was written last.
    scene: Option<Arc<str>>,
    written: u64,
    /// What tries each certificate of this scene, until it refuses one; where sizes give reason to.
    doubter: Option<Result<Verifier, String>>,
    /// Motions that are free but have no certificate.
    pub lacking: u64,
}

impl Output {
    /// Creates the file, if one is asked for.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(ask: &AskArgs) -> Result<Option<Self>> {
        let create = |path: &Path| {
            let file = File::create(path).with_context(|| format!("{}: cannot be written", path.display()))?;
            Ok(Output { path: path.to_owned(), file: BufWriter::new(file), scene: None, written: 0, doubter: None, lacking: 0 })
        };
        ask.certificate.as_deref().map(create).transpose()
    }

    /// Writes the certificate of an answer, where it has one; says so where it should have.
    ///
    /// # Errors
    /// If the file cannot be written to.
    pub fn add(&mut self, answer: &Answer) -> io::Result<()> {
        match &answer.certificate {
            None => Ok(()),
            Some(Err(reason)) => {
                self.lacking += 1;
                // Nobody may be listening: then there is nobody to tell.
                let id = answer.id.to_string();
                let _ = writeln!(io::stderr(), "error: motion {}: no certificate: {}", plain::shown(&id), plain::shown(reason));
                Ok(())
            }
            Some(Ok(Certificate { scene, motion })) => {
                if self.scene.as_ref() != Some(scene) {
                    writeln!(self.file, "{scene}")?;
                    self.doubter = doubter(scene);
                    self.scene = Some(scene.clone());
                }
                self.written += 1;
                let tried = self.doubter.as_ref().map(|doubter| match doubter {
                    Ok(verifier) => verifier.motion(motion).map(drop).map_err(|why| why.to_string()),
                    Err(why) => Err(why.clone()),
                });
                if let Some(Err(why)) = tried {
                    self.doubter = None;
                    let id = answer.id.to_string();
                    let (id, why) = (plain::shown(&id), plain::shown(&why));
                    let _ = writeln!(
                        io::stderr(),
                        "warning: motion {id}: impinge verify refuses its certificate: {why}; coordinates are beyond 10^12 m, or bodies or \
                         distances too small for it (see docs/certificates.md)"
                    );
                }
                writeln!(self.file, "{motion}")
            }
        }
    }

    /// Makes sure that everything is in the file, and says on stderr how much that is.
    ///
    /// # Errors
    /// If the file cannot be written to.
    pub fn close(&mut self) -> Result<()> {
        self.file.flush().with_context(|| format!("{}: cannot be written", self.path.display()))?;
        let plural = if self.written == 1 { "" } else { "s" };
        let path = self.path.display().to_string();
        let _ = writeln!(io::stderr(), "{} certificate{plural} written to {}", self.written, plain::shown(&path));
        Ok(())
    }
}
