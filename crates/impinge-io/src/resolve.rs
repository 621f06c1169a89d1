//! Resolves mesh references and restricts them to allowed folders.
//!
//! ```text
//! meshes/a.stl              from the file's folder
//! package://pkg/a/b.stl     from a package path that is or contains `pkg`, else from the file's folder upwards
//! package://b.stl           the same: a file directly below a package path or the robot's folder
//! file:///x/a.stl, /x/a.stl the file itself
//! ```
//!
//! Resolved paths are canonical (no links, no `..`) and must lie inside the robot's folder, the named package, or a package path,
//! unless outside files are allowed. The robot's folder is the one of the file, or the ROS package (a folder with `package.xml`)
//! around it. A package found by searching upwards must be one: a folder with a `package.xml`, or at most [`NEAR`] levels above
//! the file and of that name; otherwise `package://etc/…` would open the whole disk. Refused: all other references, other
//! schemes, devices. Nothing is downloaded or executed.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::error::{IoError, Place, Result, shorten};

/// Number of levels that are searched upwards for packages.
const LEVELS: usize = 8;
/// Number of levels above the file at which a folder's name alone makes it the package: `pkg/robots/arm/arm.urdf`.
pub const NEAR: usize = 3;

/// Treatment of files outside the model's folders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outside {
    /// Refuse them.
    #[default]
    Refuse,
    /// Read them.
    Allow,
}

/// Resolves the references of one file.
#[derive(Clone, Debug)]
pub struct Resolver {
    /// The folder of the file.
    folder: PathBuf,
    /// The robot's folder: `folder` or the ROS package around it.
    root: PathBuf,
    packages: Vec<PathBuf>,
    outside: Outside,
}

/// A candidate path of a reference, and the folder that it must not leave.
struct Lead {
    path: PathBuf,
    root: PathBuf,
}

impl Resolver {
    /// Creates a resolver for the references in `file`.
    ///
    /// # Errors
    /// If the file's folder or a package path does not exist.
    pub fn new(file: &Path, package_paths: &[PathBuf], outside: Outside) -> Result<Self> {
        let parent = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = canonical(parent)?;
        let root = folder.ancestors().take(LEVELS).find(|a| is_package(a)).unwrap_or(&folder).to_path_buf();
        let packages = package_paths.iter().map(|p| canonical(p)).collect::<Result<_>>()?;
        Ok(Resolver { folder, root, packages, outside })
    }

    /// Returns the canonical path of the regular file that `reference` means; `user` and `at` name the element with the
    /// reference.
    ///
    /// # Errors
    /// If there is none, or it lies outside.
    pub fn resolve(&self, reference: &str, user: &str, at: &Place) -> Result<PathBuf> {
        let wanted = Reference { reference, user, at };
        if let Some(rest) = reference.strip_prefix("package://") {
            return self.resolve_package(&decode(rest), &wanted);
        }
        if let Some(rest) = reference.strip_prefix("file://") {
            let path = decode(rest.strip_prefix("localhost/").map_or(rest, |_| &rest["localhost".len()..]));
            return self.first(&[self.lead(&path)], &wanted);
        }
        if reference.contains("://") {
            return Err(IoError::UnsupportedFormat {
                at: at.clone(),
                what: format!("{user}: the reference '{}'", shorten(reference)),
                remedy: "use a path, file:// or package://".into(),
            });
        }
        let mut leads = vec![self.lead(reference)];
        if reference.contains('%') {
            leads.push(self.lead(&decode(reference)));
        }
        self.first(&leads, &wanted)
    }

    fn lead(&self, path: &str) -> Lead {
        Lead { path: self.folder.join(path), root: self.root.clone() }
    }

    fn resolve_package(&self, decoded: &str, wanted: &Reference<'_>) -> Result<PathBuf> {
        let mut parts = decoded.split('/').filter(|p| !p.is_empty());
        let package = parts.next().unwrap_or("");
        let rest: PathBuf = parts.collect();
        if matches!(package, "" | "." | "..") || package.contains('\\') {
            return Err(wanted.escapes(&self.root));
        }
        let mut leads = Vec::new();
        for folder in &self.packages {
            if folder.file_name().is_some_and(|n| n == package) {
                leads.push(folder.clone());
            }
            leads.push(folder.join(package));
        }
        for (level, folder) in self.folder.ancestors().take(LEVELS).filter(|f| f.parent().is_some()).enumerate() {
            if folder.file_name().is_some_and(|n| n == package) && (level <= NEAR || is_package(folder)) {
                leads.push(folder.to_path_buf());
            }
            let inside = folder.join(package);
            if is_package(&inside) || inside.starts_with(&self.root) {
                leads.push(inside);
            }
        }
        let leads: Vec<Lead> = leads
            .into_iter()
            .filter_map(|p| fs::canonicalize(p).ok())
            // Joining an empty path would add a slash, which is invalid after a file.
            .map(|root| Lead { path: if rest.as_os_str().is_empty() { root.clone() } else { root.join(&rest) }, root })
            .collect();
        self.first(&leads, wanted)
    }

    /// Returns the first lead with a file.
    fn first(&self, leads: &[Lead], wanted: &Reference<'_>) -> Result<PathBuf> {
        for lead in leads {
            // Checked before any access: the error must not reveal whether an outside file exists.
            if !self.may_read(&lexical(&lead.path), &lead.root) {
                return Err(wanted.escapes(&lead.root));
            }
            let Ok(found) = fs::canonicalize(&lead.path) else { continue };
            if !self.may_read(&found, &lead.root) {
                return Err(wanted.escapes(&lead.root));
            }
            if !found.is_file() {
                return Err(wanted.no_file(&found));
            }
            return Ok(found);
        }
        Err(wanted.missing(leads))
    }

    fn may_read(&self, path: &Path, root: &Path) -> bool {
        self.outside == Outside::Allow
            || path.starts_with(root)
            || path.starts_with(&self.root)
            || self.packages.iter().any(|p| path.starts_with(p))
    }
}

/// A reference with its context, for messages.
struct Reference<'a> {
    reference: &'a str,
    user: &'a str,
    at: &'a Place,
}

impl Reference<'_> {
    fn escapes(&self, root: &Path) -> IoError {
        IoError::PathEscape {
            at: self.at.clone(),
            user: self.user.into(),
            reference: shorten(self.reference),
            root: format!("'{}'", root.display()),
        }
    }

    /// Returns an error about a folder, a device or a pipe.
    fn no_file(&self, found: &Path) -> IoError {
        let kind = if found.is_dir() { "a folder" } else { "not a regular file" };
        let what = format!("{}: '{}' resolves to {kind}, '{}'", self.user, shorten(self.reference), found.display());
        IoError::Read { at: self.at.clone(), source: std::io::Error::new(std::io::ErrorKind::InvalidInput, what) }
    }

    fn missing(&self, leads: &[Lead]) -> IoError {
        let tried: Vec<String> = leads.iter().take(4).map(|l| format!("'{}'", l.path.display())).collect();
        IoError::MissingMesh {
            at: self.at.clone(),
            user: self.user.into(),
            reference: shorten(self.reference),
            tried: if tried.is_empty() { "no folder that is or contains the package".into() } else { tried.join(", ") },
        }
    }
}

fn canonical(folder: &Path) -> Result<PathBuf> {
    fs::canonicalize(folder).map_err(|source| IoError::Read { at: Place::file(folder), source })
}

fn is_package(folder: &Path) -> bool {
    folder.join("package.xml").is_file()
}

/// Returns the path without `.` and `..`, by its text alone.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Decodes percent-encoded characters such as `%20`; invalid sequences are kept.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = text.get(i + 1..i + 3).filter(|_| bytes[i] == b'%');
        match hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder for one test, removed at the end.
    struct Disk(PathBuf);

    impl Disk {
        fn new(name: &str, files: &[&str]) -> Self {
            let root = std::env::temp_dir().join(format!("impinge-resolve-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&root);
            for file in files {
                let path = root.join(file);
                fs::create_dir_all(path.parent().expect("has a parent")).expect("can write");
                fs::write(path, "x").expect("can write");
            }
            Disk(fs::canonicalize(root).expect("was made"))
        }

        fn resolve(&self, file: &str, reference: &str, packages: &[&str], outside: Outside) -> Result<PathBuf> {
            let packages: Vec<PathBuf> = packages.iter().map(|p| self.0.join(p)).collect();
            let resolver = Resolver::new(&self.0.join(file), &packages, outside)?;
            let found = resolver.resolve(reference, "link 'a'", &Place::line(file, 3))?;
            Ok(found.strip_prefix(&self.0).map_or(found.clone(), Path::to_path_buf))
        }
    }

    impl Drop for Disk {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn plain_paths_stay_in_the_robots_folder() {
        let disk = Disk::new("plain", &["r/a.urdf", "r/m/x y.stl", "out.stl", "p/package.xml", "p/urdf/b.urdf", "p/m.stl"]);
        let resolve = |file: &str, reference: &str| disk.resolve(file, reference, &[], Outside::Refuse);
        assert_eq!(resolve("r/a.urdf", "m/x y.stl").expect("found"), Path::new("r/m/x y.stl"));
        assert_eq!(resolve("r/a.urdf", "m/x%20y.stl").expect("found"), Path::new("r/m/x y.stl"));
        assert_eq!(resolve("r/a.urdf", "./m/../m//x y.stl").expect("found"), Path::new("r/m/x y.stl"));
        assert_eq!(resolve("p/urdf/b.urdf", "../m.stl").expect("a package's own file"), Path::new("p/m.stl"));
        for escape in ["../out.stl", "..%2Fout.stl", "../nothing.stl", "/etc/hostname", "file:///etc/hostname", "../r2/../../x"] {
            assert!(matches!(resolve("r/a.urdf", escape), Err(IoError::PathEscape { .. })), "{escape}");
        }
        let absolute = disk.0.join("r/m/x y.stl");
        assert!(resolve("r/a.urdf", absolute.to_str().expect("UTF-8")).is_ok());
        assert!(resolve("r/a.urdf", &format!("file://{}", absolute.to_str().expect("UTF-8").replace(' ', "%20"))).is_ok());
        assert!(matches!(resolve("r/a.urdf", "m/none.stl"), Err(IoError::MissingMesh { .. })));
        assert!(matches!(resolve("r/a.urdf", "m"), Err(IoError::Read { .. })));
        assert!(matches!(resolve("r/a.urdf", "http://x/a.stl"), Err(IoError::UnsupportedFormat { .. })));
        assert_eq!(disk.resolve("r/a.urdf", "../out.stl", &[], Outside::Allow).expect("allowed"), Path::new("out.stl"));
        let message = resolve("r/a.urdf", "m/none.stl").expect_err("missing").to_string();
        assert!(message.starts_with("r/a.urdf:3: link 'a': mesh 'm/none.stl' not found"), "{message}");
    }

    #[test]
    fn packages_are_found_by_path_or_upwards() {
        let files = [
            "ws/arm/package.xml",
            "ws/arm/urdf/a.urdf",
            "ws/arm/m/x.stl",
            "ws/hand/package.xml",
            "ws/hand/y.stl",
            "ws/plain/z.stl",
        ];
        let disk = Disk::new("package", &[&files[..], &["near/urdf/n.urdf", "near/m.stl"]].concat());
        let resolve =
            |reference: &str, packages: &[&str]| disk.resolve("ws/arm/urdf/a.urdf", reference, packages, Outside::Refuse);
        assert_eq!(resolve("package://arm/m/x.stl", &[]).expect("own package"), Path::new("ws/arm/m/x.stl"));
        assert_eq!(resolve("package:///arm//m///x.stl", &[]).expect("own package"), Path::new("ws/arm/m/x.stl"));
        assert_eq!(resolve("package://hand/y.stl", &[]).expect("beside"), Path::new("ws/hand/y.stl"));
        assert!(matches!(resolve("package://plain/z.stl", &[]), Err(IoError::MissingMesh { .. })));
        assert_eq!(resolve("package://plain/z.stl", &["ws"]).expect("holds it"), Path::new("ws/plain/z.stl"));
        assert_eq!(resolve("package://plain/z.stl", &["ws/plain"]).expect("is it"), Path::new("ws/plain/z.stl"));
        for escape in ["package://arm/../../out.stl", "package://../x", "package://arm/%2e%2e/%2e%2e/x", "package://"] {
            assert!(matches!(resolve(escape, &[]), Err(IoError::PathEscape { .. })), "{escape}");
        }
        assert_eq!(resolve("package://z.stl", &["ws/plain"]).expect("directly below"), Path::new("ws/plain/z.stl"));
        assert_eq!(resolve("package://y.stl", &["ws/plain", "ws/hand"]).expect("below the second"), Path::new("ws/hand/y.stl"));
        assert!(matches!(resolve("package://z.stl", &["ws"]), Err(IoError::MissingMesh { .. })));
        assert!(matches!(resolve("package://plain", &["ws"]), Err(IoError::Read { .. })), "a folder is no mesh");
        assert!(matches!(resolve("package://etc/hostname", &[]), Err(IoError::MissingMesh { .. })));
        assert!(matches!(resolve("package://arm/m/x.stl", &["no such folder"]), Err(IoError::Read { .. })));
        let near = disk.resolve("near/urdf/n.urdf", "package://near/m.stl", &[], Outside::Refuse);
        assert_eq!(near.expect("named so"), Path::new("near/m.stl"));
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_are_refused() {
        let disk = Disk::new("link", &["r/a.urdf", "secret.stl"]);
        std::os::unix::fs::symlink(disk.0.join("secret.stl"), disk.0.join("r/b.stl")).expect("can link");
        assert!(matches!(disk.resolve("r/a.urdf", "b.stl", &[], Outside::Refuse), Err(IoError::PathEscape { .. })));
    }
}
