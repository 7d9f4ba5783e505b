//! A search that goes on as long as there is time, or until something is found that counts, if the first such thing is enough.

use super::session::Session;
use super::watch::Watch;
use super::{Ticker, asked};
use explore::{
    Enough, Exhausted, Exploration, FindingKey, JointOptions, Origin, Paused, SHARES, Workers, explore_until_fault,
};
use report::ShapeBasis;
use rustc_hash::FxHashSet;
use std::time::Duration;
use witness::Setting;

/// What is searched.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    pub setting: &'a Setting,
    pub origin: &'a Origin,
    /// For progress and the ledger: `main`, `the launch`.
    pub name: &'static str,
    /// What is known of the heaps that it begins on.
    pub shape: Option<ShapeBasis>,
    /// Of the matrix.
    pub entry: Option<usize>,
}

/// Goes on with a search for so long, or as long as there is time.
///
/// # Errors
/// When the engine fails on confirming what may be enough.
pub(super) fn explore(
    session: &mut Session,
    about: About,
    options: JointOptions,
    mut paused: Paused<'static>,
    (time, ticker): (Option<Duration>, &mut Ticker),
) -> anyhow::Result<Exploration> {
    let About { setting, origin, name, shape, entry } = about;
    let is_stage = time.is_some();
    let new_engine = session.new_engine();
    let workers = Workers { count: session.parameters.workers, new_engine: &new_engine, shares: SHARES };
    // What was found and does not count, or does not show again.
    let mut disregarded: FxHashSet<FindingKey> = FxHashSet::default();
    loop {
        let mut budget = session.limited_search(time);
        if session.parameters.stop_on_finding {
            let (property, disregarded) = (session.parameters.property.clone(), disregarded.clone());
            let counts = move |key: &FindingKey| asked::may_count(property.as_ref(), key) && !disregarded.contains(key);
            budget.enough = Some(Enough::new(counts));
        }
        let mut watch = Watch { ticker, session, others: [&(), &()], is_stage };
        let (mut explored, fault) = explore_until_fault(workers, origin, options, &budget, &mut watch, name, paused);
        session.limited(None);
        session.failed(fault);
        if explored.exhausted != Some(Exhausted::Enough) {
            return Ok(explored);
        }
        let Some(rest) = explored.paused.take() else { return Ok(explored) };
        let is_new = |key: &FindingKey| {
            asked::may_count(session.parameters.property.as_ref(), key) && !disregarded.contains(key)
        };
        let findings = explored.findings.iter().filter(|(key, _)| is_new(key));
        let some = Exploration {
            findings: findings.map(|(key, found)| (key.clone(), found.clone())).collect(),
            sites: explored.sites.clone(),
            ..Exploration::default()
        };
        let noted = session.engine.ledger.clone();
        session.confirm(setting, origin, &some, shape, entry, None)?;
        session.engine.ledger = noted;
        if session.has_what_counts() {
            explored.paused = Some(rest);
            return Ok(explored);
        }
        disregarded.extend(some.findings.into_keys());
        paused = *rest;
    }
}
