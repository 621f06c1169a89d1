//! The claim of a certificate, read by independent code in plain `f64` and tested by samples.

use std::sync::Arc;

use impinge::geometry::Primitive;
use impinge::math::{Mat3, Vec3};
use impinge_testkit::Solid;
use impinge_testkit::measure::{Measured, gap_between};
use impinge_testkit::place::{Rigid, turn_about};
use impinge_testkit::world::Soup;
use serde_json::Value;

use crate::enclosed::Enclosure;

/// The resolution of `f64` here.
const ROUNDING: f64 = 1e-9;
/// Sampled instants of the claim.
const SAMPLES: usize = 100;

/// A certificate in `f64`.
pub struct Claim {
    solids: bool,
    frames: Vec<Frame>,
    shapes: Vec<(Solid, Measured, Enclosure)>,
    parts: Vec<Part>,
    checked: Vec<(usize, usize)>,
    margin: f64,
    proofs: Vec<Value>,
}

struct Part {
    frame: usize,
    pieces: Vec<(usize, Rigid)>,
}

struct Frame {
    parent: usize,
    at: Rigid,
    joint: Value,
    moves: Vec<f64>,
}

impl Claim {
    /// Returns `None` if the certificate is malformed.
    pub fn read(scene: &str, motion: &str) -> Option<Claim> {
        let [scene, motion] = [scene, motion].map(|text| serde_json::from_str::<Value>(text).ok());
        let (scene, motion) = (scene?, motion?);
        let moves = motion["moves"].as_array()?;
        let frame = |(i, f): (usize, &Value)| {
            let parent = f["parent"].as_u64()? as usize;
            let moves = match f.get("mimic") {
                None => floats(moves.get(i)?)?,
                Some(mimic) => followed(mimic, moves)?,
            };
            let frame = Frame { parent, at: pose(f)?, joint: f["joint"].clone(), moves };
            (parent <= i).then_some(frame)
        };
        let frames: Vec<Frame> = scene["frames"].as_array()?.iter().enumerate().map(frame).collect::<Option<_>>()?;
        let shapes: Vec<_> = scene["shapes"].as_array()?.iter().map(shape).collect::<Option<_>>()?;
        let part = |p: &Value| {
            let frame = p["frame"].as_u64()? as usize;
            let piece = |q: &Value| Some((q["shape"].as_u64().filter(|&s| (s as usize) < shapes.len())? as usize, pose(q)?));
            let pieces = p["pieces"].as_array()?.iter().map(piece).collect::<Option<_>>()?;
            (frame <= frames.len()).then_some(Part { frame, pieces })
        };
        let parts: Vec<Part> = scene["parts"].as_array()?.iter().map(part).collect::<Option<_>>()?;
        let pair = |p: &Value| Some((p[0].as_u64()? as usize, p[1].as_u64()? as usize));
        let checked: Vec<_> = scene["checked"].as_array()?.iter().map(pair).collect::<Option<_>>()?;
        let margin = motion["margin"].as_f64()?;
        let proofs = motion["proofs"].as_array()?.clone();
        let known = checked.iter().all(|&(a, b)| a < parts.len() && b < parts.len());
        known.then_some(Claim { solids: scene["solids"].as_bool()?, frames, shapes, parts, checked, margin, proofs })
    }

    pub fn checked(&self) -> usize {
        self.checked.iter().filter(|(a, b)| !self.parts[*a].pieces.is_empty() && !self.parts[*b].pieces.is_empty()).count()
    }

    /// Returns a violation shown by samples: a pair in contact, or a leaf that does not separate.
    pub fn falsehood(&self) -> Option<String> {
        let touch = (0..=SAMPLES).map(|i| i as f64 / SAMPLES as f64).find_map(|t| {
            let frames = self.frames_at(t)?;
            self.checked.iter().find_map(|&(a, b)| {
                let near = self.pieces(a, &frames).any(|x| {
                    self.pieces(b, &frames).any(|y| {
                        let best = self.margin + 1e-3;
                        gap_between((&self.shapes[x.0].1, &x.1), (&self.shapes[y.0].1, &y.1), best).at_most
                            < self.margin - ROUNDING
                    })
                });
                near.then(|| format!("parts {a} and {b} touch at t = {t}"))
            })
        });
        let touch = touch.or_else(|| self.frames_at(0.0).and_then(|frames| self.inside(&frames)));
        touch.or_else(|| self.proofs.iter().find_map(|p| self.wrong_leaf(p).unwrap_or(Some("a proof is no tree".into()))))
    }

    /// Returns a pair of which one starts inside the other.
    fn inside(&self, frames: &[Rigid]) -> Option<String> {
        let pairs = self.checked.iter().filter(|_| self.solids).flat_map(|&(a, b)| [(a, b), (b, a)]);
        pairs.into_iter().find_map(|(inner, outer)| {
            let is_in = self.pieces(inner, frames).any(|x| {
                self.pieces(outer, frames).any(|y| {
                    let seen = y.1.inverse().after(&x.1);
                    self.shapes[x.0].2.starts.iter().any(|&p| self.shapes[y.0].2.holds(seen.apply(p)))
                })
            });
            is_in.then(|| format!("part {inner} begins inside of part {outer}"))
        })
    }

    fn pieces<'a>(&'a self, part: usize, frames: &'a [Rigid]) -> impl Iterator<Item = (usize, Rigid)> + 'a {
        let p = &self.parts[part];
        p.pieces.iter().map(|(shape, at)| (*shape, frames[p.frame].after(at)))
    }

    fn frames_at(&self, t: f64) -> Option<Vec<Rigid>> {
        let mut frames = vec![Rigid::STILL];
        for f in &self.frames {
            frames.push(frames[f.parent].after(&f.at).after(&f.joint_at(t)?));
        }
        Some(frames)
    }

    /// Returns the first leaf that is wrong at a sampled instant; `None` if the proof does not cover all items and times.
    fn wrong_leaf(&self, proof: &Value) -> Option<Option<String>> {
        let piece = |key: &str| {
            let (part, piece) = (proof[key][0].as_u64()? as usize, proof[key][1].as_u64()? as usize);
            self.parts.get(part)?.pieces.get(piece).map(|_| (part, piece))
        };
        let (a, b) = (piece("a")?, piece("b")?);
        let solid = |(part, piece): (usize, usize)| &self.shapes[self.parts[part].pieces[piece].0].0;
        let items = |s: &Solid| if let Solid::Mesh(m) = s { m.triangles.len() } else { 1 };
        let numbers = floats(&proof["numbers"])?;
        let mut numbers = numbers.into_iter();
        let mut stack = vec![((0, items(solid(a))), (0, items(solid(b))), (0.0, 1.0))];
        for step in proof["steps"].as_str()?.chars() {
            let (ra, rb, span) = stack.pop()?;
            let inside = |(from, to): (usize, usize), k: f64| (k > from as f64 && k < to as f64).then_some(k as usize);
            match step {
                't' => {
                    let m: f64 = (span.0 + span.1) / 2.0;
                    stack.extend([(ra, rb, (m, span.1)), (ra, rb, (span.0, m))]);
                }
                'a' => {
                    let k = inside(ra, numbers.next()?)?;
                    stack.extend([((k, ra.1), rb, span), ((ra.0, k), rb, span)]);
                }
                'b' => {
                    let k = inside(rb, numbers.next()?)?;
                    stack.extend([(ra, (k, rb.1), span), (ra, (rb.0, k), span)]);
                }
                side => {
                    let n = Vec3::new(numbers.next()?, numbers.next()?, numbers.next()?);
                    for i in 0..=4 {
                        let t = span.0 + (span.1 - span.0) * f64::from(i) / 4.0;
                        let frames = self.frames_at(t)?;
                        let place = |(part, piece): (usize, usize)| {
                            frames[self.parts[part].frame].after(&self.parts[part].pieces[piece].1)
                        };
                        let (at_a, at_b) = (place(a), place(b));
                        let world = if side == 'A' { at_a.turn * n } else { at_b.turn * n };
                        let apart = -reach(solid(a), ra, &at_a, -world) - reach(solid(b), rb, &at_b, world);
                        if apart < self.margin * n.norm() - ROUNDING {
                            return Some(Some(format!("a leaf does not separate at t = {t}: {apart}")));
                        }
                    }
                }
            }
        }
        stack.is_empty().then_some(None)
    }
}

/// Returns the extent of a range of a shape along a direction.
fn reach(solid: &Solid, range: (usize, usize), at: &Rigid, n: Vec3) -> f64 {
    let local = at.turn.transpose() * n;
    let far = match solid {
        Solid::Mesh(m) => (range.0..range.1).flat_map(|i| m.corners(i)).map(|p| p.dot(local)).fold(f64::NEG_INFINITY, f64::max),
        Solid::Primitive(Primitive::Cuboid { half }) => half.dot(local.abs()),
        Solid::Primitive(Primitive::Sphere { radius }) => radius * local.norm(),
        Solid::Primitive(Primitive::Capsule { radius, half_length }) => radius * local.norm() + half_length * local.z.abs(),
        Solid::Primitive(Primitive::Cylinder { radius, half_length }) => {
            radius * Vec3::new(local.x, local.y, 0.0).norm() + half_length * local.z.abs()
        }
    };
    far + n.dot(at.shift)
}

impl Frame {
    fn joint_at(&self, t: f64) -> Option<Rigid> {
        let q = &self.moves;
        let line = |from: usize, to: usize| Some(q.get(from)? + t * (q.get(to)? - q.get(from)?));
        let unit = |v: Vec3| v * (1.0 / v.norm());
        if let Some(axis) = self.joint.get("revolute") {
            return Some(Rigid { turn: turn_about(vector(axis)?, line(0, 1)?), shift: Vec3::ZERO });
        }
        if let Some(axis) = self.joint.get("prismatic") {
            return Some(Rigid { turn: Mat3::IDENTITY, shift: unit(vector(axis)?) * line(0, 1)? });
        }
        if let Some(planar) = self.joint.get("planar") {
            let n = unit(vector(&planar[0])?);
            let first = Vec3::unit(planar[1].as_u64().filter(|&k| k < 3)? as usize);
            let e1 = unit(first - n * n.dot(first));
            return Some(Rigid { turn: turn_about(n, line(2, 5)?), shift: e1 * line(0, 3)? + n.cross(e1) * line(1, 4)? });
        }
        if self.joint == "free" {
            let start = Mat3::from_rows(std::array::from_fn(|i| std::array::from_fn(|j| *q.get(6 + 3 * i + j).unwrap_or(&0.0))));
            let v = Vec3::new(*q.get(15)?, *q.get(16)?, *q.get(17)?);
            let turned = if v == Vec3::ZERO { start } else { turn_about(v, t * v.norm()) * start };
            return Some(Rigid { turn: turned, shift: Vec3::new(line(0, 3)?, line(1, 4)?, line(2, 5)?) });
        }
        Some(Rigid::STILL)
    }
}

/// Reads the numbers of a mimic joint.
fn followed(mimic: &Value, moves: &[Value]) -> Option<Vec<f64>> {
    let source = (mimic["frame"].as_u64()? as usize).checked_sub(1)?;
    let (multiplier, offset) = (mimic["multiplier"].as_f64()?, mimic["offset"].as_f64()?);
    Some(floats(moves.get(source)?)?.into_iter().map(|q| multiplier * q + offset).collect())
}

fn floats(list: &Value) -> Option<Vec<f64>> {
    list.as_array()?.iter().map(Value::as_f64).collect()
}

fn vector(v: &Value) -> Option<Vec3> {
    Some(Vec3::new(v[0].as_f64()?, v[1].as_f64()?, v[2].as_f64()?))
}

fn pose(v: &Value) -> Option<Rigid> {
    let r = floats(&v["r"])?;
    let turn = Mat3::from_rows(std::array::from_fn(|i| std::array::from_fn(|j| r[3 * i + j])));
    Some(Rigid { turn, shift: vector(&v["p"])? })
}

fn shape(v: &Value) -> Option<(Solid, Measured, Enclosure)> {
    let (kind, s) = v.as_object()?.iter().next()?;
    let size = |key: &str| s[key].as_f64().filter(|&x| x >= 0.0);
    let solid = match kind.as_str() {
        "mesh" => {
            let vertices: Vec<Vec3> = floats(&s["vertices"])?.chunks_exact(3).map(|c| Vec3::new(c[0], c[1], c[2])).collect();
            let index = |i: &Value| i.as_u64().filter(|&i| (i as usize) < vertices.len()).map(|i| i as u32);
            let indices: Vec<u32> = s["triangles"].as_array()?.iter().map(index).collect::<Option<_>>()?;
            let triangles = indices.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
            Solid::Mesh(Arc::new(Soup { vertices, triangles }))
        }
        "box" => Solid::Primitive(Primitive::Cuboid { half: vector(&s["half"]).filter(|h| h.x.min(h.y).min(h.z) >= 0.0)? }),
        "sphere" => Solid::Primitive(Primitive::Sphere { radius: size("radius")? }),
        "capsule" => Solid::Primitive(Primitive::Capsule { radius: size("radius")?, half_length: size("half_length")? }),
        "cylinder" => Solid::Primitive(Primitive::Cylinder { radius: size("radius")?, half_length: size("half_length")? }),
        _ => return None,
    };
    let measured = Measured::new(&solid);
    let enclosure = Enclosure::of(&solid);
    Some((solid, measured, enclosure))
}
