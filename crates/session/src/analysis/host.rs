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
use machine::{Device, LossKind, LossSite};
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
    let given = [
        (options.sized, "--grid, --block and --shared say how a kernel alone is launched"),
        (options.valid.is_some(), "--valid says what a kernel alone is given"),
        (options.globals.is_some(), "--globals says what a kernel alone begins with"),
        (options.infer.is_some(), "--infer-launch asks how a kernel alone may be launched"),
    ];
    if let Some((_, what)) = given.into_iter().find(|(is_given, _)| *is_given) {
        let message =
            format!("{what}, and this program has a `main`: name the kernel by --kernel, or leave the flag out");
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
        detail:
            "the one device has room for all that the program allocates, and is one of compute capability 7.0; all \
                 variables and buffers begin at multiples of 16 bytes"
                .to_owned(),
        ..Assumption::default()
    });
    let is_over = explored.exhausted.is_none();
    // What was cut short might have launched others.
    let is_whole = is_over && explored.ledger.is_empty();
    say_what_was_launched(&mut session, explored.spent.assumed.launched, is_whole, &mut report);
    session.add_explored(&explored.ledger, std::mem::take(&mut explored.spent));
    session.add_reduction(&explored);
    session.seen.paths = explored.counts.paths.len();
    session.finish(report, &explored.counts, is_over)
}

/// Names the kernels that the program does not launch. If it launches none, nothing was looked at.
fn say_what_was_launched(session: &mut Session, launched: u64, is_whole: bool, report: &mut Report) {
    let module = &session.engine.program.module;
    let kernels = module.functions().filter(|(_, function)| function.kernel && !function.is_declaration());
    let left: Vec<String> = kernels
        .filter(|(id, _)| launched & machine::launched_bit(module, *id) == 0)
        .map(|(_, kernel)| kernel.name.clone())
        .collect();
    if launched == 0 && is_whole {
        let remedy = "the program launches no kernel as it is run here, without arguments: have it do so, or look at a kernel alone by --kernel";
        session.engine.note(LossKind::Vacuous, LossSite::Search(super::select::MAIN.to_owned()), remedy);
    } else if !left.is_empty() && is_whole {
        let names: Vec<String> = left.iter().map(|name| format!("`{name}`")).collect();
        report.assumptions.push(Assumption {
            kind: "not_launched".to_owned(),
            detail: format!(
                "nothing is said of kernels that no path launches, and --kernel looks at alone: {}",
                names.join(", ")
            ),
            ..Assumption::default()
        });
    }
}
