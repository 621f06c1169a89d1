//! `--certificate FILE`: what proofs of freedom rest on, one line per motion after one line per scene.

use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use impinge::query::Certifier;
use impinge::{Checker, Motion};

use crate::answer::Answer;
use crate::args::AskArgs;

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

/// A file of certificates.
pub struct Output {
    path: PathBuf,
    file: BufWriter<File>,
    /// The scene that was written last.
    scene: Option<Arc<str>>,
    written: u64,
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
            Ok(Output { path: path.to_owned(), file: BufWriter::new(file), scene: None, written: 0, lacking: 0 })
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
                let _ = writeln!(io::stderr(), "error: motion {}: no certificate: {reason}", answer.id);
                Ok(())
            }
            Some(Ok(Certificate { scene, motion })) => {
                if self.scene.as_ref() != Some(scene) {
                    writeln!(self.file, "{scene}")?;
                    self.scene = Some(scene.clone());
                }
                self.written += 1;
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
        let _ = writeln!(io::stderr(), "{} certificate{plural} written to {}", self.written, self.path.display());
        Ok(())
    }
}
