//! Whether a program has no data race at all: for all inputs, schedules, numbers of threads and of rounds.
//!
//! Every two accesses that may hit the same bytes, one of which writes, have to be ordered: by a lock that both threads hold (locksets;
//! Savage et al., TOCS 1997, as a static analysis: Engler and Ashcraft, SOSP 2003; Voung, Jhala and Lerner, FSE 2007), or because one
//! thread is not there while the other accesses (creation, and joins of threads that are one each). Where pointers lead is followed in all
//! orders of execution at once ([`points_to`]; Andersen 1994), for each way to call a function by itself.
//!
//! Guarantee: if [`prove`] says so, no execution of the program has a data race (C11 5.1.2.4p25; SV-COMP's atomic sections are one lock
//! that does not race with atomic operations), as long as it accesses memory only where that is alive, and within its bounds. Nothing
//! follows where it says anything else: what cannot be followed is [`Open`].
//! Knows nothing of values: conditions are not looked at, and cells of an array are told apart by constant indices alone.

mod cells;
mod effects;
mod flow;
mod parallel;
mod points_to;
mod races;
mod threads;

use ir::{FuncId, LocId, Module};

/// Why nothing is proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Open {
    /// These two may race, as far as can be said without looking at values.
    MayRace([Option<LocId>; 2]),
    /// Something that cannot be followed.
    NotFollowed { what: String, at: Option<LocId> },
}

/// Shows that no two accesses of the program race.
///
/// # Errors
/// Where that cannot be shown.
pub fn prove(module: &Module, main: FuncId) -> Result<(), Open> {
    let program = points_to::solve(module, main)?;
    let states = flow::states(&program);
    races::look(&program, &states)
}
