//! Two solvers that must agree.
//!
//! Guarantee: when one says satisfiable and the other unsatisfiable, no answer is given, and the query is written down.
//! Where the second does not know, the first is believed.

use std::path::PathBuf;

use super::{Answer, Limits, Solver, SolverError, SolverStats};
use crate::model::Model;
use crate::pool::Terms;
use crate::smtlib::to_smtlib;
use crate::term::TermId;

/// A solver whose every answer is compared with another's.
pub struct Checked<A, B> {
    first: A,
    second: B,
    /// Where a query on which they disagree goes.
    directory: PathBuf,
}

impl<A: Solver, B: Solver> Checked<A, B> {
    pub fn new(first: A, second: B, directory: PathBuf) -> Checked<A, B> {
        Checked { first, second, directory }
    }

    fn disagreement(&self, terms: &Terms, assertions: &[TermId], answers: [&Answer; 2]) -> SolverError {
        let path = self.directory.join("disagreement.smt2");
        let text = to_smtlib(terms, assertions);
        let written = std::fs::create_dir_all(&self.directory).and_then(|()| std::fs::write(&path, text));
        let query = match written {
            Ok(()) => format!("the query is in {}", path.display()),
            Err(error) => format!("the query cannot be written to {}: {error}", path.display()),
        };
        let [first_answer, second_answer] = answers.map(in_words);
        let (first, second) = (self.first.name(), self.second.name());
        SolverError::Disagree { first, first_answer, second, second_answer, query }
    }
}

fn in_words(answer: &Answer) -> &'static str {
    match answer {
        Answer::Sat(_) => "satisfiable",
        Answer::Unsat => "unsatisfiable",
        Answer::Unknown(_) => "unknown",
    }
}

impl<A: Solver, B: Solver> Solver for Checked<A, B> {
    fn name(&self) -> &'static str {
        self.first.name()
    }

    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        let answer = self.first.check(terms, assertions)?;
        let other = self.second.check(terms, assertions)?;
        match (&answer, &other) {
            (Answer::Sat(_), Answer::Unsat) | (Answer::Unsat, Answer::Sat(_)) => {
                Err(self.disagreement(terms, assertions, [&answer, &other]))
            }
            _ => Ok(answer),
        }
    }

    fn core(&self) -> Option<&[TermId]> {
        self.first.core()
    }

    fn near(&mut self, terms: &Terms, model: &Model) {
        self.first.near(terms, model);
    }

    fn set_limits(&mut self, limits: Limits) {
        self.first.set_limits(limits);
        self.second.set_limits(limits);
    }

    fn stats(&self) -> SolverStats {
        self.first.stats()
    }
}
