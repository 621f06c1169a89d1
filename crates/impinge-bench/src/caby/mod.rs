//! Deforming bodies and a tool with contact prediction: the table of the paper, forecasts, whole steps.   [Caby 2001]

mod deforming;
pub mod forecasts;
mod recorded;
pub mod steps;
pub mod table_1;

use crate::all::{Chapter, Planned};

/// The chapter of the paper in the document.
pub const CHAPTER: Chapter = Chapter {
    key: "caby",
    title: "Caby, Crosnier 2001: Efficient collision detection between rigid and deformable objects for telerobotics",
    text: "The tool is a drill, and the body is an open hull; the benchmark generates both, in the sizes of the paper. A body has no \
           preprocessing: it is new in every step.",
    runs: &[
        Planned { full: "caby-table-1 --rounds 15", quick: "caby-table-1 --rounds 1" },
        Planned { full: "forecasts --motions 200", quick: "forecasts --motions 2 --triangles 1600" },
        Planned { full: "steps --rounds 9", quick: "steps --rounds 1" },
    ],
};

/// Returns the `p` quantile: the smallest value that a share `p` of the values does not exceed.
fn quantile(values: &mut [f64], p: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let rank = (p * values.len() as f64).ceil() as usize;
    values.get(rank.max(1) - 1).copied()
}

/// Returns the lower end of Wilson's 95 % confidence interval for `hits` of `n` trials.
fn at_least(hits: usize, n: usize) -> Option<f64> {
    const Z: f64 = 1.96;
    if n == 0 {
        return None;
    }
    let (n, share) = (n as f64, hits as f64 / n as f64);
    let root = (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    Some((share + Z * Z / (2.0 * n) - Z * root) / (1.0 + Z * Z / n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_trials_prove_little() {
        assert_eq!(at_least(0, 0), None);
        let share = |hits, n| at_least(hits, n).expect("trials");
        assert!((share(15, 15) - 0.796).abs() < 1e-3 && (share(150, 150) - 0.975).abs() < 1e-3);
        assert!(share(0, 10).abs() < 1e-12 && share(9, 10) < 0.9);
    }
}
