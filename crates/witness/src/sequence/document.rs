//! The form of violation sequences: witness format 2.2 of the software verification community (Beyer, Dangl, Dietsch, Heizmann, Lemberger,
//! Tautschnig: Verification Witnesses, TOSEM 2022; Ayaziova et al.: Software Verification Witnesses 2.0, SPIN 2024), entry `violation_sequence`.

use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Entry {
    pub entry_type: &'static str,
    pub metadata: Metadata,
    /// Passed one after the other, whichever threads they are of; the last one is where the property is violated.
    pub content: Vec<Segment>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Metadata {
    pub format_version: &'static str,
    pub uuid: String,
    /// ISO 8601.
    pub creation_time: String,
    pub producer: Producer,
    pub task: Task,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Producer {
    pub name: &'static str,
    pub version: &'static str,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Task {
    pub input_files: Vec<String>,
    /// SHA-256 by file.
    pub input_file_hashes: BTreeMap<String, String>,
    pub specification: String,
    pub data_model: &'static str,
    pub language: &'static str,
}

/// Waypoints without an order among them: one, or the two accesses of a race.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Segment {
    pub segment: Vec<Step>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Step {
    pub waypoint: Waypoint,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Waypoint {
    #[serde(rename = "type")]
    pub kind: Kind,
    pub action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint: Option<Constraint>,
    pub location: Location,
    /// 0 is the first thread, `k` the one that the `k`-th `function_enter` of this witness creates which stands at a call that creates one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// In front of a statement something holds.
    Assumption,
    /// A call is about to be made, with its arguments evaluated; the location is its closing parenthesis.
    FunctionEnter,
    /// A call has returned; the location is its closing parenthesis.
    FunctionReturn,
    /// The property is violated by this statement, or full expression.
    Target,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Constraint {
    pub format: &'static str,
    pub value: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Location {
    pub file_name: String,
    /// From 1, in the file as it is: line markers (`# 1 "a.h"`) count for nothing.
    pub line: usize,
    pub column: usize,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub function: String,
}
