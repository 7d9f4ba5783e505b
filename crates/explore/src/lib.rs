//! Exploration: which state runs next, and what has been covered.
//!
//! [`joint`] explores threads together over all interleavings of visible actions, with sleep sets (Godefroid 1996);
//! [`fixpoint`] makes the sites of each race visible and explores again until no pass adds any; [`alone`] runs one
//! operation by itself; [`pairs`] puts them together for the operations of a library.
//!
//! Guarantee: when the ledger stays empty, every execution within the bounds is equivalent to one that was explored, and
//! every race of those is among the findings (DESIGN 'What is explored').
//! Knows nothing of opcodes or rendering.

mod alone;
mod budget;
mod deadlock;
mod findings;
mod fixpoint;
mod joint;
mod pairs;
mod roots;
mod traces;

pub use alone::{Alone, AloneEnd, Leaf, run_alone};
pub use budget::{Budget, Exhausted, Progress};
pub use deadlock::{Blocked, Waiting, stuck};
pub use findings::{Finding, FindingKey, FindingKind, Position, key_of};
pub use fixpoint::{Exploration, explore};
pub use joint::{Counts, JointOptions, runnable};
pub use pairs::{Dropped, OperationSummary, PairOutcome, PairsOptions, Shapes, pair, predicate_arguments, summarise};
pub use roots::{Operation, RootRule, base_state, start};
