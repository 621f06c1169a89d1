//! A small robot and a wall, in a temporary folder for each test; and the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

/// An arm that turns about z and stretches along x, with a ball at its end.
pub const ARM: &str = r#"<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="upper"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<link name="hand"><collision><origin xyz="0.1 0 0"/><geometry><sphere radius="0.05"/></geometry></collision></link>
<link name="frame"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2"/></joint>
<joint name="stretch" type="prismatic"><parent link="upper"/><child link="hand"/><origin xyz="1 0 0"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0.5"/></joint>
<joint name="weld" type="fixed"><parent link="hand"/><child link="frame"/></joint>
</robot>"#;

/// A box from (0.5, 0.5, -1) to (1.5, 0.6, 1), as OBJ.
pub const WALL: &str = "v 0.5 0.5 -1\nv 1.5 0.5 -1\nv 0.5 0.6 -1\nv 1.5 0.6 -1\nv 0.5 0.5 1\nv 1.5 0.5 1\nv 0.5 0.6 1\nv 1.5 0.6 1\n\
    f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n";

/// A cube of side 1 about the origin, as OBJ.
pub const CUBE: &str = "v -0.5 -0.5 -0.5\nv 0.5 -0.5 -0.5\nv -0.5 0.5 -0.5\nv 0.5 0.5 -0.5\nv -0.5 -0.5 0.5\nv 0.5 -0.5 0.5\n\
    v -0.5 0.5 0.5\nv 0.5 0.5 0.5\n\
    f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n";

/// A folder with the arm and the wall, removed at the end.
pub struct World {
    pub folder: PathBuf,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl World {
    pub fn new() -> Self {
        let name = format!("impinge-cli-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let world = World { folder: std::env::temp_dir().join(name) };
        fs::create_dir_all(&world.folder).expect("can write");
        world.put("arm.urdf", ARM);
        world.put("wall.obj", WALL);
        world
    }

    /// Writes a file; returns its path.
    pub fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        fs::write(&path, text).expect("can write");
        path
    }

    /// Returns the command with these arguments, in the folder.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_impinge"));
        command.args(args.split_whitespace()).current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    /// Starts the command with pipes for input and output.
    pub fn talk(&self, args: &str) -> Child {
        self.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts")
    }

    /// Runs the command.
    pub fn run(&self, args: &str) -> Ran {
        Ran::of(self.command(args).output().expect("starts"))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The result of a command.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Returns the lines of JSON in the output.
    pub fn rows(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }
}

/// Returns a line of output without the time.
pub fn without_micros(out: &str) -> String {
    let mut rows: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    rows.iter_mut().for_each(|row| row["micros"] = Value::Null);
    rows.iter().map(|row| row.to_string() + "\n").collect()
}

/// Runs the command without a world.
pub fn run(args: &[&str], folder: &Path) -> Ran {
    Ran::of(
        Command::new(env!("CARGO_BIN_EXE_impinge")).args(args).current_dir(folder).stdin(Stdio::null()).output().expect("starts"),
    )
}
