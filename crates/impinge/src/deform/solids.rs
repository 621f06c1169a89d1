//! Closed bodies as solids: is a body wholly inside another when a step begins?
//!
//! Surfaces that do not meet are nested or apart component by component, so one vertex of each decides, by the winding number of the other
//! surface around it, exactly. Closed means what it means for a mesh: every edge of a component, by the positions of its ends, has a
//! partner; open components are surfaces.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::interior::{Shells, component_labels, crossing};
use crate::math::Vec3;

/// A body wholly inside another, a solid, when a step begins, or one of its components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside {
    /// Which body is inside, in the order given. In a [`super::ToolChecker`] 0 is the tool and 1 the body.
    pub inner: usize,
    /// Inside which one.
    pub outer: usize,
    /// A vertex of the inner one that is inside of the outer one.
    pub vertex: u32,
    /// Where that is when the step begins.
    pub point: Vec3,
}

/// What does not change about a body while it deforms.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solid {
    triangles: Vec<[u32; 3]>,
    /// Vertices that were in one place when this was made.
    together: Vec<(u32, u32)>,
    /// A vertex of each component.
    components: Vec<u32>,
    /// Which of its components are closed; `None` where it is no mesh.
    shells: Option<Arc<Shells>>,
}

impl Solid {
    /// Of a body whose vertices are here now; of what is no mesh, nothing is inside and it is inside of nothing.
    pub fn new(triangles: &[[u32; 3]], vertices: &[Vec3]) -> Self {
        let kept = Solid { triangles: triangles.to_vec(), ..Solid::default() };
        let Ok(mesh) = Mesh::new(vertices.to_vec(), kept.triangles.clone()) else { return kept };
        let labels = component_labels(&mesh);
        let together = (0..).zip(labels.places).filter(|&(v, first)| v != first).collect();
        let components = labels.triangles.into_iter().collect::<BTreeSet<u32>>().into_iter().collect();
        Solid { together, components, shells: Some(mesh.shells().clone()), ..kept }
    }

    /// Whether this is of these triangles, and what was together still is.
    pub fn is_of(&self, triangles: &[[u32; 3]], vertices: &[Vec3]) -> bool {
        let at = |v: u32| vertices.get(v as usize);
        self.triangles == triangles && self.together.iter().all(|&(a, b)| at(a) == at(b))
    }

    /// Brings this up to date.
    pub fn refresh(&mut self, triangles: &[[u32; 3]], vertices: &[Vec3]) {
        if !self.is_of(triangles, vertices) {
            *self = Solid::new(triangles, vertices);
        }
    }

    /// A vertex of another body that is inside of this one; only where the surfaces share no point does it mean anything.
    pub fn holds(&self, at: &[Vec3], other: &Solid, other_at: &[Vec3]) -> Option<u32> {
        let shells = self.shells.as_ref().filter(|shells| shells.enclose && !other.components.is_empty())?;
        let bounds = Aabb::of(self.triangles.iter().flatten().map(|&v| at[v as usize]));
        other.components.iter().copied().find(|&v| {
            let p = other_at[v as usize];
            bounds.contains(p) && self.winding(shells, at, p) != 0
        })
    }

    /// The winding number around a point, exactly.
    fn winding(&self, shells: &Shells, at: &[Vec3], p: Vec3) -> i32 {
        let triangles = self.triangles.iter().enumerate().map(|(i, t)| (i, t.map(|v| at[v as usize])));
        triangles
            .filter(|(i, _)| shells.counted.as_ref().is_none_or(|counted| counted[*i]))
            .map(|(i, corners)| {
                let [a, b, c] = corners;
                let beside = |k: usize| p[k] < a[k].min(b[k]).min(c[k]) || p[k] > a[k].max(b[k]).max(c[k]);
                if beside(1) || beside(2) || p.x > a.x.max(b.x).max(c.x) {
                    return 0;
                }
                let sign = crossing(p, &corners);
                if shells.reversed.as_ref().is_some_and(|reversed| reversed[i]) { -sign } else { sign }
            })
            .sum()
    }
}

/// Which of two bodies is inside the other, if either is: by their numbers, solids and places.
pub(crate) fn nested((i, a, at_a): (usize, &Solid, &[Vec3]), (k, b, at_b): (usize, &Solid, &[Vec3])) -> Option<Inside> {
    let first = b.holds(at_b, a, at_a).map(|vertex| Inside { inner: i, outer: k, vertex, point: at_a[vertex as usize] });
    let second = || a.holds(at_a, b, at_b).map(|vertex| Inside { inner: k, outer: i, vertex, point: at_b[vertex as usize] });
    first.or_else(second)
}
