//! Errors that end a command, by whose fault they are: that decides the exit code.
//!
//! Whatever else arrives at the top is a fault of raddle's own.

use report::{ErrorClass, ErrorReport};
use std::path::Path;

/// The command line asks for something that cannot be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct UsageError {
    /// Snake case, for `error.kind` in JSON.
    pub kind: &'static str,
    message: String,
}

impl UsageError {
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        UsageError { kind, message: message.into() }
    }

    /// Says where on the command line, or in which file, it is that something is wrong.
    pub fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }
}

/// What was to be read is missing, damaged or not understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct InputError {
    kind: String,
    message: String,
    file: Option<String>,
    line: Option<u32>,
}

impl InputError {
    /// `kind` in snake case, for `error.kind` in JSON.
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        InputError { kind: kind.into(), message: message.into(), file: None, line: None }
    }

    /// Says something more.
    pub fn and(mut self, more: &str) -> Self {
        self.message = format!("{}; {more}", self.message);
        self
    }

    pub fn in_file(mut self, file: &Path) -> Self {
        self.file = Some(file.display().to_string());
        self
    }

    /// `line` counts from 1.
    pub fn at(mut self, file: Option<String>, line: Option<u32>) -> Self {
        self.file = file;
        self.line = line;
        self
    }
}

/// The user or a limit ended the command before there was anything to report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.name())]
pub struct StoppedEarly(pub Stopped);

/// What ended a command early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    Interrupted,
    Time,
}

impl Stopped {
    /// The name in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            Stopped::Interrupted => "interrupted",
            Stopped::Time => "time",
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Stopped::Interrupted => "stopped",
            Stopped::Time => "the time of --max-time ran out",
        }
    }

    pub fn remedy(self) -> &'static str {
        match self {
            Stopped::Interrupted => "let the run end",
            Stopped::Time => "--max-time with a larger value",
        }
    }
}

/// The error as reported.
pub fn describe(error: &anyhow::Error) -> ErrorReport {
    if let Some(usage) = error.downcast_ref::<UsageError>() {
        return usage_error(usage.kind, usage.message.clone());
    }
    if let Some(input) = error.downcast_ref::<InputError>() {
        let InputError { kind, message, file, line } = input.clone();
        return ErrorReport { kind, message, file, line, class: ErrorClass::Input };
    }
    if let Some(StoppedEarly(stopped)) = error.downcast_ref::<StoppedEarly>() {
        // A search that is stopped has a report; this is for commands that have nothing to show before they end.
        return ErrorReport {
            kind: stopped.name().to_owned(),
            message: format!("{} before the sources were compiled", stopped.in_words()),
            ..ErrorReport::default()
        };
    }
    // The chain of causes, outermost first.
    internal_error(&format!("{error:#}"))
}

pub fn usage_error(kind: &str, message: String) -> ErrorReport {
    ErrorReport { kind: kind.to_owned(), message, class: ErrorClass::Usage, ..ErrorReport::default() }
}

pub fn internal_error(message: &str) -> ErrorReport {
    ErrorReport {
        kind: "internal".to_owned(),
        message: format!(
            "{message}\nThis is a fault of raddle's own. Please report it, with the command line and the sources."
        ),
        class: ErrorClass::Internal,
        ..ErrorReport::default()
    }
}

/// The candidates that `name` may have been meant to be, most likely first; at most three.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let lower = name.to_lowercase();
    let mut near: Vec<(bool, usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
            // A third of the letters may be wrong; a part of a name is near whatever the rest.
            let part = lower.len() >= 3 && candidate.to_lowercase().contains(&lower);
            (part || distance <= lower.chars().count().div_ceil(3)).then_some((!part, distance, candidate))
        })
        .collect();
    near.sort_by_key(|&(whole, distance, candidate)| (distance > 2, whole, distance, candidate));
    near.dedup();
    near.into_iter().take(3).map(|(_, _, candidate)| candidate.to_owned()).collect()
}

/// Of what a compiler says, the line that tells what is wrong.
pub(crate) fn first_line(error: &str) -> String {
    let says = |line: &&str| line.contains("error: ");
    error.lines().find(says).or_else(|| error.lines().next()).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn suggestions_are_near_and_few() {
        let names = ["insert", "list_insert", "search", "delete", "insert_all", "x"];
        assert_eq!(suggest("instert", names), ["insert"]);
        assert_eq!(suggest("Insert", names), ["insert", "insert_all", "list_insert"]);
        assert_eq!(suggest("serach", names), ["search"]);
        assert_eq!(suggest("foo", names), [""; 0]);
    }

    #[test]
    fn the_class_survives_context() {
        let error = anyhow::Error::from(UsageError::new("unknown_operation", "no `f`")).context("while selecting");
        assert_eq!(describe(&error).class, ErrorClass::Usage);
        let error = Err::<(), _>(InputError::new("missing_file", "a.c: no such file")).context("x").unwrap_err();
        let described = describe(&error);
        assert_eq!((described.class, described.message.as_str()), (ErrorClass::Input, "a.c: no such file"));
        let error = anyhow::anyhow!("solver died").context("pair f, g");
        let described = describe(&error);
        assert_eq!(described.class, ErrorClass::Internal);
        assert!(described.message.starts_with("pair f, g: solver died"), "{}", described.message);
        let error = smt::SolverError::Disagree {
            first: "bits",
            first_answer: "satisfiable",
            second: "z3",
            second_answer: "unsatisfiable",
            query: "the query is in out/disagreement.smt2".to_owned(),
        };
        let described = describe(&anyhow::Error::from(machine::EngineError::from(error)));
        assert_eq!(described.class, ErrorClass::Internal);
        let message =
            "the solver failed: bits says satisfiable, z3 says unsatisfiable: one of them is wrong; the query is";
        assert!(described.message.starts_with(message), "{}", described.message);
    }
}
