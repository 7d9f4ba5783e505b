//! `raddle check`: a whole program from `main`.

use super::kept::PartsKept;
use super::select::MAIN;
use super::session::Session;
use super::{Ticker, program};
use crate::errors::InputError;
use explore::Schedules;
use ir::{FuncId, LocId, Module};
use locksets::Open;
use report::{Claim, FindingKind, Report};
use std::time::Duration;

pub(super) fn run(
    mut session: Session,
    claim: Claim,
    kept: PartsKept<'static>,
    ticker: &mut Ticker,
) -> anyhow::Result<Report> {
    let main = main_of(&session)?;
    if kept.is_empty() && is_proved(&session, main) {
        // What the proof takes for granted is looked for all the same, for a moment.
        session.hurry(LOOK);
        session.proved = true;
    }
    program::run(session, (main, false), Report::new("check", claim), kept, ticker)
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

/// Where the program begins.
///
/// # Errors
/// When it begins nowhere.
pub(super) fn main_of(session: &Session) -> Result<FuncId, InputError> {
    let module = &session.engine.program.module;
    let mut named = module.functions_named(MAIN).filter(|&id| !module[id].is_declaration());
    named
        .next()
        .ok_or_else(|| InputError::new("no_main", "the program has no `main`; for a library use `raddle races`"))
}
