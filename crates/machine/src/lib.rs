//! The machine: what one instruction does to one state.
//!
//! [`Engine::run`] runs one thread up to its next *choice* (a branch on a term, the target of a lazy pointer), its next
//! *visible action* (a synchronisation operation, an atomic access, an access at a site that the explorer made visible),
//! or its end, and says which ([`Stop`]). An instruction that stops has changed nothing that the program could
//! see (what is known of the heap and what was observed may have grown): it is executed again once the choice is made or the
//! action granted, and then finds the matter decided.
//!
//! Guarantees: the same state, decisions and grants lead to the same state, whatever ran before; every bound reached and
//! everything unmodelled ends the path as [`PathEnd::Abandoned`] or is noted in the [`Ledger`], never silently.
//! Knows nothing of who runs next.

mod access;
mod access_log;
mod atomic_block;
mod backtrace;
mod boundary;
mod came;
mod canonical;
mod choice;
mod client_functions;
mod clocks;
mod engine;
mod float;
mod flow;
mod gpu;
mod host;
mod invoke;
mod key;
mod ledger;
mod lockstep;
mod models;
mod observed;
mod one_place;
mod outcome;
mod part;
mod passing;
mod program;
mod rc11;
mod repeat;
mod results;
mod sections;
mod setup;
mod state;
mod step;
mod strengthen;
mod unmodelled;

pub use backtrace::{Backtrace, FrameAt};
pub use boundary::Boundary;
pub use came::Came;
pub use canonical::{
    Synchronisation, canonical_key, compared_globals, end_key, result_id, result_key, synchronisation, whole,
};
pub use choice::{Choice, Decision};
pub use client_functions::{
    Given, add_client_functions, given as given_to_client_function, is_client_function,
    returned as client_function_result,
};
pub use clocks::{Forget, Reading};
pub use engine::{
    ANY_NUMBER, Asking, Assumed, Config, Engine, EngineError, External, FailedCall, LoggedAccess, MOST_THREADS,
    Repeats, Sighting, Statistics, Weak,
};
pub use flow::{Flow, FlowAccess, FlowMeeting, FlowObject, Loops, SIZES, Sizes, of_another, rank_in_block};
pub use gpu::{GpuRace, GpuThread, Launch, RaceClass, Sched};
pub use host::{Device, Launched, launched_bit};
pub use invoke::Summaries;
pub use key::StateKey;
pub use ledger::{CodePlace, Disorder, Ledger, LedgerEntry, LossKind, LossSite, Remedy, SourceLine};
pub use models::is_modelled;
pub use observed::{Called, MOST_OBSERVED, Observations, Observed};
pub use outcome::{EndlessLoop, Fault, FaultKind, PathEnd, Stop};
pub use part::ProgramPart;
pub use program::{Program, ProgramError};
pub use results::{Differing, ResultPlace, Seen, Unlike, unlike};
pub use sections::{Change, Extent, LockPlace, Section};
pub use setup::keeps_initial;
pub use state::{Applied, Frame, History, Input, OnReturn, Outcome, PathCondition, State, Status, Step, Stuck, Thread};
pub use strengthen::{Stronger, stronger_than};
pub use unmodelled::{FAMILIES, Family, is_harmless};
