//! A plain description of a scene and one motion of it; the input of the library and of the oracle are both generated from it.
//!
//! ```text
//! frames[0] is the world        a frame is attached to an earlier one:  parent * place * drive(t)
//!   ├─ Base ── Turn ── Slide      a robot: its root link, then joints
//!   └─ Free                       a free body
//! ```
//!
//! Parts on frame 0 are obstacles, any number of them; each other frame has at most one part.

use std::sync::Arc;

use impinge::geometry::Primitive;
use impinge::math::Vec3;

/// A pose as in URDF: rotation Rz(yaw) Ry(pitch) Rx(roll), then translation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// Position, metres.
    pub xyz: Vec3,
    /// Roll, pitch, yaw, radians.
    pub rpy: Vec3,
}

impl Place {
    /// Returns a translation without rotation.
    pub fn at(xyz: Vec3) -> Self {
        Place { xyz, rpy: Vec3::ZERO }
    }
}

/// The motion of a frame relative to its parent, over t in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// At rest: the root of a robot if its parent is the world, otherwise a fixed joint.
    Base,
    /// A revolute joint.
    Turn {
        /// Axis, any length but zero.
        axis: Vec3,
        /// Angle at t = 0, radians.
        from: f64,
        /// Angle at t = 1.
        to: f64,
    },
    /// A prismatic joint.
    Slide {
        /// Direction, any length but zero.
        axis: Vec3,
        /// Value at t = 0, metres.
        from: f64,
        /// Value at t = 1.
        to: f64,
    },
    /// A planar joint with normal z: x, y, angle.
    Planar {
        /// Values at t = 0.
        from: [f64; 3],
        /// Values at t = 1.
        to: [f64; 3],
    },
    /// A revolute joint that mimics an earlier [`Drive::Turn`]: `multiplier * value + offset`.
    Follow {
        /// The frame of the source joint, in the same robot.
        leader: usize,
        /// Axis, any length but zero.
        axis: Vec3,
        /// Factor.
        multiplier: f64,
        /// Constant, radians.
        offset: f64,
    },
    /// A floating joint: it turns the short way from one pose to the other.
    Float {
        /// Position and unit quaternion `[w, x, y, z]` at t = 0.
        from: ([f64; 3], [f64; 4]),
        /// The same at t = 1.
        to: ([f64; 3], [f64; 4]),
    },
    /// A free body; its parent is the world.
    Free {
        /// Translation of the origin.
        travel: Vec3,
        /// Rotation vector in the world, any number of turns.
        turn: Vec3,
    },
}

/// A frame with parts attached to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Index of the parent frame; smaller than its own, except for the world.
    pub parent: usize,
    /// Its pose in the parent.
    pub place: Place,
    /// Its motion.
    pub drive: Drive,
}

impl Frame {
    /// Returns the world frame.
    pub const WORLD: Frame = Frame { parent: 0, place: Place { xyz: Vec3::ZERO, rpy: Vec3::ZERO }, drive: Drive::Base };
}

/// Vertices and triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Soup {
    /// Coordinates.
    pub vertices: Vec<Vec3>,
    /// Triples of vertex indices.
    pub triangles: Vec<[u32; 3]>,
}

impl Soup {
    /// Returns the corners of triangle `i`.
    pub fn corners(&self, i: usize) -> [Vec3; 3] {
        self.triangles[i].map(|k| self.vertices[k as usize])
    }
}

impl From<impinge_io::example::solids::Solid> for Soup {
    fn from(s: impinge_io::example::solids::Solid) -> Self {
        Soup { vertices: s.vertices, triangles: s.triangles }
    }
}

impl From<&impinge::geometry::Mesh> for Soup {
    fn from(m: &impinge::geometry::Mesh) -> Self {
        Soup { vertices: m.vertices().to_vec(), triangles: m.triangles().to_vec() }
    }
}

/// Geometry of a piece. Pieces with the same soup become pieces with the same mesh.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    /// Triangles, a surface.
    Mesh(Arc<Soup>),
    /// A convex solid.
    Primitive(Primitive),
}

/// A shape placed in a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its pose.
    pub place: Place,
    /// Its geometry.
    pub solid: Solid,
}

/// A part: the unit of a checked pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The frame that it is attached to.
    pub frame: usize,
    /// Its pieces.
    pub pieces: Vec<Piece>,
}

/// A scene and one motion of it.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// The world frame and all frames attached to it.
    pub frames: Vec<Frame>,
    /// The parts.
    pub parts: Vec<Part>,
    /// Whether links of one robot are checked against each other.
    pub self_checked: bool,
    /// Pairs of parts that are not checked.
    pub disabled: Vec<(usize, usize)>,
}

impl Default for World {
    fn default() -> Self {
        World { frames: vec![Frame::WORLD], parts: Vec::new(), self_checked: true, disabled: Vec::new() }
    }
}

impl World {
    /// Adds a frame and returns its index.
    pub fn frame(&mut self, parent: usize, place: Place, drive: Drive) -> usize {
        self.frames.push(Frame { parent, place, drive });
        self.frames.len() - 1
    }

    /// Adds a part of one piece at the origin of a frame and returns its index.
    pub fn part(&mut self, frame: usize, solid: Solid) -> usize {
        self.parts.push(Part { frame, pieces: vec![Piece { place: Place::default(), solid }] });
        self.parts.len() - 1
    }

    /// Returns the pairs of parts that the library must check, by its documented rules: no disabled pair, no two obstacles, no two links
    /// that a joint connects or that fixed joints hold together, no two links of one robot unless self-collision is enabled.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let n = self.parts.len();
        (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).filter(|&(a, b)| self.checked(a, b)).collect()
    }

    fn checked(&self, a: usize, b: usize) -> bool {
        let (f, g) = (self.parts[a].frame, self.parts[b].frame);
        if f == 0 && g == 0 || self.disabled.contains(&(a, b)) || self.disabled.contains(&(b, a)) {
            return false;
        }
        if f == 0 || g == 0 || self.top(f) != self.top(g) {
            return true;
        }
        let joined = self.frames[f].parent == g || self.frames[g].parent == f;
        self.self_checked && !joined && self.rigid_root(f) != self.rigid_root(g)
    }

    /// Returns the ancestor of a frame below the world: its robot or body.
    pub fn top(&self, mut frame: usize) -> usize {
        while self.frames[frame].parent != 0 {
            frame = self.frames[frame].parent;
        }
        frame
    }

    fn rigid_root(&self, mut frame: usize) -> usize {
        while self.frames[frame].drive == Drive::Base && self.frames[frame].parent != 0 {
            frame = self.frames[frame].parent;
        }
        frame
    }

    /// Returns all numbers that are lengths, to change them together.
    pub fn scale(&mut self, factor: f64) {
        for f in &mut self.frames {
            f.place.xyz = f.place.xyz * factor;
            match &mut f.drive {
                Drive::Base | Drive::Turn { .. } | Drive::Follow { .. } => {}
                Drive::Slide { from, to, .. } => (*from, *to) = (*from * factor, *to * factor),
                Drive::Planar { from, to } => [from, to].into_iter().for_each(|q| q[..2].iter_mut().for_each(|x| *x *= factor)),
                Drive::Float { from, to } => from.0.iter_mut().chain(&mut to.0).for_each(|x| *x *= factor),
                Drive::Free { travel, .. } => *travel = *travel * factor,
            }
        }
        for piece in self.parts.iter_mut().flat_map(|p| &mut p.pieces) {
            piece.place.xyz = piece.place.xyz * factor;
            scale_solid(&mut piece.solid, factor);
        }
    }

    /// Translates the whole world; coordinates are rounded.
    pub fn shift(&mut self, by: Vec3) {
        self.frames.iter_mut().skip(1).filter(|f| f.parent == 0).for_each(|f| f.place.xyz += by);
        self.parts.iter_mut().filter(|p| p.frame == 0).flat_map(|p| &mut p.pieces).for_each(|p| p.place.xyz += by);
    }

    /// Tests whether plain `f64` computes all poses exactly at times that are multiples of 1/64: there are no rotations, and all numbers are
    /// small multiples of 1/64.
    pub fn is_exact(&self) -> bool {
        let good = |v: Vec3| v.to_array().iter().all(|c| (c * 64.0).fract() == 0.0 && c.abs() <= 64.0);
        let frame = |f: &Frame| {
            let along = |axis: Vec3, values: &[f64]| {
                axis.norm1() == 1.0 && axis.max_abs() == 1.0 && values.iter().all(|&v| good(Vec3::splat(v)))
            };
            let drive = match f.drive {
                Drive::Base => true,
                Drive::Slide { axis, from, to } => along(axis, &[from, to]),
                Drive::Free { travel, turn } => good(travel) && turn == Vec3::ZERO,
                Drive::Turn { .. } | Drive::Planar { .. } | Drive::Follow { .. } | Drive::Float { .. } => false,
            };
            drive && f.place.rpy == Vec3::ZERO && good(f.place.xyz)
        };
        let piece = |p: &Piece| {
            let solid = match &p.solid {
                Solid::Mesh(m) => m.vertices.iter().all(|&v| good(v)),
                Solid::Primitive(_) => false,
            };
            solid && p.place.rpy == Vec3::ZERO && good(p.place.xyz)
        };
        self.frames.iter().all(frame) && self.parts.iter().flat_map(|p| &p.pieces).all(piece)
    }
}

/// Multiplies all lengths of a solid.
pub(crate) fn scale_solid(solid: &mut Solid, factor: f64) {
    match solid {
        Solid::Mesh(soup) => {
            let vertices = soup.vertices.iter().map(|&v| v * factor).collect();
            *soup = Arc::new(Soup { vertices, triangles: soup.triangles.clone() });
        }
        Solid::Primitive(Primitive::Cuboid { half }) => *half = *half * factor,
        Solid::Primitive(Primitive::Sphere { radius }) => *radius *= factor,
        Solid::Primitive(Primitive::Cylinder { radius, half_length } | Primitive::Capsule { radius, half_length }) => {
            (*radius, *half_length) = (*radius * factor, *half_length * factor);
        }
    }
}
