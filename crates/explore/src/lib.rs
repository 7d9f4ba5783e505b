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

mod alone;
mod budget;
mod counts;
mod fault;
mod findings;
mod fixpoint;
mod guided;
mod library;
mod meter;
mod origin;
mod reach;
mod run;
mod search;
mod spent;
mod strategy;
mod tasks;
mod trace;

pub use alone::starts::{AloneSummary, Dropped, predicate_call};
pub use alone::{AloneEnd, blocked_alone};
pub use budget::{Budget, Exhausted, Progress, Status};
pub use counts::{Counts, Distinct};
pub use fault::caught;
pub use findings::deadlock::{Blocked, Waiting, stuck};
pub use findings::hang::hang_named;
pub use findings::{Finding, FindingKey, FindingKind, Found, Position};
pub use fixpoint::{Exploration, explore, explore_until_fault};
pub use guided::{Guided, likely_races};
pub use library::{explore_library, library_until_fault};
pub use origin::operation::{Call, Operation, Sequence, in_words, start};
pub use origin::readers::only_read;
pub use origin::roots::{RootRule, argument_symbol, base_state};
pub use origin::{LibraryOptions, Narrowed, Origin, can_be_called};
pub use reach::{
    Client, ClientArgument, ClientCall, ClientOptions, Example, ExampleObject, ExampleValue, Reached, Root, Wanted,
    WantedSites, find_clients, seek,
};
pub use run::driver::{Answers, Schedule, drive, one_step};
pub use run::next::runnable;
pub use search::{JointOptions, Likely};
pub use spent::Spent;
pub use strategy::Por;
pub use tasks::paused::Paused;
pub use tasks::pool::{NewEngine, SHARES, Workers};
