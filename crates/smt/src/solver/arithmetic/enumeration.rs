//! Questions whose variables have few values: all are tried.

use super::super::integers::bounds;
use super::super::search;
use crate::model::Model;
use crate::pool::Terms;
use crate::solver::Answer;
use crate::term::{Op, TermId, mask};

/// Values of all variables together.
const MAX_VALUES: i128 = 256;

/// The answer, if there are few.
pub(super) fn decide(terms: &Terms, assertions: &[TermId]) -> Option<Answer> {
    let mut indices: Vec<u32> = assertions.iter().flat_map(|&a| terms.vars(a)).copied().collect();
    indices.sort_unstable();
    indices.dedup();
    let bounds = bounds::of(terms, assertions);
    let mut ranges = Vec::new();
    let mut all = 1_i128;
    for variable in indices.into_iter().map(|index| terms.variable(index).term) {
        let width = terms.width(variable);
        if terms.op(variable) != Op::Var || width > 64 {
            return None;
        }
        let (low, high) = bounds.get(&variable).copied().unwrap_or((0, mask(width).cast_signed()));
        let count = high - low + 1;
        if count <= 0 {
            return Some(Answer::Unsat);
        }
        all = all.checked_mul(count).filter(|&all| all <= MAX_VALUES)?;
        ranges.push((variable, low, count));
    }
    for number in 0..all {
        let (mut model, mut rest) = (Model::new(), number);
        for &(variable, low, count) in &ranges {
            let value = (low + rest % count).cast_unsigned() & mask(terms.width(variable));
            model.set(variable, value);
            rest /= count;
        }
        if search::satisfies(terms, assertions, &model) {
            return Some(Answer::Sat(model));
        }
    }
    Some(Answer::Unsat)
}
