//! The few triangles of a body that are looked at closely, taken out of it.

use crate::Error;
use crate::bvh::Box32;
use crate::deform::Lines;
use crate::deform::features::{Side, owned};
use crate::math::Vec3;

/// Some triangles with their own numbering of vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Patch {
    names: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    owned: Vec<u8>,
    start: Vec<Vec3>,
    end: Vec<Vec3>,
}

impl Patch {
    /// The chosen triangles.
    ///
    /// # Errors
    /// If a vertex of theirs is not finite or too large.
    pub fn take(&mut self, all: &[[u32; 3]], chosen: &[u32], lines: &Lines<'_>) -> Result<(), Error> {
        let corners = || chosen.iter().map(|&t| all[t as usize]);
        self.names.clear();
        self.names.extend(corners().flatten());
        self.names.sort_unstable();
        self.names.dedup();
        self.names.iter().try_for_each(|&v| lines.check(v as usize))?;
        let local = |v: u32| self.names.partition_point(|&n| n < v) as u32;
        self.triangles.clear();
        self.triangles.extend(corners().map(|t| t.map(local)));
        self.owned = owned(&self.triangles);
        for (out, from) in [(&mut self.start, lines.start), (&mut self.end, lines.end)] {
            out.clear();
            out.extend(self.names.iter().map(|&v| from[v as usize]));
        }
        Ok(())
    }

    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    pub fn lines(&self) -> Lines<'_> {
        Lines { start: &self.start, end: &self.end }
    }

    /// As one side of a test, by the names of the body; `chosen` are those that were taken.
    pub fn side<'a>(&'a self, body: usize, chosen: &'a [u32], boxes: &'a [Box32]) -> Side<'a> {
        Side {
            body,
            triangles: &self.triangles,
            owned: &self.owned,
            lines: self.lines(),
            boxes,
            names: Some((chosen, &self.names)),
        }
    }
}
