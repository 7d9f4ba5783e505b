//! Questions about linear arithmetic, as questions about integers.
//!
//! A calendar, a deadline in microseconds, a ring of fixed size: sums, products with constants, quotients and remainders by
//! constants, of 32 or 64 bits. Circuits of these are hard; as integers they are linear, and decided in milliseconds. Each
//! term is an integer that is equal to its value modulo 2^width. What wraps around matters only where a comparison or a
//! quotient looks at the value itself: there a multiple of 2^width is subtracted, which is a variable of its own unless the
//! bounds of the operands leave only one. So nothing is assumed about overflow.
//!
//! Terms of other kinds (products and quotients of variables, masks that are no powers of two) are variables within their
//! range. Guarantee: what is called unsatisfiable is; a model satisfies every assertion, by evaluation.

pub(super) mod bounds;
mod number;
#[cfg(test)]
mod tests;
mod writer;

use super::z3::script::{Said, Scripts};
use super::{Answer, Limits, SolverError, search};
use crate::model::Model;
use crate::pool::Terms;
use crate::term::{TermId, mask};
use writer::Writer;

/// A question as it will be asked.
pub(super) struct Question {
    script: String,
    /// The bit-vector variables, with the names of their integers.
    variables: Vec<(TermId, String)>,
    /// Nothing of it is left out.
    pub(super) exact: bool,
}

impl Question {
    pub(super) fn new(terms: &Terms, assertions: &[TermId]) -> Question {
        let mut writer = Writer::new(terms, bounds::of(terms, assertions));
        for &assertion in assertions {
            writer.assert(assertion);
        }
        writer.finish()
    }

    /// The answer, if there is one within the limits.
    pub(super) fn ask(
        &self,
        scripts: &mut Scripts,
        terms: &Terms,
        assertions: &[TermId],
        limits: Limits,
    ) -> Result<Option<Answer>, SolverError> {
        let names: Vec<String> = self.variables.iter().map(|(_, name)| name.clone()).collect();
        Ok(match scripts.ask(&self.script, &names, limits)? {
            Said::Unknown => None,
            Said::Unsat => Some(Answer::Unsat),
            Said::Sat(values) => {
                let mut model = Model::new();
                for ((variable, _), value) in self.variables.iter().zip(values) {
                    model.set(*variable, value.cast_unsigned() & mask(terms.width(*variable)));
                }
                search::satisfies(terms, assertions, &model).then_some(Answer::Sat(model))
            }
        })
    }
}
