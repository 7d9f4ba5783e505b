//! The value of a term under a model.
//!
//! Iterative, so deep terms do not exhaust the stack. An [`Evaluator`] keeps values between calls: use one
//! for many terms under the same model.

use rustc_hash::FxHashMap;

use crate::float::{self, FloatOp};
use crate::model::Model;
use crate::pool::Terms;
use crate::semantics;
use crate::term::{Op, TermId};

/// Evaluates terms of one pool under one model, remembering every value.
#[derive(Debug, Default)]
pub struct Evaluator {
    model: Model,
    /// Arrays are remembered as zero: their elements are read through [`Evaluator::element`].
    values: FxHashMap<TermId, u128>,
    stack: Vec<TermId>,
}

impl Evaluator {
    pub fn new(model: Model) -> Evaluator {
        Evaluator { model, ..Evaluator::default() }
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// How many values are remembered.
    pub fn remembered(&self) -> usize {
        self.values.len()
    }

    pub fn forget(&mut self) {
        self.values.clear();
    }

    /// The value of a bit-vector term, missing variables being zero.
    pub fn eval(&mut self, terms: &Terms, t: TermId) -> u128 {
        if let Some(value) = terms.as_const(t) {
            return value;
        }
        if let Some(&value) = self.values.get(&t) {
            return value;
        }
        self.stack.push(t);
        while let Some(&top) = self.stack.last() {
            let pending = self.stack.len();
            for arg in terms.args(top) {
                if !terms.is_const(arg) && !self.values.contains_key(&arg) {
                    self.stack.push(arg);
                }
            }
            if self.stack.len() == pending {
                self.stack.pop();
                let value = self.apply(terms, top);
                self.values.insert(top, value);
            }
        }
        self.get(terms, t)
    }

    /// The value of a term already evaluated.
    fn get(&self, terms: &Terms, t: TermId) -> u128 {
        match terms.as_const(t) {
            Some(value) => value,
            None => self.values.get(&t).copied().unwrap_or(0),
        }
    }

    /// The value of `t`, whose operands have been evaluated.
    fn apply(&self, terms: &Terms, t: TermId) -> u128 {
        let key = terms.key(t);
        let get = |t| self.get(terms, t);
        match key.op {
            Op::Const => key.value().unwrap_or_default(),
            Op::Var => self.model.value(t),
            Op::Not | Op::Neg => semantics::unary(key.op, key.w(), get(key.a())),
            Op::Ite => {
                if get(key.a()) == 1 {
                    get(key.b())
                } else {
                    get(key.c())
                }
            }
            Op::Concat => semantics::concat(get(key.a()), get(key.b()), terms.width(key.b())),
            Op::Extract => semantics::extract(get(key.a()), key.w(), key.low()),
            Op::Sext => semantics::sext(get(key.a()), terms.width(key.a()), key.w()),
            Op::Select => self.element(terms, key.a(), get(key.b())),
            Op::ArrayVar | Op::ConstArray | Op::Store | Op::IteArray => 0,
            Op::Float1 | Op::Float2 | Op::Float3 => {
                let op = FloatOp::of(key.low);
                let mut values = [0; 3];
                for (value, operand) in values.iter_mut().zip(key.operands()) {
                    *value = get(operand);
                }
                float::apply(op, terms.width(key.a()), key.w(), values)
            }
            _ => {
                let width = terms.width(key.a());
                semantics::binary(key.op, width, get(key.a()), get(key.b()))
            }
        }
    }

    /// One element of an array whose parts have been evaluated.
    fn element(&self, terms: &Terms, mut array: TermId, index: u128) -> u128 {
        loop {
            let key = terms.key(array);
            array = match key.op {
                Op::Store if self.get(terms, key.b()) == index => {
                    return self.get(terms, key.c());
                }
                Op::Store => key.a(),
                Op::IteArray if self.get(terms, key.a()) == 1 => key.b(),
                Op::IteArray => key.c(),
                Op::ConstArray => return self.get(terms, key.a()),
                _ => {
                    return self.model.array(array).map_or(0, |value| u128::from(value.get(index)));
                }
            };
        }
    }
}

impl Terms {
    /// The value of `t` under `model`; variables that the model does not mention are zero.
    pub fn eval(&self, t: TermId, model: &Model) -> u128 {
        Evaluator::new(model.clone()).eval(self, t)
    }
}
