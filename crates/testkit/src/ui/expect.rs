//! What a test expects of a report, and the comparison of the two.
//!
//! Guarantee: no difference means that every finding is covered and every expectation met; see [`compare`].
//! Several findings on the same lines with the same accesses (two columns) are covered by one expectation.

use std::collections::BTreeSet;
use std::fmt;

use super::observed::{Access, Assumption, Cause, Finding, LedgerEntry, Position, Report, Sequential, base_name};

/// Everything one case expects.
#[derive(Debug, Clone, Default)]
pub struct Expectations {
    pub races: Vec<RaceExpectation>,
    pub others: Vec<Expected>,
    pub executions: Option<u64>,
    pub paths: Option<u64>,
    pub shapes: Option<u64>,
    pub entries: Option<u64>,
    /// Findings that are not confirmed.
    pub unconfirmed: u64,
    /// The kinds in the ledger, all of them; `None` where the test does not say.
    pub ledger: Option<BTreeSet<String>>,
    /// The `shape` of every finding.
    pub shape_kind: Option<String>,
}

impl Expectations {
    /// Whether something is expected of what mends a cause.
    pub fn are_of_remedies(&self) -> bool {
        self.others.iter().any(|expected| matches!(expected, Expected::Remedy { .. } | Expected::Refused { .. }))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RaceExpectation {
    /// The line takes part in some race; what it races with must be expected as well.
    Line(RaceEnd),
    /// Exactly this pair races.
    Pair(RaceEnd, RaceEnd),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaceEnd {
    pub file: String,
    pub line: u32,
    /// `None` where the test leaves the kind of access open.
    pub kind: Option<Access>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    Safe,
    Inconclusive,
    /// Says nothing that the findings themselves do not say; carries counts.
    Findings,
    Exit(i32),
    /// A finding of any kind but a data race.
    Finding {
        kind: String,
        file: String,
        line: u32,
        inputs: Vec<String>,
    },
    Error {
        file: String,
        line: u32,
        message: String,
    },
    /// An entry of the matrix.
    Pair {
        operations: Vec<String>,
        verdict: String,
    },
    Vacuous(String),
    Dropped {
        operation: String,
        /// The report says that more were dropped for want of depth than kept.
        at_bound: bool,
    },
    /// Of races of a launch, all of them.
    Classes(BTreeSet<String>),
    /// The pair, as in the report.
    FailsSerially(String),
    /// What calls one after the other show; where a test names one, it names all.
    Sequential {
        kind: String,
        file: String,
        line: u32,
    },
    /// The claim rests on an assumption of this kind.
    Assumed(String),
    /// The launch condition that is inferred, in words.
    Condition(String),
    /// A loss at this line, or the cause of a finding there, has a remedy that says this.
    Remedy {
        part: String,
        file: String,
        line: u32,
    },
    /// The cause of a finding at this line has no remedy, and one that was tried says this.
    Refused {
        part: String,
        file: String,
        line: u32,
    },
    /// What findings come from, by its title; where a test names one, it names all.
    Cause {
        title: String,
        of_callers: bool,
    },
}

/// One difference, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch(pub String);

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Expectations {
    /// Whether nothing is expected at all, which no revision may do.
    pub fn is_empty(&self) -> bool {
        self.races.is_empty() && self.others.is_empty()
    }

    /// The verdict that the report must have.
    pub fn verdict(&self) -> &'static str {
        let has = |wanted: &dyn Fn(&Expected) -> bool| self.others.iter().any(wanted);
        let finds = has(&|other| matches!(other, Expected::Finding { .. } | Expected::Findings));
        let open = self.unconfirmed > 0 && has(&|other| *other == Expected::Inconclusive);
        if !open && (finds || !self.races.is_empty()) {
            "findings"
        } else if has(&|other| matches!(other, Expected::Error { .. } | Expected::Exit(1 | 2 | 6))) {
            "error"
        } else if has(&|other| matches!(other, Expected::Inconclusive | Expected::Vacuous(_) | Expected::Exit(5))) {
            "inconclusive"
        } else {
            "safe"
        }
    }

    /// The exit code that the process must have.
    pub fn exit_code(&self) -> i32 {
        let stated = self.others.iter().find_map(|other| match other {
            Expected::Exit(code) => Some(*code),
            _ => None,
        });
        stated.unwrap_or(match self.verdict() {
            "findings" => 10,
            "inconclusive" => 5,
            "error" => 2,
            _ => 0,
        })
    }
}

/// All differences between what a case expects and what raddle reported with exit code `exit`.
pub fn compare(expected: &Expectations, observed: &Report, exit: i32) -> Vec<Mismatch> {
    let mut found = Differences(Vec::new());
    found.verdict(expected, observed, exit);
    found.contract(observed);
    found.confirmed(expected, observed);
    for finding in &observed.findings {
        if !covered(expected, finding) {
            found.add(format!("unexpected: {finding}"));
        }
    }
    for race in &expected.races {
        if !observed.findings.iter().any(|finding| race_met(race, finding)) {
            found.add(format!("missing: {race}"));
        }
    }
    for other in &expected.others {
        found.other(other, observed);
    }
    let names_sequential = expected.others.iter().any(|other| matches!(other, Expected::Sequential { .. }));
    for failure in observed.sequential.iter().filter(|_| names_sequential) {
        if !expected.others.iter().any(|other| is_sequential(other, failure)) {
            found.add(format!("unexpected in sequence: {failure}"));
        }
    }
    let names_condition = expected.others.iter().any(|other| matches!(other, Expected::Condition(_)));
    if let Some(inferred) = condition_of(observed).filter(|_| !names_condition) {
        found.add(format!("unexpected launch condition: {inferred}"));
    }
    let names_causes = expected.others.iter().any(|other| matches!(other, Expected::Cause { .. }));
    for cause in observed.causes.iter().filter(|_| names_causes) {
        let Cause { title, of_callers, .. } = cause.clone();
        let observed = Expected::Cause { title, of_callers };
        if !expected.others.contains(&observed) {
            found.add(format!("unexpected: {observed}"));
        }
    }
    found.totals(expected, observed);
    found.0
}

/// A launch condition as tests have it: the assertion, `sufficient only: ` before one that was not shown to be needed, or what there is instead.
fn condition_of(observed: &Report) -> Option<String> {
    let condition = observed.condition.as_ref()?;
    Some(match (&condition.assertion, condition.sufficient_only) {
        (Some(assertion), false) => assertion.clone(),
        (Some(assertion), true) => format!("sufficient only: {assertion}"),
        (None, _) => condition.outcome.replace('_', " "),
    })
}

fn is_sequential(expected: &Expected, failure: &Sequential) -> bool {
    matches!(expected, Expected::Sequential { kind, file, line }
        if *kind == failure.kind && *line == failure.line && base_name(file) == base_name(&failure.file))
}

struct Differences(Vec<Mismatch>);

impl Differences {
    fn add(&mut self, text: String) {
        self.0.push(Mismatch(text));
    }

    fn verdict(&mut self, expected: &Expectations, observed: &Report, exit: i32) {
        if observed.verdict != expected.verdict() {
            self.add(format!("verdict `{}`, expected `{}`", observed.verdict, expected.verdict()));
            if let Some(error) = &observed.error {
                self.add(format!("raddle's error: {}", error.message));
            }
        }
        if exit != expected.exit_code() {
            self.add(format!("exit code {exit}, expected {}", expected.exit_code()));
        }
    }

    /// What every report owes whatever the test.
    fn contract(&mut self, observed: &Report) {
        if observed.schema != "raddle-report/1" || observed.tool.name != "raddle" {
            self.add(format!("schema `{}` of tool `{}`", observed.schema, observed.tool.name));
        }
        if observed.verdict == "safe" && !observed.ledger.is_empty() {
            self.add(format!("`safe` with a ledger: {}", ledger_kinds(observed)));
        }
        let finds = observed.verdict == "findings";
        if finds != observed.findings.iter().any(|finding| finding.confirmed) {
            self.add(format!("verdict `{}` with {} finding(s)", observed.verdict, observed.findings.len()));
        }
        if (observed.verdict == "error") != observed.error.is_some() {
            self.add(format!("verdict `{}` does not agree with `error`", observed.verdict));
        }
        for (number, finding) in (1..).zip(&observed.findings) {
            if finding.id != format!("R{number}") {
                self.add(format!("finding {number} has the id `{}`", finding.id));
            }
            let wanted = if matches!(finding.kind.as_str(), "data_race" | "scope_error") { 2 } else { 0 };
            if finding.accesses.len() != wanted {
                self.add(format!("{} accesses in {finding}", finding.accesses.len()));
            }
            if observed.command == "races" && !cells(observed).any(|cell| cell.findings.contains(&finding.id)) {
                self.add(format!("in no cell of the matrix: {finding}"));
            }
        }
        let counts = |id: &String| observed.findings.iter().any(|finding| finding.id == *id && finding.confirmed);
        let finds = |cell: &&super::observed::Cell| cell.findings.iter().any(counts);
        for cell in cells(observed).filter(|cell| (cell.verdict == "findings") != finds(cell)) {
            let entry = cell.operations.join(", ");
            self.add(format!("entry {entry}: `{}` with {} finding(s)", cell.verdict, cell.findings.len()));
        }
    }

    fn confirmed(&mut self, expected: &Expectations, observed: &Report) {
        let open: Vec<_> = observed.findings.iter().filter(|finding| !finding.confirmed).collect();
        if open.len() as u64 != expected.unconfirmed {
            self.add(format!("{} findings that are not confirmed, expected {}", open.len(), expected.unconfirmed));
            open.iter().for_each(|finding| self.add(format!("not confirmed: {finding}")));
        }
    }

    fn other(&mut self, expected: &Expected, observed: &Report) {
        let met = match expected {
            // Covered by the verdict.
            Expected::Safe | Expected::Inconclusive | Expected::Findings | Expected::Exit(_) => true,
            Expected::Finding { inputs, .. } => {
                let matching: Vec<_> =
                    observed.findings.iter().filter(|finding| stands_at(expected, finding)).collect();
                if let Some(finding) = matching.first() {
                    let has = |name: &String| finding.inputs.iter().any(|input| input.name == *name);
                    for name in inputs.iter().filter(|name| !has(name)) {
                        self.add(format!("no input `{name}` in {finding}"));
                    }
                }
                !matching.is_empty()
            }
            Expected::Error { file, line, message } => observed.error.as_ref().is_some_and(|error| {
                error.message.contains(message)
                    && error.line == Some(*line)
                    && error.file.as_deref().is_some_and(|path| base_name(path) == base_name(file))
            }),
            Expected::Pair { operations, verdict } => {
                cells(observed).any(|cell| is_entry(&cell.operations, operations) && cell.verdict == *verdict)
            }
            Expected::Vacuous(operation) => cells(observed).any(|cell| {
                cell.operations.contains(operation)
                    && cell.verdict == "inconclusive"
                    && cell.cause.as_deref().is_some_and(|cause| cause.contains("vacuous"))
            }),
            Expected::Dropped { operation, at_bound } => assumed(observed, "shape_dropped", operation)
                .is_some_and(|assumption| assumption.detail.contains("--depth") == *at_bound),
            Expected::Classes(classes) => {
                let found = observed.findings.iter().filter_map(|finding| finding.class.clone());
                found.collect::<BTreeSet<String>>() == *classes
            }
            Expected::FailsSerially(pair) => assumed(observed, "fails_serially", pair).is_some(),
            Expected::Sequential { .. } => observed.sequential.iter().any(|failure| is_sequential(expected, failure)),
            Expected::Assumed(kind) => observed.assumptions.iter().any(|assumption| assumption.kind == *kind),
            Expected::Condition(text) => condition_of(observed).is_some_and(|inferred| inferred == *text),
            Expected::Remedy { part, file, line } => {
                let place = format!("{}:{line}", base_name(file));
                let is_there = |at: &str| base_name(at) == place;
                let says = |entry: &LedgerEntry| entry.remedy.as_ref().is_some_and(|remedy| remedy.contains(part));
                let mends =
                    |cause: &&Cause| cause.remedies.iter().any(|known| known.tried && known.text.contains(part));
                observed.ledger.iter().any(|entry| entry.r#where.as_deref().is_some_and(is_there) && says(entry))
                    || causes_at(observed, file, *line).any(|cause| mends(&cause))
            }
            Expected::Refused { part, file, line } => causes_at(observed, file, *line).any(|cause| {
                cause.remedies.is_empty() && cause.refused.as_ref().is_some_and(|refused| refused.contains(part))
            }),
            Expected::Cause { title, of_callers } => {
                observed.causes.iter().any(|cause| cause.title == *title && cause.of_callers == *of_callers)
            }
        };
        if !met {
            self.add(format!("missing: {expected}"));
        }
    }

    fn totals(&mut self, expected: &Expectations, observed: &Report) {
        let stats = observed.stats.as_ref();
        let counts = [
            ("executions", expected.executions, stats.map(|stats| stats.executions)),
            ("paths", expected.paths, stats.map(|stats| stats.paths)),
            ("shapes", expected.shapes, stats.map(|stats| stats.shapes)),
            ("entries", expected.entries, observed.matrix.as_ref().map(|matrix| matrix.len() as u64)),
        ];
        for (name, wanted, count) in counts {
            if let Some(wanted) = wanted.filter(|wanted| count != Some(*wanted)) {
                let count = count.map_or("none".to_owned(), |count| count.to_string());
                self.add(format!("{name}: {count}, expected {wanted}"));
            }
        }
        if let Some(wanted) = &expected.ledger {
            let kinds: BTreeSet<String> = observed.ledger.iter().map(|entry| entry.kind.clone()).collect();
            if kinds != *wanted {
                let wanted = wanted.iter().cloned().collect::<Vec<_>>().join(", ");
                self.add(format!("ledger: {}; expected {wanted}", ledger_kinds(observed)));
            }
        }
        if expected.verdict() != observed.verdict && observed.verdict == "inconclusive" {
            self.add(format!("ledger: {}", ledger_kinds(observed)));
        }
        if let Some(wanted) = &expected.shape_kind {
            for finding in observed.findings.iter().filter(|finding| finding.shape.as_ref() != Some(wanted)) {
                let shape = finding.shape.as_deref().unwrap_or("none");
                self.add(format!("shape `{shape}`, expected `{wanted}`, in {finding}"));
            }
        }
    }
}

fn ledger_kinds(observed: &Report) -> String {
    let entry = |entry: &super::observed::LedgerEntry| match &entry.r#where {
        Some(place) => format!("{} ({place})", entry.kind),
        None => entry.kind.clone(),
    };
    if observed.ledger.is_empty() {
        return "empty".to_owned();
    }
    observed.ledger.iter().map(entry).collect::<Vec<_>>().join(", ")
}

fn cells(observed: &Report) -> impl Iterator<Item = &super::observed::Cell> {
    observed.matrix.iter().flatten()
}

/// What the report says of a kind of thing that was taken for granted somewhere.
fn assumed<'r>(observed: &'r Report, kind: &str, place: &str) -> Option<&'r Assumption> {
    observed.assumptions.iter().find(|entry| entry.kind == kind && entry.r#where.as_deref() == Some(place))
}

/// The entries of the matrix are unordered.
fn is_entry(cell: &[String], operations: &[String]) -> bool {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    sorted(cell) == sorted(operations)
}

fn at(position: &Position, file: &str, line: u32) -> bool {
    position.line == line && base_name(&position.file) == base_name(file)
}

/// A deadlock stands wherever one of its threads waits; any other finding at its location.
fn stands_at(expected: &Expected, finding: &Finding) -> bool {
    let Expected::Finding { kind, file, line, .. } = expected else { return false };
    if finding.kind != *kind {
        return false;
    }
    let waits = finding.blocked.iter().filter_map(|thread| thread.location.as_ref());
    if matches!(kind.as_str(), "deadlock" | "barrier_divergence") && waits.clone().next().is_some() {
        return waits.into_iter().any(|place| at(place, file, *line));
    }
    at(&finding.location, file, *line)
}

fn end_met(end: &RaceEnd, access: &super::observed::AccessReport) -> bool {
    access.line == end.line
        && base_name(&access.file) == base_name(&end.file)
        && end.kind.is_none_or(|kind| kind == access.access)
}

fn race_met(race: &RaceExpectation, finding: &Finding) -> bool {
    let [one, other] = finding.accesses.as_slice() else { return false };
    match race {
        RaceExpectation::Line(end) => end_met(end, one) || end_met(end, other),
        RaceExpectation::Pair(left, right) => {
            (end_met(left, one) && end_met(right, other)) || (end_met(left, other) && end_met(right, one))
        }
    }
}

fn covered(expected: &Expectations, finding: &Finding) -> bool {
    if finding.kind != "data_race" {
        return expected.others.iter().any(|other| stands_at(other, finding));
    }
    let pair = |race: &RaceExpectation| matches!(race, RaceExpectation::Pair(..)) && race_met(race, finding);
    let line_expected = |access| {
        expected.races.iter().any(|race| match race {
            RaceExpectation::Line(end) => end_met(end, access),
            RaceExpectation::Pair(..) => false,
        })
    };
    expected.races.iter().any(pair) || finding.accesses.iter().all(line_expected)
}

impl fmt::Display for RaceEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.map_or("access", Access::name);
        write!(f, "{kind} at {}:{}", base_name(&self.file), self.line)
    }
}

impl fmt::Display for RaceExpectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RaceExpectation::Line(end) => write!(f, "data_race with {end}"),
            RaceExpectation::Pair(one, other) => write!(f, "data_race {one} against {other}"),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Safe => f.write_str("verdict safe"),
            Expected::Inconclusive => f.write_str("verdict inconclusive"),
            Expected::Findings => f.write_str("verdict findings"),
            Expected::Exit(code) => write!(f, "exit code {code}"),
            Expected::Finding { kind, file, line, .. } => write!(f, "{kind} at {}:{line}", base_name(file)),
            Expected::Error { file, line, message } => {
                write!(f, "an error at {}:{line} that says `{message}`", base_name(file))
            }
            Expected::Pair { operations, verdict } => write!(f, "entry {}: {verdict}", operations.join(", ")),
            Expected::Vacuous(operation) => write!(f, "`{operation}` vacuous"),
            Expected::Dropped { operation, at_bound } => {
                let why = if *at_bound { ", more for want of depth than kept" } else { "" };
                write!(f, "a shape dropped for `{operation}`{why}")
            }
            Expected::Classes(classes) => {
                write!(f, "the classes {}", classes.iter().cloned().collect::<Vec<_>>().join(", "))
            }
            Expected::FailsSerially(pair) => write!(f, "a heap on which {pair} fail one after the other"),
            Expected::Condition(text) => write!(f, "the launch condition: {text}"),
            Expected::Assumed(kind) => write!(f, "the assumption `{kind}`"),
            Expected::Remedy { part, file, line } => {
                write!(f, "`{part}` of a loss, or of what is found, at {}:{line}", base_name(file))
            }
            Expected::Refused { part, file, line } => {
                write!(f, "no remedy, not even `{part}`, of what is found at {}:{line}", base_name(file))
            }
            Expected::Cause { title, of_callers: false } => write!(f, "the cause: {title}"),
            Expected::Cause { title, of_callers: true } => write!(f, "what callers keep to: {title}"),
            Expected::Sequential { kind, file, line } => {
                write!(f, "{kind} at {}:{line} in sequence", base_name(file))
            }
        }
    }
}

/// The causes of what is found at a line.
fn causes_at<'r>(observed: &'r Report, file: &'r str, line: u32) -> impl Iterator<Item = &'r Cause> {
    let is_there = move |id: &String| {
        let finding = observed.findings.iter().find(|finding| finding.id == *id);
        let mut accesses = finding.into_iter().flat_map(|finding| &finding.accesses);
        accesses.any(|access| base_name(&access.file) == base_name(file) && access.line == line)
    };
    observed.causes.iter().filter(move |cause| cause.findings.iter().any(is_there))
}
