//! Free means that the oracle finds nothing; a bracket means that it finds nothing before, and nearness at its end.

use impinge_testkit::World;
use impinge_testkit::generate::{fine, grazing, rigid, robot};
use impinge_testkit::judge::{NORMAL, any, decided, first, judge, sharp};
use impinge_testkit::trial::{Judgement, mostly, worlds};

fn both_sound(world: &World) -> Judgement {
    judge(world, 0.0, &any(world), NORMAL)?;
    judge(world, 0.0, &first(world), NORMAL)
}

#[test]
fn rigid_bodies() {
    worlds(300, rigid, both_sound);
}

#[test]
fn robots() {
    worlds(200, robot, both_sound);
}

#[test]
fn grazing_boxes() {
    worlds(60, grazing, both_sound);
}

#[test]
fn fine_meshes() {
    worlds(25, fine, |w| both_sound(w).and(sharp(&first(w))));
}

#[test]
fn rigid_bodies_are_decided() {
    mostly(300, 0.01, rigid, |w| decided(&any(w)).and(sharp(&first(w))));
}

#[test]
fn robots_are_decided() {
    mostly(300, 0.01, robot, |w| decided(&any(w)).and(sharp(&first(w))));
}

#[test]
fn grazing_boxes_are_decided() {
    mostly(30, 0.05, grazing, |w| decided(&any(w)).and(sharp(&first(w))));
}
