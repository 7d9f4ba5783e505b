//! Closing a report: the order and names of findings, and the verdicts.

use crate::causes;
use crate::document::REPLAY;
use crate::shortfalls;
use crate::{
    AccessKind, Assumption, EntryVerdict, ErrorClass, ErrorReport, Finding, LedgerLine, MatrixEntry, PairEntry,
    PairVerdict, Report, ShapeBasis, Verdict,
};
use std::cmp::Ordering;

/// Of an entry of the matrix that has no other findings.
const NOT_CONFIRMED: &str = "findings that are not confirmed";

impl Report {
    /// Orders the findings (kind, file, line, column; those that are not confirmed after the others), sets the suppressed ones
    /// apart, names all R1, R2, ..., the suppressed ones last, orders the ledger, and derives the verdicts of the matrix's
    /// entries and of the whole, for which neither suppressed findings nor those that are not confirmed count.
    ///
    /// Returns for each finding, in the new order, suppressed ones last, its position before: what belongs to a finding
    /// and is named after it, such as its witness, follows that.
    pub fn finish(&mut self) -> Vec<usize> {
        let mut all = std::mem::take(&mut self.findings);
        all.append(&mut self.suppressed_findings);
        let mut numbered: Vec<(usize, Finding)> = all.into_iter().enumerate().collect();
        // Stable: what compares equal stays in the order of its discovery.
        let apart = |finding: &Finding| (finding.suppressed.is_some(), finding.unconfirmed.is_some());
        numbered.sort_by(|(_, a), (_, b)| apart(a).cmp(&apart(b)).then_with(|| order(a, b)));
        let positions = numbered.iter().map(|(position, _)| *position).collect();
        for entry in &mut self.matrix {
            entry.findings.clear();
            entry.suppressed_findings.clear();
            entry.are_known = true;
        }
        let pairs = self.pairs.as_deref_mut().unwrap_or_default();
        pairs.iter_mut().for_each(|pair| pair.findings.clear());
        for (number, (_, mut finding)) in (1..).zip(numbered) {
            finding.id = format!("R{number}");
            finding.entries.sort_unstable();
            finding.entries.dedup();
            let suppressed = finding.suppressed.is_some();
            for &index in &finding.entries {
                if let Some(pair) = pairs.get_mut(index) {
                    pair.findings.push(finding.id.clone());
                }
                if let Some(entry) = self.matrix.get_mut(index) {
                    entry.are_known &= finding.suppressed.as_ref().is_none_or(|suppressed| suppressed.known.is_some());
                    let list = if suppressed { &mut entry.suppressed_findings } else { &mut entry.findings };
                    list.push(finding.id.clone());
                }
            }
            if suppressed { &mut self.suppressed_findings } else { &mut self.findings }.push(finding);
        }
        let open: Vec<&String> = self.findings.iter().filter(|f| f.unconfirmed.is_some()).map(|f| &f.id).collect();
        for entry in &mut self.matrix {
            let counted = entry.findings.iter().any(|id| !open.contains(&id));
            if !counted && !entry.findings.is_empty() {
                entry.cause.get_or_insert_with(|| NOT_CONFIRMED.to_owned());
            }
            entry.verdict = match (counted, entry.cause.is_some()) {
                (true, _) => EntryVerdict::Findings,
                (false, true) => EntryVerdict::Inconclusive,
                (false, false) if entry.exclusive => EntryVerdict::Exclusive,
                (false, false) => EntryVerdict::Safe,
            };
            // The contract has a cause for inconclusive entries only; the ledger still says what was lost.
            entry.cause.take_if(|_| entry.verdict != EntryVerdict::Inconclusive);
        }
        self.uncounted = open.len();
        causes::assign(self);
        self.judge();
        positions
    }

    /// Gives the only finding of a report the id that it has in another one.
    pub fn rename_only(&mut self, id: String) {
        if let [finding] = self.findings.as_mut_slice() {
            finding.id = id;
            causes::assign(self);
        }
    }

    /// What the heap of a finding has to rest on for the finding to count; others leave open whether there is a race. Nothing
    /// is required at first.
    pub fn require(&mut self, basis: Option<ShapeBasis>) {
        // What leads to a finding may have been found since, and decides which one shows a cause best.
        causes::assign(self);
        let Some(required) = basis else { return };
        let counts =
            |finding: &Finding| finding.unconfirmed.is_some() || finding.shape.is_none_or(|shape| shape <= required);
        let left_open: Vec<&Finding> = self.findings.iter().filter(|finding| !counts(finding)).collect();
        for entry in self.matrix.iter_mut().filter(|entry| !entry.findings.is_empty()) {
            let open = left_open.iter().filter(|finding| entry.findings.contains(&finding.id)).count();
            if open > 0 && entry.verdict == EntryVerdict::Findings && open == counted(&self.findings, entry) {
                entry.verdict = EntryVerdict::Inconclusive;
                entry.cause = Some(format!("findings that are not {}", required.name()));
            }
        }
        if let Some(first) = left_open.first() {
            self.ledger.push(LedgerLine {
                kind: "not_required".to_owned(),
                r#where: match left_open.len() - 1 {
                    0 => first.id.clone(),
                    others => format!("{} and {others} more", first.id),
                },
                count: left_open.len() as u64,
                remedy: match first
                    .unreached
                    .as_ref()
                    .filter(|_| left_open.iter().all(|f| f.unreached == first.unreached))
                {
                    Some(why) => format!("--require=assumed to count that; not reachable as far as is known: {why}"),
                    None => "--require=assumed; for reachable ones --client-calls with a larger number".to_owned(),
                },
            });
        }
        self.uncounted = left_open.len() + self.findings.iter().filter(|f| f.unconfirmed.is_some()).count();
        self.judge();
    }

    /// Adds what came out after the verdict: files of findings, or of a search that is not over, which could not be written, or
    /// that a search is not over.
    pub fn note_lost(&mut self, files: Vec<LedgerLine>) {
        if !files.is_empty() {
            self.ledger.extend(files);
            self.judge();
        }
    }

    /// Says that it was shown, without running the program, that nothing races.
    pub fn claim_proof(&mut self) {
        self.claim.proof = Some("locksets");
        self.claim.memory = "rc11";
        self.assumptions.push(Assumption {
            kind: "locksets".to_owned(),
            detail: "each two accesses are ordered by the creation or the end of a thread, or by a lock that both hold, which was shown without \
                     running the program; that memory is accessed only where it is alive and within its bounds, and locks are used as they \
                     have to be, was looked at for a moment"
                .to_owned(),
            ..Assumption::default()
        });
    }

    /// Notes that raddle failed; what it has found until then stays.
    pub fn fail(&mut self, error: ErrorReport) {
        self.error = Some(error);
        self.judge();
    }

    fn judge(&mut self) {
        self.ledger.sort();
        // A replay executes one schedule: that it shows nothing proves nothing.
        let is_open = |pair: &PairEntry| matches!(pair.verdict, PairVerdict::NotReached | PairVerdict::Unfinished);
        let lost = self.pairs.iter().flatten().any(is_open)
            || !self.ledger.is_empty()
            || self.matrix.iter().any(|entry| entry.cause.is_some())
            // A test of branches has nothing to find.
            || self.command == REPLAY && self.branches.is_none();
        self.verdict = match self.error {
            Some(_) => Verdict::Error,
            // What was replayed shows again, whatever it rests on.
            None if self.command == REPLAY => verdict(!self.findings.is_empty(), lost),
            None => verdict(self.findings.len() > self.uncounted, lost),
        };
        self.shortfalls = shortfalls::of(self);
    }
}

/// Findings of an entry that are confirmed.
fn counted(findings: &[Finding], entry: &MatrixEntry) -> usize {
    findings.iter().filter(|f| f.unconfirmed.is_none() && entry.findings.contains(&f.id)).count()
}

fn verdict(findings: bool, lost: bool) -> Verdict {
    match (findings, lost) {
        (true, _) => Verdict::Findings,
        (false, true) => Verdict::Inconclusive,
        (false, false) => Verdict::Safe,
    }
}

fn order(a: &Finding, b: &Finding) -> Ordering {
    let place = |f: &Finding| (f.kind, f.location.file.clone(), f.location.line, f.location.column);
    // The rest only tells apart what the contract leaves open.
    place(a)
        .cmp(&place(b))
        .then_with(|| sides(a).cmp(&sides(b)))
        .then_with(|| a.shape.cmp(&b.shape))
        .then_with(|| a.location.cmp(&b.location))
        .then_with(|| a.accesses.cmp(&b.accesses))
        .then_with(|| a.blocked.cmp(&b.blocked))
        .then_with(|| a.detail.cmp(&b.detail))
}

/// The positions and kinds of a race's accesses.
fn sides(finding: &Finding) -> Vec<(&str, u32, u32, AccessKind)> {
    finding.accesses.iter().map(|a| (a.location.file.as_str(), a.location.line, a.location.column, a.access)).collect()
}

/// The exit code of a process that ends with this report: CBMC's.
pub fn exit_code(report: &Report) -> u8 {
    match report.verdict {
        Verdict::Safe => 0,
        Verdict::Findings => 10,
        Verdict::Inconclusive => 5,
        Verdict::Error => report.error.as_ref().map_or(6, ErrorReport::exit_code),
    }
}

impl ErrorReport {
    pub fn exit_code(&self) -> u8 {
        match self.class {
            ErrorClass::Usage => 1,
            ErrorClass::Input => 2,
            ErrorClass::Internal => 6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Claim, FindingKind, LedgerLine, Location};

    fn finding(kind: FindingKind, file: &str, line: u32, column: u32) -> Finding {
        Finding::new(kind, Location { file: file.to_owned(), line, column, ..Location::default() })
    }

    fn report() -> Report {
        Report::new("races", Claim::default())
    }

    fn loss() -> LedgerLine {
        LedgerLine { kind: "loop_bound".into(), r#where: "a.c:1".into(), count: 1, remedy: "--unroll 128".into() }
    }

    #[test]
    fn findings_are_ordered_by_kind_then_place() {
        let mut report = report();
        report.findings = vec![
            finding(FindingKind::Deadlock, "a.c", 1, 1),
            finding(FindingKind::DataRace, "b.c", 1, 1),
            finding(FindingKind::DataRace, "a.c", 10, 1),
            finding(FindingKind::DataRace, "a.c", 9, 7),
            finding(FindingKind::DataRace, "a.c", 9, 2),
        ];
        assert_eq!(report.finish(), [4, 3, 2, 1, 0]);
        let ids: Vec<_> = report.findings.iter().map(|f| (f.id.as_str(), f.location.line, f.location.column)).collect();
        assert_eq!(ids, [("R1", 9, 2), ("R2", 9, 7), ("R3", 10, 1), ("R4", 1, 1), ("R5", 1, 1)]);
    }

    #[test]
    fn entries_get_their_findings_and_verdicts() {
        let mut report = report();
        report.matrix = vec![
            MatrixEntry::new(["f", "f"], None),
            MatrixEntry::new(["f", "g"], Some("vacuous: g".into())),
            MatrixEntry::new(["g", "g"], Some("vacuous: g".into())),
        ];
        report.findings = vec![
            Finding { entries: vec![1, 0], ..finding(FindingKind::DataRace, "a.c", 2, 1) },
            Finding { entries: vec![1, 1], ..finding(FindingKind::DataRace, "a.c", 1, 1) },
        ];
        report.finish();
        let ids: Vec<_> = report.matrix.iter().map(|e| e.findings.join(" ")).collect();
        assert_eq!(ids, ["R2", "R1 R2", ""]);
        let verdicts: Vec<_> = report.matrix.iter().map(|e| e.verdict).collect();
        assert_eq!(verdicts, [EntryVerdict::Findings, EntryVerdict::Findings, EntryVerdict::Inconclusive]);
        let causes: Vec<_> = report.matrix.iter().map(|e| e.cause.is_some()).collect();
        assert_eq!(causes, [false, false, true]);
        let once = report.clone();
        report.finish();
        assert_eq!(report, once, "finishing twice changes nothing");
    }

    #[test]
    fn safe_needs_an_empty_ledger_and_decided_entries() {
        let mut safe = report();
        safe.finish();
        assert_eq!((safe.verdict, exit_code(&safe)), (Verdict::Safe, 0));

        let mut lost = report();
        lost.ledger.push(loss());
        lost.finish();
        assert_eq!((lost.verdict, exit_code(&lost)), (Verdict::Inconclusive, 5));

        let mut undecided = report();
        undecided.matrix.push(MatrixEntry::new(["f", "f"], Some("vacuous: f".into())));
        undecided.finish();
        assert_eq!((undecided.verdict, exit_code(&undecided)), (Verdict::Inconclusive, 5));

        let mut found = lost;
        found.findings.push(finding(FindingKind::Assertion, "a.c", 1, 1));
        found.finish();
        assert_eq!((found.verdict, exit_code(&found)), (Verdict::Findings, 10));
    }

    #[test]
    fn what_is_not_confirmed_comes_last_and_does_not_count() {
        let open = |line| Finding {
            unconfirmed: Some("it may depend on `f`".into()),
            entries: vec![0],
            ..finding(FindingKind::Assertion, "a.c", line, 1)
        };
        let mut report = report();
        report.matrix = vec![MatrixEntry::new(["f", "f"], None), MatrixEntry::new(["f", "g"], None)];
        report.findings = vec![open(1)];
        report.finish();
        assert_eq!((report.verdict, exit_code(&report), report.uncounted), (Verdict::Inconclusive, 5, 1));
        let verdicts: Vec<_> = report.matrix.iter().map(|e| e.verdict).collect();
        assert_eq!(verdicts, [EntryVerdict::Inconclusive, EntryVerdict::Safe]);
        assert_eq!(report.matrix[0].cause.as_deref(), Some(NOT_CONFIRMED));

        report.findings.push(Finding { entries: vec![0], ..finding(FindingKind::Deadlock, "a.c", 9, 1) });
        report.finish();
        assert_eq!((report.verdict, report.uncounted), (Verdict::Findings, 1));
        let order: Vec<_> = report.findings.iter().map(|f| (f.id.as_str(), f.kind)).collect();
        assert_eq!(order, [("R1", FindingKind::Deadlock), ("R2", FindingKind::Assertion)]);
        assert_eq!((report.matrix[0].verdict, &report.matrix[0].cause), (EntryVerdict::Findings, &None));
    }

    #[test]
    fn a_replay_is_never_safe() {
        let mut report = Report::new("replay", Claim::default());
        report.finish();
        assert_eq!((report.verdict, exit_code(&report)), (Verdict::Inconclusive, 5));
    }

    #[test]
    fn errors_have_the_exit_code_of_their_class() {
        for (class, code) in [(ErrorClass::Usage, 1), (ErrorClass::Input, 2), (ErrorClass::Internal, 6)] {
            let mut report = Report::failed("check", ErrorReport { class, ..ErrorReport::default() });
            assert_eq!(exit_code(&report), code);
            report.findings.push(finding(FindingKind::Assertion, "a.c", 1, 1));
            report.finish();
            assert_eq!(report.verdict, Verdict::Error);
        }
    }
}
