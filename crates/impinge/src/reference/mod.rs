//! Algorithms of the papers as they are printed: slow twins that the fast ones are tested against.

pub(crate) mod redon2004;
