//! A question in terms of its own, without the operators that circuits are slow at.
//!
//! Conjuncts that say what a variable is replace it. Divisions are made unsigned and as narrow as their operands; those
//! that are left, and products of two terms that are no constants, become variables (see `lemmas`), or circuits after all.
//! Variables may be given a few bits only: a small model is a model.
//!
//! Guarantee: but for the results that became variables, and variables made small, the question is equivalent.

use rustc_hash::{FxHashMap, FxHashSet};

use super::lemmas::{Division, Product};
use super::mixing::{self, Candidates, Mixed, Mixing};
use crate::eval::Evaluator;
use crate::model::Model;
use crate::pool::Terms;
use crate::term::{Op, TermId, mask};

/// How many bits a variable has that is made small.
const SMALL: u32 = 4;

/// Which variables are made small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Small {
    All,
    /// Those that divisors consist of: the circuit of a division is as large as its divisor.
    OfDivisors,
    None,
}

/// What a conjunct says of a variable.
#[derive(Clone, Copy, Debug)]
enum Definition {
    Is(TermId),
    /// Of its low bits.
    Low(TermId),
}

impl Definition {
    fn term(self) -> TermId {
        match self {
            Definition::Is(term) | Definition::Low(term) => term,
        }
    }
}

/// What a question is made into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// Variables of which only a few low bits are left; the others are zero.
    pub(super) small: Small,
    /// Results of divisions and products of more bits are variables; none: of no number of bits.
    pub(super) open_above: Option<u32>,
    pub(super) mixing: Mixing,
}

impl Form {
    /// Whether results of this width are variables.
    fn is_open(self, width: u32) -> bool {
        self.open_above.is_some_and(|easy| width > easy)
    }
}

/// A question, rewritten: its terms, what it is made of, and how it relates to the one that was asked. Built in one pass that
/// fills all of it.
pub(super) struct Question<'a> {
    pub(super) terms: Terms,
    /// With the position of the assertion that each is of.
    pub(super) conjuncts: Vec<(TermId, u32)>,
    pub(super) divisions: Vec<Division>,
    pub(super) products: Vec<Product>,
    pub(super) mixed: Vec<Mixed>,
    /// Assertions that were used to replace variables.
    pub(super) used: Vec<u32>,
    /// No variable was made small.
    pub(super) exact: bool,
    form: Form,
    copies: FxHashMap<TermId, TermId>,
    /// Variables of the original, in the order met.
    variables: Vec<TermId>,
    definitions: FxHashMap<TermId, Definition>,
    /// Variables that are made small; none: all.
    divisors: FxHashSet<u32>,
    /// Values of variables that have few.
    candidates: Option<&'a Candidates>,
    by_operands: FxHashMap<(TermId, TermId), usize>,
    by_quotient: FxHashMap<TermId, usize>,
}

impl<'a> Question<'a> {
    pub(super) fn new(from: &Terms, assertions: &[TermId], form: Form) -> Question<'a> {
        Question::with_candidates(from, assertions, form, None)
    }

    /// Where variables have these values only.
    pub(super) fn with_candidates(
        from: &Terms,
        assertions: &[TermId],
        form: Form,
        candidates: Option<&'a Candidates>,
    ) -> Question<'a> {
        let conjuncts = conjuncts_of(from, assertions);
        let (definitions, used) = definitions(from, &conjuncts);
        let mut question = Question {
            terms: Terms::new(),
            conjuncts: Vec::new(),
            divisions: Vec::new(),
            products: Vec::new(),
            mixed: Vec::new(),
            used,
            exact: true,
            form,
            copies: FxHashMap::default(),
            variables: Vec::new(),
            definitions,
            divisors: FxHashSet::default(),
            candidates,
            by_operands: FxHashMap::default(),
            by_quotient: FxHashMap::default(),
        };
        if form.small == Small::OfDivisors {
            let divisors = divisions(from, assertions).into_iter().map(|division| division.1);
            question.divisors = divisors.flat_map(|divisor| from.vars(divisor)).copied().collect();
        }
        for (conjunct, position) in conjuncts {
            let copy = question.copy(from, conjunct);
            question.conjuncts.push((copy, position));
        }
        question
    }

    /// The values that a model of this question gives the variables of the original.
    pub(super) fn original(&self, from: &Terms, model: &Model) -> Model {
        let mut evaluator = Evaluator::new(model.clone());
        let mut original = Model::new();
        for &variable in &self.variables {
            let copy = self.copies[&variable];
            if from.op(variable) == Op::Var {
                original.set(variable, evaluator.eval(&self.terms, copy));
            } else if let Some(bytes) = model.array(copy) {
                original.set_array(variable, bytes.clone());
            }
        }
        original
    }

    fn copy(&mut self, from: &Terms, t: TermId) -> TermId {
        let mut work = vec![t];
        while let Some(&top) = work.last() {
            if self.copies.contains_key(&top) {
                work.pop();
                continue;
            }
            let pending = work.len();
            match self.definitions.get(&top) {
                Some(definition) => {
                    work.extend(Some(definition.term()).filter(|d| !self.copies.contains_key(d)));
                }
                None => work.extend(from.args(top).filter(|a| !self.copies.contains_key(a))),
            }
            if work.len() > pending {
                continue;
            }
            work.pop();
            let copy = match self.definitions.get(&top) {
                Some(&definition) => self.defined(from, top, definition),
                None => self.build(from, top),
            };
            if matches!(from.op(top), Op::Var | Op::ArrayVar) {
                self.variables.push(top);
            }
            self.copies.insert(top, copy);
        }
        self.copies[&t]
    }

    /// A variable of which something is known.
    fn defined(&mut self, from: &Terms, variable: TermId, definition: Definition) -> TermId {
        let known = self.copies[&definition.term()];
        let rest = from.width(variable) - self.terms.width(known);
        if rest == 0 {
            return known;
        }
        let key = from.key(variable);
        let name = format!("{}\u{1}", from.variable(key.args[0]).name);
        let high = self.variable(&name, rest, key.args[0]);
        self.terms.concat(high, known)
    }

    /// The variable of this name, small if it is to be.
    fn variable(&mut self, name: &str, width: u32, index: u32) -> TermId {
        if let Some(values) =
            self.candidates.and_then(|candidates| candidates.of(index)).filter(|_| width > mixing::INDEX_BITS)
        {
            self.exact = false;
            let number = self.terms.var(name, mixing::index_bits(width));
            let bits = mixing::bits(&mut self.terms, number);
            let values: Vec<u128> = values.iter().map(|value| value & mask(width)).collect();
            return mixing::chosen(&mut self.terms, &bits, &values, width);
        }
        let small = match self.form.small {
            Small::All => true,
            Small::OfDivisors => self.divisors.contains(&index),
            Small::None => false,
        };
        if !small || width <= SMALL {
            return self.terms.var(name, width);
        }
        self.exact = false;
        let low = self.terms.var(name, SMALL);
        self.terms.zext(low, width)
    }

    /// A node whose operands are copied.
    fn build(&mut self, from: &Terms, t: TermId) -> TermId {
        let mut key = from.key(t);
        if matches!(key.op, Op::Var | Op::ArrayVar) {
            let variable = from.variable(key.args[0]);
            if key.op == Op::Var {
                return self.variable(&variable.name, key.w(), key.args[0]);
            }
            return self.terms.intern_variable(&variable.name, variable.sort, variable.uninit);
        }
        for i in 0..key.op.arity() {
            key.args[i] = self.copies[&TermId(key.args[i])].0;
        }
        let (a, b) = (key.a(), key.b());
        let built = match key.op {
            Op::Udiv => self.divide(a, b).0,
            Op::Urem => self.divide(a, b).1,
            Op::Sdiv => self.signed_divide(a, b).0,
            Op::Srem => self.signed_divide(a, b).1,
            Op::Mul => self.multiply(a, b),
            _ => return self.terms.make(key),
        };
        match self.form.mixing {
            Mixing::Tables => mixing::tabulated(&mut self.terms, built).unwrap_or(built),
            Mixing::Circuits | Mixing::Opaque(_) => built,
        }
    }

    /// Quotient and remainder, unsigned.
    pub(super) fn divide(&mut self, x: TermId, c: TermId) -> (TermId, TermId) {
        let t = &mut self.terms;
        let width = t.width(x);
        let (quotient, remainder) = (t.udiv(x, c), t.urem(x, c));
        if t.op(quotient) != Op::Udiv && t.op(remainder) != Op::Urem {
            return (quotient, remainder);
        }
        let used = bits_of(t.facts(x).hi.max(t.facts(c).hi));
        if used < width {
            let (narrow_x, narrow_c) = (t.trunc(x, used), t.trunc(c, used));
            let (q, r) = self.divide(narrow_x, narrow_c);
            let t = &mut self.terms;
            let (q, r) = (t.zext(q, width), t.zext(r, width));
            let (by_zero, ones) = (t.is_zero(c), t.bv(width, u128::MAX));
            return (t.ite(by_zero, ones, q), r);
        }
        if !self.form.is_open(width) {
            return (quotient, remainder);
        }
        if let Some(&known) = self.by_operands.get(&(x, c)) {
            let Division { quotient, remainder, .. } = self.divisions[known];
            return (quotient, remainder);
        }
        let number = self.divisions.len();
        // No name of a program has a control character.
        let (quotient, remainder) =
            (t.var(&format!("\u{1}q{number}"), width), t.var(&format!("\u{1}r{number}"), width));
        self.by_operands.insert((x, c), number);
        self.by_quotient.insert(quotient, number);
        self.divisions.push(Division { dividend: x, divisor: c, quotient, remainder });
        (quotient, remainder)
    }

    /// Towards zero; the remainder has the dividend's sign.
    fn signed_divide(&mut self, x: TermId, c: TermId) -> (TermId, TermId) {
        let t = &mut self.terms;
        let (sign_x, sign_c) = (t.sign(x), t.sign(c));
        let (minus_x, minus_c) = (t.neg(x), t.neg(c));
        let (size_x, size_c) = (t.ite(sign_x, minus_x, x), t.ite(sign_c, minus_c, c));
        let (quotient, remainder) = self.divide(size_x, size_c);
        let t = &mut self.terms;
        let (minus_q, minus_r, differ) = (t.neg(quotient), t.neg(remainder), t.xor(sign_x, sign_c));
        (t.ite(differ, minus_q, quotient), t.ite(sign_x, minus_r, remainder))
    }

    fn multiply(&mut self, a: TermId, b: TermId) -> TermId {
        let t = &mut self.terms;
        let width = t.width(a);
        // `x / c * c` is `x - x % c`, also for zero.
        for (quotient, divisor) in [(a, b), (b, a)] {
            if let Some(&known) = self.by_quotient.get(&quotient) {
                let Division { dividend, divisor: c, remainder, .. } = self.divisions[known];
                if c == divisor {
                    return t.sub(dividend, remainder);
                }
            }
        }
        let product = t.mul(a, b);
        let key = t.key(product);
        if key.op != Op::Mul {
            return product;
        }
        if let Some(factor) = t.as_const(key.b()) {
            return match self.form.mixing {
                Mixing::Opaque(least) if mixing::mixes(factor, width, least) => self.mix(key.a(), key.b()),
                _ => product,
            };
        }
        let used = bits_of(t.facts(a).hi) + bits_of(t.facts(b).hi);
        if used < width {
            let (narrow_a, narrow_b) = (t.trunc(a, used), t.trunc(b, used));
            let product = self.multiply(narrow_a, narrow_b);
            return self.terms.zext(product, width);
        }
        if !self.form.is_open(width) {
            return product;
        }
        let (a, b) = (key.a(), key.b());
        if let Some(known) = self.products.iter().find(|p| (p.a, p.b) == (a, b)) {
            return known.value;
        }
        let value = t.var(&format!("\u{1}p{}", self.products.len()), width);
        self.products.push(Product { a, b, value });
        value
    }

    /// A product with a constant as a variable.
    fn mix(&mut self, operand: TermId, factor: TermId) -> TermId {
        if let Some(known) = self.mixed.iter().find(|m| (m.operand, m.factor) == (operand, factor)) {
            return known.value;
        }
        let value = self.terms.var(&format!("\u{1}m{}", self.mixed.len()), self.terms.width(operand));
        self.mixed.push(Mixed { operand, factor, value });
        value
    }
}

/// How many bits a number takes, at least one.
fn bits_of(value: u128) -> u32 {
    (128 - value.leading_zeros()).max(1)
}

/// The conjuncts of each assertion, with its position.
fn conjuncts_of(terms: &Terms, assertions: &[TermId]) -> Vec<(TermId, u32)> {
    let of = |(position, &assertion)| terms.conjuncts(assertion).into_iter().map(move |t| (t, position as u32));
    assertions.iter().enumerate().flat_map(of).collect()
}

/// What conjuncts say of variables, without circles, and the assertions that say so.
fn definitions(terms: &Terms, conjuncts: &[(TermId, u32)]) -> (FxHashMap<TermId, Definition>, Vec<u32>) {
    let mut definitions = FxHashMap::default();
    let mut used = Vec::new();
    for &(conjunct, position) in conjuncts {
        let key = terms.key(conjunct);
        if key.op != Op::Eq {
            continue;
        }
        for (side, other) in [(key.a(), key.b()), (key.b(), key.a())] {
            let side_key = terms.key(side);
            let (variable, definition) = match side_key.op {
                Op::Var => (side, Definition::Is(other)),
                Op::Extract if side_key.low() == 0 => (side_key.a(), Definition::Low(other)),
                _ => continue,
            };
            let open = terms.op(variable) == Op::Var && !definitions.contains_key(&variable);
            if open && !leads_to(terms, &definitions, other, variable) {
                definitions.insert(variable, definition);
                used.push(position);
                break;
            }
        }
    }
    (definitions, used)
}

/// Whether a variable occurs in a term, or in what its variables are replaced by.
fn leads_to(terms: &Terms, definitions: &FxHashMap<TermId, Definition>, t: TermId, variable: TermId) -> bool {
    let (mut work, mut seen) = (vec![t], Vec::new());
    while let Some(t) = work.pop() {
        for &index in terms.vars(t) {
            let met = terms.variable(index).term;
            if met == variable {
                return true;
            }
            if let Some(definition) = definitions.get(&met)
                && !seen.contains(&met)
            {
                seen.push(met);
                work.push(definition.term());
            }
        }
    }
    false
}

/// Dividends and divisors, in no order that depends on more than the terms.
pub(super) fn divisions(terms: &Terms, assertions: &[TermId]) -> Vec<(TermId, TermId)> {
    let (mut divisions, mut seen) = (Vec::new(), FxHashSet::default());
    let mut work = assertions.to_vec();
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        let key = terms.key(t);
        if matches!(key.op, Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem) {
            divisions.push((key.a(), key.b()));
        }
        work.extend(key.operands());
    }
    divisions
}

/// The exponent of the greatest power of two that is no greater.
pub(super) fn magnitude_of(value: u128, width: u32) -> u32 {
    debug_assert!(value <= mask(width));
    bits_of(value) - 1
}
