//! Examples and usage lines of `--help`. Lines stay below 80 columns: longer ones would be broken where they cannot be copied.

pub const EXAMPLES: &str = "\
Examples:
  impinge example                         see it work, no files needed
  impinge check arm.urdf --obstacle table.stl --from 0,0,0 --to 1,30deg,-0.2
  impinge check arm.urdf --scene cell.json --trajectory path.csv --margin 5mm
  impinge check one.bvh other.bvh         when do two dancers first touch?
  impinge clearance arm.urdf --scene cell.json --trajectory path.csv
                                          how near does it come?
  impinge pairs arm.urdf --srdf arm.srdf  what is checked, and why not the rest
  impinge cases regression.json           cases with expected answers, graded
  impinge queries ccd-queries             vertex/face and edge/edge tests, timed
  impinge verify proofs.jsonl             re-check what --certificate wrote
  impinge swept arm.urdf --from 0,0,0 --to 1,0.5,0 --out swept.stl
                                          the space that a motion takes up
  impinge distance gear.obj plate.obj --pose-a 0,0,1.05
                                          how far apart; --sweep-a, --turn-a
  impinge witnesses --moving gear.obj --fixed plate.obj --motions drop.jsonl
                                          all pairs of triangles that touch
  impinge step cloth0.obj cloth1.obj      a deforming body, one step
  impinge watch tool.stl --body part.obj --poses -
                                          contacts ahead of a tool in motion
  impinge watch arm.urdf --scene cell.json --joints -
                                          contacts ahead of a robot

Numbers are metres and radians, or have a unit: nm, um, mm, cm, m, km, in, ft,
rad, deg, turn. File formats are described in docs/formats.md.";

pub const CHECK: &str = "\
Examples:
  One motion, values in the order of the moving joints, or by name; joints that
  are not named are where --state says, or at zero:
    impinge check arm.urdf --srdf arm.srdf --obstacle table.stl \\
      --from 0,-45deg,1.2 --to elbow=30deg
    impinge check arm.urdf --srdf arm.srdf --from @ready --to @ready,elbow=0.5
  Many motions, one JSON object per line; - reads standard input:
    impinge check arm.urdf --scene cell.json --motions edges.jsonl --json
    planner | impinge check arm.urdf --scene cell.json --motions - --any --json
      {\"id\": …, \"q0\": […], \"q1\": […]}
  A trajectory, a table with a header of joint names (and time, if you like):
    impinge check arm.urdf --scene cell.json --trajectory path.csv --margin 5mm
  A rigid body:
    impinge check --moving gear.obj --fixed plate.obj --motions motions.jsonl
      {\"id\": …, \"start\": {\"p\": […], \"q\": [w,x,y,z]}, \"v\": […], \"w\": […]}
  Several robots on one clock, each with a base, an SRDF and a motion; a robot
  that has only --from rests there:
    impinge check --robot left=arm.urdf --robot right=arm.urdf \\
      --base right=1,0,0,0,0,180deg --srdf left=arm.srdf --srdf right=arm.srdf \\
      --from left:0,0,0 --to left:1,0.5,0 --from right:0,0,0
    … --motions moves.jsonl
      {\"id\": …, \"robots\": {\"left\": {\"q0\": […], \"q1\": […]}},
       \"bodies\": {\"NAME\": {\"start\": …}}}       (one line)
  A robot on a moving base, a moving obstacle (its --from and --to are poses),
  a part in the gripper:
    impinge check --robot cart=cart.urdf --robot arm=arm.urdf \\
      --base arm=cart/deck@0,0,0.3 --body box=box.stl \\
      --attach gripper=part.stl@0,0,10cm --touch finger_left,finger_right \\
      --motions moves.jsonl
  Motion capture, every step between two frames proven:
    impinge check one.bvh other.bvh --bvh-scale 0.056
  A case file: scene, motion, options and the expected answer in one:
    impinge check puzzle.case.json
  MotionBenchMaker problems, the straight line from start to goal of each:
    impinge check panda.urdf --srdf panda.srdf --problems bookshelf.jsonl

Poses are X,Y,Z or X,Y,Z,R,P,Y: a position, and roll, pitch, yaw about the
fixed axes. Numbers are metres and radians, or have a unit: 5mm, 1in, 90deg.
File formats are described in docs/formats.md.

Exit code: 0 all motions are free, 1 some motion touches, 2 error,
3 undecided (or nobody read all answers), 130 interrupted. After Ctrl-C, answers
so far are whole lines and a single motion is undecided; a second Ctrl-C ends
the command at once.";

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

The same as `impinge check --any --clearance`. At no instant is any checked
pair nearer than `at_least`: a proof. At the printed time, the named pair is no
farther apart than `at_most`. Where the two are farther from each other than
asked for, `limited_by` says why: resolution (as near as numbers tell),
undecided (margins between them could not be decided), or work (--max-work).

Exit code: 0 all motions are free, 1 some motion touches, 2 error,
3 undecided, 130 interrupted.";

pub const CLEARANCE_USAGE: &str = "\
impinge clearance ROBOT.urdf [OPTIONS] (--from Q,… --to Q,… |
                         --motions FILE | --trajectory FILE)
       impinge clearance --moving MESH --fixed MESH [OPTIONS] --motions FILE
       whatever `impinge check` takes";

pub const PAIRS: &str = "\
Examples:
  impinge pairs panda.urdf --srdf panda.srdf
  impinge pairs arm.urdf --scene cell.json --ignore gripper,table --json
  impinge pairs arm.urdf --attach gripper=cup.stl \\
    --touch finger_left,finger_right
  impinge pairs --robot left=arm.urdf --robot right=arm.urdf \\
    --base right=1,0,0

Exit code: 0 all pairs are listed, 2 error, 3 nobody read the list to its end,
130 interrupted.";

pub const CASES: &str = "\
Examples:
  impinge cases regression.json           a line per case that does not pass
  impinge cases regression.json --json    a line per case: id, verdict, time,
                                          tolerance, seconds, message

Exit code: 0 all pass, 1 some answer is unsound, late or wrong, 2 something
cannot be read, 3 all are sound, but some loose or conservative,
130 interrupted.";

pub const QUERIES: &str = "\
Examples:
  impinge queries 227vf.csv 227ee.csv     tables; answers beside them in
                                          227vf.gt.csv, …
  impinge queries ccd-queries --json      every file in a folder and below
  impinge queries primitives.json         queries in JSON

A table has 8 rows per query: vertices v f0 f1 f2 or a0 a1 b0 b1 at t = 0, then
at t = 1. Columns: numerator and denominator of x, y, z and, if known, 0 or 1
for the expected answer. The kind follows from a name that ends in vf.csv or
ee.csv, or from a folder named vertex-face or edge-edge. In JSON:
  {\"queries\": [{\"kind\": \"vf\" or \"ee\", \"vertices_t0\": […],
   \"vertices_t1\": […], \"hit\": …, \"toc_lo\": …, \"toc_hi\": …}]}
Times are microseconds on one thread, the best of three rounds.

Exit code: 0 no contact was missed, 1 some contact was missed, 2 something
cannot be read, 3 nobody read all answers, 130 interrupted.";

pub const VERIFY: &str = "\
Examples:
  impinge check arm.urdf --scene cell.json --trajectory path.csv \\
    --certificate proofs.jsonl
  impinge verify proofs.jsonl

A certificate that is verified proves that every checked pair of parts is
apart during the whole motion. Closed meshes are solids unless --surfaces was
given to check; the summary says which. docs/certificates.md has the format.

Exit code: 0 every certificate proves what it claims, 1 some are refused,
2 something cannot be read, 3 nobody read all answers, 130 interrupted.";

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
  The meshes themselves, along a trajectory, with what the hand holds:
    impinge swept arm.urdf --trajectory path.csv --exact --error 2mm \\
      --attach hand=part.stl --out swept.ply

By default each part is taken as the capsule fitted around it; with --exact, as
its own meshes and primitives. The file holds everything that passes through
during the whole motions, and is at most twice the error larger. The surface is
not trimmed: pieces of it lie inside. With --exact a part may take 65,536 convex
cells per motion; a smaller error takes more. OBJ has an object per part; PLY
names parts in comments; STL holds all parts in one, in single precision.
Obstacles are not swept; name one with --link to have it written.

Exit code: 0 the file is written, 2 error (no file), 3 nobody read the answer,
130 interrupted.";

pub const EXAMPLE: &str = "\
Examples:
  impinge example
  impinge example --out demo       also write its files: robot, meshes, motions

Exit code: 0 whatever touches, 2 error, 3 nobody read the answers,
130 interrupted.";

pub const DISTANCE: &str = "\
Examples:
  Two bodies, meshes or box:X,Y,Z sphere:R cylinder:R,L capsule:R,L, each at a
  pose:
    impinge distance gear.obj plate.obj --pose-a 0,0,1.05
    impinge distance part.stl box:1,1,20cm --pose-b 0,0,-0.1 --max 0.5 --json
    impinge distance bolt.stl housing.stl --surfaces
  Swept by translations, exactly: the closest they come while both move, or
  both volumes at once:
    impinge distance gear.obj plate.obj --pose-a 0,0,1.05 --sweep-a 0,0,-1
    impinge distance a.obj b.obj --sweep-a 1,0,0 --sweep-b 0,1,0 --volumes
  Turned about an axis, given by its direction, as long as the angle is, and a
  point of it:
    impinge distance door.obj wall.obj --turn-a 0,0,90deg@0.4,0,0
    impinge distance door.obj wall.obj --turn-a 0,0,1.2@0.4,0,0 \\
      --piece 3deg --estimate
  Parts of a scene, robots at joint values: the closest pair that is checked,
  or all, or two of them:
    impinge distance arm.urdf --scene cell.json --at 0,-0.8,1.2
    impinge distance arm.urdf --obstacle table.stl --at elbow=0.5 --all --json
    impinge distance arm.urdf --obstacle table.stl --at 0,0,0 \\
      --between hand,table

Distances are certified: never closer than `at_least`, once as close as
`at_most`, which is printed first, and the printed points (at the printed times)
show it. Closed meshes, boxes and the like are solids (--solid, the default);
with --surfaces closed meshes are shells; open meshes always are. Bodies in
contact are told apart, as for `impinge check`; in JSON as \"state\":
  contained    one is wholly inside the other, at distance 0
  overlapping  they share more than a boundary, at distance 0
  touching     within 1e-9 m, and nothing is proven to cross
For a motion these are of its start, or it is `touching` on the way.
Turned bodies are enclosed by simpler ones; smaller pieces are more exact.
A search that reaches --max-work says so, in JSON as \"limited_by\": \"work\".

Exit code: 0 apart (farther than --min), 1 in contact: touching, overlapping or
contained (or within --min), 2 error, 3 not known which, 130 interrupted.";

pub const WITNESSES: &str = "\
Examples:
  impinge witnesses --moving gear.obj --fixed plate.obj --motions drop.jsonl \\
    --margin 1.26mm
  impinge witnesses --moving gear.obj --fixed plate.obj --motions drop.jsonl \\
    --times --json
  impinge witnesses arm.urdf --obstacle table.stl --from 0,0,0 --to 1,0.5,-0.2 \\
    --limit 10

Every pair that is not listed is proven to be farther apart than the margin
throughout. With --times: when contact begins and ends, each in a bracket,
possibly several times. Pairs are written as they are found. A part that starts
inside a solid is listed first, once, as contained, until surfaces meet (a round
solid in a round one: where that pair is found).

Exit code: 0 nothing touches, 1 something does, 2 error, 3 something is neither
proven apart nor to touch, 130 interrupted.";

pub const STEP: &str = "\
Examples:
  impinge step cloth0.obj cloth1.obj        does the cloth touch itself?
  impinge step cloth0.ply cloth1.ply --all --json      every contact of the step
  impinge step cloth0.obj cloth1.obj --other hand0.obj hand1.obj
                                            two bodies; --self for each with
                                            itself, too

Both files of a body have the same triangles. Every vertex goes straight from
its place in the first to its place in the second. Triangles that share
vertices do not touch where they are joined. Bodies that touch or cross at t = 0
are reported as intersecting at the start (\"state\": \"intersecting\"), bodies
that are only nearer than --margin then as within it (\"within_margin\"). A body
that is then wholly inside another, closed one is in contact as well (\"state\":
\"contained\", and \"contained\" says which is inside of which).

Exit code: 0 free, 1 something touches, 2 error, 3 undecided, 130 interrupted.";

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
\"q\": [w,x,y,z]}, the tool's frame in the world. A line may bring new vertices
of deformed bodies, \"bodies\": {\"0\": [[x,y,z], …]}; they move straight from
where they were.
Joint values are JSON objects, one per line: {\"t\": seconds, \"q\": [values in
the order of the moving joints]} or \"q\": {\"joint\": value, …}, where joints
that are not named keep their values, and are where --state says, or at zero,
before the first line that names them; or a table with a header of `time` and
joint names, and a line per sample. Metres and radians.

Each line is answered by one line, at once:
  level       none, considered, reflex or now
  ahead       seconds to the contact, at the earliest, with its uncertainty (one
              standard deviation)
  body, triangles (of a tool), pair (of an arm): what touches
  contact     features, point, normal; time in seconds ahead, or as a share of
              the step between the last two lines where the level is now
  contained   (of a tool) the tool is inside a closed body, or that inside the
              tool, with no surfaces that meet: 0 is the tool, 1 the body; an
              arm's contact has \"state\": \"contained\". The level is now
  undecided   neither contact nor its absence is proven
  reached     seconds looked ahead
  cut_short   the budget ended the search
  micros      time that the answer took

Between two lines a tool moves on its rigid arc, and joints move straight. The
predicted path follows the polynomials. \"none\" is a proof for these paths, as
far as `reached` says, not for the motion that comes. A contact is reported
where the distance is within the margin and twice the tolerance.

Exit code: 0 nothing was touched between any two lines, 1 something was, 2 a
line or file was refused, or there were no lines, 3 nothing was touched as far
as is known, but a step between two lines was undecided or the budget ended
before it was tested, or nobody read the answers, 130 interrupted.";

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use crate::args::Cli;

    /// The help of every command, and its name.
    fn help() -> Vec<(Command, String)> {
        let mut command = Cli::command();
        // What an option inherits is known once everything is put together.
        command.build();
        let subs: Vec<Command> = command.get_subcommands().filter(|s| s.get_name() != "help").cloned().collect();
        subs.into_iter().chain([command]).map(|mut c| (c.clone(), c.render_long_help().to_string())).collect()
    }

    /// What is broken in the middle of a command cannot be copied.
    #[test]
    fn help_fits_80_columns_and_breaks_no_example() {
        for (command, shown) in help() {
            let name = command.get_name();
            for line in shown.lines() {
                assert!(line.chars().count() <= 80, "{name}: {line}");
                // Only to go on with a command in the next line.
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
