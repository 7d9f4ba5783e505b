//! Remedies that were tried: for each cause of data races, locks that are held for longer.
//!
//! Candidates are made of what the program has ([`candidates`]): the locks that other accesses to the field hold, around the accesses that do
//! not, as short as can be first. Each is written into the program, and all that comes to a changed function is explored again within the same
//! bounds ([`trial`]). What holds is told, as a patch where the source is plain ([`patch`]), which then was compiled and explored as well.
//!
//! Guarantee: nothing is told that was not tried; neither the findings nor the verdict of a report hang on it.
//! Not promised: that what calls come to together is what some order of them comes to: that is not compared.

mod candidates;
mod patch;
mod source;
mod trial;
mod words;

use super::Ticker;
use super::replay::goal;
use super::session::Session;
use candidates::Candidate;
use explore::FindingKey;
use report::{Cause, CauseKind, FindingKind, Remedy, Report};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use trial::Trial;
pub(super) use trial::{Ground, Part};

/// The part of the time of a run that remedies may take; where there is no limit, no less than this, for a short run, and no more.
const PART: u32 = 4;
const AT_LEAST: Duration = Duration::from_secs(10);
const AT_MOST: Duration = Duration::from_secs(60);

/// Candidates that are tried for one cause, and for all of a report.
const MOST_OF_CAUSE: usize = 10;
const MOST: usize = 48;

impl Session {
    /// Looks for remedies of a report's causes; `order`: which confirmed finding each of the report's is.
    pub(super) fn try_remedies(&mut self, report: &mut Report, order: &[usize], ground: &Ground, ticker: &mut Ticker) {
        let Some(until) = self.time_for_remedies() else { return };
        let known = self.keys(order);
        let ids: Vec<String> =
            report.findings.iter().chain(&report.suppressed_findings).map(|finding| finding.id.clone()).collect();
        let mut trial = Trial::new(ground, &known, until);
        let mut left = MOST;
        let mut causes = std::mem::take(&mut report.causes);
        for cause in causes.iter_mut().filter(|cause| is_about_locks(cause)) {
            let of_cause = |(id, key): (&String, &Option<FindingKey>)| cause.findings.contains(id).then(|| key.clone());
            let keys: Option<BTreeSet<FindingKey>> = ids.iter().zip(&known).filter_map(of_cause).collect();
            // A finding whose key is not known cannot be seen to be gone.
            let Some(keys) = keys.filter(|keys| !keys.is_empty()) else { continue };
            let findings: Vec<&report::Finding> =
                report.findings.iter().filter(|finding| cause.findings.contains(&finding.id)).collect();
            let mut found = candidates::of(&self.engine.program, cause, &findings);
            found.truncate(MOST_OF_CAUSE.min(left));
            left -= found.len();
            self.try_each(cause, &keys, &found, &mut trial, ticker);
        }
        report.causes = causes;
    }

    /// The first candidate that works is a cause's remedy; where none does, that is said.
    fn try_each(
        &mut self,
        cause: &mut Cause,
        keys: &BTreeSet<FindingKey>,
        candidates: &[Candidate],
        trial: &mut Trial,
        ticker: &mut Ticker,
    ) {
        let mut refused = Vec::new();
        for candidate in candidates {
            let program = match self.engine.program.with_sections(&candidate.sections) {
                Ok(Some(program)) => std::sync::Arc::new(program),
                Ok(None) | Err(_) => continue,
            };
            let said = words::said(self, candidate);
            match trial.holds(self, (&program, &candidate.functions()), keys, ticker) {
                Some(true) => {
                    let patch = self.patched(candidate, keys, trial, ticker);
                    cause.remedies.push(Remedy { text: words::tried(&said), patch, tried: true });
                    return;
                }
                Some(false) => refused.push(words::brief(self, candidate)),
                None => {
                    cause.refused = Some(words::untried(&words::brief(self, candidate)));
                    return;
                }
            }
        }
        if !refused.is_empty() {
            cause.refused = Some(words::refused(&refused));
        }
    }

    /// The patch that does what a candidate does, if there is one that holds as well.
    fn patched(
        &mut self,
        candidate: &Candidate,
        keys: &BTreeSet<FindingKey>,
        trial: &mut Trial,
        ticker: &mut Ticker,
    ) -> Option<String> {
        let patched = patch::of(self, candidate)?;
        let program = self.compiled_with(&patched)?;
        let holds = trial.holds(self, (&program, &candidate.functions()), keys, ticker);
        (holds == Some(true)).then(|| patched.difference())
    }

    /// Until when remedies may be tried; none where there is no time.
    fn time_for_remedies(&self) -> Option<Instant> {
        if self.exhausted().is_some() {
            return None;
        }
        let now = Instant::now();
        match self.time.budget.deadline {
            None => {
                let so_far = now.saturating_duration_since(self.time.started());
                now.checked_add((so_far / (PART - 1)).clamp(AT_LEAST, AT_MOST))
            }
            Some(deadline) => {
                let whole = deadline.saturating_duration_since(self.time.started());
                Some(deadline.min(now.checked_add(whole / PART)?))
            }
        }
    }

    /// What tells each finding of a report apart, in the report's order.
    fn keys(&self, order: &[usize]) -> Vec<Option<FindingKey>> {
        order.iter().map(|&from| self.found.confirmed.get(from).and_then(|(_, witness)| goal(witness))).collect()
    }
}

/// Causes that locks may mend: races that are no matter of callers', nor of when objects end.
fn is_about_locks(cause: &Cause) -> bool {
    cause.kind == CauseKind::Of(FindingKind::DataRace) && !cause.of_callers
}
