//! Vertex/face and edge/edge tests against public queries with known answers, and against an exact oracle on generated ones.

use impinge::features::{Answer, Settings, first_contact};
use impinge_testkit::queries::{Set, hand_made, primitives, simulated};
use impinge_testkit::shared::shared;

/// What a set came to.
#[derive(Debug, Default)]
struct Marks {
    missed: usize,
    invented: usize,
    undecided: usize,
    late: usize,
    early: usize,
}

fn mark(set: &Set, settings: &Settings) -> Marks {
    let mut marks = Marks::default();
    for (i, query) in set.queries.iter().enumerate() {
        match first_contact(&query.pair, settings) {
            Answer::Free => marks.missed += usize::from(query.contact),
            Answer::Undecided { .. } => marks.undecided += 1,
            Answer::Contact { time, certified } => {
                marks.invented += usize::from(certified && !query.contact);
                if let Some((from, to)) = query.time {
                    marks.late += usize::from(time.0 > to);
                    marks.early += usize::from(certified && time.1 < from);
                    assert!(!certified || time.1 - time.0 <= 1e-7, "{} {i}: {time:?}", set.name);
                }
            }
        }
    }
    marks
}

fn all_shared() -> Vec<Set> {
    let mut sets = Vec::new();
    if let Some(folder) = shared("data/ccd-queries/sample-queries") {
        sets.extend(hand_made(&folder));
    }
    if let Some(folder) = shared("data/ccd-queries/scalable-ccd") {
        sets.extend(simulated(&folder));
    }
    if let Some(file) = shared("cases/primitives.json") {
        sets.push(primitives(&file));
    }
    sets
}

#[test]
fn every_public_query_is_answered_right() {
    for set in all_shared() {
        let marks = mark(&set, &Settings::default());
        let wrong = marks.missed + marks.invented + marks.undecided + marks.late + marks.early;
        assert_eq!(wrong, 0, "{}: {marks:?} of {}", set.name, set.queries.len());
    }
}
