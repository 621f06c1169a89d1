//! What a caller can get wrong. Numbers that cannot be decided are no error: they are [`crate::Verdict::Undecided`].

use thiserror::Error as ThisError;

/// Why a question could not be asked. Each names the thing and, where there is one, the remedy.
#[derive(Clone, Debug, PartialEq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// NaN or infinity.
    #[error("{what}: a number is NaN or infinite")]
    NonFinite {
        /// Where it stands.
        what: String,
    },
    /// A number too large for the products that bounds are made of.
    #[error("{what}: {value:e} is beyond the range of ±{limit:e}; scale the model")]
    OutOfRange {
        /// Where it stands.
        what: String,
        /// The number.
        value: f64,
        /// The largest magnitude accepted.
        limit: f64,
    },
    /// A size too small for the products that bounds are made of.
    #[error("{what}: a size of {value:e} is below {limit:e}; sizes must be zero or in [{limit:e}, 1e30], so scale the model")]
    TooSmall {
        /// Whose size.
        what: String,
        /// The size.
        value: f64,
        /// The smallest size accepted, but for zero.
        limit: f64,
    },
    /// A triangle refers to a vertex that is not there.
    #[error("triangle {triangle} refers to vertex {index}, but there are only {vertices}")]
    BadIndex {
        /// Which triangle.
        triangle: usize,
        /// The index it holds.
        index: u64,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A list that would not be whole.
    #[error("{what}: the work limit or memory ran out, or the query was cancelled, before all of it was found")]
    Incomplete {
        /// Which list.
        what: String,
    },
    /// Two things of one kind with one name.
    #[error("two {kind}s are named '{name}'; names must be unique")]
    DuplicateName {
        /// Link, joint, part, …
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A name nobody declared.
    #[error("{user} refers to {kind} '{name}', which does not exist")]
    Unknown {
        /// Link, joint, part, …
        kind: &'static str,
        /// The name that was not found.
        name: String,
        /// Who refers to it.
        user: String,
    },
    /// The joints do not form a tree.
    #[error("the links form a cycle through '{link}'; a robot must be a tree")]
    KinematicCycle {
        /// A link on the cycle.
        link: String,
    },
    /// More than one link without a parent.
    #[error("links '{first}' and '{second}' both have no parent; a robot has one root")]
    MultipleRoots {
        /// One root.
        first: String,
        /// Another.
        second: String,
    },
    /// A joint axis of length zero.
    #[error("joint '{joint}': the axis is zero")]
    BadAxis {
        /// The joint.
        joint: String,
    },
    /// Joint values that do not fit the robot.
    #[error("'{robot}' takes {expected} joint values, got {found}")]
    WrongJointCount {
        /// The robot.
        robot: String,
        /// How many values it takes.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A motion or an id of one scene, used with another.
    #[error("the {what} belongs to another scene; make it from the scene that this query is about")]
    ForeignScene {
        /// Motion, robot id, part id, …
        what: &'static str,
    },
    /// Anything else that is wrong with an input.
    #[error("{what}: {reason}")]
    Invalid {
        /// What is wrong.
        what: String,
        /// Why.
        reason: String,
    },
}

impl Error {
    /// An [`Error::Invalid`].
    pub fn invalid(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Error::Invalid { what: what.into(), reason: reason.into() }
    }
}
