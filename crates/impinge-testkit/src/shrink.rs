//! Minimises a failing world: removes elements and rounds numbers for as long as it still fails.

use std::sync::Arc;
use std::time::{Duration, Instant};

use impinge::math::Vec3;

use crate::world::{Drive, Place, Solid, Soup, World};

/// The time limit for one world.
const PATIENCE: Duration = Duration::from_secs(6);

/// Returns the smallest world found for which `fails` still holds; it must hold for `world`.
pub fn shrink(world: &World, fails: impl Fn(&World) -> bool) -> World {
    let begin = Instant::now();
    let mut best = world.clone();
    loop {
        let mut smaller = false;
        let mut step = 0;
        while let Some(candidate) = candidate(&best, step) {
            if begin.elapsed() > PATIENCE {
                return best;
            }
            match candidate {
                Some(c) if c != best && fails(&c) => {
                    best = c;
                    smaller = true;
                }
                _ => step += 1,
            }
        }
        if !smaller {
            return best;
        }
    }
}

/// Applies the `step`-th reduction; `None` if there are no more, `Some(None)` if this one does not apply.
fn candidate(world: &World, step: usize) -> Option<Option<World>> {
    let mut rest = step;
    let mut within = |n: usize| {
        if rest < n {
            return Some(rest);
        }
        rest -= n;
        None
    };
    let (parts, frames) = (world.parts.len(), world.frames.len());
    if let Some(p) = within(parts) {
        return Some(without_part(world, p));
    }
    if let Some(f) = within(frames) {
        return Some(without_frame(world, f));
    }
    let pieces: Vec<(usize, usize)> = (0..parts).flat_map(|p| (0..world.parts[p].pieces.len()).map(move |q| (p, q))).collect();
    if let Some(i) = within(pieces.len()) {
        return Some(without_piece(world, pieces[i]));
    }
    for &at in &pieces {
        if let Some(i) = within(cuts(triangles_of(world, at)).len()) {
            return Some(cut_triangles(world, at, i));
        }
    }
    if let Some(f) = within(frames * FRAME_CHANGES) {
        return Some(change_frame(world, f / FRAME_CHANGES, f % FRAME_CHANGES));
    }
    if let Some(i) = within(pieces.len() * PIECE_CHANGES) {
        return Some(change_piece(world, pieces[i / PIECE_CHANGES], i % PIECE_CHANGES));
    }
    None
}

fn without_part(world: &World, part: usize) -> Option<World> {
    let mut w = world.clone();
    w.parts.remove(part);
    w.disabled.retain(|&(a, b)| a != part && b != part);
    let renumber = |p: &mut usize| *p -= usize::from(*p > part);
    w.disabled.iter_mut().for_each(|(a, b)| [a, b].into_iter().for_each(renumber));
    (w.parts.len() > 1).then_some(w)
}

/// Removes a frame without parts; its children become children of its parent.
fn without_frame(world: &World, frame: usize) -> Option<World> {
    let used = |f: &crate::Frame| matches!(f.drive, Drive::Follow { leader, .. } if leader == frame);
    let carries = world.parts.iter().any(|p| p.frame == frame) || world.frames.iter().any(used);
    let top_of_some = world.frames[frame].parent == 0 && world.frames.iter().any(|f| f.parent == frame);
    if frame == 0 || carries || top_of_some {
        return None;
    }
    let mut w = world.clone();
    let parent = w.frames.remove(frame).parent;
    let renumber = |f: &mut usize| *f = if *f == frame { parent } else { *f - usize::from(*f > frame) };
    for f in &mut w.frames {
        renumber(&mut f.parent);
        if let Drive::Follow { leader, .. } = &mut f.drive {
            renumber(leader);
        }
    }
    w.parts.iter_mut().for_each(|p| renumber(&mut p.frame));
    Some(w)
}

fn without_piece(world: &World, (part, piece): (usize, usize)) -> Option<World> {
    let mut w = world.clone();
    w.parts[part].pieces.remove(piece);
    (!w.parts[part].pieces.is_empty()).then_some(w)
}

fn triangles_of(world: &World, (part, piece): (usize, usize)) -> usize {
    match &world.parts[part].pieces[piece].solid {
        Solid::Mesh(soup) => soup.triangles.len(),
        Solid::Primitive(_) => 0,
    }
}

/// Returns ranges of triangles to remove: halves, quarters, and so on down to single triangles.
fn cuts(n: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut length = n / 2;
    while length > 0 {
        out.extend((0..n).step_by(length).map(|from| (from, (from + length).min(n))));
        length /= 2;
    }
    out
}

fn cut_triangles(world: &World, (part, piece): (usize, usize), cut: usize) -> Option<World> {
    let mut w = world.clone();
    let Solid::Mesh(soup) = &mut w.parts[part].pieces[piece].solid else { return None };
    let (from, to) = cuts(soup.triangles.len())[cut];
    let kept: Vec<[u32; 3]> = soup.triangles[..from].iter().chain(&soup.triangles[to..]).copied().collect();
    if kept.is_empty() {
        return None;
    }
    let mut vertices = Vec::new();
    let triangles = kept
        .iter()
        .map(|t| {
            t.map(|k| {
                let v = soup.vertices[k as usize];
                vertices.iter().position(|&u| u == v).unwrap_or_else(|| {
                    vertices.push(v);
                    vertices.len() - 1
                }) as u32
            })
        })
        .collect();
    *soup = Arc::new(Soup { vertices, triangles });
    Some(w)
}

const FRAME_CHANGES: usize = 6;

fn change_frame(world: &World, frame: usize, change: usize) -> Option<World> {
    let mut w = world.clone();
    let f = &mut w.frames[frame];
    match change {
        0 => f.place = Place::default(),
        1 => f.place.rpy = Vec3::ZERO,
        2 => f.place = rounded_place(&f.place),
        3 => stop(&mut f.drive),
        4 => round_drive(&mut f.drive, 8.0),
        _ => round_drive(&mut f.drive, 1.0),
    }
    Some(w)
}

const PIECE_CHANGES: usize = 4;

fn change_piece(world: &World, (part, piece): (usize, usize), change: usize) -> Option<World> {
    let mut w = world.clone();
    let p = &mut w.parts[part].pieces[piece];
    match change {
        0 => p.place = Place::default(),
        1 => p.place = rounded_place(&p.place),
        _ => {
            let steps = if change == 2 { 8.0 } else { 1.0 };
            let Solid::Mesh(soup) = &mut p.solid else { return None };
            let vertices = soup.vertices.iter().map(|&v| rounded(v, steps)).collect();
            *soup = Arc::new(Soup { vertices, triangles: soup.triangles.clone() });
        }
    }
    Some(w)
}

fn stop(drive: &mut Drive) {
    match drive {
        Drive::Base | Drive::Follow { .. } => {}
        Drive::Turn { from, to, .. } | Drive::Slide { from, to, .. } => *to = *from,
        Drive::Planar { from, to } => *to = *from,
        Drive::Float { from, to } => *to = *from,
        Drive::Free { turn, .. } => *turn = Vec3::ZERO,
    }
}

fn round_drive(drive: &mut Drive, steps: f64) {
    let round = |x: &mut f64| *x = (*x * steps).round() / steps;
    match drive {
        Drive::Base => {}
        Drive::Turn { from, to, .. } | Drive::Slide { from, to, .. } => [from, to].into_iter().for_each(round),
        Drive::Planar { from, to } => from.iter_mut().chain(to).for_each(round),
        Drive::Float { from, to } => from.0.iter_mut().chain(&mut to.0).for_each(round),
        Drive::Follow { multiplier, offset, .. } => [multiplier, offset].into_iter().for_each(round),
        Drive::Free { travel, turn } => (*travel, *turn) = (rounded(*travel, steps), rounded(*turn, steps)),
    }
}

fn rounded_place(p: &Place) -> Place {
    Place { xyz: rounded(p.xyz, 8.0), rpy: rounded(p.rpy, 8.0) }
}

fn rounded(v: Vec3, steps: f64) -> Vec3 {
    Vec3::from(v.to_array().map(|c| (c * steps).round() / steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_io::example::solids::cuboid;

    #[test]
    fn what_does_not_matter_is_taken_away() {
        let mut world = World::default();
        let soup = Arc::new(Soup::from(cuboid(Vec3::splat(0.3), Vec3::splat(0.7))));
        for i in 0..4 {
            let frame = world.frame(0, Place::at(Vec3::splat(f64::from(i))), Drive::Base);
            let turn = Drive::Turn { axis: Vec3::unit(0), from: 0.1, to: 1.234 };
            let joint = world.frame(frame, Place::at(Vec3::unit(1)), turn);
            world.part(joint, Solid::Mesh(soup.clone()));
        }
        let turns = |w: &World| w.frames.iter().filter(|f| matches!(f.drive, Drive::Turn { to, .. } if to > 1.0)).count();
        let small = shrink(&world, |w| turns(w) >= 2);
        assert_eq!((small.parts.len(), turns(&small), small.frames.len()), (2, 2, 5));
        assert!(small.parts.iter().flat_map(|p| &p.pieces).all(|p| matches!(&p.solid, Solid::Mesh(s) if s.triangles.len() == 1)));
    }
}
