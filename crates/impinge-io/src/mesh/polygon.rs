//! Triangulates faces with any number of corners.
//!
//! ```text
//! d------c      convex: a fan          c         not convex: ears are cut off one by one,
//! |    / |      from the first        / \        here a-b-c-d with d inside the triangle a-b-c:
//! | /    |      corner               / d \       the fan a-b-c, a-c-d would cover area outside the face
//! a------b                          a     b
//! ```
//!
//! A fan is correct only for convex faces, so convexity is tested, in the coordinate plane nearest to the face (Newell's normal).
//! A face out of plane has no defined surface: the loader chooses the diagonals, and warns if the corners are visibly out of
//! plane, or if a face crosses itself. Every corner remains on some triangle: nothing is dropped, not even faces without area.
//! Faces of one or two corners are kept as points and segments, with a warning that counts them.
//! Refused: a repeated corner, more than [`MAX_CORNERS`], tangled faces that take too long.

use std::path::Path;

use impinge::math::Vec3;

use crate::error::{IoError, Place, Result};
use crate::warning::Warning;

/// Maximum number of corners of a face. Real faces have at most a few hundred; a higher count indicates a broken or hostile file.
pub(crate) const MAX_CORNERS: usize = 1 << 16;

/// Maximum number of corners of a face that is not convex: the time of ear clipping is quadratic in this.
const MAX_EAR_CORNERS: usize = 4096;

/// Maximum number of point-in-triangle tests for all faces of one file: about two seconds.
const MAX_TESTS: u64 = 1_000_000_000;

/// A corner at a larger distance from the face's plane, relative to the face's size, is out of plane.
const OUT_OF_PLANE: f64 = 1e-3;

/// Faces as listed in a file, with the line of each.
#[derive(Default)]
pub(crate) struct Faces {
    corners: Vec<u32>,
    ends: Vec<usize>,
    lines: Vec<usize>,
    /// The file's number of the first vertex; for messages only.
    first_vertex: u32,
}

impl Faces {
    /// Creates a list for a format that numbers vertices from 1.
    pub(crate) fn counted_from_one() -> Self {
        Faces { first_vertex: 1, ..Faces::default() }
    }

    /// Adds a face; its line is 0 if the format has no lines.
    pub(crate) fn push(&mut self, corners: impl IntoIterator<Item = u32>, line: usize) {
        self.corners.extend(corners);
        self.ends.push(self.corners.len());
        self.lines.push(line);
    }

    /// Returns the number of faces.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the triangles of all faces, in order.
    pub(crate) fn triangulate(&self, path: &Path, vertices: &[Vec3]) -> Result<(Vec<[u32; 3]>, Vec<Warning>)> {
        let mut work = Work {
            first_vertex: self.first_vertex,
            triangles: Vec::with_capacity(self.len()),
            tests_left: MAX_TESTS,
            few: Tally::default(),
            bent: Tally::default(),
            crossed: Tally::default(),
        };
        let mut begin = 0;
        for (i, (&end, &line)) in self.ends.iter().zip(&self.lines).enumerate() {
            let corners = &self.corners[begin..end];
            begin = end;
            let at = || if line > 0 { Place::line(path, line) } else { Place::file(path) };
            if let Some(&bad) = corners.iter().find(|&&c| c as usize >= vertices.len()) {
                let index = i64::from(bad) + i64::from(self.first_vertex);
                return Err(IoError::BadIndex { at: at(), what: format!("face {i}"), index, count: vertices.len() });
            }
            work.face(corners, line, vertices).map_err(|what| IoError::BadFace { at: at(), what: format!("face {i} {what}") })?;
        }
        let mut warnings = Vec::new();
        work.few.warn(path, "few-corners", "have fewer than 3 corners; they are kept as points and segments", &mut warnings);
        work.bent.warn(path, "non-planar-faces", "have corners out of plane; the loader chose their diagonals", &mut warnings);
        work.crossed.warn(path, "self-crossing-faces", "cross themselves; they were triangulated as fans", &mut warnings);
        Ok((work.triangles, warnings))
    }
}

/// The number of faces with a property, and the line of the first.
#[derive(Default)]
struct Tally {
    count: usize,
    first_line: usize,
}

impl Tally {
    fn add(&mut self, line: usize) {
        if self.count == 0 {
            self.first_line = line;
        }
        self.count += 1;
    }

    fn warn(&self, path: &Path, kind: &'static str, what: &str, warnings: &mut Vec<Warning>) {
        if self.count > 0 {
            let at = if self.first_line > 0 { Place::line(path, self.first_line) } else { Place::file(path) };
            warnings.push(Warning::new(at, kind, format!("{} faces (first here) {what}", self.count)));
        }
    }
}

struct Work {
    first_vertex: u32,
    triangles: Vec<[u32; 3]>,
    tests_left: u64,
    few: Tally,
    bent: Tally,
    crossed: Tally,
}

impl Work {
    /// Appends the triangles of one face, or returns the defect.
    fn face(&mut self, corners: &[u32], line: usize, vertices: &[Vec3]) -> std::result::Result<(), String> {
        match *corners {
            [a, b, c] => {
                self.triangles.push([a, b, c]);
                return Ok(());
            }
            [] | [_] | [_, _] => {
                self.few.add(line);
                self.triangles.extend(corners.first().zip(corners.last()).map(|(&a, &b)| [a, b, b]));
                return Ok(());
            }
            _ if corners.len() > MAX_CORNERS => return Err(format!("has more than {MAX_CORNERS} corners")),
            _ => {}
        }
        let corners = without_repeats(corners);
        match corners[..] {
            [a] => self.triangles.push([a, a, a]),
            [a, b] => self.triangles.push([a, b, b]),
            [a, b, c] => self.triangles.push([a, b, c]),
            _ => {
                if let Some(twice) = repeated(&corners) {
                    return Err(format!("names vertex {} twice", u64::from(twice) + u64::from(self.first_vertex)));
                }
                self.polygon(&corners, line, vertices)?;
            }
        }
        Ok(())
    }

    fn polygon(&mut self, corners: &[u32], line: usize, vertices: &[Vec3]) -> std::result::Result<(), String> {
        let points: Vec<Vec3> = corners.iter().map(|&c| vertices[c as usize]).collect();
        let normal = newell_normal(&points);
        if out_of_plane(&points, normal) {
            self.bent.add(line);
        }
        if normal == Vec3::ZERO && points.windows(2).any(|w| (w[0] - points[0]).cross(w[1] - points[0]) != Vec3::ZERO) {
            self.crossed.add(line);
        }
        let flat = project(&points, normal);
        let turns = (0..flat.len()).map(|i| turn(flat[(i + flat.len() - 1) % flat.len()], flat[i], flat[(i + 1) % flat.len()]));
        let least_turn = turns.fold(f64::INFINITY, f64::min);
        let convex = normal == Vec3::ZERO
            || (winds_once(&flat) && (least_turn > 0.0 || (least_turn >= 0.0 && flat.len() > MAX_EAR_CORNERS)));
        if convex {
            self.triangles.extend((1..corners.len() - 1).map(|i| [corners[0], corners[i], corners[i + 1]]));
            return Ok(());
        }
        if corners.len() > MAX_EAR_CORNERS {
            return Err(format!("is not convex and has more than {MAX_EAR_CORNERS} corners"));
        }
        let (triangles, crossed) = cut_ears(&flat, &mut self.tests_left).ok_or("is too tangled to triangulate")?;
        self.triangles.extend(triangles.iter().map(|t| t.map(|i| corners[i])));
        if crossed {
            self.crossed.add(line);
        }
        Ok(())
    }
}

/// Returns the corners without consecutive repeats, cyclically: an edge of length zero has no effect.
fn without_repeats(corners: &[u32]) -> Vec<u32> {
    let mut kept: Vec<u32> = Vec::with_capacity(corners.len());
    for &c in corners {
        if kept.last() != Some(&c) {
            kept.push(c);
        }
    }
    while kept.len() > 1 && kept.first() == kept.last() {
        kept.pop();
    }
    kept
}

fn repeated(corners: &[u32]) -> Option<u32> {
    let mut sorted = corners.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|w| w[0] == w[1]).map(|w| w[0])
}

/// Returns twice the vector area: the direction of the largest projected area.
fn newell_normal(points: &[Vec3]) -> Vec3 {
    let origin = points[0];
    points.windows(2).fold(Vec3::ZERO, |sum, w| sum + (w[0] - origin).cross(w[1] - origin))
}

fn out_of_plane(points: &[Vec3], normal: Vec3) -> bool {
    let length = normal.norm();
    if length == 0.0 {
        return false;
    }
    let (low, high) = points.iter().fold((points[0], points[0]), |(low, high), &p| (low.min(p), high.max(p)));
    let heights = points.iter().map(|&p| (p - points[0]).dot(normal) / length);
    let (lowest, highest) = heights.fold((0.0f64, 0.0f64), |(low, high), h| (low.min(h), high.max(h)));
    highest - lowest > OUT_OF_PLANE * (high - low).norm()
}

/// Projects the face along the coordinate axis nearest to its normal, counter-clockwise.
fn project(points: &[Vec3], normal: Vec3) -> Vec<[f64; 2]> {
    let axis = normal.longest_axis();
    let (mut u, mut v) = ((axis + 1) % 3, (axis + 2) % 3);
    if normal[axis] < 0.0 {
        (u, v) = (v, u);
    }
    points.iter().map(|p| [p[u], p[v]]).collect()
}

/// Returns a positive number if a, b, c turn left.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
}

/// Tests whether the outline goes right and comes back left exactly once, like a convex one; a star that winds twice does not.
fn winds_once(flat: &[[f64; 2]]) -> bool {
    let directions: Vec<bool> =
        (0..flat.len()).map(|i| flat[(i + 1) % flat.len()][0] - flat[i][0]).filter(|&dx| dx != 0.0).map(|dx| dx > 0.0).collect();
    let changes = (0..directions.len()).filter(|&i| directions[i] != directions[(i + 1) % directions.len()]).count();
    changes <= 2
}

/// Clips ears. The flag reports that the outline crosses itself; `None`, that the work limit was reached.
fn cut_ears(flat: &[[f64; 2]], tests_left: &mut u64) -> Option<(Vec<[usize; 3]>, bool)> {
    let mut ring: Vec<usize> = (0..flat.len()).collect();
    let mut triangles = Vec::with_capacity(flat.len() - 2);
    let mut from = 0;
    while ring.len() > 3 {
        let cost = ring.len() as u64;
        let mut found = None;
        'search: for strict in [true, false] {
            for step in 0..ring.len() {
                *tests_left = tests_left.checked_sub(cost)?;
                let at = (from + step) % ring.len();
                if is_ear(flat, &ring, at, strict) {
                    found = Some(at);
                    break 'search;
                }
            }
        }
        let Some(at) = found else {
            triangles.extend((1..ring.len() - 1).map(|i| [ring[0], ring[i], ring[i + 1]]));
            return Some((triangles, true));
        };
        let (before, after) = neighbours(&ring, at);
        triangles.push([before, ring[at], after]);
        ring.remove(at);
        // The corner before the one cut is the most likely next ear that leaves no slivers.
        from = (at + ring.len() - 1) % ring.len();
    }
    triangles.push([ring[0], ring[1], ring[2]]);
    Some((triangles, false))
}

fn neighbours(ring: &[usize], at: usize) -> (usize, usize) {
    (ring[(at + ring.len() - 1) % ring.len()], ring[(at + 1) % ring.len()])
}

/// Tests whether the corner at `at` can be cut off. Strict: it turns left and no other corner touches its triangle. Otherwise
/// straight corners and contacts are accepted.
fn is_ear(flat: &[[f64; 2]], ring: &[usize], at: usize, strict: bool) -> bool {
    let (before, after) = neighbours(ring, at);
    let [a, b, c] = [before, ring[at], after].map(|i| flat[i]);
    let area = turn(a, b, c);
    if if strict { area <= 0.0 } else { area < 0.0 } {
        return false;
    }
    !ring.iter().filter(|&&i| i != before && i != ring[at] && i != after).map(|&i| flat[i]).any(|p| {
        let sides = [turn(a, b, p), turn(b, c, p), turn(c, a, p)];
        let inside = if strict { sides.iter().all(|&s| s >= 0.0) } else { sides.iter().all(|&s| s > 0.0) };
        inside && p != a && p != b && p != c
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(points: &[[f64; 3]]) -> (Vec<[u32; 3]>, Vec<&'static str>) {
        let vertices: Vec<Vec3> = points.iter().map(|&p| Vec3::from(p)).collect();
        let mut faces = Faces::default();
        faces.push(0..points.len() as u32, 4);
        let (triangles, warnings) = faces.triangulate(Path::new("f"), &vertices).expect("a face");
        (triangles, warnings.iter().map(|w| w.kind).collect())
    }

    /// Returns the sum of the triangles' areas; equal to the face's area only if they neither overlap nor exceed it.
    fn area(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
        let corner = |i: u32| Vec3::from(points[i as usize]);
        triangles.iter().map(|t| (corner(t[1]) - corner(t[0])).cross(corner(t[2]) - corner(t[0])).norm() / 2.0).sum()
    }

    #[test]
    fn convex_faces_become_fans() {
        let square = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]];
        assert_eq!(cut(&square), (vec![[0, 1, 2], [0, 2, 3]], vec![]));
    }

    #[test]
    fn faces_that_are_not_convex_keep_their_area_and_winding() {
        let dart = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 2.0, 0.0]];
        let (triangles, warnings) = cut(&dart);
        assert_eq!((triangles.len(), warnings.len()), (2, 0));
        assert!((area(&dart, &triangles) - 1.0).abs() < 1e-12);
        let comb: Vec<[f64; 3]> =
            [[0, 0], [7, 0], [7, 5], [6, 5], [6, 1], [4, 1], [4, 5], [3, 5], [3, 1], [1, 1], [1, 5], [0, 5]]
                .map(|[x, z]: [i32; 2]| [f64::from(x), 3.0, f64::from(z)])
                .to_vec();
        let (triangles, warnings) = cut(&comb);
        assert_eq!((triangles.len(), warnings.len()), (10, 0));
        assert!((area(&comb, &triangles) - 19.0).abs() < 1e-12);
        let flipped: Vec<[f64; 3]> = comb.iter().rev().copied().collect();
        assert!((area(&flipped, &cut(&flipped).0) - 19.0).abs() < 1e-12);
    }

    #[test]
    fn straight_corners_do_not_make_slivers() {
        let house = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
        let (triangles, _) = cut(&house);
        assert!(triangles.iter().all(|&t| area(&house, &[t]) > 0.1), "{triangles:?}");
    }

    #[test]
    fn crossing_and_bent_faces_are_reported() {
        let bow = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(cut(&bow), (vec![[0, 1, 2], [0, 2, 3]], vec!["self-crossing-faces"]));
        let star: Vec<[f64; 3]> = [0, 2, 4, 1, 3]
            .map(|k| impinge::math::trig::sin_cos(f64::from(k) * std::f64::consts::TAU / 5.0))
            .map(|(s, c)| [c, s, 0.0])
            .to_vec();
        assert_eq!(cut(&star).0.len(), 3);
        let bent = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0]];
        assert_eq!(cut(&bent).1, ["non-planar-faces"]);
    }

    #[test]
    fn faces_of_few_corners_are_kept_and_counted() {
        let vertices = [Vec3::ZERO, Vec3::unit(0), Vec3::unit(1), Vec3::unit(2)];
        let mut faces = Faces::default();
        for (corners, line) in [(&[0, 1, 2][..], 1), (&[1, 3], 2), (&[2], 3), (&[], 4), (&[1, 2, 3], 5)] {
            faces.push(corners.iter().copied(), line);
        }
        let (triangles, warnings) = faces.triangulate(Path::new("f"), &vertices).expect("all are read");
        assert_eq!(triangles, [[0, 1, 2], [1, 3, 3], [2, 2, 2], [1, 2, 3]]);
        assert_eq!((warnings.len(), warnings[0].kind, warnings[0].line), (1, "few-corners", Some(2)));
        assert!(warnings[0].message.starts_with("3 faces "), "{}", warnings[0].message);
        faces.push([7, 7], 6);
        assert!(matches!(faces.triangulate(Path::new("f"), &vertices), Err(IoError::BadIndex { .. })));
    }

    #[test]
    fn repeats_collapse_or_are_refused() {
        let vertices = [Vec3::ZERO, Vec3::unit(0), Vec3::unit(1), Vec3::unit(2)];
        let try_face = |corners: &[u32]| {
            let mut faces = Faces::default();
            faces.push(corners.iter().copied(), 9);
            faces.triangulate(Path::new("f"), &vertices).map(|(t, _)| t)
        };
        assert_eq!(try_face(&[0, 1, 2, 2]).expect("a triangle"), [[0, 1, 2]]);
        assert_eq!(try_face(&[0, 0, 1, 1]).expect("a segment"), [[0, 1, 1]]);
        assert_eq!(try_face(&[3, 3, 3, 3]).expect("a point"), [[3, 3, 3]]);
        assert!(matches!(try_face(&[0, 1, 2, 0, 1, 2]), Err(IoError::BadFace { .. })));
        let error = try_face(&[0, 1, 7]).expect_err("no vertex 7").to_string();
        assert_eq!(error, "f:9: face 0: index 7 is out of range (count 4); export the file again");
    }
}
