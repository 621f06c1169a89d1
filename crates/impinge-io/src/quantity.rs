//! Numbers with units: `5mm`, `90deg`, `-1.5e-3`.
//!
//! Lengths are converted to metres, angles to radians. Numbers without a unit are in metres or radians already.
//!
//! Rounding: metric and imperial lengths are exact multiples of powers of ten, so the decimal text itself is multiplied and
//! rounded to a double once: `5mm` and `0.005` give the same bits, and so do `1in` and `0.0254`. Degrees and turns are multiples
//! of π, which is rounded itself: decimal, factor and product have an error of half an ulp each.

use std::f64::consts::{PI, TAU};
use std::fmt;

/// The dimension of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Metres.
    Length,
    /// Radians.
    Angle,
}

/// A finite number in metres or radians, and its dimension if it has a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// In metres or radians.
    pub value: f64,
    /// `None` for a number without a unit.
    pub dimension: Option<Dimension>,
}

/// The ratio of a unit to metres or radians.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Factor {
    /// An integer times a power of ten: exact.
    Decimal(u32, i64),
    /// Radians per unit, rounded.
    Radians(f64),
}

use Dimension::{Angle, Length};
use Factor::{Decimal, Radians};

const DEGREE: f64 = PI / 180.0;

/// All units.
const UNITS: [(&str, Dimension, Factor); 14] = [
    ("nm", Length, Decimal(1, -9)),
    ("um", Length, Decimal(1, -6)),
    ("µm", Length, Decimal(1, -6)),
    ("mm", Length, Decimal(1, -3)),
    ("cm", Length, Decimal(1, -2)),
    ("km", Length, Decimal(1, 3)),
    ("m", Length, Decimal(1, 0)),
    ("in", Length, Decimal(254, -4)),
    ("ft", Length, Decimal(3048, -4)),
    ("rad", Angle, Decimal(1, 0)),
    ("deg", Angle, Radians(DEGREE)),
    ("°", Angle, Radians(DEGREE)),
    ("turns", Angle, Radians(TAU)),
    ("turn", Angle, Radians(TAU)),
];

impl Quantity {
    /// Parses a number with or without a unit; blanks between the two are allowed.
    ///
    /// # Errors
    /// If it is not a decimal number, the unit is unknown, or the value is not finite. The message names the text and the remedy.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let bad = || format!("'{text}' is not a number; write a decimal number, optionally with a unit: {}", names(None));
        let (number, unit) = split(text);
        let value = match unit {
            None => number.parse::<f64>().map_err(|_| bad())?,
            Some((.., Decimal(by, power))) => scaled(number, by, power).ok_or_else(bad)?,
            Some((.., Radians(by))) => number.parse::<f64>().map_err(|_| bad())? * by,
        };
        if !value.is_finite() {
            return Err(format!("'{text}' is not finite; all numbers must be finite"));
        }
        Ok(Quantity { value, dimension: unit.map(|(_, dimension, _)| dimension) })
    }

    /// Returns the value as a number of this dimension.
    ///
    /// # Errors
    /// If the unit has another dimension.
    pub fn as_a(&self, wanted: Dimension) -> Result<f64, String> {
        match self.dimension {
            Some(found) if found != wanted => {
                Err(format!("this is {found}, but {wanted} is required; units are: {}", names(Some(wanted))))
            }
            _ => Ok(self.value),
        }
    }

    /// Returns the value as a number without a unit.
    ///
    /// # Errors
    /// If there is a unit.
    pub fn plain(&self) -> Result<f64, String> {
        match self.dimension {
            Some(found) => Err(format!("this is {found}, but a number without a unit is required")),
            None => Ok(self.value),
        }
    }
}

/// Parses a length, in metres without a unit.
///
/// # Errors
/// See [`Quantity::parse`]; or if it is an angle.
pub fn length(text: &str) -> Result<f64, String> {
    Quantity::parse(text)?.as_a(Length)
}

/// Parses an angle, in radians without a unit.
///
/// # Errors
/// See [`Quantity::parse`]; or if it is a length.
pub fn angle(text: &str) -> Result<f64, String> {
    Quantity::parse(text)?.as_a(Angle)
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Length => "a length",
            Angle => "an angle",
        })
    }
}

/// Returns the units of a dimension, or all, for messages.
fn names(of: Option<Dimension>) -> String {
    let plain = |name: &&str| name.is_ascii() && *name != "turns";
    let fitting = UNITS.iter().filter(|u| of.is_none_or(|of| of == u.1)).map(|u| u.0);
    fitting.filter(plain).collect::<Vec<_>>().join(", ")
}

/// Splits a number and its unit.
fn split(text: &str) -> (&str, Option<(&'static str, Dimension, Factor)>) {
    let digits_end = |number: &str| number.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    let fits = |unit: &&(&'static str, Dimension, Factor)| text.strip_suffix(unit.0).is_some_and(|n| digits_end(n.trim_end()));
    match UNITS.iter().find(fits) {
        Some(unit) => (text[..text.len() - unit.0.len()].trim_end(), Some(*unit)),
        None => (text, None),
    }
}

/// Returns decimal text times `by` 10^`power`, rounded once: its digits are multiplied as a decimal number, and its exponent is
/// shifted.
fn scaled(number: &str, by: u32, power: i64) -> Option<f64> {
    // Text that is not a decimal number is refused by the same parser as all others: `inf`, `1_0`, `--1`.
    number.parse::<f64>().ok().filter(|x| x.is_finite())?;
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (number, 0),
    };
    let (sign, digits) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let product = multiplied(whole.bytes().chain(fraction.bytes()), by);
    let exponent = exponent.checked_add(power)?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    format!("{sign}{product}e{exponent}").parse().ok()
}

/// Returns ASCII digits of a number times a small one.
fn multiplied(digits: impl DoubleEndedIterator<Item = u8>, by: u32) -> String {
    let mut carry = 0;
    let mut out: Vec<u8> = Vec::new();
    for digit in digits.rev() {
        carry += u64::from(digit - b'0') * u64::from(by);
        out.push(b'0' + (carry % 10) as u8);
        carry /= 10;
    }
    while carry > 0 {
        out.push(b'0' + (carry % 10) as u8);
        carry /= 10;
    }
    out.iter().rev().map(|&b| char::from(b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    #[test]
    fn units_are_read_and_bits_are_those_of_the_decimal() {
        for (text, metres) in [
            ("5mm", 0.005),
            ("0.3 cm", 0.003),
            ("-1.5e-3m", -1.5e-3),
            ("1e2mm", 0.1),
            ("7um", 7e-6),
            ("7µm", 7e-6),
            ("3.3nm", 3.3e-9),
            ("2km", 2000.0),
            ("1in", 0.0254),
            ("0.1in", 0.00254),
            ("3ft", 0.9144),
            (".5in", 0.0127),
            ("12.m", 12.0),
            ("4", 4.0),
        ] {
            assert_eq!(length(text).map(f64::to_bits), Ok(f64::to_bits(metres)), "{text}");
        }
        for (text, radians) in [
            ("90deg", FRAC_PI_2),
            ("60deg", 60f64.to_radians()),
            ("-45°", -FRAC_PI_4),
            ("180 deg", PI),
            ("1turn", TAU),
            ("0.5turns", PI),
            ("1.57rad", 1.57),
            ("0", 0.0),
        ] {
            assert_eq!(angle(text), Ok(radians), "{text}");
        }
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_the_units() {
        for text in ["", "mm", "5 furlongs", "5mmm", "1,5mm", "0x1m", "--1m", "1e", "1em", "nanm", "1_0mm"] {
            let message = Quantity::parse(text).expect_err(text);
            assert!(message.contains("is not a number") && message.contains("deg"), "{message}");
        }
        for text in ["inf", "NaN", "1e999", "1e999m", "1e308km", "1e308turn"] {
            assert!(Quantity::parse(text).is_err(), "{text}");
        }
        let wrong = length("90deg").expect_err("an angle");
        assert_eq!(wrong, "this is an angle, but a length is required; units are: nm, um, mm, cm, km, m, in, ft");
        assert!(angle("5mm").is_err() && Quantity::parse("5mm").expect("a length").plain().is_err());
        assert!(Quantity::parse(&format!("1e{}m", i64::MAX)).is_err());
    }

    /// Returns pseudo-random numbers.
    fn numbers(count: u64) -> impl Iterator<Item = u64> {
        (1..=count).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xBF58_476D_1CE4_E5B9))
    }

    /// A value in millimetres has the bits of the same decimal in metres; a product with 0.001 would not.
    #[test]
    fn decimal_units_round_once() {
        let mut twice = 0;
        for (i, digits) in numbers(20_000).map(|n| n % 10_000_000_000_000_000).enumerate() {
            let places = i % 20;
            let text = format!("{digits:0width$}", width = places + 1);
            let (whole, fraction) = text.split_at(text.len() - places);
            let metres: f64 = format!("{digits}e-{}", places + 3).parse().expect("a number");
            assert_eq!(length(&format!("{whole}.{fraction}mm")).map(f64::to_bits), Ok(metres.to_bits()), "{text}");
            let rounded: f64 = format!("{whole}.{fraction}").parse().expect("a number");
            twice += u32::from(rounded * 0.001 != metres);
        }
        assert!(twice > 1000, "rounding twice differs: {twice}");
    }
}
