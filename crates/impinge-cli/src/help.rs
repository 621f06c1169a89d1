//! Examples and usage lines of `--help`. Lines stay below 80 columns, because wrapped examples cannot be copied.

pub const EXAMPLES: &str = "\
Examples:
  impinge example                         a built-in example; needs no files
  impinge check arm.urdf --obstacle table.stl --from 0,0,0 --to 1,30deg,-0.2
  impinge check arm.urdf --scene cell.json --trajectory path.csv --margin 5mm
  impinge check one.bvh other.bvh         first contact of two motion captures
  impinge clearance arm.urdf --scene cell.json --trajectory path.csv
                                          minimum distance over the motion
  impinge pairs arm.urdf --srdf arm.srdf  all pairs, with reasons for exclusion
  impinge cases regression.json           grade cases against expected answers
  impinge queries ccd-queries             run vertex/face and edge/edge queries
  impinge verify proofs.jsonl             verify certificates independently
  impinge swept arm.urdf --from 0,0,0 --to 1,0.5,0 --out swept.stl
                                          the swept volume, as a mesh
  impinge distance gear.obj plate.obj --pose-a 0,0,1.05
                                          certified distance of two bodies
  impinge witnesses --moving gear.obj --fixed plate.obj --motions drop.jsonl
                                          all pairs of triangles in contact
  impinge step cloth0.obj cloth1.obj      one step of a deforming body
  impinge watch tool.stl --body part.obj --poses -
                                          predict contacts of a moving tool
  impinge watch arm.urdf --scene cell.json --joints -
                                          predict contacts of a robot

Numbers are in metres and radians unless they have a unit: nm, um, mm, cm, m,
km, in, ft, rad, deg, turn. docs/formats.md describes the file formats.";

pub const CHECK: &str = "\
Examples:
  One motion; values are in the order of the moving joints, or by name. Joints
  that are not named take their value from --state, or zero:
    impinge check arm.urdf --srdf arm.srdf --obstacle table.stl \\
      --from 0,-45deg,1.2 --to elbow=30deg
    impinge check arm.urdf --srdf arm.srdf --from @ready --to @ready,elbow=0.5
  Several motions, one JSON object per line; - reads standard input:
    impinge check arm.urdf --scene cell.json --motions edges.jsonl --json
    planner | impinge check arm.urdf --scene cell.json --motions - --any --json
      {\"id\": …, \"q0\": […], \"q1\": […]}
  A trajectory: a table with a header of joint names and, optionally, time:
    impinge check arm.urdf --scene cell.json --trajectory path.csv --margin 5mm
  A rigid body:
    impinge check --moving gear.obj --fixed plate.obj --motions motions.jsonl
      {\"id\": …, \"start\": {\"p\": […], \"q\": [w,x,y,z]}, \"v\": […], \"w\": […]}
  Several robots on a common clock, each with a base, an SRDF and a motion; a
  robot with --from but without --to is static:
    impinge check --robot left=arm.urdf --robot right=arm.urdf \\
      --base right=1,0,0,0,0,180deg --srdf left=arm.srdf --srdf right=arm.srdf \\
      --from left:0,0,0 --to left:1,0.5,0 --from right:0,0,0
    … --motions moves.jsonl
      {\"id\": …, \"robots\": {\"left\": {\"q0\": […], \"q1\": […]}},
       \"bodies\": {\"NAME\": {\"start\": …}}}       (one line)
  A robot on a moving base, a moving obstacle (its --from and --to are poses),
  a grasped part:
    impinge check --robot cart=cart.urdf --robot arm=arm.urdf \\
      --base arm=cart/deck@0,0,0.3 --body box=box.stl \\
      --attach gripper=part.stl@0,0,10cm --touch finger_left,finger_right \\
      --motions moves.jsonl
  Motion capture; every step between two frames is certified:
    impinge check one.bvh other.bvh --bvh-scale 0.056
  A case file: scene, motion, options and expected answer in one file:
    impinge check puzzle.case.json
  MotionBenchMaker problems; the straight joint motion from start to goal:
    impinge check panda.urdf --srdf panda.srdf --problems bookshelf.jsonl

Poses are X,Y,Z or X,Y,Z,R,P,Y: a position, and roll, pitch, yaw about the
fixed axes. Numbers are in metres and radians unless they have a unit: 5mm, 1in,
90deg. docs/formats.md describes the file formats.

Exit code: 0 all motions are free, 1 some motion has a contact, 2 error,
3 undecided (or the output was closed early), 130 interrupted. After Ctrl-C, the
answers so far are printed as whole lines and a single motion is undecided; a
second Ctrl-C terminates the command immediately.";

pub const CHECK_USAGE: &str = "\
impinge check ROBOT.urdf [OPTIONS] (--from Q,… --to Q,… |
                     --motions FILE | --trajectory FILE | --problems FILE)
       impinge check DANCER.bvh OTHER.bvh [OPTIONS]
       impinge check --robot NAME=FILE --robot NAME=FILE [OPTIONS] …
       impinge check --moving MESH --fixed MESH [OPTIONS] --motions FILE
       impinge check CASE.json [OPTIONS]";

pub const CLEARANCE: &str = "\
Examples:
  impinge clearance arm.urdf --srdf arm.srdf --obstacle table.stl \\
    --from 0,-0.8,1.2 --to 1,0.3,0.5
  impinge clearance arm.urdf --scene cell.json --trajectory path.csv \\
    --clearance=0.1mm --json
  impinge clearance --moving gear.obj --fixed plate.obj --motions moves.jsonl

The same as `impinge check --any --clearance`. `at_least` is a certified lower
bound of the distance of all checked pairs at every instant. At the printed
time, the distance of the named pair is at most `at_most`. If the two bounds
differ by more than the requested width, `limited_by` gives the reason:
resolution (limit of the arithmetic), undecided (margins between the bounds
could not be decided), or work (--max-work).

Exit code: 0 all motions are free, 1 some motion has a contact, 2 error,
3 undecided, 130 interrupted.";

pub const CLEARANCE_USAGE: &str = "\
impinge clearance ROBOT.urdf [OPTIONS] (--from Q,… --to Q,… |
                         --motions FILE | --trajectory FILE)
       impinge clearance --moving MESH --fixed MESH [OPTIONS] --motions FILE
       and all other inputs of `impinge check`";

pub const PAIRS: &str = "\
Examples:
  impinge pairs panda.urdf --srdf panda.srdf
  impinge pairs arm.urdf --scene cell.json --ignore gripper,table --json
  impinge pairs arm.urdf --attach gripper=cup.stl \\
    --touch finger_left,finger_right
  impinge pairs --robot left=arm.urdf --robot right=arm.urdf \\
    --base right=1,0,0

Exit code: 0 all pairs are listed, 2 error, 3 the output was closed early,
130 interrupted.";

pub const CASES: &str = "\
Examples:
  impinge cases regression.json           one line per case that does not pass
  impinge cases regression.json --json    one line per case: id, verdict, time,
                                          tolerance, seconds, message

Exit code: 0 all pass, 1 some answer is unsound, late or wrong, 2 some case
cannot be read, 3 all are sound, but some are loose or conservative,
130 interrupted.";

pub const QUERIES: &str = "\
Examples:
  impinge queries 227vf.csv 227ee.csv     tables; expected answers are read
                                          from 227vf.gt.csv, …
  impinge queries ccd-queries --json      all files in a folder, recursively
  impinge queries primitives.json         queries in JSON

A table has 8 rows per query: vertices v f0 f1 f2 or a0 a1 b0 b1 at t = 0, then
at t = 1. Columns: numerator and denominator of x, y, z and, if known, 0 or 1
for the expected answer. A file name that ends in vf.csv or ee.csv, or a folder
named vertex-face or edge-edge, defines the kind. In JSON:
  {\"queries\": [{\"kind\": \"vf\" or \"ee\", \"vertices_t0\": […],
   \"vertices_t1\": […], \"hit\": …, \"toc_lo\": …, \"toc_hi\": …}]}
Times are in microseconds on one thread, the best of three rounds.

Exit code: 0 no contact was missed, 1 some contact was missed, 2 some input
cannot be read, 3 the output was closed early, 130 interrupted.";

pub const VERIFY: &str = "\
Examples:
  impinge check arm.urdf --scene cell.json --trajectory path.csv \\
    --certificate proofs.jsonl
  impinge verify proofs.jsonl

A verified certificate proves that every checked pair of parts is separated
during the whole motion. Closed meshes are solids unless `check` was run with
--surfaces; the summary reports the setting. docs/certificates.md describes the
format.

Exit code: 0 every certificate is verified, 1 some are refused, 2 some line
cannot be read, 3 the output was closed early, 130 interrupted.";

pub const SWEPT_USAGE: &str = "\
impinge swept ROBOT.urdf --from Q,… --to Q,… --out FILE [OPTIONS]
       impinge swept ROBOT.urdf --trajectory FILE.csv --out FILE [OPTIONS]
       impinge swept DANCER.bvh --out FILE [OPTIONS]
       impinge swept --moving MESH --motions FILE.jsonl --out FILE [OPTIONS]";

pub const SWEPT: &str = "\
Examples:
  impinge swept arm.urdf --from 0,-0.8,1.2 --to 1,0.3,0.5 --out swept.stl
  impinge swept arm.urdf --srdf arm.srdf --from @ready --to elbow=30deg \\
    --out swept.obj --error 1mm --link forearm --link hand
  The meshes themselves, along a trajectory, with an attached part:
    impinge swept arm.urdf --trajectory path.csv --exact --error 2mm \\
      --attach hand=part.stl --out swept.ply

By default each part is replaced by the capsule fitted around it; with --exact,
its own meshes and primitives are swept. The result encloses the swept volume of
all motions and exceeds it by at most twice the error. The surface is not
trimmed: some of its faces lie inside. With --exact, a part is limited to 65,536
convex cells per motion; a smaller error needs more cells. OBJ files have one
object per part; PLY files name parts in comments; STL files hold all parts as
one mesh, in single precision. Obstacles are not swept; to write one, name it
with --link.

Exit code: 0 the file is written, 2 error (no file), 3 the output was closed
early, 130 interrupted.";

pub const EXAMPLE: &str = "\
Examples:
  impinge example
  impinge example --out demo       also write the files: robot, meshes, motions

Exit code: 0 with or without contacts, 2 error, 3 the output was closed early,
130 interrupted.";

pub const DISTANCE: &str = "\
Examples:
  Two bodies, each at a pose: meshes, or box:X,Y,Z sphere:R cylinder:R,L
  capsule:R,L:
    impinge distance gear.obj plate.obj --pose-a 0,0,1.05
    impinge distance part.stl box:1,1,20cm --pose-b 0,0,-0.1 --max 0.5 --json
    impinge distance bolt.stl housing.stl --surfaces
  Translations, handled exactly: the minimum distance over time, or the distance
  of the two swept volumes:
    impinge distance gear.obj plate.obj --pose-a 0,0,1.05 --sweep-a 0,0,-1
    impinge distance a.obj b.obj --sweep-a 1,0,0 --sweep-b 0,1,0 --volumes
  Rotation about an axis, given by a rotation vector (its length is the angle)
  and a point on the axis:
    impinge distance door.obj wall.obj --turn-a 0,0,90deg@0.4,0,0
    impinge distance door.obj wall.obj --turn-a 0,0,1.2@0.4,0,0 \\
      --piece 3deg --estimate
  Parts of a scene, with robots at given joint values: the closest checked pair,
  all checked pairs, or one pair:
    impinge distance arm.urdf --scene cell.json --at 0,-0.8,1.2
    impinge distance arm.urdf --obstacle table.stl --at elbow=0.5 --all --json
    impinge distance arm.urdf --obstacle table.stl --at 0,0,0 \\
      --between hand,table

Distances are certified: the minimum distance is at least `at_least` and at most
`at_most`. `at_most` is printed first; the printed points, at the printed times,
have that distance. Closed meshes and primitives are solids (--solid, the
default); with --surfaces, closed meshes are shells; open meshes are always
shells. Contacts are classified as in `impinge check`; in JSON as \"state\":
  contained    one is wholly inside the other, at distance 0
  overlapping  they share more than a boundary, at distance 0
  touching     within 1e-9 m, but crossing is not proven
For a motion, the state describes its start; a later contact is `touching`.
Rotating bodies are enclosed by simpler ones; smaller pieces are more accurate.
A search that reaches --max-work reports \"limited_by\": \"work\" in JSON.

Exit code: 0 separated (farther apart than --min), 1 in contact: touching,
overlapping or contained (or within --min), 2 error, 3 undecided,
130 interrupted.";

pub const WITNESSES: &str = "\
Examples:
  impinge witnesses --moving gear.obj --fixed plate.obj --motions drop.jsonl \\
    --margin 1.26mm
  impinge witnesses --moving gear.obj --fixed plate.obj --motions drop.jsonl \\
    --times --json
  impinge witnesses arm.urdf --obstacle table.stl --from 0,0,0 --to 1,0.5,-0.2 \\
    --limit 10

Every pair that is not listed is proven to be farther apart than the margin
during the whole motion. --times adds a bracket for the start and one for the
end of each contact; a pair can have several contacts. Pairs are printed as they
are found. A part that starts inside a solid is listed first, once, as
contained, until surfaces meet (a round solid in a round one is listed where
that pair is found).

Exit code: 0 no contact, 1 some contact, 2 error, 3 some pair is undecided,
130 interrupted.";

pub const STEP: &str = "\
Examples:
  impinge step cloth0.obj cloth1.obj        self-contact of the cloth
  impinge step cloth0.ply cloth1.ply --all --json      all contacts of the step
  impinge step cloth0.obj cloth1.obj --other hand0.obj hand1.obj
                                            two bodies; --self adds
                                            self-contact

Both files of a body have the same triangles. Every vertex moves on a straight
line from its position in the first file to its position in the second. Shared
vertices of adjacent triangles are not contacts. Bodies that touch or cross at
t = 0 are reported as intersecting at the start (\"state\": \"intersecting\");
bodies that are only closer than --margin at t = 0, as within the margin
(\"within_margin\"). A body wholly inside a closed body at t = 0 is in contact,
too (\"state\": \"contained\"; \"contained\" lists the inner and outer body).

Exit code: 0 free, 1 contact, 2 error, 3 undecided, 130 interrupted.";

pub const WATCH: &str = "\
Examples:
  impinge example --out demo
  impinge watch demo/drill.obj --body demo/hull.obj --poses demo/poses.jsonl
  teleoperation | impinge watch tool.stl --body part.obj --body jig.stl \\
    --poses - --budget 1
  impinge watch drill.stl --body part.obj --poses - --hold x,y,rx,ry,rz
  controller | impinge watch arm.urdf --srdf arm.srdf --scene cell.json \\
    --joints -

Poses are JSON objects, one per line: {\"t\": seconds, \"p\": [x,y,z],
\"q\": [w,x,y,z]}, the tool's frame in the world. A line can contain new vertices
of deformed bodies, \"bodies\": {\"0\": [[x,y,z], …]}; they move on straight
lines from their previous positions.
Joint values are JSON objects, one per line: {\"t\": seconds, \"q\": [values in
the order of the moving joints]} or \"q\": {\"joint\": value, …}; joints that are
not named keep their values; before a line names them, they take their value
from --state, or zero. A table with a header of `time` and joint names, and one
line per sample, is accepted, too. Metres and radians.

Each input line is answered immediately by one line:
  level       none, considered, reflex or now
  ahead       earliest time to contact, in seconds, with its uncertainty (one
              standard deviation)
  body, triangles (tool), pair (robot): the parts in contact
  contact     features, point, normal; time in seconds from now, or, at level
              now, as a fraction of the step between the last two lines
  contained   (tool) the tool is inside a closed body, or a body inside the
              tool, and their surfaces do not meet: 0 is the tool, 1 the body;
              a robot's contact has \"state\": \"contained\". The level is now
  undecided   neither contact nor its absence is proven
  reached     prediction horizon that was searched, in seconds
  cut_short   the time budget ended the search
  micros      computation time of the answer

Between two lines, a tool moves on its rigid arc and joints move linearly. The
predicted path follows the polynomials. \"none\" is a proof for these paths up to
`reached`, not for the actual future motion. A contact is reported where the
distance is within the margin plus twice the tolerance.

Exit code: 0 no contact between any two lines, 1 some contact, 2 a line or file
was refused, or there were no lines, 3 no known contact, but a step between two
lines was undecided or the budget ended before it was tested, or the output was
closed early, 130 interrupted.";

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use crate::args::Cli;

    /// Returns every command with its help text.
    fn help() -> Vec<(Command, String)> {
        let mut command = Cli::command();
        // `build` resolves inherited options.
        command.build();
        let subs: Vec<Command> = command.get_subcommands().filter(|s| s.get_name() != "help").cloned().collect();
        subs.into_iter().chain([command]).map(|mut c| (c.clone(), c.render_long_help().to_string())).collect()
    }

    /// A command that is wrapped in the middle cannot be copied.
    #[test]
    fn help_fits_80_columns_and_breaks_no_example() {
        for (command, shown) in help() {
            let name = command.get_name();
            for line in shown.lines() {
                assert!(line.chars().count() <= 80, "{name}: {line}");
                // A backslash is only allowed as a line continuation.
                let text = line.strip_suffix(" \\").unwrap_or(line);
                assert!(!text.contains('\\'), "{name}: {line}");
            }
            let examples = command.get_after_help().expect("it has examples").to_string();
            assert!(
                examples.contains("Examples:\n")
                    && examples.contains(&format!("impinge {name}").replace("impinge impinge", "impinge"))
            );
            for line in examples.lines() {
                assert!(shown.lines().any(|l| l == line), "{name}: {line}");
            }
        }
    }

    #[test]
    fn help_has_all_exit_codes_and_options() {
        for (command, shown) in help() {
            let name = command.get_name();
            let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            let codes = words.split_once("Exit code: ").unwrap_or_else(|| panic!("{name}: no exit codes")).1;
            let wanted: &[&str] = match name {
                "pairs" | "swept" | "example" => &["0", "2", "3", "130"],
                _ => &["0", "1", "2", "3", "130"],
            };
            let words: Vec<&str> = codes.split(|c: char| !c.is_ascii_alphanumeric()).collect();
            for code in wanted {
                assert!(words.contains(code), "{name}: {code}");
            }
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let text = arg.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(text.len() > 3, "{name}: {}", arg.get_id());
                let long = arg.get_long().map(|long| format!("--{long}")).unwrap_or_default();
                assert!(shown.contains(&long), "{name}: {long}");
            }
            assert!(!shown.contains("front of the last"), "{name}: there is no such engine");
        }
    }
}
