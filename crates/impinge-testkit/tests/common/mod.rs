//! What a good answer is, judged by the oracle.

pub use impinge_testkit::judge::*;
