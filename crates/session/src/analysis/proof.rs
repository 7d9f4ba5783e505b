//! Races that are excluded without running the program ([`locksets`]), where nothing else is asked for.
//!
//! The program is run all the same, for a moment: what shows there stands against the proof, which takes for granted that memory is accessed as
//! it has to be.

use super::session::Session;
use explore::Schedules;
use ir::{FuncId, LocId, Module};
use locksets::Open;
use machine::{Ledger, LossKind};
use report::FindingKind;
use std::time::Duration;

/// Looks for a proof; with one, the program is run no longer than for a moment.
pub(super) fn look(session: &mut Session, main: FuncId) {
    session.proved = is_proved(session, main);
    if session.proved {
        session.hurry(LOOK);
    }
}

/// Whether a proof stands, once the program was run: nothing that counts was found, and what was lost is of no matter to it, which is left out
/// of the ledger then.
pub(super) fn stands(nothing_found: bool, ledger: &mut Ledger) -> bool {
    let stands = nothing_found && ledger.entries().all(|(entry, _)| is_covered(entry.kind));
    if stands {
        *ledger = Ledger::default();
    }
    stands
}

/// Whether a proof says something of what was lost so: of all that a bound left out, or that took too long to follow.
fn is_covered(kind: LossKind) -> bool {
    match kind {
        LossKind::LoopBound
        | LossKind::EndlessLoop
        | LossKind::ThreadBound
        | LossKind::StepBound
        | LossKind::ArrayBound
        | LossKind::WeakMemory
        | LossKind::Concretized
        | LossKind::SymbolicAddress
        | LossKind::UntypedPointer
        | LossKind::DanglingComparison
        | LossKind::SolverUnknown
        | LossKind::Time
        | LossKind::Memory => true,
        // A sighting that was not shown again, or an access where nothing is, stands against it; what is not known is not followed there, either.
        LossKind::NotReplayed
        | LossKind::CutByFailure
        | LossKind::Uninitialized
        | LossKind::LockMisuse
        | LossKind::MayRace
        | LossKind::ExternalCall
        | LossKind::Unsupported
        | LossKind::Interrupted
        | LossKind::Apart
        | LossKind::Fault
        | LossKind::Enough
        | LossKind::Operations
        | LossKind::CalledByOthers
        | LossKind::Vacuous
        | LossKind::GuidedOnly
        | LossKind::Sampled => false,
    }
}

/// How long a program is run of which it is shown that it has no race.
const LOOK: Duration = Duration::from_secs(2);

/// Whether nothing but races is asked for, and it is shown without running the program that there are none.
fn is_proved(session: &Session, main: FuncId) -> bool {
    let parameters = &session.parameters;
    let is_asked = parameters.property.as_ref().is_some_and(|property| property.is_only(FindingKind::DataRace));
    // Who asks for a way to run it wants it run.
    let is_plain = parameters.por.is_none() && parameters.schedules == Schedules::All;
    if !(parameters.locksets && is_asked && is_plain) {
        return false;
    }
    let module = &session.engine.program.module;
    match locksets::prove(module, main) {
        Ok(()) => true,
        Err(open) => {
            tracing::info!("locksets: {}", in_words(module, &open));
            false
        }
    }
}

fn in_words(module: &Module, open: &Open) -> String {
    let place = |at: Option<LocId>| match at {
        Some(at) => format!("{}:{}", module[module[at].file].path, module[at].line),
        None => "a place without a line".to_owned(),
    };
    match open {
        Open::MayRace([one, other]) => format!("{} and {} may race", place(*one), place(*other)),
        Open::NotFollowed { what, at } => format!("{what} ({}) is not followed", place(*at)),
    }
}
