//! Answers as lines of JSON.

use crate::answer::Answer;
use crate::plain;

/// Returns the line of an answer, with its line end.
pub fn line(answer: &Answer) -> String {
    // An answer holds only numbers, text and lists, so serialization cannot fail.
    plain::json(answer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::Verdict;

    #[test]
    fn every_line_has_the_same_keys() {
        let free = Answer::of(&3.into(), &Verdict::Free, 0.25, |_| "");
        assert_eq!(
            line(&free),
            "{\"id\":3,\"verdict\":\"free\",\"time\":null,\"free_until\":1.0,\"pair\":null,\"features\":null,\"point\":null,\
             \"normal\":null,\"clearance_at_least\":0.25,\"micros\":null,\"warnings\":[]}\n"
        );
        let error = line(&Answer::error(&"x".into(), "a \"bad\" line"));
        assert!(error.contains("\"verdict\":\"error\"") && error.ends_with("\"message\":\"a \\\"bad\\\" line\"}\n"), "{error}");
    }
}
