//! Exploration: which state runs next, and what has been covered.
//!
//! [`model`] is what is explored: a program, or operations and what they are given. [`initial`] runs one thread by itself and
//! finds the heaps on which several can run; [`search`] runs threads together, as a [`strategy`] says, over the one loop in
//! [`run`]. The search is divided into tasks for workers ([`parallel`]); [`races`] makes the sites of each race visible and
//! explores again until none is added, and looks for likely races before.
//!
//! Guarantee: when the ledger stays empty, every execution within the bounds is equivalent to one that was explored, and
//! every race of those is among the findings (`docs/soundness.md`).
//! Knows nothing of opcodes or rendering.
//!
//! | strategy | what it leaves out | lemma | needs | oracle |
//! |---|---|---|---|---|
//! | `sleep` | orders of independent actions | each Mazurkiewicz trace is completed once (Godefroid 1996) | `Action::dependent` errs towards true | exact counts and brute force: `tests/strategies.rs`, `xtask programs`, `libraries` |
//! | `dpor` (source sets) | besides, runs that sleep sets would begin and cut | the same traces are completed (Abdulla et al., POPL 2014) | what follows is seen each time: no visited states; at a cut, all is tried | as for `sleep`, and all strategies agree |
//! | `visited` | besides, what follows from a state that was met | it is a function of state, sleepers and their conditions | no initial heap; nothing of the part was cut or lost | as for `sleep` |
//! | `shortest` | what follows from a state that was met, of programs with an endless loop | each thread is tried in each state once | no initial heap; one task | `xtask endless`; findings and outputs as by the others: `xtask programs`, `tests/strategies.rs`; `tests/ui/endless` |
//! | `unfold` | all but one order of independent events, and what follows a state that was met behind less | each maximal configuration is completed once (Nguyen et al., CAV 2018); adequate cutoffs (Esparza et al., FMSD 2002) | no initial heap, no atomic blocks; one task | as for `sleep` and `shortest` |
//! | atomic blocks, with any of the first four | orders of critical sections that do not conflict | they commute (Lipton, CACM 1975) | no try-locks, no bound; races that only this order hides are looked for again | `xtask libraries` and `tests/strategies.rs`, with and without |
//! | `bounded` | schedules beyond the bound | none: every linearisation within it is run; behind a thread that goes round, once for each state | no reduction | `xtask programs --preemptions N` |
//! | `sample` | all but some, at random | none: never `safe` | | finds nothing that others do not (`xtask programs`); hit rates: `tests/searches.rs` |
//!
//! Source sets with visited states, and atomic blocks or sleep sets within a bound, are covered by no lemma; no [`strategy`] has both.

mod budget;
mod findings;
mod flows;
mod initial;
mod interference;
mod model;
mod parallel;
mod races;
mod run;
mod search;
mod strategy;
mod stronger;
mod trace;

pub use budget::counts::{Counts, Distinct, Guided, KnownEvent, SamplingCounts, UnfoldingCounts};
pub use budget::fault::caught;
pub use budget::spent::Spent;
pub use budget::{Budget, Enough, Exhausted, Pace, Progress};
pub use findings::deadlock::{Blocked, Waiting, all_deadlocked, deadlocked, is_divergence};
pub use findings::guarded::{GuardedAccess, HeldLock, LockOwner, held_lock, is_variable};
pub use findings::hang::hang_named;
pub use findings::{Finding, FindingKey, FindingKind, Found, OutOfTurn, Position};
pub use flows::condition::{
    Inferred, MOST_GRID, MayRace, Needed, Number, Outcome as InferredOutcome, Within as LaunchesWithin,
    infer as infer_launch,
};
pub use flows::{Pair as FlowPair, PairKind as FlowPairKind, Pairs as FlowPairs, pairs as flow_pairs};
pub use initial::alone::{AloneSummary, Dropped, Reason};
pub use initial::predicate::predicate_call;
pub use initial::reached::{AloneFailure, CallEnd, FailedCall, Reached, fresh, unwritten, with_numbers};
pub use initial::results::{InTurn, Results, in_turn};
pub use initial::{AloneEnd, blocked_alone, returns_alone};
pub use interference::{
    CoverInput, CoverOptions, CoverTest, Coverage, CoveredWay, DegreeCounts, Pair, Wanted, Way, branch_numbers,
    called_by, called_from, cover, ways,
};
pub use model::client::{CallWay, Client, ClientArgument, ClientCall, Makes, Recipe, Root, TEXT};
pub use model::launch::{Kernel, launch, launch_state};
pub use model::operation::{Call, Operation, Sequence, in_words, start};
pub use model::options::{
    Completing, JointOptions, Likely, Por, Sampler, Sampling, Schedules, UnfoldingOptions, Until,
};
pub use model::readers::only_read;
pub use model::roots::{RootRule, argument_symbol, base_state};
pub use model::{
    ClientStart, LibraryOptions, Narrowed, Origin, can_be_called, gives_back_for_caller, takes_for_caller,
};
pub use parallel::checkpoint::Paused;
pub use parallel::pool::{NewEngine, SHARES, STACK, Workers};
pub use parallel::remaining::{ExecutionsLeft, Remaining};
pub use races::apart::{Batch, Done, DoneSet, Standing, Worked, work as work_apart};
pub use races::fixpoint::{Exploration, explore, explore_until_fault};
pub use races::guided::likely_races;
pub use races::library::{explore_library, joint_options, library_until_fault};
pub use races::wanted::{WantedSites, seek, toward};
pub use run::driver::{Answers, Schedule, drive, one_step};
pub use run::end::Policy;
pub use run::next::runnable;
pub use run::turns::{Turn, turns_of};
pub use search::order::SearchOrder;
pub use stronger::{AskWeak, stronger_orders};
