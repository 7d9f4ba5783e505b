//! `raddle check`: a whole program from `main`.

use super::kept::PartsKept;
use super::select::MAIN;
use super::session::Session;
use super::{Ticker, program, proof};
use crate::errors::InputError;
use ir::FuncId;
use report::{Claim, Report};

pub(super) fn run(
    mut session: Session,
    claim: Claim,
    kept: PartsKept<'static>,
    ticker: &mut Ticker,
) -> anyhow::Result<Report> {
    let main = main_of(&session)?;
    if kept.is_empty() {
        proof::look(&mut session, main);
    }
    program::run(session, (main, false), Report::new("check", claim), kept, ticker)
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
