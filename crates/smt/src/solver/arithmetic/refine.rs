//! Telling lemmas until a question is decided.

use rustc_hash::FxHashSet;

use super::ROUND_STEPS;
use super::budget::Budget;
use super::lemmas::{self, Division, Product};
use super::mixing;
use super::question::{Question, magnitude_of};
use crate::eval::Evaluator;
use crate::linear::Linear;
use crate::model::Model;
use crate::pool::Terms;
use crate::semantics;
use crate::solver::bits::Bits;
use crate::solver::{Answer, search};
use crate::term::{Op, TermId, mask};

/// Models that were broken before circuits are told.
const MAX_ROUNDS: u32 = 64;

/// Lemmas of one division for one model, and values of its divisor that are tried.
const MAX_AT_ONCE: usize = 3;
const MAX_VALUES: u32 = 6;
/// Values up to this one are tried beyond that number: each is a case of few.
const SMALL_VALUE: u128 = 16;

/// Terms that the difference of two dividends may consist of.
const MAX_MONOMIALS: usize = 2;

/// Divisions before none is added for what dividends consist of.
const MAX_DIVISIONS: usize = 24;

pub(super) enum Decision {
    /// Of the variables of the original.
    Sat(Model),
    /// Positions of assertions that cannot hold together.
    Unsat(Vec<u32>),
    Open,
}

/// What came of telling what one model breaks.
enum Round {
    Decided(Decision),
    /// It is none of the original.
    Model(Model),
    /// There is none so far.
    Open,
}

/// One question, and what was told of it.
pub(super) struct Refinement<'a> {
    question: Question<'a>,
    from: &'a Terms,
    assertions: &'a [TermId],
    told: Vec<TermId>,
    known: FxHashSet<TermId>,
    /// Divisions of the question itself.
    given: usize,
    /// By division, and by product, values tried; `None`: the circuit is told.
    tried: Vec<Option<u32>>,
    factors: Vec<Option<u32>>,
    /// Pairs and sums looked at, by position of their divisions.
    apart: FxHashSet<(usize, usize)>,
}

impl<'a> Refinement<'a> {
    pub(super) fn new(question: Question<'a>, from: &'a Terms, assertions: &'a [TermId]) -> Refinement<'a> {
        Refinement {
            given: question.divisions.len(),
            question,
            from,
            assertions,
            told: Vec::new(),
            known: FxHashSet::default(),
            tried: Vec::new(),
            factors: Vec::new(),
            apart: FxHashSet::default(),
        }
    }

    pub(super) fn run(mut self, budget: &mut Budget) -> Decision {
        let mut bits = budget.solver();
        for _ in 0..MAX_ROUNDS {
            let patience = budget.steps.unwrap_or(u32::MAX) / 2;
            match self.round(&mut bits, budget, (ROUND_STEPS, Some(patience))) {
                Round::Decided(decision) => return decision,
                Round::Model(_) => {}
                Round::Open => break,
            }
        }
        self.tell_circuits();
        let steps = budget.steps.unwrap_or(u32::MAX);
        match self.ask(&mut bits, budget, &[], steps) {
            Answer::Unsat => Decision::Unsat(self.core(&bits)),
            Answer::Sat(model) => self.fitting(&model).map_or(Decision::Open, Decision::Sat),
            Answer::Unknown(_) => Decision::Open,
        }
    }

    /// As far as few rounds of lemmas lead, and what is known of products that are variables. Then the last model, if there
    /// is one.
    pub(super) fn run_briefly(mut self, (rounds, steps): (u32, u32), budget: &mut Budget) -> (Decision, Option<Model>) {
        let mut bits = budget.solver();
        let mut last = None;
        for at in 0..self.question.mixed.len() {
            let told = mixing::of_zero(&mut self.question.terms, &self.question.mixed[at]);
            self.tell(told);
        }
        for _ in 0..rounds {
            let told = self.told.len();
            match self.round(&mut bits, budget, (steps, None)) {
                Round::Decided(decision) => return (decision, None),
                Round::Model(model) => last = Some(self.question.original(self.from, &model)),
                Round::Open => break,
            }
            if self.told.len() == told {
                break;
            }
        }
        (Decision::Open, last)
    }

    /// Asks, and tells what the model breaks. In so many steps; with patience, in more.
    fn round(&mut self, bits: &mut Bits, budget: &mut Budget, (steps, patience): (u32, Option<u32>)) -> Round {
        self.begin_divisions();
        let mut answer = self.ask(bits, budget, &[], steps);
        if matches!(answer, Answer::Unknown(_))
            && let Some(steps) = patience
        {
            // Much is known; circuits would only make it harder.
            answer = self.ask(bits, budget, &[], steps);
        }
        let model = match answer {
            Answer::Unsat => return Round::Decided(Decision::Unsat(self.core(bits))),
            Answer::Unknown(_) => return Round::Open,
            Answer::Sat(model) => model,
        };
        if let Some(found) = self.fitting(&model) {
            return Round::Decided(Decision::Sat(found));
        }
        self.refine_mixed(&model);
        let divisors = self.refine(&model);
        // With its divisors as they are now, a question is far easier.
        if !divisors.is_empty()
            && let Answer::Sat(model) = self.ask(bits, budget, &divisors, ROUND_STEPS / 4)
            && let Some(found) = self.fitting(&model)
        {
            return Round::Decided(Decision::Sat(found));
        }
        Round::Model(model)
    }

    /// Tells which products with one factor a model has equal, or not.
    fn refine_mixed(&mut self, model: &Model) {
        let mut at = Evaluator::new(model.clone());
        for one in 0..self.question.mixed.len() {
            for other in 0..one {
                let (one, other) = (self.question.mixed[one], self.question.mixed[other]);
                if one.factor == other.factor {
                    let lemma = mixing::congruent(&mut self.question.terms, &one, &other);
                    self.tell_broken(&mut at, lemma);
                }
            }
        }
    }

    fn ask(&mut self, bits: &mut Bits, budget: &mut Budget, more: &[TermId], steps: u32) -> Answer {
        let conjuncts = self.question.conjuncts.iter().map(|c| c.0);
        let all: Vec<TermId> = conjuncts.chain(self.told.iter().copied()).chain(more.iter().copied()).collect();
        budget.ask(bits, &self.question.terms, &all, steps)
    }

    /// Positions of the assertions that the last question failed by.
    fn core(&self, bits: &Bits) -> Vec<u32> {
        let conjuncts = &self.question.conjuncts;
        let failed: FxHashSet<TermId> = bits.failed().iter().copied().collect();
        let mut core: Vec<u32> = conjuncts.iter().filter(|(t, _)| failed.contains(t)).map(|c| c.1).collect();
        core.extend(&self.question.used);
        core.sort_unstable();
        core.dedup();
        core
    }

    /// The model of the original that a model of the question is, if it is one.
    fn fitting(&self, model: &Model) -> Option<Model> {
        let original = self.question.original(self.from, model);
        search::satisfies(self.from, self.assertions, &original).then_some(original)
    }

    /// Tells what every question about a division needs.
    fn begin_divisions(&mut self) {
        for at in self.tried.len()..self.question.divisions.len() {
            self.tried.push(Some(0));
            for (_, lemma) in lemmas::ALWAYS {
                let division = self.question.divisions[at];
                let told = lemma(&mut self.question.terms, &division);
                self.tell(told);
            }
        }
        self.factors.resize(self.question.products.len(), Some(0));
    }

    /// Whether it is news.
    fn tell(&mut self, lemma: TermId) -> bool {
        let news = !self.question.terms.is_true(lemma) && self.known.insert(lemma);
        if news {
            self.told.push(lemma);
        }
        news
    }

    /// Tells a lemma if the model breaks it.
    fn tell_broken(&mut self, at: &mut Evaluator, lemma: TermId) -> bool {
        at.eval(&self.question.terms, lemma) == 0 && self.tell(lemma)
    }

    /// Tells what a model breaks. Where the value of a divisor was tried, the equations that make it so.
    fn refine(&mut self, model: &Model) -> Vec<TermId> {
        let mut at = Evaluator::new(model.clone());
        let mut divisors = Vec::new();
        for number in 0..self.tried.len() {
            let division = self.question.divisions[number];
            if self.is_right(&mut at, &division) {
                continue;
            }
            let told = self.single(&mut at, &division) || self.pairs(&mut at, number) || self.sums(&mut at, number);
            if !told && let Some(equation) = self.value(&mut at, number) {
                divisors.push(equation);
            }
        }
        for number in 0..self.factors.len() {
            let Product { a, b, value } = self.question.products[number];
            let width = self.question.terms.width(value);
            let [va, vb, now] = [a, b, value].map(|t| at.eval(&self.question.terms, t));
            if semantics::binary(Op::Mul, width, va, vb) != now && !self.product(&mut at, number) {
                self.factor(&mut at, number);
            }
        }
        if !divisors.is_empty() {
            divisors = self.divisors(&mut at);
        }
        divisors
    }

    /// That every divisor has the value that it has now.
    fn divisors(&mut self, at: &mut Evaluator) -> Vec<TermId> {
        let mut equations = Vec::new();
        for number in 0..self.tried.len() {
            let division = self.question.divisions[number];
            let terms = &mut self.question.terms;
            let value = at.eval(terms, division.divisor);
            let constant = terms.bv(terms.width(division.divisor), value);
            equations.push(terms.eq(division.divisor, constant));
            let lemma = lemmas::divisor_is(terms, &division, value);
            self.tell(lemma);
        }
        equations
    }

    fn is_right(&self, at: &mut Evaluator, d: &Division) -> bool {
        let terms = &self.question.terms;
        let width = terms.width(d.dividend);
        let [x, c, q, r] = [d.dividend, d.divisor, d.quotient, d.remainder].map(|t| at.eval(terms, t));
        semantics::binary(Op::Udiv, width, x, c) == q && semantics::binary(Op::Urem, width, x, c) == r
    }

    fn single(&mut self, at: &mut Evaluator, d: &Division) -> bool {
        let mut told = 0;
        for (_, lemma) in lemmas::SINGLE {
            let term = lemma(&mut self.question.terms, d);
            told += usize::from(self.tell_broken(at, term));
            if told == MAX_AT_ONCE {
                break;
            }
        }
        told > 0
    }

    fn pairs(&mut self, at: &mut Evaluator, number: usize) -> bool {
        let division = self.question.divisions[number];
        let width = self.question.terms.width(division.dividend);
        let mut told = 0;
        for other in 0..self.tried.len() {
            let second = self.question.divisions[other];
            let terms = &self.question.terms;
            let mut equal = |a, b| at.eval(terms, a) == at.eval(terms, b);
            let related = other != number
                && terms.width(second.dividend) == width
                && (equal(division.divisor, second.divisor) || equal(division.dividend, second.dividend));
            if !related {
                continue;
            }
            for (_, lemma) in lemmas::PAIRS {
                for (d, e) in [(&division, &second), (&second, &division)] {
                    let term = lemma(&mut self.question.terms, d, e);
                    told += usize::from(self.tell_broken(at, term));
                }
            }
            if told >= MAX_AT_ONCE {
                break;
            }
        }
        told > 0
    }

    /// Divides what a dividend is a sum of, and what two dividends differ by.
    fn sums(&mut self, at: &mut Evaluator, number: usize) -> bool {
        let division = self.question.divisions[number];
        let key = self.question.terms.key(division.dividend);
        let mut told = false;
        if self.question.divisions.len() >= MAX_DIVISIONS {
            return false;
        }
        if key.op == Op::Add && self.apart.insert((number, number)) {
            let (a, b) = (key.a(), key.b());
            // `a - b`: what it and `b` add up to is `a`.
            told |= match self.subtracted(b) {
                Some(b) => self.sum(division.dividend, b, a, division.divisor),
                None => self.sum(a, b, division.dividend, division.divisor),
            };
        }
        for other in 0..self.tried.len() {
            let second = self.question.divisions[other];
            if other == number || second.divisor != division.divisor || !self.apart.insert((number, other)) {
                continue;
            }
            let terms = &self.question.terms;
            let (x, y) = (division.dividend, second.dividend);
            let (low, high) = if at.eval(terms, x) <= at.eval(terms, y) { (x, y) } else { (y, x) };
            let given = number.max(other) < self.given;
            if let Some(difference) = self.difference(low, high)
                && (given || self.question.terms.is_const(difference))
            {
                told |= self.sum(low, difference, high, division.divisor);
            }
        }
        told
    }

    /// What adding `t` subtracts, where it is meant to.
    fn subtracted(&mut self, t: TermId) -> Option<TermId> {
        let terms = &mut self.question.terms;
        let key = terms.key(t);
        match key.value() {
            Some(value) => (value >> (key.w() - 1) == 1).then(|| terms.neg(t)),
            None => (key.op == Op::Neg).then(|| key.a()),
        }
    }

    /// `high - low`, where it is short.
    fn difference(&mut self, low: TermId, high: TermId) -> Option<TermId> {
        let terms = &mut self.question.terms;
        let mut difference = Linear::of_term(terms, high)?;
        difference.gather(terms, low, mask(terms.width(low)))?;
        (difference.monomials().len() <= MAX_MONOMIALS).then(|| difference.build(terms))
    }

    /// Tells how the divisions of `x`, `y` and their sum by one divisor are related.
    fn sum(&mut self, x: TermId, y: TermId, total: TermId, divisor: TermId) -> bool {
        let [d, e, sum] = [x, y, total].map(|dividend| {
            let (quotient, remainder) = self.question.divide(dividend, divisor);
            Division { dividend, divisor, quotient, remainder }
        });
        let lemma = lemmas::sum(&mut self.question.terms, &d, &e, &sum);
        self.tell(lemma)
    }

    /// Tries the divisor's value, or tells the circuit. The equation that says so, where its value is tried.
    fn value(&mut self, at: &mut Evaluator, number: usize) -> Option<TermId> {
        let division = self.question.divisions[number];
        let terms = &mut self.question.terms;
        let width = terms.width(division.divisor);
        let value = at.eval(terms, division.divisor);
        let magnitude = lemmas::magnitude(terms, &division, magnitude_of(value, width));
        if self.tell_broken(at, magnitude) {
            return None;
        }
        let terms = &mut self.question.terms;
        let tried = self.tried[number]?;
        if tried < MAX_VALUES || value <= SMALL_VALUE {
            self.tried[number] = Some(tried + u32::from(value > SMALL_VALUE));
            let lemma = lemmas::divisor_is(terms, &division, value);
            let constant = terms.bv(width, value);
            let equation = terms.eq(division.divisor, constant);
            self.tell(lemma);
            return Some(equation);
        }
        self.tried[number] = None;
        let all = lemmas::all(&mut self.question.terms, &division);
        self.tell(all);
        None
    }

    fn product(&mut self, at: &mut Evaluator, number: usize) -> bool {
        let product = self.question.products[number];
        let swapped = Product { a: product.b, b: product.a, ..product };
        let mut told = false;
        for (_, lemma) in lemmas::PRODUCTS {
            let term = lemma(&mut self.question.terms, &product);
            told |= self.tell_broken(at, term);
        }
        let width = self.question.terms.width(product.value);
        for p in [product, swapped] {
            let bits = magnitude_of(at.eval(&self.question.terms, p.a), width) + 1;
            if bits < width {
                let term = lemmas::bounded(&mut self.question.terms, &p, bits);
                told |= self.tell_broken(at, term);
            }
            for other in 0..self.tried.len() {
                let division = self.question.divisions[other];
                if self.question.terms.width(division.dividend) == width {
                    let term = lemmas::undone(&mut self.question.terms, &p, &division);
                    told |= self.tell_broken(at, term);
                }
            }
            for other in (0..self.factors.len()).filter(|&other| other != number) {
                told |= self.common_factor(at, &p, other);
            }
        }
        told
    }

    fn common_factor(&mut self, at: &mut Evaluator, p: &Product, other: usize) -> bool {
        let Product { a, b, value } = self.question.products[other];
        let mut told = false;
        for o in [Product { a, b, value }, Product { a: b, b: a, value }] {
            let same = o.b == p.b && self.question.terms.width(o.a) == self.question.terms.width(p.a);
            if same
                && let Some(difference) = self.difference(p.a, o.a)
                && let Some(by) = self.question.terms.as_const(difference)
            {
                let term = lemmas::apart(&mut self.question.terms, p, &o, by);
                told |= self.tell_broken(at, term);
            }
        }
        told
    }

    /// Tries the smaller factor's value, or tells the circuit.
    fn factor(&mut self, at: &mut Evaluator, number: usize) {
        let product = self.question.products[number];
        let terms = &mut self.question.terms;
        let (va, vb) = (at.eval(terms, product.a), at.eval(terms, product.b));
        let (p, value) = if va <= vb { (product, va) } else { (Product { a: product.b, b: product.a, ..product }, vb) };
        let Some(tried) = self.factors[number] else { return };
        let lemma = if tried < MAX_VALUES || value <= SMALL_VALUE {
            self.factors[number] = Some(tried + u32::from(value > SMALL_VALUE));
            lemmas::factor_is(terms, &p, value)
        } else {
            self.factors[number] = None;
            lemmas::all_of_product(terms, &product)
        };
        self.tell(lemma);
    }

    fn tell_circuits(&mut self) {
        for division in self.question.divisions.clone() {
            let all = lemmas::all(&mut self.question.terms, &division);
            self.tell(all);
        }
        for product in self.question.products.clone() {
            let all = lemmas::all_of_product(&mut self.question.terms, &product);
            self.tell(all);
        }
    }
}
