//! Small mutations of bytes.

use crate::Random;

/// Numbers that are difficult for parsers and arithmetic.
const NUMBERS: [&str; 18] = [
    "0",
    "-0",
    "1",
    "-1",
    "255",
    "256",
    "65536",
    "2147483648",
    "-2147483649",
    "4294967295",
    "18446744073709551616",
    "1e308",
    "1e999",
    "-1e-320",
    "nan",
    "inf",
    "0.1",
    "1e-9",
];

/// Words of no language, or of several.
const WORDS: [&str; 16] = ["", "<", ">", "/>", "\"", "'", "{", "}", "[", "]", ",", "\n", "\0", "\u{fffd}", "&amp;", "\\"];

/// Applies one to six mutations to a seed, given by the stream of numbers.
pub fn mutate(seeds: &[Vec<u8>], tokens: &[&str], longest: usize, random: &mut Random) -> Vec<u8> {
    let mut bytes = pick(seeds, random);
    for _ in 0..random.integer(1, 6) {
        change(&mut bytes, seeds, tokens, random);
    }
    bytes.truncate(longest);
    bytes
}

fn pick(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    if seeds.is_empty() { Vec::new() } else { seeds[random.below(seeds.len())].clone() }
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], tokens: &[&str], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let to = (at + random.below(16)).min(bytes.len());
    match random.below(11) {
        0 => flip(bytes, random),
        1 => bytes.insert(at, random.bits() as u8),
        2 => drop(bytes.drain(at..to)),
        3 => copy(bytes, at, random),
        4 => bytes.truncate(at),
        5 => splice(bytes, at, &pick(seeds, random), random),
        6 => drop(bytes.splice(at..at, random.pick(&WORDS).bytes())),
        7 if !tokens.is_empty() => drop(bytes.splice(at..to, random.pick(tokens).bytes())),
        8 => raw_number(bytes, at, random),
        9 => drop(bytes.splice(at..to, random.pick(&NUMBERS).bytes())),
        _ => replace_number(bytes, at, random),
    }
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    if !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
}

/// Repeats a piece of the bytes, sometimes many times.
fn copy(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let piece = bytes[at..(at + random.below(64)).min(bytes.len())].to_vec();
    let into = random.below(bytes.len() + 1);
    let times = if random.chance(0.1) { 40 } else { 1 };
    drop(bytes.splice(into..into, piece.repeat(times)));
}

/// Appends the end of another seed.
fn splice(bytes: &mut Vec<u8>, at: usize, other: &[u8], random: &mut Random) {
    bytes.truncate(at);
    bytes.extend(&other[random.below(other.len() + 1)..]);
}

/// Overwrites bytes with extreme binary numbers.
fn raw_number(bytes: &mut [u8], at: usize, random: &mut Random) {
    let number =
        random.pick(&[0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7f80_0000, 0x7fc0_0000, 0x0080_0000u32]);
    bytes[at..].iter_mut().zip(number.to_le_bytes()).for_each(|(byte, new)| *byte = new);
}

/// Replaces the next decimal number.
fn replace_number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let of_number = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'e');
    let Some(from) = bytes[at..].iter().position(of_number).map(|i| at + i) else { return };
    let to = bytes[from..].iter().position(|b| !of_number(b)).map_or(bytes.len(), |i| from + i);
    drop(bytes.splice(from..to, random.pick(&NUMBERS).bytes()));
}
