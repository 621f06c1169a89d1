//! Interval arithmetic against a table of tightest results: `data/interval_vectors.txt`.

use impinge::math::Interval;

/// `[a, b] rest` as the interval and the rest.
fn interval(text: &str) -> Option<(Interval, &str)> {
    let (ends, rest) = text.trim_start().strip_prefix('[')?.split_once(']')?;
    let (lo, hi) = ends.split_once(',')?;
    Some((Interval::new(lo.trim().parse().ok()?, hi.trim().parse().ok()?), rest.trim()))
}

/// What the library makes of the left side of a line.
fn compute(operation: &str, operands: &str) -> Option<Interval> {
    let (a, rest) = interval(operands)?;
    let b = || interval(rest).map(|(b, _)| b);
    Some(match operation {
        "neg" => -a,
        "abs" => a.abs(),
        "square" => a.square(),
        "sqrt" => a.sqrt(),
        "powi" => a.powi(rest.parse().ok()?),
        "add" => a + b()?,
        "sub" => a - b()?,
        "mul" => a * b()?,
        "div" => a / b()?,
        "min" => a.min(b()?),
        "max" => a.max(b()?),
        "hull" => a.hull(b()?),
        "intersection" => a.intersection(b()?)?,
        _ => return None,
    })
}

#[test]
fn every_line_of_the_table_holds() {
    let mut seen = 0;
    for (number, line) in include_str!("data/interval_vectors.txt").lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts =
            line.split_once(' ').and_then(|(op, rest)| rest.split_once(" = ").map(|(operands, result)| (op, operands, result)));
        let Some((operation, operands, result)) = parts else { panic!("line {}: {line}", number + 1) };
        let (expected, _) = interval(result).expect("a result");
        assert_eq!(compute(operation, operands), Some(expected), "line {}: {line}", number + 1);
        seen += 1;
    }
    assert!(seen > 150, "the table was read");
}
