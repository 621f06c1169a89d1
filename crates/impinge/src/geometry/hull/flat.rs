//! The convex hull of points in a plane: Andrew's monotone chain on the coordinate plane where they are seen best, decided exactly.

use crate::math::Vec3;
use crate::math::orient::turn;

/// Corners of the hull of points that all lie in the plane of `three`, counter-clockwise as those are; no three on a line.
///
/// Seen along an axis that the plane is not parallel to, points of the plane keep their order, so that turns seen there are turns in the plane.
pub(crate) fn polygon(points: &[Vec3], three: [u32; 3]) -> Vec<u32> {
    let at = |i: u32| points[i as usize];
    let Some(axis) = (0..3).find(|&k| turn(three.map(at), k) != 0) else { return three.to_vec() };
    let sign = turn(three.map(at), axis);
    let key = |i: u32| (at(i)[(axis + 1) % 3], at(i)[(axis + 2) % 3]);
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by(|&i, &k| key(i).0.total_cmp(&key(k).0).then(key(i).1.total_cmp(&key(k).1)).then(i.cmp(&k)));
    order.dedup_by(|i, k| key(*i) == key(*k));
    let left = |corners: &[u32], i: u32| match corners {
        [.., a, b] => turn([at(*a), at(*b), at(i)], axis) > 0,
        _ => true,
    };
    let chain = |order: &mut dyn Iterator<Item = u32>| {
        let mut corners: Vec<u32> = Vec::new();
        for i in order {
            while !left(&corners, i) {
                corners.pop();
            }
            corners.push(i);
        }
        corners.pop();
        corners
    };
    let mut corners = chain(&mut order.iter().copied());
    corners.extend(chain(&mut order.iter().rev().copied()));
    if sign < 0 {
        corners.reverse();
    }
    corners
}
