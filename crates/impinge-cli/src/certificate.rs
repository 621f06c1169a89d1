//! `--certificate FILE`: certificates of free motions, one line per motion after one line per scene.

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
use crate::args::SearchArgs;
use crate::plain;

/// A motion's line and its scene's line.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    scene: Arc<str>,
    motion: String,
}

/// Creates certificates for one scene.
pub struct Certificates<C> {
    certifier: Certifier<C>,
    scene: Arc<str>,
}

impl<C: Borrow<Checker>> Certificates<C> {
    /// Prepares the data that all motions share.
    ///
    /// # Errors
    /// If this scene cannot have certificates.
    pub fn new(checker: C) -> Result<Self, impinge::Error> {
        let certifier = Certifier::new(checker)?;
        let scene = certifier.scene().into();
        Ok(Certificates { certifier, scene })
    }

    /// Returns the certificate of a free motion, or the reason why there is none.
    pub fn of(&self, id: &str, motion: &Motion) -> Result<Certificate, String> {
        let line = self.certifier.certify(id, motion).map_err(|e| e.to_string())?;
        line.map(|motion| Certificate { scene: self.scene.clone(), motion })
            .ok_or_else(|| "the proof could not be repeated".into())
    }
}

/// Coordinates beyond the first limit, and meshes and solids below the second (metres), may exceed the resolution of the
/// verifier.
const LARGE: f64 = 1e12;
const SMALL: f64 = 1e-6;

/// Returns the verifier, if sizes in the scene are such that it may refuse certificates; or the reason why it refuses the scene.
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

/// Returns the largest absolute number in a value; indices of vertices do not count.
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
    /// The last scene line that was written.
    scene: Option<Arc<str>>,
    written: u64,
    /// The verifier that tests certificates of this scene until it refuses one; only where sizes give a reason.
    doubter: Option<Result<Verifier, String>>,
    /// Number of free motions without a certificate.
    pub lacking: u64,
}

impl Output {
    /// Creates the file, if requested.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(search: &SearchArgs) -> Result<Option<Self>> {
        let create = |path: &Path| {
            let file = File::create(path).with_context(|| format!("{}: cannot write the file", path.display()))?;
            Ok(Output { path: path.to_owned(), file: BufWriter::new(file), scene: None, written: 0, doubter: None, lacking: 0 })
        };
        search.certificate.as_deref().map(create).transpose()
    }

    /// Writes the certificate of an answer, if it has one; prints an error if it should have one.
    ///
    /// # Errors
    /// If writing to the file fails.
    pub fn add(&mut self, answer: &Answer) -> io::Result<()> {
        match &answer.certificate {
            None => Ok(()),
            Some(Err(reason)) => {
                self.lacking += 1;
                // The reader of stderr may be gone.
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

    /// Flushes the file and prints the number of certificates on stderr.
    ///
    /// # Errors
    /// If writing to the file fails.
    pub fn close(&mut self) -> Result<()> {
        self.file.flush().with_context(|| format!("{}: cannot write the file", self.path.display()))?;
        let plural = if self.written == 1 { "" } else { "s" };
        let path = self.path.display().to_string();
        let _ = writeln!(io::stderr(), "{} certificate{plural} written to {}", self.written, plain::shown(&path));
        Ok(())
    }
}
