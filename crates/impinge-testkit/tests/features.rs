//! Vertex/face and edge/edge queries against public queries with known verdicts, and against an exact oracle on generated ones.

use impinge::features::{Answer, Kind, Settings, first_contact};
use impinge_testkit::generate::features::{FAMILIES, query};
use impinge_testkit::queries::{Set, sets};
use impinge_testkit::shared::shared;
use impinge_testkit::{Random, sturm};

/// The result of a set.
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
            Answer::Free => marks.missed += usize::from(query.contact == Some(true)),
            Answer::Undecided { .. } => marks.undecided += 1,
            Answer::Contact { time, certified } => {
                marks.invented += usize::from(certified && query.contact == Some(false));
                if let Some((from, to)) = query.first {
                    marks.late += usize::from(time.0 > to);
                    marks.early += usize::from(certified && time.1 < from);
                    assert!(!certified || time.1 - time.0 <= 1e-9, "{} {i}: {time:?}", set.name);
                }
            }
        }
    }
    marks
}

fn all_shared() -> Vec<Set> {
    ["data/ccd-queries", "cases/primitives.json"].iter().filter_map(|path| shared(path)).flat_map(|path| sets(&path)).collect()
}

#[test]
fn every_public_query_is_answered_right() {
    for set in all_shared() {
        let marks = mark(&set, &Settings::default());
        let wrong = marks.missed + marks.invented + marks.undecided + marks.late + marks.early;
        assert_eq!(wrong, 0, "{}: {marks:?} of {}", set.name, set.queries.len());
    }
}

/// Queries of each family and kind; ten times as many with `IMPINGE_LONG=10`.
fn rounds() -> u64 {
    20 * std::env::var("IMPINGE_LONG").ok().and_then(|n| n.parse::<u64>().ok()).unwrap_or(1)
}

#[test]
fn every_family_agrees_with_the_oracle() {
    let settings = Settings::default();
    for family in 0..FAMILIES {
        for (salt, kind) in [Kind::VertexFace, Kind::EdgeEdge].into_iter().enumerate() {
            let mut contacts = 0;
            for seed in 0..rounds() {
                let pair = query(family, kind, &mut Random::new((family as u64 * 2 + salt as u64) << 32 | seed));
                let (answer, truth) = (first_contact(&pair, &settings), sturm::first_contact(&pair));
                let right = match (answer, truth) {
                    (Answer::Free, None) => true,
                    (Answer::Contact { time, certified: true }, Some((from, to))) => {
                        contacts += 1;
                        time.0 <= to && time.1 >= from
                    }
                    _ => false,
                };
                assert!(right, "family {family} {kind:?} seed {seed}: {answer:?}, true {truth:?}\n{pair:?}");
            }
            eprintln!("family {family} {kind:?}: {contacts} contacts of {}", rounds());
        }
    }
}
