//! One step of the tool: which triangles are in the volume it sweeps, and what it touches first.

use std::sync::Arc;

use super::Tool;
use super::arc::{RigidArc, is_rotation};
use super::patch::Patch;
use super::region::{Region, Scratch};
use crate::Error;
use crate::bvh::{Box32, SweptTree};
use crate::deform::features::Candidate;
use crate::deform::solids::{Inside, Solid, nested};
use crate::deform::step::StepOptions;
use crate::deform::touch::MAX_WORK;
use crate::deform::{Lines, StepAnswer};
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::mesh::{MAX_COORDINATE, checked_error};
use crate::math::rounding::{INFLATE, U};
use crate::math::{Pose, Vec3};

/// Which planes bound the volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Planes {
    /// Those of the oriented box.
    Box,
    /// Side and frontal ones, too.
    #[default]
    Clipped,
    /// These, and for the parts of a complex tool their own boxes.
    Clusters,
}

/// How the tool goes from one pose to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolPath {
    /// As a rigid body that turns at a constant rate, the short way, while its origin goes straight: no vertex strays from its line by more
    /// than a bound, which is added to the margin. Sound for any turn; sharp for small ones.
    #[default]
    Rigid,
    /// Every vertex along a straight line, as the paper has it. Answers are exact for that, but a tool that turns shrinks on its way: what
    /// its arc touches outside of the lines is not found.
    Lines,
}

/// Options of a [`ToolChecker`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ToolOptions {
    /// Contact is a distance of at most this; 0 by default.
    pub margin: f64,
    /// Which planes bound the volume.
    pub planes: Planes,
    /// How the tool moves.
    pub path: ToolPath,
    /// All contacts of the step, not only the first.
    pub all: bool,
}

/// A deforming body: triangles, and where its vertices are. Nothing is kept of it.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Triples of vertex indices.
    pub triangles: &'a [[u32; 3]],
    /// Where the vertices are at both instants.
    pub lines: Lines<'a>,
}

impl Surface<'_> {
    /// Whether a triangle stays beyond one face of the box.
    fn beyond_a_face(&self, triangle: u32, region: &Region) -> bool {
        let sides =
            |of: &[Vec3]| self.triangles[triangle as usize].iter().fold(u8::MAX, |all, &v| all & region.sides(of[v as usize]));
        sides(self.lines.start) & if self.lines.is_resting() { u8::MAX } else { sides(self.lines.end) } != 0
    }

    /// Whether a triangle has a point in the volume; one that moves, whether it may have one on its way.
    fn may_meet(&self, triangle: u32, region: &Region, scratch: &mut Scratch) -> bool {
        let corners = |of: &[Vec3]| self.triangles[triangle as usize].map(|v| of[v as usize]);
        let start = corners(self.lines.start);
        if self.lines.is_resting() {
            return region.meets(start, scratch);
        }
        let end = corners(self.lines.end);
        !region.excludes(&[start[0], start[1], start[2], end[0], end[1], end[2]])
    }
}

/// Asks about one step of the tool after the other; holds only memory that is used again.
#[derive(Clone, Debug)]
pub struct ToolChecker {
    pub(super) tool: Arc<Tool>,
    pub(super) options: ToolOptions,
    pub(super) swept: SweptTool,
    scratch: Scratch,
    sides: Vec<u8>,
    pub(super) list: Vec<u32>,
    pub(super) patch: Patch,
    pub(super) patch_boxes: Vec<Box32>,
    pub(super) boxes: Vec<Box32>,
    /// Of the tool's triangles: its shape is made once, where the tool rests.
    pub(super) tree: SweptTree,
    pub(super) stack: Vec<u32>,
    pub(super) candidates: Vec<Candidate>,
    /// The tool as a solid, where it rests, once it is asked about.
    solid: Option<Solid>,
    placed: Vec<Vec3>,
    pub(super) max_work: u64,
    /// How far vertices of bodies may be from the described ones.
    pub(super) bodies_within: f64,
}

/// The tool between two poses.
#[derive(Clone, Debug, Default)]
pub(super) struct SweptTool {
    /// Its vertices at the first pose, then at the second.
    pub(super) points: Vec<Vec3>,
    faces: [Vec<Vec3>; 4],
    /// Margin, how far the tool may stray from lines, and how far its vertices may be from the described ones.
    pub(super) margin: f64,
    pub(super) region: Option<Region>,
    clusters: Vec<Option<Region>>,
}

impl ToolChecker {
    /// For one tool.
    ///
    /// # Errors
    /// If the margin is negative or not finite.
    pub fn new(tool: impl Into<Arc<Tool>>, options: ToolOptions) -> Result<Self, Error> {
        StepOptions::settings(options.margin)?;
        let tool: Arc<Tool> = tool.into();
        let mesh = &tool.mesh;
        let boxes: Vec<Box32> = mesh.vertices().iter().map(|&v| Box32::of_line(v, v, Vec3::ZERO, 0.0)).collect();
        let tree = SweptTree::of_triangles(mesh.triangles(), &boxes);
        Ok(ToolChecker {
            tool,
            options,
            swept: SweptTool::default(),
            scratch: Scratch::default(),
            sides: Vec::new(),
            list: Vec::new(),
            patch: Patch::default(),
            patch_boxes: Vec::new(),
            boxes,
            tree,
            stack: Vec::new(),
            candidates: Vec::new(),
            solid: None,
            placed: Vec::new(),
            max_work: MAX_WORK,
            bodies_within: 0.0,
        })
    }

    /// Accepts bodies whose vertices are each within `error` metres of the described ones, as those of [`crate::Mesh::within`]. A distance below
    /// the sum of margin and `error` counts as a contact, which then is no proof.
    ///
    /// # Errors
    /// If the error is negative or not finite.
    pub fn bodies_within(self, error: f64) -> Result<Self, Error> {
        Ok(ToolChecker { bodies_within: checked_error("bodies of a tool", error)?, ..self })
    }

    /// How far vertices of the tool and of a body may be off together.
    pub(super) fn off(&self) -> f64 {
        self.tool.mesh.error() + self.bodies_within
    }

    /// Sets the number of pairs of triangles and of features after which a step ends. It returns the contacts found, and nothing is proven free, see
    /// [`StepAnswer::out_of_work`]. 200 million by default.
    #[must_use]
    pub fn max_work(self, max_work: u64) -> Self {
        ToolChecker { max_work, ..self }
    }

    /// The tool.
    pub fn tool(&self) -> &Arc<Tool> {
        &self.tool
    }

    /// Takes the tool from one pose to another; what is asked next is about this step.
    ///
    /// # Errors
    /// If a number is not finite or too large, or a rotation is none.
    pub fn sweep(&mut self, from: &Pose, to: &Pose) -> Result<(), Error> {
        let stray = match self.options.path {
            ToolPath::Lines => 0.0,
            ToolPath::Rigid => RigidArc::between(from, to)?.chord(0.0, 1.0, self.tool.reach).stray(),
        };
        self.sweep_near_lines(from, to, stray)
    }

    /// Takes the tool from one pose to another, on a way that strays from the lines of its vertices by at most this.
    pub(crate) fn sweep_near_lines(&mut self, from: &Pose, to: &Pose, stray: f64) -> Result<(), Error> {
        let far = from.translation.max_abs().max(to.translation.max_abs());
        let rotations = is_rotation(&from.rotation) && is_rotation(&to.rotation);
        if !(far <= MAX_COORDINATE && stray.is_finite() && rotations) {
            return Err(Error::invalid("pose of the tool", "a number is not finite or too large, or the matrix is no rotation"));
        }
        let more = stray + self.off();
        self.swept.margin = if more > 0.0 { (self.options.margin + more) * INFLATE } else { self.options.margin };
        let vertices = self.tool.mesh.vertices();
        let points = &mut self.swept.points;
        points.clear();
        points.extend(vertices.iter().map(|&v| from.apply(v)));
        points.extend(vertices.iter().map(|&v| to.apply(v)));
        let mut region = Region::around(points, self.swept.margin);
        if self.options.planes != Planes::Box {
            for (i, out) in self.swept.faces.iter_mut().enumerate() {
                let offset = if i < 2 { 0 } else { vertices.len() };
                out.clear();
                out.extend(self.tool.faces[i % 2].iter().map(|&v| points[offset + v as usize]));
            }
            let [a, b, c, d] = &self.swept.faces;
            region = region.with_planes(points, [a, b, c, d], self.swept.margin);
        }
        self.swept.region = Some(region);
        self.swept.clusters.clear();
        Ok(())
    }

    /// The triangles of a body that have a point in the volume; for a body that moves, those that may have one. In their order.
    ///
    /// # Errors
    /// If a triangle refers to a vertex that is not there, or there are not as many at both instants.
    pub fn triangles(&mut self, body: &Surface<'_>) -> Result<&[u32], Error> {
        self.fill_list(body, None)?;
        Ok(&self.list)
    }

    /// What the tool touches first during the step, surface against surface; see [`ToolChecker::contained`] for solids. Body 0 is the tool, body
    /// 1 the other.
    ///
    /// # Errors
    /// As [`ToolChecker::triangles`], and if a vertex near the tool is not finite or too large.
    pub fn first_contact(&mut self, body: &Surface<'_>) -> Result<StepAnswer, Error> {
        self.fill_list(body, None)?;
        self.fine(body, true)
    }

    /// Which of the tool, at a pose, and a body, where its vertices start, is wholly inside the other, a solid: 0 is the tool, 1 the body. Nothing
    /// else tells of that, where surfaces do not meet; while they do not, it stays as it is.
    ///
    /// # Errors
    /// If a triangle refers to a vertex that is not there, or a rotation is none.
    pub fn contained(&mut self, at: &Pose, body: &Surface<'_>) -> Result<Option<Inside>, Error> {
        self.contained_in(at, body, &mut Solid::default())
    }

    /// The same; what does not change about the body is kept in `known` from one question to the next.
    pub(crate) fn contained_in(&mut self, at: &Pose, body: &Surface<'_>, known: &mut Solid) -> Result<Option<Inside>, Error> {
        let start = body.lines.start;
        if let Some(&bad) = body.triangles.iter().flatten().find(|&&v| v as usize >= start.len()) {
            return Err(Error::invalid("body", format!("a triangle refers to vertex {bad} of {}", start.len())));
        }
        if !is_rotation(&at.rotation) {
            return Err(Error::invalid("pose of the tool", "the matrix is no rotation"));
        }
        let mesh = &self.tool.mesh;
        let around = |of: &[Vec3]| Aabb::of(of.iter().copied());
        if Aabb::of(self.tool.box_corners(at)).grown(64.0 * U * (self.tool.reach + at.translation.norm())).apart(around(start)) {
            return Ok(None);
        }
        let solid = self.solid.get_or_insert_with(|| Solid::new(mesh.triangles(), mesh.vertices()));
        self.placed.clear();
        self.placed.extend(mesh.vertices().iter().map(|&v| at.apply(v)));
        known.refresh(body.triangles, start);
        Ok(nested((0, solid, &self.placed), (1, known, start)))
    }

    /// Lists those of some triangles that have a point in the volume; whether there are any.
    pub(crate) fn list_among(&mut self, body: &Surface<'_>, among: &[u32]) -> Result<bool, Error> {
        self.fill_list(body, Some(among))?;
        Ok(!self.list.is_empty())
    }

    /// What the tool touches first of the triangles listed last, and which these are. The start may be known to be free.
    pub(crate) fn first_contact_listed(
        &mut self,
        body: &Surface<'_>,
        start_unknown: bool,
    ) -> Result<(StepAnswer, &[u32]), Error> {
        let answer = self.fine(body, start_unknown)?;
        Ok((answer, &self.list))
    }

    /// The triangles, or those of some of them, that are near the way from each of these places of the tool to the next, from whose lines
    /// it strays by at most this: no clip, one pass.
    pub(crate) fn near_any(
        &mut self,
        places: &[Pose],
        stray: f64,
        body: &Surface<'_>,
        among: Option<&[u32]>,
    ) -> Result<Vec<u32>, Error> {
        let corners: Vec<Vec3> = places.iter().flat_map(|pose| self.tool.box_corners(pose)).collect();
        // Corners of a box around the tool are placed like its vertices, with the same few roundings.
        let far = corners.iter().fold(self.tool.reach, |m: f64, c| m.max(c.max_abs()));
        let region = Region::around(&corners, (self.options.margin + stray + self.off()) * INFLATE + 64.0 * U * far);
        let mut near = Vec::new();
        match among {
            Some(some) => near.extend(some.iter().copied().filter(|&t| !body.beyond_a_face(t, &region))),
            None => {
                outside(&region, body, &mut self.sides)?;
                each_inside(body, &self.sides, |t| near.push(t))?;
            }
        }
        Ok(near)
    }

    fn fill_list(&mut self, body: &Surface<'_>, among: Option<&[u32]>) -> Result<(), Error> {
        self.list.clear();
        let Some(region) = &self.swept.region else { return Ok(()) };
        let list = &mut self.list;
        let mut look = |t: u32| {
            if body.may_meet(t, region, &mut self.scratch) {
                list.push(t);
            }
        };
        match among {
            Some(some) => some.iter().for_each(|&t| look(t)),
            None => {
                outside(region, body, &mut self.sides)?;
                each_inside(body, &self.sides, look)?;
            }
        }
        if self.options.planes == Planes::Clusters && self.tool.clusters.nodes.len() > 1 {
            let mut list = std::mem::take(&mut self.list);
            list.retain(|&t| self.in_a_cluster(|region, scratch| body.may_meet(t, region, scratch)));
            self.list = list;
        }
        Ok(())
    }

    /// Whether the volume of some leaf of the tool's hierarchy, and of all above it, meets something; volumes are made when first asked for.
    fn in_a_cluster(&mut self, meets: impl Fn(&Region, &mut Scratch) -> bool) -> bool {
        let clusters = &self.tool.clusters;
        self.swept.clusters.resize(clusters.nodes.len(), None);
        self.stack.clear();
        self.stack.push(0);
        while let Some(node) = self.stack.pop() {
            let SweptTool { points, margin, clusters: regions, .. } = &mut self.swept;
            let region = regions[node as usize].get_or_insert_with(|| {
                let n = points.len() / 2;
                let at = |offset: usize| clusters.vertices(node).iter().map(move |&v| v as usize + offset);
                let places: Vec<Vec3> = at(0).chain(at(n)).map(|i| points[i]).collect();
                Region::around(&places, *margin)
            });
            if meets(region, &mut self.scratch) {
                match clusters.children(node) {
                    None => return true,
                    Some(halves) => self.stack.extend(halves),
                }
            }
        }
        false
    }
}

/// On which sides of a volume each vertex of a body stays: one pass.
fn outside(region: &Region, body: &Surface<'_>, sides: &mut Vec<u8>) -> Result<(), Error> {
    let Lines { start, end } = body.lines;
    if start.len() != end.len() {
        return Err(Error::invalid("body", format!("{} vertices at the start and {} at the end", start.len(), end.len())));
    }
    sides.clear();
    if body.lines.is_resting() {
        sides.extend(start.iter().map(|&p| region.sides(p)));
    } else {
        sides.extend(start.iter().zip(end).map(|(&p, &q)| region.sides(p) & region.sides(q)));
    }
    Ok(())
}

/// The triangles that are not wholly beyond one side.
fn each_inside(body: &Surface<'_>, sides: &[u8], mut inside: impl FnMut(u32)) -> Result<(), Error> {
    for (i, t) in body.triangles.iter().enumerate() {
        let [a, b, c] = t.map(|v| sides.get(v as usize));
        let (Some(a), Some(b), Some(c)) = (a, b, c) else {
            let index = u64::from(t.iter().copied().max().unwrap_or(0));
            return Err(Error::BadIndex { triangle: i, index, vertices: sides.len() });
        };
        if a & b & c == 0 {
            inside(i as u32);
        }
    }
    Ok(())
}
