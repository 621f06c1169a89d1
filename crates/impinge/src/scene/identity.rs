//! Scene identity: ids and motions carry the identity of the scene they belong to, and every entry point compares it.
//!
//! Two scenes may share names, numbers of parts and even geometry and still differ in what a motion refers to (the coordinate origin, the
//! frames, the rules of pairs). A motion or an id of another scene is therefore refused with [`Error::ForeignScene`].

use std::sync::atomic::{AtomicU64, Ordering};

use super::Scene;
use crate::Error;

/// Identity of one built scene: unique within the process, never part of an answer's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SceneIdentity(u64);

impl SceneIdentity {
    /// An identity that no other scene of this process has.
    pub fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        SceneIdentity(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Declares an id: a position in one list of one scene.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name {
            scene: SceneIdentity,
            index: usize,
        }

        impl $name {
            pub(crate) fn new(scene: SceneIdentity, index: usize) -> Self {
                $name { scene, index }
            }

            /// Its position among those of its scene.
            pub fn index(self) -> usize {
                self.index
            }

            /// Its position, if it belongs to this scene.
            ///
            /// # Errors
            /// [`Error::ForeignScene`].
            pub(crate) fn of(self, scene: &Scene) -> Result<usize, Error> {
                if self.scene == scene.identity { Ok(self.index) } else { Err(Error::ForeignScene { what: $kind }) }
            }
        }
    };
}

id!(
    /// A robot in a scene.
    RobotId,
    "robot id"
);
id!(
    /// A deforming body of a scene.
    DeformableId,
    "id of a deforming body"
);
id!(
    /// A free rigid body in a scene.
    BodyId,
    "body id"
);
id!(
    /// A part: a link, an obstacle or a body. Its index is its position in [`Scene::part_names`].
    PartId,
    "part id"
);

impl Scene {
    pub(crate) fn part_id(&self, index: usize) -> PartId {
        PartId::new(self.identity, index)
    }

    pub(crate) fn robot_id(&self, index: usize) -> RobotId {
        RobotId::new(self.identity, index)
    }

    /// Refuses a motion of another scene.
    ///
    /// # Errors
    /// [`Error::ForeignScene`].
    #[inline]
    pub(crate) fn own(&self, motion: &super::Motion) -> Result<(), Error> {
        if motion.scene == self.identity { Ok(()) } else { Err(Error::ForeignScene { what: "motion" }) }
    }
}
