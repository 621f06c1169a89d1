//! Values that are built when first needed and shared afterwards.

use std::sync::OnceLock;

/// A value that is built once, outside of any lock.
///
/// Trees are built in parallel. A thread that waits for a parallel build may run other work of the pool in the meantime, and that work may
/// need the same value: inside of [`OnceLock::get_or_init`] it would wait for itself. So nothing is locked while a value is built; threads
/// that need it at the same time build it twice, and all see the one that was first.
#[derive(Clone, Debug)]
pub(crate) struct BuildOnce<T>(OnceLock<T>);

impl<T> BuildOnce<T> {
    /// Nothing is built yet.
    pub const fn new() -> Self {
        BuildOnce(OnceLock::new())
    }

    /// The value, built now if it was not before. `build` always builds the same value.
    pub fn get_or_build(&self, build: impl FnOnce() -> T) -> &T {
        match self.0.get() {
            Some(value) => value,
            None => {
                let built = build();
                self.0.get_or_init(|| built)
            }
        }
    }
}

impl<T> Default for BuildOnce<T> {
    fn default() -> Self {
        BuildOnce::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first build wins, also when building it needs the value itself, as a pool that steals work may do.
    #[test]
    fn a_build_may_need_its_own_value() {
        let once = BuildOnce::new();
        assert_eq!(*once.get_or_build(|| 1 + *once.get_or_build(|| 6)), 6);
        assert_eq!(*once.get_or_build(|| 9), 6);
    }
}
