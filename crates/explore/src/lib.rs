//! Exploration: which state runs next, and what has been covered.
//!
//! [`joint`] explores threads together over all interleavings of visible actions, with sleep sets (Godefroid 1996), and
//! with an initial heap, [`reduction`] (Flanagan & Godefroid 2005); [`guided`] looks for likely races before;
//! [`fixpoint`] makes the sites of each race visible and explores again until none is added; [`alone`] runs one
//! thread by itself; [`starts`] finds the heaps on which several can run that call a library's operations, and [`library`]
//! explores them there.
//!
//! Guarantee: when the ledger stays empty, every execution within the bounds is equivalent to one that was explored, and
//! every race of those is among the findings (DESIGN 'What is explored').
//! Knows nothing of opcodes or rendering.

mod agenda;
mod alone;
mod bounded;
mod budget;
mod counts;
mod deadlock;
mod findings;
mod fixpoint;
mod follow;
mod gathered;
mod guided;
mod joint;
mod known;
mod library;
mod meter;
mod next;
mod operation;
mod origin;
mod paused;
mod pool;
mod prefix;
mod reach;
mod readers;
mod reduction;
mod roots;
mod search;
mod show;
mod sleep;
mod spent;
mod starts;
mod task;
mod traces;
mod waiting;

pub use alone::AloneEnd;
pub use budget::{Budget, Exhausted, Progress, Status};
pub use counts::{Counts, Distinct};
pub use deadlock::{Blocked, Waiting, stuck};
pub use findings::{Finding, FindingKey, FindingKind, Found, Position};
pub use fixpoint::{Exploration, explore};
pub use guided::{Guided, likely_races};
pub use joint::{JointOptions, Likely};
pub use library::explore_library;
pub use next::runnable;
pub use operation::{Call, Operation, Sequence, in_words, start};
pub use origin::{LibraryOptions, Origin};
pub use paused::Paused;
pub use pool::{NewEngine, SHARES, Workers};
pub use reach::{
    Client, ClientArgument, ClientCall, ClientOptions, Example, ExampleObject, ExampleValue, Reached, Root, Wanted,
    WantedSites, find_clients, seek,
};
pub use readers::only_read;
pub use roots::{RootRule, argument_symbol, base_state};
pub use spent::Spent;
pub use starts::{AloneSummary, Dropped, predicate_call};
