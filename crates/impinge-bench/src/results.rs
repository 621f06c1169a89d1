//! Where numbers and plots go.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::Outcome;
use crate::plot::Plot;
use crate::table::Table;

/// The folder for results.
#[derive(Args)]
pub struct Results {
    /// Folder for the numbers (JSON) and plots (SVG).
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
}

impl Results {
    /// Writes `name.json`, and `name-suffix.svg` for every plot.
    pub fn save(&self, name: &str, table: &Table, plots: &[(&str, Plot)]) -> Outcome<()> {
        fs::create_dir_all(&self.out)?;
        table.save(&self.out.join(format!("{name}.json")))?;
        for (suffix, plot) in plots {
            fs::write(self.out.join(format!("{name}{suffix}.svg")), plot.svg())?;
        }
        eprintln!("numbers and plots are in {}", self.out.display());
        Ok(())
    }
}
