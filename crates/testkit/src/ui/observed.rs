//! What raddle printed: the part of its JSON report that tests rely on.
//!
//! Guarantee: a report that lacks a field which the contract promises does not parse.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
pub struct Report {
    pub schema: String,
    pub tool: Tool,
    pub command: String,
    pub verdict: String,
    pub findings: Vec<Finding>,
    /// Empty or absent for commands without operations.
    #[serde(default)]
    pub matrix: Option<Vec<Cell>>,
    pub ledger: Vec<LedgerEntry>,
    pub assumptions: Vec<Assumption>,
    #[serde(default)]
    pub sequential: Vec<Sequential>,
    #[serde(default)]
    pub causes: Vec<Cause>,
    #[serde(default)]
    pub condition: Option<Condition>,
    /// Absent when nothing ran.
    pub stats: Option<Stats>,
    pub error: Option<Failure>,
}

/// A launch condition that was inferred.
#[derive(Debug, Clone, Deserialize)]
pub struct Condition {
    pub outcome: String,
    pub assertion: Option<String>,
    pub sufficient_only: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Tool {
    pub name: String,
    pub version: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Finding {
    pub id: String,
    pub kind: String,
    /// Of a race of a launch.
    #[serde(default)]
    pub class: Option<String>,
    pub confirmed: bool,
    #[serde(default)]
    pub shape: Option<String>,
    #[serde(default)]
    pub client: Option<Client>,
    pub location: Position,
    pub accesses: Vec<AccessReport>,
    #[serde(default)]
    pub blocked: Vec<Blocked>,
    pub inputs: Vec<Input>,
    pub witness: Option<String>,
}

/// A client that leads to a finding.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Client {
    pub witness: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Position {
    pub file: String,
    pub line: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", base_name(&self.file), self.line)
    }
}

#[derive(Debug, Clone, Deserialize)]
pub struct AccessReport {
    pub access: Access,
    pub file: String,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Read,
    Write,
    ReadWrite,
    Free,
}

impl Access {
    pub const ALL: [Access; 4] = [Access::Read, Access::Write, Access::ReadWrite, Access::Free];

    pub fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::ReadWrite => "read_write",
            Access::Free => "free",
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
pub struct Blocked {
    pub location: Option<Position>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Input {
    pub name: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Cell {
    pub operations: Vec<String>,
    pub verdict: String,
    /// Ids of the findings of this pair.
    pub findings: Vec<String>,
    pub cause: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct LedgerEntry {
    pub kind: String,
    pub r#where: Option<String>,
    #[serde(default)]
    pub remedy: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Assumption {
    pub kind: String,
    pub r#where: Option<String>,
    #[serde(default)]
    pub detail: String,
}

/// What findings come from.
#[derive(Debug, Clone, Deserialize)]
pub struct Cause {
    #[serde(default)]
    pub kind: String,
    pub title: String,
    #[serde(default)]
    pub field: Option<String>,
    #[serde(default)]
    pub findings: Vec<String>,
    #[serde(default)]
    pub remedies: Vec<CauseRemedy>,
    /// What was tried and does not work.
    #[serde(default)]
    pub refused: Option<String>,
    #[serde(default)]
    pub of_callers: bool,
}

/// What mends a cause.
#[derive(Debug, Clone, Deserialize)]
pub struct CauseRemedy {
    pub text: String,
    #[serde(default)]
    pub patch: Option<String>,
    pub tried: bool,
    #[serde(default)]
    pub kind: String,
    /// What calls come to at once, against what they come to one after the other.
    #[serde(default)]
    pub together: String,
}

/// What goes wrong where a client calls one function after another.
#[derive(Debug, Clone, Deserialize)]
pub struct Sequential {
    pub kind: String,
    pub file: String,
    pub line: u32,
}

impl fmt::Display for Sequential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}:{}", self.kind, base_name(&self.file), self.line)
    }
}

#[derive(Debug, Clone, Deserialize)]
pub struct Stats {
    pub paths: u64,
    pub executions: u64,
    pub shapes: u64,
    pub solver_time_s: f64,
    pub wall_time_s: f64,
    #[serde(default)]
    pub cpu_time_s: f64,
    /// From the start to the first race that was found.
    pub first_race_time_s: Option<f64>,
    /// Only of `races`.
    pub guided: Option<Guided>,
}

/// What the guided search did.
#[derive(Debug, Clone, Deserialize)]
pub struct Guided {
    pub candidates: u64,
    pub unions: u64,
    pub adjustments: u64,
    /// Integrations that came to no heap, by cause.
    pub infeasible: BTreeMap<String, u64>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Failure {
    pub kind: String,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id, self.kind)?;
        if self.accesses.is_empty() {
            write!(f, " at {}", self.location)?;
        }
        for (index, access) in self.accesses.iter().enumerate() {
            let word = if index == 0 { "" } else { " against" };
            write!(f, "{word} {} at {}:{}", access.access.name(), base_name(&access.file), access.line)?;
        }
        for blocked in self.blocked.iter().filter_map(|thread| thread.location.as_ref()) {
            write!(f, ", a thread waits at {blocked}")?;
        }
        Ok(())
    }
}

/// Tests name files by their last component: reports may print a longer path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
