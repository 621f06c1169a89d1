//! Oracles, generators and data-set readers for tests.
