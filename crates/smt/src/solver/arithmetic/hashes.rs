//! Questions with hashes (`mixing`), in steps: products as variables; keys of few values with small divisors, then with large
//! ones; and, when all else fails, with any.

use super::budget::Budget;
use super::mixing::{self, Candidates, Mixing};
use super::question::{self, Form, Question, Small};
use super::refine::{Decision, Refinement};
use super::{Arithmetic, EASY, FEW_ROUNDS, Found, OPAQUE_ROUNDS, SMALL_STEPS, answer_of};
use crate::pool::Terms;
use crate::solver::{Answer, Solver};
use crate::term::TermId;

/// What came of a question with hashes.
pub(super) enum Hashes {
    /// It is none.
    None,
    Answer(Answer),
    /// Values of keys that may be tried with any divisor.
    Open([Candidates; 2]),
}

impl<S: Solver> Arithmetic<S> {
    /// What is known of a question with hashes without computing them, or where keys have a few values only.
    pub(super) fn hashes(&mut self, terms: &Terms, assertions: &[TermId], budget: &mut Budget) -> Hashes {
        let sources = mixing::sources(terms, assertions, self.ways.mixing());
        if sources.is_empty() {
            return Hashes::None;
        }
        let form =
            Form { small: Small::None, open_above: Some(self.ways.easy()), mixing: Mixing::Opaque(self.ways.mixing()) };
        let question = Question::new(terms, assertions, form);
        let (decision, model) = Refinement::new(question, terms, assertions).run_briefly(OPAQUE_ROUNDS, budget);
        match decision {
            Decision::Sat(model) => return Hashes::Answer(Answer::Sat(model)),
            Decision::Unsat(positions) => return Hashes::Answer(self.unsat(assertions, positions)),
            Decision::Open => {}
        }
        let model = model.unwrap_or_default();
        let divisions = question::divisions(terms, assertions);
        let sets = [false, true].map(|patternless| Candidates::new(terms, &sources, &model, patternless));
        let form = Form { small: Small::OfDivisors, open_above: None, mixing: Mixing::Tables };
        for candidates in &sets {
            let question = Question::with_candidates(terms, assertions, form, Some(candidates));
            if let Found::Answer(answer) = answer_of(&question, terms, assertions, SMALL_STEPS, budget) {
                return Hashes::Answer(answer);
            }
        }
        if let Some(answer) = self.briefly(terms, assertions, budget) {
            return Hashes::Answer(answer);
        }
        let with_divisors = sets.clone().map(|candidates| candidates.with_divisors(terms, &divisions, &model));
        match tabled(terms, assertions, (&with_divisors, FEW_ROUNDS), budget) {
            Some(answer) => Hashes::Answer(answer),
            None => Hashes::Open(sets),
        }
    }
}

/// A model in which keys have the values of one of these sets; divisors may be anything.
pub(super) fn tabled(
    terms: &Terms,
    assertions: &[TermId],
    (sets, rounds): (&[Candidates], (u32, u32)),
    budget: &mut Budget,
) -> Option<Answer> {
    let form = Form { small: Small::None, open_above: Some(EASY), mixing: Mixing::Tables };
    sets.iter().find_map(|candidates| {
        let question = Question::with_candidates(terms, assertions, form, Some(candidates));
        match Refinement::new(question, terms, assertions).run_briefly(rounds, budget).0 {
            Decision::Sat(model) => Some(Answer::Sat(model)),
            Decision::Unsat(_) | Decision::Open => None,
        }
    })
}
