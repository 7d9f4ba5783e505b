//! Exploration: which state runs next, and what has been covered.
//!
//! [`origin`] is what is explored: a program, or operations and what they are given. [`alone`] runs one thread by itself and
//! finds the heaps on which several can run; [`joint`] explores threads together over all interleavings of visible actions.
//! Both walk one [`run`], which is divided into [`tasks`] for workers; [`fixpoint`] makes the sites of each race visible
//! and explores again until none is added. [`guided`] looks for likely races before, [`reach`] for clients afterwards.
//!
//! Guarantee: when the ledger stays empty, every execution within the bounds is equivalent to one that was explored, and
//! every race of those is among the findings (DESIGN 'What is explored').
//! Knows nothing of opcodes or rendering.

mod budget;
mod findings;
mod initial;
mod model;
mod parallel;
mod races;
mod run;
mod search;
mod strategy;
mod trace;

pub use budget::counts::{Counts, Distinct, Guided};
pub use budget::fault::caught;
pub use budget::spent::Spent;
pub use budget::{Budget, Exhausted, Progress, Status};
pub use findings::deadlock::{Blocked, Waiting, stuck};
pub use findings::hang::hang_named;
pub use findings::{Finding, FindingKey, FindingKind, Found, Position};
pub use initial::predicate::predicate_call;
pub use initial::summary::{AloneSummary, Dropped};
pub use initial::{AloneEnd, blocked_alone, returns_alone};
pub use model::operation::{Call, Operation, Sequence, in_words, start};
pub use model::options::{JointOptions, Likely, Por, Schedules};
pub use model::readers::only_read;
pub use model::roots::{RootRule, argument_symbol, base_state};
pub use model::{LibraryOptions, Narrowed, Origin, can_be_called};
pub use parallel::checkpoint::Paused;
pub use parallel::pool::{NewEngine, SHARES, STACK, Workers};
pub use races::fixpoint::{Exploration, explore, explore_until_fault};
pub use races::guided::likely_races;
pub use races::library::{explore_library, library_until_fault};
pub use races::wanted::{WantedSites, seek, toward};
pub use run::driver::{Answers, Schedule, drive, one_step};
pub use run::next::runnable;
