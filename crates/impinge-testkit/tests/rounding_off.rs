//! The test suite detects missing outward rounding.
//!
//! Tests run in a build with `--cfg impinge_round_to_nearest`, and the tests listed here must fail. It compiles the workspace again, so it
//! runs only when `IMPINGE_LONG` is set:
//!
//!     IMPINGE_LONG=1 cargo test -p impinge-testkit --test rounding_off

use std::path::Path;
use std::process::Command;

/// Unit tests of the library, for every kind of bound that depends on rounding. More may fail.
const OF_THE_LIBRARY: &[&str] = &[
    "reference::redon2004::boxes_over_span::tests::boxes_that_share_a_corner_by_less_than_a_rounding_are_not_apart",
    "math::interval::tests::arithmetic::operations_on_awkward_numbers_are_the_best_possible",
    "math::interval::tests::arithmetic::operations_enclose_and_are_the_best_possible",
    "math::interval::tests::arithmetic::functions_of_one_interval_enclose",
    "math::interval::tests::trig::near_multiples_of_a_quarter_turn",
    "math::interval::tests::vector::products_of_matrices_enclose",
    "math::interval::tests::vector::rotations_enclose",
    "math::interval::taylor::tests::every_operation_encloses",
    "math::pose::tests::rpy_quaternion_and_axis_angle_agree",
    "math::rounding::tests::rounding_to_f32_goes_outward",
    "math::trig::tests::within_half_the_claimed_error_of_the_exact_series",
    "motion::interval_chain::tests::the_exact_sum_of_offsets_is_enclosed",
    "motion::tube::tests::the_rounding_radius_covers_the_exact_position",
    "motion::tube::tests::the_motion_stays_in_the_tube",
    "motion::tube::tests::the_motion_seen_from_another_body_stays_in_its_tube",
    "reference::redon2004::taylor_motion::tests::the_exact_sum_of_offsets_is_enclosed",
    "query::distance::tests::bounds_enclose_the_exact_distance_of_points",
    "query::distance::tests::bounds_enclose_the_exact_distance_of_swept_points",
    "search::hulls::tests::a_point_at_the_height_is_not_above_it",
    "bvh::hulls::tests::nodes_hold_what_is_below_them",
    "bvh::moving::tests::every_triangle_lies_in_every_box_above_it",
    "bvh::oriented::tests::every_triangle_lies_in_every_box_above_it",
    "bvh::swept::tests::boxes_hold_their_lines",
    "geometry::bounding::capsule::tests::every_point_is_inside_and_principal_axes_do_no_better",
];

/// Tests of whole verdicts against an oracle.
const OF_ANSWERS: &[&str] =
    &["every_family_agrees_with_the_oracle", "meeting_in_one_point_at_the_end_is_not_free", "scaling_to_nearly_nothing"];

#[test]
fn the_suite_fails_without_outward_rounding() {
    if std::env::var_os("IMPINGE_LONG").is_none() {
        return;
    }
    must_fail(&["-p", "impinge", "--lib"], OF_THE_LIBRARY);
    let answers = ["--test", "features", "--test", "soundness", "--test", "tiny"];
    must_fail(&[&["-p", "impinge-testkit"], &answers[..]].concat(), OF_ANSWERS);
}

/// Runs `cargo test` with these arguments; the listed tests must be among the failures.
fn must_fail(args: &[&str], names: &[&str]) {
    let output = Command::new(env!("CARGO"))
        .args(["test", "--no-fail-fast", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"))
        .arg("--target-dir")
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("rounding-off"))
        .args(args)
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
        .env("RUST_BACKTRACE", "0")
        .env("RUSTFLAGS", "--cfg impinge_round_to_nearest")
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("test result:"), "the tests did not run:\n{}", String::from_utf8_lossy(&output.stderr));
    for name in names {
        assert!(text.lines().any(|l| l == format!("test {name} ... FAILED")), "{name} did not notice:\n{text}");
    }
}
