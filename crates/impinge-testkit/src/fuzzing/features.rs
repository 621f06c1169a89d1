//! Vertex/face and edge/edge queries against the exact oracle.

use impinge::features::{Answer, FeaturePair, Kind, Settings, first_contact};
use impinge::math::Vec3;

use super::{Numbers, Target};
use crate::sturm;

pub const FEATURES: Target = Target { name: "features", feed, tokens: &[], smoke: 400 };

/// Free means that there is no contact; a certified contact lies within its bracket. Undecided and uncertified verdicts claim nothing.
fn feed(bytes: &[u8]) {
    let Some(pair) = pair(bytes) else { return };
    let (answer, truth) = (first_contact(&pair, &Settings::default()), sturm::first_contact(&pair));
    let right = match (answer, truth) {
        (Answer::Free, truth) => truth.is_none(),
        (Answer::Contact { time, certified: true }, Some((from, to))) => time.0 <= to && time.1 >= from,
        (Answer::Contact { certified, .. }, None) => !certified,
        (Answer::Contact { time, certified: false }, Some((_, to))) => time.0 <= to,
        (Answer::Undecided { .. }, _) => true,
    };
    assert!(right, "{answer:?}, true {truth:?}\n{pair:?}");
}

/// The first byte selects the features and the encoding of the 24 numbers.
fn pair(bytes: &[u8]) -> Option<FeaturePair> {
    let mut numbers = Numbers(bytes);
    let form = numbers.byte();
    let kind = if form & 1 == 0 { Kind::VertexFace } else { Kind::EdgeEdge };
    let mut number = || match (form >> 1) % 4 {
        0 => f64::from(numbers.byte() as i8) / 16.0,
        1 => f64::from(i16::from_le_bytes(numbers.bytes())) / 256.0,
        2 => f64::from(f32::from_le_bytes(numbers.bytes())),
        _ => f64::from_le_bytes(numbers.bytes()),
    };
    let all: [f64; 24] = std::array::from_fn(|_| number());
    // The oracle's fractions grow with the spread of exponents.
    let bearable = |x: &f64| *x == 0.0 || (1e-30..1e30).contains(&x.abs());
    let corner = |i: usize| Vec3::new(all[3 * i], all[3 * i + 1], all[3 * i + 2]);
    all.iter().all(bearable).then(|| FeaturePair {
        kind,
        start: std::array::from_fn(corner),
        end: std::array::from_fn(|i| corner(4 + i)),
    })
}
