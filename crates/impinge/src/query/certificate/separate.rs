//! Directions that separate two convex hulls, from the closest points between them (Gilbert, Johnson and Keerthi 1988).

use crate::math::Vec3;

/// Rounds after which a direction that has not been found is given up.
const MOST_ROUNDS: usize = 40;

/// A unit direction along which everything of one set is farther than everything of the other by more than `wanted`.
///
/// `farthest(n)` is the point of the difference of the two sets that is farthest along n.
pub(super) fn direction(farthest: impl Fn(Vec3) -> Vec3, first: Vec3, wanted: f64) -> Option<Vec3> {
    let mut simplex = vec![first];
    let mut nearest = first;
    for _ in 0..MOST_ROUNDS {
        let distance = nearest.norm();
        if !(distance > wanted) {
            return None;
        }
        let point = farthest(-nearest);
        let at_least = nearest.dot(point) / distance;
        if at_least > wanted {
            return Some(nearest * (1.0 / distance));
        }
        if distance - at_least <= 1e-9 * distance || simplex.contains(&point) {
            return None;
        }
        simplex.push(point);
        (simplex, nearest) = nearest_of_simplex(&simplex);
    }
    None
}

/// The point of a simplex of at most four points that is nearest to the origin, and the corners it depends on: all faces are tried.
fn nearest_of_simplex(points: &[Vec3]) -> (Vec<Vec3>, Vec3) {
    let mut best = (vec![points[0]], points[0]);
    for mask in 1u32..1 << points.len() {
        let face: Vec<Vec3> = (0..points.len()).filter(|i| mask >> i & 1 == 1).map(|i| points[i]).collect();
        if let Some(p) = foot_inside(&face)
            && p.norm_squared() < best.1.norm_squared()
        {
            best = (face, p);
        }
    }
    best
}

/// The foot of the origin on the flat through some points, if it lies between them.
fn foot_inside(face: &[Vec3]) -> Option<Vec3> {
    let o = face[0];
    let edges: Vec<Vec3> = face[1..].iter().map(|&p| p - o).collect();
    let weights = match edges[..] {
        [] => vec![],
        [e] => vec![-o.dot(e) / e.norm_squared()],
        [e, f] => {
            let (ee, ff, ef) = (e.norm_squared(), f.norm_squared(), e.dot(f));
            let (oe, of) = (-o.dot(e), -o.dot(f));
            let below = ee * ff - ef * ef;
            vec![(oe * ff - of * ef) / below, (of * ee - oe * ef) / below]
        }
        [e, f, g] => {
            let below = e.dot(f.cross(g));
            let part = |a: Vec3, b: Vec3| -o.dot(a.cross(b)) / below;
            vec![part(f, g), part(g, e), part(e, f)]
        }
        _ => return None,
    };
    let inside = weights.iter().all(|&w| w >= 0.0) && weights.iter().sum::<f64>() <= 1.0;
    inside.then(|| edges.iter().zip(&weights).fold(o, |p, (&e, &w)| p + e * w))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(apart: f64) -> impl Fn(Vec3) -> Vec3 {
        move |n: Vec3| Vec3::new(n.x.signum(), n.y.signum(), n.z.signum()) + Vec3::new(1.0 + apart, 0.2, -0.3)
    }

    #[test]
    fn a_gap_is_found_and_an_overlap_is_not() {
        let n = direction(boxes(0.1), Vec3::splat(1.0), 0.09).expect("apart by 0.1");
        assert!(n.x > 0.99);
        assert!(direction(boxes(0.1), Vec3::splat(1.0), 0.11).is_none());
        assert!(direction(boxes(-0.1), Vec3::splat(1.0), 0.0).is_none());
    }
}
