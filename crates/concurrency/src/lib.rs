//! What threads do to each other: events, the order between them, the objects that they synchronise by.
//!
//! Two orders are kept apart (docs/soundness.md, 1 and 18): the *dependence* of actions ([`Action::dependent`]), which tells the
//! explorer what commutes, and C11 *happens-before* ([`HappensBefore`]), which decides what is a race and has fewer edges.
//!
//! Guarantee: a reported race is a conflicting pair that this execution leaves unordered by C11 happens-before.
//! Not promised: races that need another schedule.
//! Knows nothing of instructions, terms or search policy.

mod action;
mod clock;
mod footprint;
mod order;
mod races;
mod scope;
mod sync;

pub use action::{Action, Place, Range, SyncOp};
pub use clock::{ThreadId, VectorClock};
pub use footprint::Footprint;
pub use order::HappensBefore;
pub use races::{AccessKind, RaceShadow, Record, Side, Site};
pub use scope::{Blocks, Scope};
pub use sync::{
    Acquire, Health, Held, Initial, LockMode, Misuse, MutexKind, OnceState, Relock, SyncObject, SyncTable, Waiter,
    excluded,
};
