//! What was covered: ways at branches, lines, pairs of accesses, and the executions that cover them.

use crate::Input;
use serde::Serialize;

/// Which way was taken at a branch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(untagged)]
pub enum BranchOutcome {
    /// Whether its condition holds.
    Holds(bool),
    /// The case of a switch.
    Case(i64),
    /// None of its cases.
    #[serde(serialize_with = "default_case")]
    Default,
}

impl std::fmt::Display for BranchOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BranchOutcome::Holds(holds) => write!(f, "{holds}"),
            BranchOutcome::Case(case) => write!(f, "case {case}"),
            BranchOutcome::Default => f.write_str("default"),
        }
    }
}

fn default_case<S: serde::Serializer>(to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str("default")
}

/// One way at a branch. The JSON form's `branches`, field by field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BranchEntry {
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// Which of several branches there, from 1; none where it is the only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    pub outcome: BranchOutcome,
    /// The least interferences that it takes; null where it is not covered.
    pub degree: Option<u32>,
    /// What takes it: a file of the suite, or the number of an execution.
    pub test: Option<String>,
    /// Why it is not covered: `impossible`, `bound`, or the kind of a line of the ledger.
    pub reason: Option<String>,
    /// It is impossible whatever the number of interferences.
    pub for_all_k: bool,
    pub function: String,
}

/// A write, and a read of another thread that may find it. The JSON form's `pairs_def_use`, field by field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DefUseEntry {
    pub write: AccessPlace,
    pub read: AccessPlace,
    /// The least interferences with which the read returns bytes of the write; null where it was not seen to.
    pub degree: Option<u32>,
    /// What shows it: a file of the suite, or the number of an execution.
    pub test: Option<String>,
    /// Why it is not covered, as of branches.
    pub reason: Option<String>,
    /// It is impossible whatever the number of interferences.
    pub for_all_k: bool,
}

/// Where an access stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize)]
pub struct AccessPlace {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
}

/// A test of an earlier suite. The JSON form's `baseline_tests`, field by field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BaselineTest {
    pub file: String,
    /// Its schedule can be followed.
    pub holds: bool,
    /// How many ways, or pairs, it covers now.
    pub covers: Option<u64>,
    /// Why it does not hold.
    pub why: Option<String>,
}

/// How much of the code executions came to. The JSON form's `coverage`, field by field.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct CodeCoverage {
    pub lines: Share,
    /// Ways at branches.
    pub branches: Share,
    /// In the order of the source. A way where the line was not reached is none of its own.
    pub unreached: Vec<Unreached>,
    /// All that is counted, for other tools.
    #[serde(skip)]
    pub places: Vec<CoveredPlace>,
}

/// So many of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Share {
    pub reached: u64,
    pub all: u64,
}

impl Share {
    /// One more.
    pub fn count(&mut self, reached: bool) {
        self.reached += u64::from(reached);
        self.all += 1;
    }
}

/// A line that no execution came to, or a way that none took.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Unreached {
    pub file: String,
    pub line: u32,
    /// Of a way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Which of several branches there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<BranchOutcome>,
    pub function: String,
    /// `exclusive`, `within_bounds`, or the kind of a line of the ledger.
    pub reason: String,
}

/// A line, or a way at a branch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoveredPlace {
    pub file: String,
    pub line: u32,
    /// 0 of a line.
    pub column: u32,
    /// Which of the branches there, from 1; 0 of a line.
    pub number: u32,
    pub outcome: Option<BranchOutcome>,
    pub reached: bool,
}

/// An execution that covers something. The JSON form's `tests`, field by field.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CoverEntry {
    pub id: String,
    pub inputs: Vec<Input>,
    /// Whose turn it is to take its next visible action: the thread, and how often in a row.
    pub schedule: Vec<(String, u32)>,
    /// The file that `raddle replay` takes.
    pub witness: Option<String>,
    /// The C test, where a suite was written.
    pub file: Option<String>,
}

/// What was tried with so many interferences. The JSON form's `degrees`, field by field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct DegreeEntry {
    pub k: u32,
    /// Ways of branches that are covered with so many and no fewer.
    pub covered: u64,
    pub candidates: u64,
    /// Candidates that were run.
    pub realized: u64,
}
