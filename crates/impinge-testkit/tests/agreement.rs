//! All interfaces agree: any and first contact, once or repeated, alone or as part of a trajectory.

use impinge_testkit::generate::{grazing, rigid, robot};
use impinge_testkit::judge::{any, compatible, first, question};
use impinge_testkit::trial::{Judgement, count, worlds};
use impinge_testkit::{Drive, Random, World};

fn any_and_first(world: &World) -> Judgement {
    compatible(world, 0.0, &first(world), &any(world), |t| t)
}

#[test]
fn any_and_first_contact() {
    worlds(400, rigid, any_and_first);
    worlds(300, robot, any_and_first);
    worlds(40, grazing, any_and_first);
}

/// Memory that queries share must not carry state from one to the next.
#[test]
fn a_question_asked_again_gets_the_same_answer() {
    let questions: Vec<_> = (0..count(100))
        .map(|seed| {
            let world = if seed % 2 == 0 { rigid(&mut Random::new(seed)) } else { robot(&mut Random::new(seed)) };
            question(&world, 0.0)
        })
        .collect();
    let before: Vec<_> = questions.iter().map(|q| (q.any(), q.first())).collect();
    for (q, answers) in questions.iter().zip(&before).rev() {
        assert_eq!(&(q.any(), q.first()), answers);
    }
    for (q, answers) in questions.iter().zip(&before) {
        assert_eq!(q.first(), answers.1);
    }
}

#[test]
fn a_trajectory_is_its_segments() {
    for seed in 0..count(20) {
        let random = &mut Random::new(seed);
        let world = robot(random);
        if world.frames.iter().any(|f| matches!(f.drive, Drive::Float { .. })) {
            // A path of random values is not valid for quaternions.
            continue;
        }
        let q = question(&world, 0.0);
        let robots: Vec<_> = q.checker.scene().robots().map(|(id, _)| id).collect();
        let [robot] = robots[..] else { continue };
        let n = q.checker.scene().robot_model(robot).expect("of this scene").values();
        let path: Vec<Vec<f64>> = (0..9).map(|_| (0..n).map(|_| random.within(-1.0, 1.0)).collect()).collect();
        let whole = q.checker.check_trajectory(robot, &path).expect("a path that fits");
        for (segment, ends) in whole.segments.iter().zip(path.windows(2)) {
            let motion = q.checker.scene().motion().joint_line(robot, &ends[0], &ends[1]).build().expect("values that fit");
            assert_eq!(&q.checker.first_contact(&motion).expect("of this scene"), segment);
        }
    }
}
