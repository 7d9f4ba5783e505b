//! `raddle check`: a whole program from `main`.

use super::session::Session;
use crate::errors::InputError;
use explore::{JointOptions, Origin, Progress, RootRule, SHARES, Workers, explore};
use report::{Assumption, Claim, Report};
use witness::{Entry, Setting};

pub(super) fn run(mut session: Session, mut claim: Claim, progress: &mut dyn Progress) -> anyhow::Result<Report> {
    let module = &session.engine.program.module;
    let main = module
        .functions_named("main")
        .find(|&id| !module[id].is_declaration())
        .ok_or_else(|| InputError::new("no_main", "the program has no `main`; for a library use `raddle races`"))?;
    if !session.parameters.spurious_given && session.engine.program.follows_sv_comp() {
        // SV-COMP's rules: no spurious wake-ups.
        session.parameters.spurious = 0;
        claim.spurious = 0;
        session.engine.config = session.parameters.together();
    }
    let limits = session.parameters.limits();
    let origin = Origin::Main { main, limits, config: session.parameters.together() };
    let options = JointOptions {
        preemptions: session.parameters.preemptions,
        keep_outputs: false,
        failures: true,
        completing: false,
        until_completed: false,
    };
    let new_engine = session.new_engine();
    let workers = Workers { count: session.parameters.workers, new_engine: &new_engine, shares: SHARES };
    let explored = explore(&mut session.engine, workers, &origin, options, &session.budget, progress, "main")?;
    let setting =
        Setting { entry: Entry::Main(main), limits, globals_symbolic: false, roots: RootRule::Same, valid: None };
    let mut report = Report::new("check", claim);
    if explored.counts.executions == 0 && explored.exhausted.is_none() && explored.findings.is_empty() {
        report.assumptions.push(Assumption {
            kind: "no_execution".to_owned(),
            detail: "what the program assumes, or the bounds: they exclude every execution".to_owned(),
            ..Assumption::default()
        });
    }
    session.confirm(&setting, &origin, explored.findings, None, None, None)?;
    session.finish(report, &explored.counts)
}
