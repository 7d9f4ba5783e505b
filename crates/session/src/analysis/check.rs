//! `raddle check`: a whole program from `main`.

use super::kept::PartsKept;
use super::select::MAIN;
use super::session::Session;
use super::{Ticker, program};
use crate::errors::InputError;
use report::{Claim, Report};

pub(super) fn run(
    session: Session,
    claim: Claim,
    kept: PartsKept<'static>,
    ticker: &mut Ticker,
) -> anyhow::Result<Report> {
    let module = &session.engine.program.module;
    let main = module
        .functions_named(MAIN)
        .find(|&id| !module[id].is_declaration())
        .ok_or_else(|| InputError::new("no_main", "the program has no `main`; for a library use `raddle races`"))?;
    program::run(session, (main, false), Report::new("check", claim), kept, ticker)
}
