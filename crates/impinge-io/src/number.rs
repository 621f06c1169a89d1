//! Parses decimal text to `f64`, correctly rounded; text that is not a finite number is an error.

use crate::error::{IoError, Place, Result, shorten};

/// Returns the number of a text; `context` is only called for an error.
#[inline]
pub(crate) fn parse(text: &str, context: impl FnOnce() -> (Place, String)) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => {
            let (at, what) = context();
            Err(IoError::NonFinite { at, what, text: shorten(text) })
        }
        Err(_) => {
            let (at, what) = context();
            Err(IoError::BadNumber { at, what, text: shorten(text) })
        }
    }
}

/// Returns the whole number of a text, within the range of `i64`.
#[inline]
pub(crate) fn parse_integer(text: &str, context: impl FnOnce() -> (Place, String)) -> Result<i64> {
    text.parse::<i64>().map_err(|_| {
        let (at, what) = context();
        IoError::BadNumber { at, what, text: shorten(text) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<f64> {
        parse(text, || (Place::line("f", 3), "radius".into()))
    }

    #[test]
    fn numbers_are_exact_or_refused() {
        assert_eq!(read("0.1").expect("a number"), 0.1);
        assert_eq!(read("-2.5E-3").expect("a number"), -2.5e-3);
        for text in ["nan", "NaN", "inf", "-Infinity", "1e999"] {
            assert!(matches!(read(text), Err(IoError::NonFinite { .. })), "{text}");
        }
        for text in ["", "1,5", "0x10", "1.0f", "--1"] {
            assert!(matches!(read(text), Err(IoError::BadNumber { .. })), "{text}");
        }
        assert_eq!(
            read("abc").expect_err("no number").to_string(),
            "f:3: radius: 'abc' is not a valid number here; write plain decimal numbers"
        );
        assert!(parse_integer("99999999999999999999", || (Place::file("f"), "index".into())).is_err());
    }
}
