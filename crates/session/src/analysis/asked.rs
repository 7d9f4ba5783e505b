//! What was asked for: which of the findings count, and what is said of the others.
//!
//! A failure that nobody asked about ends the executions that come to it. Where the program itself ends there (an assertion that fails, a
//! null pointer, a deadlock), that is all there is to say. Else it may go on, nobody knows how: that is a loss.

use explore::{FindingKey, Found};
use machine::{LedgerEntry, LossKind, LossSite, Remedy};
use report::{Assumption, Finding, FindingKind, Property};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use witness::Witness;

/// What is said of findings that do not count.
#[derive(Default)]
pub(super) struct Others {
    pub assumptions: Vec<Assumption>,
    pub losses: Vec<LedgerEntry>,
}

/// The kind of a finding that has not been replayed.
fn kind_of(key: &FindingKey) -> FindingKind {
    match key {
        FindingKey::GpuRace(race, _) if race.scope_error => FindingKind::ScopeError,
        FindingKey::Race(_) | FindingKey::GpuRace(..) => FindingKind::DataRace,
        FindingKey::Fault(kind, _) => FindingKind::named(kind.name()).unwrap_or(FindingKind::Assertion),
        FindingKey::Deadlock(_) => FindingKind::Deadlock,
    }
}

/// Whether a finding may count.
pub(super) fn may_count(property: Option<&Property>, key: &FindingKey) -> bool {
    property.is_none_or(|property| property.asks_for(kind_of(key)))
}

/// Takes out what cannot count.
pub(super) fn leave_out(findings: &mut FxHashMap<FindingKey, Found>, property: Option<&Property>) -> Others {
    let mut left_out: Vec<FindingKey> = findings.keys().filter(|key| !may_count(property, key)).cloned().collect();
    left_out.sort();
    let mut others = Others::default();
    for key in &left_out {
        findings.remove(key);
        others.add(kind_of(key), key.place());
    }
    others
}

/// Takes out what does not count of what was replayed.
pub(super) fn set_apart(confirmed: &mut Vec<(Finding, Witness)>, property: Option<&Property>) -> Others {
    let mut others = Others::default();
    let Some(property) = property else { return others };
    let (counted, left_out): (Vec<_>, Vec<_>) =
        std::mem::take(confirmed).into_iter().partition(|(finding, _)| property.covers(finding));
    *confirmed = counted;
    for (finding, _) in &left_out {
        others.add(finding.kind, format!("{}:{}", finding.location.file, finding.location.line));
    }
    others
}

impl Others {
    fn add(&mut self, kind: FindingKind, place: String) {
        let what = kind.name().replace('_', " ");
        let detail = match kind {
            FindingKind::DataRace | FindingKind::ScopeError => format!("there is a {what}, which was not asked for"),
            FindingKind::Assertion
            | FindingKind::BarrierDivergence
            | FindingKind::Deadlock
            | FindingKind::DivisionByZero
            | FindingKind::NullDereference
            | FindingKind::UnreachableReached => {
                format!("the program ends at a failure that was not asked for: {what}")
            }
            FindingKind::DoubleFree
            | FindingKind::ForeignAccess
            | FindingKind::InvalidFree
            | FindingKind::LockMisuse
            | FindingKind::MemoryLeak
            | FindingKind::MisalignedAccess
            | FindingKind::OutOfBounds
            | FindingKind::OverlappingCopy
            | FindingKind::UninitializedRead
            | FindingKind::UseAfterFree => {
                let remedy = Remedy::Program(Cow::Owned(format!("mend the {what} first; --property all shows it")));
                let site = LossSite::Search(place);
                return self.losses.push(LedgerEntry { kind: LossKind::CutByFailure, site, remedy });
            }
        };
        let kind = "not_asked_for".to_owned();
        self.assumptions.push(Assumption { kind, r#where: Some(place), detail, ..Assumption::default() });
    }
}
