//! Remedies that were tried: for each cause of data races, locks that are held for longer.
//!
//! Candidates are made of what the program has ([`candidates`]): the locks that other accesses to the field hold, around the accesses that do
//! not, as short as can be first. Each is written into the program, and all that comes to a changed function is explored again within the same
//! bounds ([`trial`]). What holds is told, as a patch where the source is plain ([`patch`]), which then was compiled and explored as well.
//!
//! Guarantee: nothing is told that was not tried; neither the findings nor the verdict of a report hang on it. Where what calls come to together
//! is what no order of them comes to, and was not before, that is told, and other changes are preferred.

mod candidates;
mod patch;
mod source;
mod trial;
mod words;

use super::Ticker;
use super::replay::goal;
use super::session::{STEPS_PER_SECOND, Session};
use candidates::{Candidate, Places};
use explore::FindingKey;
use machine::Change;
use report::{Cause, Finding, Remedy, RemedyKind, RemedyResults, Report};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use trial::{Allowance, Together, Trial, Tried};
pub(super) use trial::{Ground, Part};

/// The part of the time of a run that remedies may take, and what they may take where there is no limit.
const PART: u32 = 4;
const UNLIMITED: Duration = Duration::from_secs(20);

/// Trials take steps, so many for each second: what is found out does not hang on the machine, nor on how many workers there are. One that is
/// slower by more than this factor does not try as much.
const SLOWER: u32 = 10;

/// The part of that which is kept for what comes last, and whose trials are short: a lock around whole operations leaves few schedules.
const LAST: u32 = 2;

/// Candidates that are tried for one cause, and for all of a report.
const MOST_OF_CAUSE: usize = 24;
const MOST: usize = 128;

/// Something that mends a cause.
struct Accepted {
    /// `C1`
    cause: String,
    candidate: Candidate,
    tried: Tried,
    /// It is told of others, too.
    is_shared: bool,
}

/// A cause that is to be mended.
struct Ill<'r> {
    cause: &'r mut Cause,
    keys: BTreeSet<FindingKey>,
    findings: Vec<&'r Finding>,
    /// What was tried and does not mend it.
    refused: Vec<String>,
    /// What was not tried to its end.
    untried: Vec<String>,
}

/// Whether a change holds, with what it leaves, and the patch that was tried.
type Outcome = (Option<Option<Tried>>, Option<String>);

/// What is tried for a report.
struct Trials<'g> {
    trial: Trial<'g>,
    places: Places,
    accepted: Vec<Accepted>,
    /// How many more are tried.
    left: usize,
    /// What is to be gone, by cause.
    all: Vec<BTreeSet<FindingKey>>,
}

impl Trials<'_> {
    /// Whether what mends another cause mends this one as well; then that is its remedy.
    fn shared(&mut self, session: &mut Session, ill: &mut Ill, ticker: &mut Ticker) -> bool {
        let Trials { trial, accepted, .. } = self;
        let mut mends = |accepted: &&Accepted| trial.mends(session, &accepted.tried, &ill.keys, ticker);
        let Some(at) = accepted.iter().position(|accepted| mends(&accepted)) else { return false };
        accepted[at].is_shared = true;
        let accepted = &accepted[at];
        let text = words::shared(&accepted.cause, &words::said(session, &accepted.candidate));
        let kind = accepted.candidate.kind;
        let together = results(&accepted.tried.together);
        ill.cause.remedies.push(Remedy { text, patch: None, tried: true, kind, together });
        ill.cause.refused = None;
        true
    }
}

fn results(together: &Together) -> RemedyResults {
    match together {
        Together::Ordered => RemedyResults::Ordered,
        Together::AsBefore => RemedyResults::AsBefore,
        Together::Possible(_) => RemedyResults::Possible,
        Together::Nothing | Together::Open => RemedyResults::NotCompared,
    }
}

/// Whether a finding is of a kind that has remedies of its own.
pub(super) fn may_help(finding: &Finding) -> bool {
    finding.accesses.len() == 2 || finding.blocked.len() > 1
}

impl Session {
    /// Looks for remedies of a report's causes; `order`: which confirmed finding each of the report's is.
    pub(super) fn try_remedies(&mut self, report: &mut Report, order: &[usize], ground: &Ground, ticker: &mut Ticker) {
        let Some(Allowance { until, steps }) = self.allowance() else { return };
        let last = steps / u64::from(LAST);
        let known = self.keys(order);
        let program = std::sync::Arc::clone(&self.engine.program);
        let mut trials = Trials {
            trial: Trial::new(
                &program,
                ground,
                &known,
                Allowance {
                    until: until - until.saturating_duration_since(Instant::now()) / LAST,
                    steps: steps - last,
                },
            ),
            places: Places::of(&program),
            accepted: Vec::new(),
            left: MOST,
            all: Vec::new(),
        };
        let ids: Vec<&str> =
            report.findings.iter().chain(&report.suppressed_findings).map(|finding| finding.id.as_str()).collect();
        let mut causes = std::mem::take(&mut report.causes);
        let mut ills = Vec::new();
        for cause in causes.iter_mut().filter(|cause| !cause.of_callers) {
            let of_cause = |(id, key): (&&str, &Option<FindingKey>)| {
                cause.findings.iter().any(|known| known == id).then(|| key.clone())
            };
            let keys: Option<BTreeSet<FindingKey>> = ids.iter().zip(&known).filter_map(of_cause).collect();
            // A finding whose key is not known cannot be seen to be gone.
            let Some(keys) = keys.filter(|keys| !keys.is_empty()) else { continue };
            let findings = report.findings.iter().filter(|finding| cause.findings.contains(&finding.id)).collect();
            ills.push(Ill { cause, keys, findings, refused: Vec::new(), untried: Vec::new() });
        }
        trials.all = ills.iter().map(|ill| ill.keys.clone()).collect();
        for ill in &mut ills {
            if !trials.shared(self, ill, ticker) {
                let accepted: Vec<&Candidate> = trials.accepted.iter().map(|accepted| &accepted.candidate).collect();
                let found = candidates::of(&program, &trials.places, (ill.cause, &ill.findings), &accepted);
                self.try_each(ill, found, &mut trials, ticker);
            }
        }
        // What was found later may mend what came before.
        for ill in ills.iter_mut().filter(|ill| ill.cause.remedies.is_empty()) {
            trials.shared(self, ill, ticker);
        }
        trials.trial.last(Allowance { until, steps: last });
        let operations = ground.operations();
        for ill in &mut ills {
            if ill.cause.remedies.is_empty() && !trials.shared(self, ill, ticker) {
                let found =
                    candidates::around_operations(&program, &trials.places, (ill.cause, &ill.findings), &operations);
                self.try_each(ill, found, &mut trials, ticker);
            }
        }
        self.tell_fewest(&mut ills, &mut trials, ticker);
        self.try_together(&mut ills, &mut trials, ticker);
        drop(ills);
        report.causes = causes;
    }

    /// What mends two causes is told of both, instead of a remedy of its own for each; a narrower one is not given up for one around whole
    /// operations.
    fn tell_fewest(&mut self, ills: &mut [Ill], trials: &mut Trials, ticker: &mut Ticker) {
        let Trials { trial, accepted, .. } = trials;
        let mut at = 0;
        while at < accepted.len() {
            let cause = &accepted[at].cause;
            let Some(ill) = ills.iter_mut().find(|ill| ill.cause.id == *cause) else { break };
            let is_narrow = accepted[at].candidate.kind != RemedyKind::Operations;
            let mut mends = |other: &Accepted| {
                !(is_narrow && other.candidate.kind == RemedyKind::Operations)
                    && trial.mends(self, &other.tried, &ill.keys, ticker)
            };
            let others = (0..accepted.len()).filter(|&other| other != at && !accepted[at].is_shared);
            let Some(other) = others.into_iter().find(|&other| mends(&accepted[other])) else {
                at += 1;
                continue;
            };
            accepted[other].is_shared = true;
            let said = words::said(self, &accepted[other].candidate);
            let text = words::shared(&accepted[other].cause, &said);
            let kind = accepted[other].candidate.kind;
            let together = results(&accepted[other].tried.together);
            ill.cause.remedies = vec![Remedy { text, patch: None, tried: true, kind, together }];
            accepted.remove(at);
        }
    }

    /// Remedies of several causes are tried together, one after the other: where that goes wrong, or was not found out, it is said.
    fn try_together(&mut self, ills: &mut [Ill], trials: &mut Trials, ticker: &mut Ticker) {
        let Trials { trial, accepted, .. } = trials;
        let mut accepted = accepted.iter();
        let Some(first) = accepted.next() else { return };
        let mut kept = vec![first];
        for next in accepted {
            let all = || kept.iter().copied().chain([next]);
            let mut changes: Vec<Change> = Vec::new();
            for change in all().flat_map(|accepted| &accepted.candidate.changes) {
                if !changes.contains(change) {
                    changes.push(change.clone());
                }
            }
            let changed = all().flat_map(|accepted| accepted.candidate.functions(&self.engine.program)).collect();
            let of_all = ills.iter().filter(|ill| all().any(|accepted| accepted.cause == ill.cause.id));
            let keys: BTreeSet<FindingKey> = of_all.flat_map(|ill| ill.keys.iter().cloned()).collect();
            // As patches they may be wider.
            let kinds: BTreeSet<bool> = all().map(|it| it.candidate.kind == RemedyKind::Operations).collect();
            let together = Candidate { kind: next.candidate.kind, changes };
            let patch = (kinds.len() == 1).then(|| patch::of(self, &together)).flatten();
            let patched = patch.and_then(|patch| self.compiled_with(&patch));
            let made = || self.engine.program.with_changes(&together.changes).ok().flatten().map(std::sync::Arc::new);
            trial.ask_weak(together.is_weak());
            let outcome = match patched.or_else(made) {
                Some(program) => trial.tried(self, (&program, &changed), &keys, ticker),
                // Without a form of its own it is not known what an atomic access is beside the others.
                None if all().any(|accepted| accepted.candidate.kind == RemedyKind::Atomic) => None,
                None => Some(None),
            };
            trial.ask_weak(false);
            if let Some(Some(_)) = outcome {
                kept.push(next);
                continue;
            }
            let others: Vec<&str> = kept.iter().map(|accepted| accepted.cause.as_str()).collect();
            let ill = ills.iter_mut().find(|ill| ill.cause.id == next.cause);
            if let Some(remedy) = ill.and_then(|ill| ill.cause.remedies.first_mut()) {
                remedy.text.push_str(&words::not_together(&others, outcome.is_some()));
            }
        }
    }

    /// The first candidate that works is a cause's remedy; where none does, that is said. One with which calls at once come to what no order of
    /// them comes to is that only if there is no other.
    fn try_each(&mut self, ill: &mut Ill, mut candidates: Vec<Candidate>, trials: &mut Trials, ticker: &mut Ticker) {
        candidates.truncate(MOST_OF_CAUSE.min(trials.left));
        trials.left -= candidates.len();
        let mut candidates = candidates.into_iter();
        let mut second = None;
        while let Some(candidate) = candidates.next() {
            let (outcome, patch) = match self.try_one(&candidate, &ill.keys, trials, ticker) {
                Some(outcome) => outcome,
                None => continue,
            };
            match outcome {
                Some(Some(tried)) => {
                    let mut found = (candidate, tried, patch);
                    if found.0.is_weak() {
                        self.prefer_stronger(&mut found, candidates.by_ref(), &ill.keys, trials, ticker);
                    }
                    if !found.1.together.is_possible() {
                        self.accept(ill, found, trials, ticker);
                        return;
                    }
                    second = second.or(Some(found));
                }
                Some(None) => ill.refused.push(words::brief(self, &candidate)),
                // Others may be found out sooner.
                None => ill.untried.push(words::brief(self, &candidate)),
            }
        }
        match second {
            Some(found) => self.accept(ill, found, trials, ticker),
            None => ill.cause.refused = words::not_found(&ill.refused, &ill.untried),
        }
    }

    /// A candidate that works becomes a cause's remedy.
    fn accept(
        &mut self,
        ill: &mut Ill,
        (candidate, tried, patch): (Candidate, Tried, Option<String>),
        trials: &mut Trials,
        ticker: &mut Ticker,
    ) {
        let (patch, came) = match patch {
            Some(difference) => (Some(difference), tried.together.clone()),
            None => match self.patched(&candidate, (&ill.keys, &tried.together), &mut trials.trial, ticker) {
                Some((difference, together)) => (Some(difference), together),
                None => (None, tried.together.clone()),
            },
        };
        let text = words::tried(self, &candidate, &came);
        let (kind, together) = (candidate.kind, results(&came));
        ill.cause.remedies.push(Remedy { text, patch, tried: true, kind, together });
        // What might change less is told then as well.
        let open = if candidate.kind == RemedyKind::Operations { ill.untried.as_slice() } else { &[] };
        ill.cause.refused = words::not_found(&[], open);
        let cause = ill.cause.id.clone();
        trials.accepted.push(Accepted { cause, candidate, tried, is_shared: false });
    }

    /// What a candidate comes to, with the patch that it was tried as, if it was; none where it cannot be had.
    fn try_one(
        &mut self,
        candidate: &Candidate,
        keys: &BTreeSet<FindingKey>,
        trials: &mut Trials,
        ticker: &mut Ticker,
    ) -> Option<Outcome> {
        let program = match self.engine.program.with_changes(&candidate.changes) {
            Ok(Some(program)) => Some(std::sync::Arc::new(program)),
            // Of atomic accesses there is no other form than in the source.
            Ok(None) if candidate.kind == RemedyKind::Atomic => None,
            Ok(None) | Err(_) => return None,
        };
        let changed = candidate.functions(&self.engine.program);
        // What is tried last is tried once, as a patch where there is one.
        let is_patch_first = matches!(candidate.kind, RemedyKind::Atomic | RemedyKind::Operations);
        let patch = is_patch_first.then(|| patch::of(self, candidate)).flatten();
        let patch = patch.and_then(|patch| Some((self.compiled_with(&patch)?, patch.difference())));
        if let Some((patched, difference)) = patch {
            trials.trial.ask_weak(candidate.is_weak());
            let outcome = trials.trial.tried(self, (&patched, &changed), keys, ticker);
            trials.trial.ask_weak(false);
            if program.is_none() || matches!(outcome, Some(Some(_))) {
                return Some((outcome, Some(difference)));
            }
        }
        let program = program?;
        Some((trials.trial.tried(self, (&program, &changed), keys, ticker), None))
    }

    /// A stronger order takes the place of a weak one that holds where it mends more causes: by what is atomic then, others are ordered.
    fn prefer_stronger(
        &mut self,
        found: &mut (Candidate, Tried, Option<String>),
        stronger: impl Iterator<Item = Candidate>,
        keys: &BTreeSet<FindingKey>,
        trials: &mut Trials,
        ticker: &mut Ticker,
    ) {
        let mut most = self.mended_by(&found.1, trials, ticker);
        for candidate in stronger.filter(|candidate| candidate.kind == RemedyKind::Atomic) {
            if most == trials.all.len() {
                return;
            }
            let Some((Some(Some(tried)), patch)) = self.try_one(&candidate, keys, trials, ticker) else { continue };
            let mended = self.mended_by(&tried, trials, ticker);
            if mended > most {
                (*found, most) = ((candidate, tried, patch), mended);
            }
        }
    }

    /// How many causes a change mends.
    fn mended_by(&mut self, tried: &Tried, trials: &mut Trials, ticker: &mut Ticker) -> usize {
        let Trials { trial, all, .. } = trials;
        all.iter().filter(|keys| trial.mends(self, tried, keys, ticker)).count()
    }

    /// The patch that does what a candidate does, if there is one that holds as well, and with which calls together come to nothing worse; and to
    /// what they do.
    fn patched(
        &mut self,
        candidate: &Candidate,
        (keys, together): (&BTreeSet<FindingKey>, &Together),
        trial: &mut Trial,
        ticker: &mut Ticker,
    ) -> Option<(String, Together)> {
        let patched = patch::of(self, candidate)?;
        let program = self.compiled_with(&patched)?;
        let changed = candidate.functions(&self.engine.program);
        let tried = trial.tried(self, (&program, &changed), keys, ticker)??;
        let is_fine = tried.together == *together || !tried.together.is_possible();
        is_fine.then(|| (patched.difference(), tried.together))
    }

    /// What remedies may take; none where there is no time.
    fn allowance(&self) -> Option<Allowance> {
        if self.exhausted().is_some() {
            return None;
        }
        let now = Instant::now();
        let (time, until) = match self.time.budget.deadline {
            None => (UNLIMITED, now.checked_add(UNLIMITED * SLOWER)?),
            Some(deadline) => {
                let time = deadline.saturating_duration_since(self.time.started()) / PART;
                (time, deadline.min(now.checked_add(time)?))
            }
        };
        Some(Allowance { until, steps: (time.as_secs_f64() * STEPS_PER_SECOND as f64) as u64 })
    }

    /// What tells each finding of a report apart, in the report's order.
    fn keys(&self, order: &[usize]) -> Vec<Option<FindingKey>> {
        order.iter().map(|&from| self.found.confirmed.get(from).and_then(|(_, witness)| goal(witness))).collect()
    }
}
