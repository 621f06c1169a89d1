//! Contact that is coming: motions extrapolated from what was observed, and tested step by step.   [Caby 2001, section 3.2]
//!
//! ```text
//! observed   ....o..o..o.o|             polynomial   recursive least squares with forgetting, any number of channels
//! model                   |--~~~___     pose         six degrees of freedom: position, and orientation without jumps
//! tests      [last]       |[][][][   ]  horizon      fine steps soon (reflex), coarse ones later (considered), within a time budget
//!                        now            tool, arm    steps of the predicted path, halved where their bend matters
//!                                       path, levers how far a path bends away from the chord of a step
//! ```
//! A forecast that finds nothing is a proof for the predicted path, rounding included, not for what will be done. The library has no clock:
//! the caller hands one in.

mod arm;
mod bodies;
mod horizon;
mod levers;
mod path;
mod polynomial;
mod pose;
mod tool;

pub use arm::ArmWatch;
pub use horizon::{Budget, Forecast, Horizons, Level};
pub use polynomial::{Model, ModelOptions};
pub use pose::PoseModel;
pub use tool::{ToolForecast, ToolWatch};
