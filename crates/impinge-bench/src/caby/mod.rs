//! Deforming bodies and a tool that sees contact coming: the paper's table, forecasts, whole steps.   [Caby 2001]

pub mod forecasts;
mod recorded;
pub mod steps;
pub mod table_1;

/// The smallest of the values that a share `p` of them does not exceed.
fn quantile(values: &mut [f64], p: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let rank = (p * values.len() as f64).ceil() as usize;
    values.get(rank.max(1) - 1).copied()
}
