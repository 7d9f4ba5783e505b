//! Shapes as demands: what paths need of a heap, and one heap for several of them.
//!
//! Guarantee: [`combine`] gives the least heap that meets all demands, or says why there is none.
//! Knows nothing of running: a path's shape and conditions are all there is of it.

mod combine;
mod demand;

pub use combine::{DemandNode, Infeasible, Integrated, Link, Part, combine};
pub use demand::Demand;
