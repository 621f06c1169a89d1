//! Names of parts as users write them: full names, or a link's own name if it is unique.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, anyhow, bail};
use impinge_io::suggest::known_names;

/// Known names of parts.
#[derive(Default)]
pub struct PartNames {
    full: Vec<String>,
    by_full: HashSet<String>,
    /// Indices of the full names.
    by_own: HashMap<String, Vec<usize>>,
}

impl PartNames {
    /// Collects parts by their full names, and links `robot/link` also by the name after the last slash.
    pub fn of<'a>(full: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names = PartNames::default();
        full.into_iter().for_each(|full| names.add(full.to_owned(), full.rsplit('/').next().unwrap_or_default()));
        names
    }

    pub fn add(&mut self, full: String, own: &str) {
        self.by_own.entry(own.to_owned()).or_default().push(self.full.len());
        self.by_full.insert(full.clone());
        self.full.push(full);
    }

    /// Returns the full name; `who` names the source of the name in messages.
    ///
    /// # Errors
    /// If there is no such part, or several have the name.
    pub fn find(&self, name: &str, who: &str) -> Result<&str> {
        self.find_if_any(name).map_err(|ambiguous| anyhow!("{who}: {ambiguous}"))?.ok_or_else(|| {
            anyhow!("{who}: there is no part '{name}'; {}", known_names(name, self.full.iter().map(String::as_str)))
        })
    }

    /// The same, but `None` if there is no such part.
    ///
    /// # Errors
    /// If several parts have the name.
    pub fn find_if_any(&self, name: &str) -> Result<Option<&str>> {
        if let Some(full) = self.by_full.get(name) {
            return Ok(Some(full));
        }
        match self.by_own.get(name).map(Vec::as_slice) {
            None | Some([]) => Ok(None),
            Some(&[one]) => Ok(Some(&self.full[one])),
            Some(several) => {
                let names: Vec<&str> = several.iter().map(|&i| self.full[i].as_str()).collect();
                bail!("'{name}' is ambiguous: write {}", names.join(" or "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_refused_or_ambiguous() {
        let names = PartNames::of(["a/l1", "a/l2", "b/l1", "table"]);
        let find = |name: &str| names.find(name, "--ignore").map(str::to_owned).map_err(|e| e.to_string());
        assert_eq!((find("table"), find("l2"), find("b/l1")), (Ok("table".into()), Ok("a/l2".into()), Ok("b/l1".into())));
        assert_eq!(find("l1"), Err("--ignore: 'l1' is ambiguous: write a/l1 or b/l1".into()));
        let unknown = "--ignore: there is no part 'tabel'; did you mean 'table'? known names: a/l1, a/l2, b/l1, table";
        assert_eq!(find("tabel"), Err(unknown.into()));
    }
}
