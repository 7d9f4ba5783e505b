//! `raddle gpu` of a program with `main`: what it launches, as it launches it.

use super::check::main_of;
use super::kept::{PartKept, PartsKept};
use super::session::Session;
use super::until_found::{About, explore};
use super::watch::set_aside;
use super::{Ticker, gpu};
use crate::errors::UsageError;
use crate::options::GpuOptions;
use explore::{JointOptions, Likely, Origin, RootRule};
use ir::Module;
use machine::Device;
use report::{Assumption, Report};
use std::borrow::Cow;
use std::sync::Arc;
use witness::{Setting, Threads};

/// What kernels run on if the program is looked at from `main`: it has one, and no kernel is named.
///
/// # Errors
/// When what is asked for is for kernels alone.
pub(super) fn device(module: &Module, options: &GpuOptions) -> Result<Option<Device>, UsageError> {
    let has_main = module.functions_named(super::select::MAIN).any(|id| !module[id].is_declaration());
    if !has_main || options.kernel.is_some() {
        return Ok(None);
    }
    if options.valid.is_some() || options.globals.is_some() {
        let flag = if options.valid.is_some() { "--valid" } else { "--globals" };
        let message = format!("{flag} is for a kernel alone: name one by --kernel, or leave it out to begin with `main`");
        return Err(UsageError::new("flags", message));
    }
    Ok(Some(Device { warp: options.warp, sched: options.sched }))
}

/// Where executions begin, and how they are explored.
///
/// # Errors
/// When there is no `main`.
pub(super) fn begin(session: &mut Session) -> anyhow::Result<(Origin, JointOptions)> {
    let main = main_of(session)?;
    session.engine.config = session.parameters.together();
    let joint = JointOptions {
        schedules: session.parameters.schedules,
        failures: true,
        likely: Likely::Never,
        ..JointOptions::default()
    };
    let (limits, config) = (session.parameters.limits(), session.parameters.together());
    Ok((Origin::Main { program: Arc::clone(&session.engine.program), main, limits, config }, joint))
}

pub(super) fn run(
    mut session: Session,
    options: &GpuOptions,
    kept: PartsKept<'static>,
    ticker: &mut Ticker,
) -> anyhow::Result<Report> {
    let main = main_of(&session)?;
    let (origin, joint) = begin(&mut session)?;
    let setting = Setting {
        entry: Threads::Main(main),
        limits: session.parameters.limits(),
        globals_symbolic: false,
        roots: RootRule::Same,
        valid: None,
    };
    let mut report = Report::new("gpu", options.claim_of_program());
    let paused = kept.into_iter().next().flatten().and_then(|part| part.paused).map(Cow::into_owned);
    let about = About { setting: &setting, origin: &origin, name: super::select::MAIN, shape: None, entry: None };
    let mut explored = explore(&mut session, about, joint, paused.unwrap_or_default(), (None, ticker))?;
    if let Some(paused) = explored.paused.take() {
        let part = PartKept { paused: Some(Cow::Owned(*paused)), ..PartKept::default() };
        set_aside(&session, vec![Some(Box::new(part))]);
    }
    session.confirm(&setting, &origin, &explored, None, None, None)?;
    report.assumptions.extend(gpu::rounding(&session.engine.program.module, None));
    report.assumptions.push(Assumption {
        kind: "launch".to_owned(),
        detail: "the one device has room for all that the program allocates, and is one of compute capability 7.0".to_owned(),
        ..Assumption::default()
    });
    let is_over = explored.exhausted.is_none();
    session.add_explored(&explored.ledger, explored.spent);
    session.add_reduction(&explored);
    session.seen.paths = explored.counts.paths.len();
    session.finish(report, &explored.counts, is_over)
}
