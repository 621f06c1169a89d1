//! Every pair of triangles of two bodies, at rest or swept by translations, that is close: the witness pairs of Xavier 1997, section 3.3.

use std::ops::ControlFlow;

use super::DistanceLimits;
use super::search;
use super::session::DistanceSession;
use super::sweep::{Reading, Slide, Swept};
use crate::Error;

/// Two triangles that are close at some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosePair {
    /// As numbered in the meshes; 0 for solids.
    pub triangles: (u32, u32),
    /// Whether they are proven to be within the margin. If not, they are not proven to be beyond it: rounding decides.
    pub proven: bool,
}

/// Tells of every pair of triangles that is not proven to be farther than `margin` apart throughout, once each and in a fixed order, as they
/// are found; until `visit` breaks. Bodies at rest are swept by zero.
///
/// # Errors
/// As for [`super::swept_distance`].
pub fn pairs_within(
    a: Swept<'_>,
    b: Swept<'_>,
    reading: Reading,
    margin: f64,
    session: &mut DistanceSession,
    mut visit: impl FnMut(ClosePair) -> ControlFlow<()>,
) -> Result<(), Error> {
    // No pair is left out in silence.
    let limits = DistanceLimits { max_work: u64::MAX, ..DistanceLimits::within(margin) };
    limits.check()?;
    let slide = Slide::new(a, b, reading)?;
    let (a, b) = (a.0, b.0);
    let rounding = a.rounding + b.rounding;
    search::visit((a, b), &slide, limits, session, &mut |(i, k), measured| {
        visit(ClosePair { triangles: (a.ids[i as usize], b.ids[k as usize]), proven: measured.at_most <= margin + rounding })
    });
    Ok(())
}
