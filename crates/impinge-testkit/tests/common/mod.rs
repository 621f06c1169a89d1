//! What a good answer is, judged by the oracle.

#![allow(unused_imports, reason = "each test file uses a part of it")]

pub use impinge_testkit::judge::*;
