//! The few triangles of a body that are looked at closely, taken out of it.

use crate::Error;
use crate::deform::Lines;
use crate::deform::features::{Side, owned};
use crate::math::Vec3;
use crate::shape::tree::Box32;

/// Some triangles with their own numbering of vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Patch {
    names: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    owned: Vec<u8>,
    start: Vec<Vec3>,
    end: Vec<Vec3>,
    boxes: Vec<Box32>,
}

impl Patch {
    /// The chosen triangles; boxes are relative to `origin` and grown by `by`.
    ///
    /// # Errors
    /// If a vertex of theirs is not finite or too large.
    pub fn take(&mut self, all: &[[u32; 3]], chosen: &[u32], lines: &Lines<'_>, origin: Vec3, by: f64) -> Result<(), Error> {
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
        self.boxes.clear();
        self.boxes.extend(self.start.iter().zip(&self.end).map(|(&a, &b)| Box32::of_line(a, b, origin, by)));
        Ok(())
    }

    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    pub fn boxes(&self) -> &[Box32] {
        &self.boxes
    }

    /// As one side of a test, by the names of the body; `chosen` are those that were taken.
    pub fn side<'a>(&'a self, body: usize, chosen: &'a [u32]) -> Side<'a> {
        Side {
            body,
            triangles: &self.triangles,
            owned: &self.owned,
            lines: Lines { start: &self.start, end: &self.end },
            boxes: &self.boxes,
            names: Some((chosen, &self.names)),
        }
    }
}
