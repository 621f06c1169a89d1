//! Certificates with one number changed.

use impinge_testkit::Random;

/// Returns the line with one changed number and a recomputed checksum.
pub fn altered(line: &str, random: &mut Random) -> String {
    let body = body(line);
    let numbers = numbers(body);
    let (from, to) = numbers[random.below(numbers.len())];
    let changed = change(&body[from..to], random);
    signed(&format!("{}{changed}{}", &body[..from], &body[to..]))
}

/// Returns an altered scene, and the motion that refers to it.
pub fn with_scene(scene: String, motion: &str) -> (String, String) {
    let body = body(motion);
    let (before, after) = body.split_once("\"scene\":\"").expect("it names its scene");
    let sum = checksum(self::body(&scene));
    let motion = signed(&format!("{before}\"scene\":\"{sum}\"{}", after.split_once('"').expect("the name ends").1));
    (scene, motion)
}

fn body(line: &str) -> &str {
    line.rsplit_once(",\"checksum\"").expect("a checksum").0
}

fn signed(body: &str) -> String {
    format!("{body},\"checksum\":\"{}\"}}", checksum(body))
}

fn checksum(body: &str) -> String {
    let sum = body.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{sum:016x}")
}

/// Returns the places of numbers outside of strings, except the version.
fn numbers(body: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut in_string, mut start) = (false, None);
    for (i, c) in body.bytes().enumerate() {
        let part_of_number = !in_string && matches!(c, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e');
        match (part_of_number, start) {
            // Excludes the last letter of `true`.
            (true, None) if c == b'-' || c.is_ascii_digit() => start = Some(i),
            (false, Some(from)) => {
                found.push((from, i));
                start = None;
            }
            _ => {}
        }
        in_string ^= c == b'"' && body.as_bytes()[i.saturating_sub(1)] != b'\\';
    }
    found.remove(0);
    found
}

/// Draws a small change, a large change, a change of sign, or an increment.
fn change(number: &str, random: &mut Random) -> String {
    let x: f64 = number.parse().expect("a number");
    if !number.contains(['.', 'e']) && random.chance(0.5) {
        return (x as i64 + if random.chance(0.5) { 1 } else { -1 }).to_string();
    }
    let y = match random.below(5) {
        0 => x * (1.0 + 1e-12) + 1e-14,
        1 => x + random.within(-0.05, 0.05),
        2 => x + random.within(-2.0, 2.0),
        3 => -x - 0.125,
        _ => x * random.within(0.5, 2.0) + 0.01,
    };
    format!("{y:?}")
}

/// Returns the line with one flag changed and a recomputed checksum.
pub fn with_flag(line: &str, name: &str, value: bool) -> String {
    signed(&body(line).replace(&format!("\"{name}\":{}", !value), &format!("\"{name}\":{value}")))
}
