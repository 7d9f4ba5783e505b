//! Which finding of a report came first in another one's schedule.
//!
//! Netzer and Miller (1992) call those races of an execution first that no other can have led to. Here a finding's root is the
//! earliest race of its own schedule that is a finding of the report as well, and by which a thread of it went on from what
//! another had written without order. That race is unordered in this very schedule: the replay has seen it there.

use crate::{AccessKind, Finding, FindingKind};
use std::collections::BTreeMap;

type Side<'a> = (&'a str, u32, u32, AccessKind);

/// Of each finding, by position.
pub(super) struct Roots {
    /// The finding that came first in its own schedule, if another one did.
    pub(super) before: Vec<Option<usize>>,
    /// Where that leads, from schedule to schedule; its own position where no race came before it.
    pub(super) first: Vec<usize>,
}

pub(super) fn roots(findings: &[Finding]) -> Roots {
    let known: BTreeMap<[Side; 2], usize> = findings
        .iter()
        .enumerate()
        .filter(|(_, finding)| finding.kind == FindingKind::DataRace && finding.unconfirmed.is_none())
        .filter_map(|(at, finding)| Some((sides(finding)?, at)))
        .collect();
    let before: Vec<Option<usize>> =
        findings.iter().enumerate().map(|(at, finding)| earliest(finding, &known).filter(|&root| root != at)).collect();
    let first = (0..findings.len()).map(|at| first(at, &before)).collect();
    Roots { before, first }
}

fn sides(finding: &Finding) -> Option<[Side<'_>; 2]> {
    let [one, other] = finding.accesses.as_slice() else { return None };
    let side = |access: &'_ crate::Access| (access.location.line, access.location.column, access.access);
    let (a, b) = (side(one), side(other));
    let mut sides = [(one.location.file.as_str(), a.0, a.1, a.2), (other.location.file.as_str(), b.0, b.1, b.2)];
    sides.sort_unstable();
    Some(sides)
}

/// The first race of a finding's schedule that is a finding too. Failures that are no races are causes of their own: what has
/// failed there has to be looked at, whatever came before.
fn earliest(finding: &Finding, known: &BTreeMap<[Side; 2], usize>) -> Option<usize> {
    if finding.kind != FindingKind::DataRace {
        return None;
    }
    finding.earlier.iter().find_map(|race| {
        let mut sides = race.sides.each_ref().map(|side| (side.file.as_str(), side.line, side.column, side.access));
        sides.sort_unstable();
        known.get(&sides).copied()
    })
}

/// The end of the way from root to root; of those that lead to each other, the first in the report.
fn first(from: usize, before: &[Option<usize>]) -> usize {
    let mut way = vec![from];
    let mut at = from;
    while let Some(root) = before[at] {
        if let Some(begin) = way.iter().position(|&passed| passed == root) {
            return way[begin..].iter().copied().min().unwrap_or(root);
        }
        way.push(root);
        at = root;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_end_at_the_first() {
        // 0 and 1 lead to each other, 2 to 1, 4 to 3.
        let before = [Some(1), Some(0), Some(1), None, Some(3)];
        assert_eq!((0..5).map(|at| first(at, &before)).collect::<Vec<_>>(), [0, 0, 0, 3, 3]);
    }
}
