//! Questions about quotients, remainders and products.
//!
//! A SAT solver learns next to nothing from the circuit of a division, and Z3 and Bitwuzla go through the same circuits:
//! that `x % c = 0` excludes `(x + 1) % c = 2` takes them half a minute at 16 bits. So such a question is decided in steps:
//! where variables have few values, all are tried (`enumeration`); what takes next to no search is answered by small numbers
//! and by its circuits; hashes are not computed (`hashes`); the same is asked about integers, with variables in place of what
//! is not linear (`integers`); then the results of divisions and products are variables, and what is known of them is told
//! where a model breaks it (`lemmas`; the scheme is that of Niemetz, Preiner and Zohar, "Scalable Bit-Blasting with
//! Abstractions", CAV 2024), in a few rounds first; a model of small numbers is looked for, with more steps; then lemmas as
//! long as they lead on, divisors one by one, and circuits last. Long sums, too, are asked about as integers, once circuits
//! have taken long.
//!
//! Guarantee: a model satisfies every assertion, by evaluation; each lemma is proved for small widths, and none depends on the
//! width. Equal questions get equal answers where only steps limit them.
//! Not promised: that a question is decided. [`UnknownReason::Steps`] says that it was given up.

mod budget;
mod enumeration;
mod hashes;
mod lemmas;
mod mixing;
mod question;
mod refine;
#[cfg(test)]
mod tests;

use std::time::Instant;

use rustc_hash::FxHashSet;

use self::budget::Budget;
use self::hashes::{Hashes, tabled};
use self::mixing::Mixing;
use self::question::{Form, Question, Small};
use self::refine::{Decision, Refinement};
use super::integers;
use super::z3::script::Scripts;
use super::{Answer, Limits, Solver, SolverError, SolverStats, Stop, UnknownReason, search};
use crate::model::Model;
use crate::pool::Terms;
use crate::term::{Op, TermId};

/// Conflicts for the first search for small models and the first look at circuits, for each of the later searches, and for a
/// round of lemmas.
const QUICK_STEPS: u32 = 200;
const SMALL_STEPS: u32 = 1_000;
const ROUND_STEPS: u32 = 4_000;

/// Circuits of more bits by bits take longer to build than Z3 takes to start.
const QUICK_SIZE: u64 = 2 * 32 * 32;

/// What circuits may take where nothing in them is slow by itself, before it is asked whether hashes, or long sums, are what
/// takes them long.
const HASH_STEPS: u32 = 1_000;
const SUM_STEPS: u32 = 4_000;

/// Rounds of lemmas, and conflicts in each, with hashes as variables, or as tables; and where there is nothing better.
const OPAQUE_ROUNDS: (u32, u32) = (4, 1_000);
const FEW_ROUNDS: (u32, u32) = (8, 1_000);
const MANY_ROUNDS: (u32, u32) = (64, ROUND_STEPS);

/// Who leaves a question no more steps has others to ask.
const HURRIED_STEPS: u32 = 10_000;

/// What a question about integers may take.
const INTEGER_STEPS: u32 = 20_000;

/// Operands of so many bits are left to circuits.
const EASY: u32 = 8;

/// Of the steps that a question may take, the part of one about arithmetic: its circuits are large, and a step takes longer.
const SHARE: u32 = 4;

/// A solver for questions about arithmetic over one for all others.
pub struct Arithmetic<S> {
    inner: S,
    stop: Option<Stop>,
    limits: Limits,
    ways: Ways,
    pool: u64,
    /// By term, what is in it; none: not known yet.
    contents: Vec<Option<Contents>>,
    core: Option<Vec<TermId>>,
    own: SolverStats,
    /// Questions that were given up and asked once more.
    asked_twice: u64,
    asked_inner: bool,
    scripts: Scripts,
}

impl<S: Solver> Arithmetic<S> {
    pub fn new(inner: S, stop: Option<Stop>) -> Arithmetic<S> {
        Arithmetic {
            inner,
            stop,
            limits: Limits::default(),
            ways: Ways::All,
            pool: 0,
            contents: Vec::new(),
            core: None,
            own: SolverStats::default(),
            asked_twice: 0,
            asked_inner: false,
            scripts: Scripts::default(),
        }
    }

    /// Without what comes before lemmas, so that these are tested where all values can be tried.
    #[must_use]
    pub fn by_lemmas_alone(mut self) -> Arithmetic<S> {
        self.ways = Ways::Lemmas;
        self
    }

    /// With nothing but questions about integers, for the same purpose.
    #[must_use]
    pub fn by_integers_alone(mut self) -> Arithmetic<S> {
        self.ways = Ways::Integers;
        self
    }

    /// With nothing but what is done for hashes, which most constants make; for the same purpose.
    #[must_use]
    pub fn by_hashes_alone(mut self) -> Arithmetic<S> {
        self.ways = Ways::Hashes;
        self
    }

    /// What occurs in these terms.
    fn contents_of_all(&mut self, terms: &Terms, assertions: &[TermId]) -> Contents {
        if self.pool != terms.pool_id() {
            self.pool = terms.pool_id();
            self.contents.clear();
        }
        if self.contents.len() < terms.len() {
            self.contents.resize(terms.len(), None);
        }
        assertions.iter().fold(Contents::default(), |all, &t| all.and(self.contents(terms, t)))
    }

    fn contents(&mut self, terms: &Terms, t: TermId) -> Contents {
        if let Some(known) = self.contents[t.index()] {
            return known;
        }
        let mut work = vec![t];
        while let Some(&top) = work.last() {
            if self.contents[top.index()].is_some() {
                work.pop();
                continue;
            }
            let pending = work.len();
            work.extend(terms.args(top).filter(|a| self.contents[a.index()].is_none()));
            if work.len() == pending {
                work.pop();
                let own = Contents {
                    slow: slow_operator(terms, top, self.ways.easy()).is_some(),
                    hashes: mixing::is_product(terms, top, self.ways.mixing()),
                };
                let below = terms.args(top).filter_map(|a| self.contents[a.index()]);
                self.contents[top.index()] = Some(below.fold(own, Contents::and));
            }
        }
        self.contents[t.index()].unwrap_or_default()
    }

    /// Circuits answer most of these at once; but that long sums are equal if their parts are, they learn one bit after
    /// another.
    fn without_slow_operators(
        &mut self,
        terms: &mut Terms,
        assertions: &[TermId],
        hashes: bool,
    ) -> Result<Answer, SolverError> {
        // Whoever is in a hurry has them halved.
        let sums = self.limits.steps.map_or(SUM_STEPS, |steps| SUM_STEPS.min(steps / 2));
        let first = hashes.then_some((HASH_STEPS.min(sums), true));
        for (steps, hashes) in first.into_iter().chain([(sums, false)]) {
            self.inner.set_limits(Limits { steps: Some(steps.max(1)), ..self.limits });
            let answer = self.inner.check(terms, assertions);
            self.inner.set_limits(self.limits);
            let answer = answer?;
            if answer != Answer::Unknown(UnknownReason::Steps) {
                return Ok(answer);
            }
            self.asked_twice += 1;
            let start = Instant::now();
            let mut budget = Budget::new(self.limits, self.stop.clone());
            let other = match hashes {
                true => match self.hashes(terms, assertions, &mut budget) {
                    Hashes::Answer(answer) => Some(answer),
                    Hashes::Open(_) | Hashes::None => None,
                },
                false => self.sums(terms, assertions, &budget)?,
            };
            self.own.time += start.elapsed();
            if let Some(answer) = other {
                self.asked_inner = false;
                self.count(&answer);
                return Ok(answer);
            }
        }
        self.inner.check(terms, assertions)
    }

    fn sums(&mut self, terms: &Terms, assertions: &[TermId], budget: &Budget) -> Result<Option<Answer>, SolverError> {
        let integers = integers::Question::new(terms, assertions);
        if !integers.exact {
            return Ok(None);
        }
        integers.ask(&mut self.scripts, terms, assertions, budget.of_integers())
    }

    fn count(&mut self, answer: &Answer) {
        self.own.queries += 1;
        match answer {
            Answer::Sat(_) => self.own.sat += 1,
            Answer::Unsat => self.own.unsat += 1,
            Answer::Unknown(_) => self.own.unknown += 1,
        }
    }

    fn decide(&mut self, terms: &Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        let mut budget = Budget::new(self.limits, self.stop.clone());
        let (mut none_small, mut keys) = (false, Vec::new());
        if self.ways == Ways::Hashes {
            let answer = match self.hashes(terms, assertions, &mut budget) {
                Hashes::Answer(answer) => Some(answer),
                Hashes::Open(sets) => tabled(terms, assertions, (&sets, MANY_ROUNDS), &mut budget),
                Hashes::None => None,
            };
            return Ok(answer.unwrap_or(Answer::Unknown(UnknownReason::Steps)));
        }
        if self.ways != Ways::Lemmas {
            // What takes no search is answered before Z3 has started.
            if self.ways == Ways::All {
                if let Some(answer) = enumeration::decide(terms, assertions) {
                    return Ok(answer);
                }
                match self.small(terms, assertions, (Small::All, QUICK_STEPS), &mut budget) {
                    Found::Answer(answer) => return Ok(answer),
                    Found::None => none_small = true,
                    Found::Open => {}
                }
                if let Some(answer) = self.circuits(terms, assertions, &mut budget) {
                    return Ok(answer);
                }
                match self.hashes(terms, assertions, &mut budget) {
                    Hashes::Answer(answer) => return Ok(answer),
                    Hashes::Open(sets) => keys = sets.to_vec(),
                    Hashes::None => {}
                }
            }
            let integers = integers::Question::new(terms, assertions);
            if let Some(answer) = integers.ask(&mut self.scripts, terms, assertions, budget.of_integers())? {
                return Ok(answer);
            }
            if self.ways == Ways::All {
                // With hashes, this has been tried.
                if keys.is_empty()
                    && let Some(answer) = self.briefly(terms, assertions, &mut budget)
                {
                    return Ok(answer);
                }
                for small in [Small::All, Small::OfDivisors] {
                    if small == Small::All && none_small {
                        continue;
                    }
                    if let Found::Answer(answer) = self.small(terms, assertions, (small, SMALL_STEPS), &mut budget) {
                        return Ok(answer);
                    }
                }
            }
            if self.ways == Ways::Integers {
                return Ok(Answer::Unknown(UnknownReason::Steps));
            }
            if !self.is_hurried()
                && let Some(answer) = tabled(terms, assertions, (&keys, MANY_ROUNDS), &mut budget)
            {
                return Ok(answer);
            }
        }
        let form = Form { small: Small::None, open_above: Some(self.ways.easy()), mixing: Mixing::Circuits };
        let question = Question::new(terms, assertions, form);
        Ok(match Refinement::new(question, terms, assertions).run(&mut budget) {
            Decision::Sat(model) => Answer::Sat(model),
            Decision::Unsat(positions) => self.unsat(assertions, positions),
            Decision::Open => Answer::Unknown(budget.reason()),
        })
    }

    /// A model in which variables have a few bits only; or that there is none, where none has more. With so many conflicts.
    fn small(
        &mut self,
        terms: &Terms,
        assertions: &[TermId],
        (small, steps): (Small, u32),
        budget: &mut Budget,
    ) -> Found {
        let question = Question::new(terms, assertions, Form { small, open_above: None, mixing: Mixing::Circuits });
        answer_of(&question, terms, assertions, steps, budget)
    }

    /// By a few rounds of lemmas; for who is in no hurry.
    fn briefly(&mut self, terms: &Terms, assertions: &[TermId], budget: &mut Budget) -> Option<Answer> {
        if self.is_hurried() {
            return None;
        }
        let form = Form { small: Small::None, open_above: Some(EASY), mixing: Mixing::Circuits };
        let question = Question::new(terms, assertions, form);
        match Refinement::new(question, terms, assertions).run_briefly(FEW_ROUNDS, budget).0 {
            Decision::Sat(model) => Some(Answer::Sat(model)),
            Decision::Unsat(positions) => Some(self.unsat(assertions, positions)),
            Decision::Open => None,
        }
    }

    /// A question has few steps in all: whoever asks has others.
    fn is_hurried(&self) -> bool {
        self.limits.steps.is_some_and(|steps| steps <= HURRIED_STEPS)
    }

    fn unsat(&mut self, assertions: &[TermId], positions: Vec<u32>) -> Answer {
        self.core = Some(positions.into_iter().map(|p| assertions[p as usize]).collect());
        Answer::Unsat
    }

    /// What circuits say at once, where they are small.
    fn circuits(&mut self, terms: &Terms, assertions: &[TermId], budget: &mut Budget) -> Option<Answer> {
        if self.size(terms, assertions) > QUICK_SIZE {
            return None;
        }
        let mut bits = budget.solver();
        let answer = budget.ask(&mut bits, terms, assertions, QUICK_STEPS);
        if answer == Answer::Unsat {
            self.core = Some(bits.failed().to_vec());
        }
        (!matches!(answer, Answer::Unknown(_))).then_some(answer)
    }

    /// How large circuits of the slow operators are: for each, its bits by its bits.
    fn size(&self, terms: &Terms, assertions: &[TermId]) -> u64 {
        let (mut work, mut seen) = (assertions.to_vec(), FxHashSet::default());
        let mut size = 0;
        while let Some(t) = work.pop() {
            if !seen.insert(t) || self.contents[t.index()].is_none_or(|contents| !contents.slow) {
                continue;
            }
            if slow_operator(terms, t, 0).is_some() {
                let width = u64::from(terms.width(t));
                size += width * width;
            }
            work.extend(terms.args(t));
        }
        size
    }
}

/// Whether a question has a model; or that it has none, if that makes it one without.
fn answer_of(question: &Question, terms: &Terms, assertions: &[TermId], steps: u32, budget: &mut Budget) -> Found {
    let conjuncts: Vec<TermId> = question.conjuncts.iter().map(|c| c.0).collect();
    let none = if question.exact { Found::Answer(Answer::Unsat) } else { Found::None };
    if conjuncts.iter().any(|&c| question.terms.is_false(c)) {
        return none;
    }
    let mut bits = budget.solver();
    match budget.ask(&mut bits, &question.terms, &conjuncts, steps) {
        Answer::Sat(model) => {
            let model = question.original(terms, &model);
            match search::satisfies(terms, assertions, &model) {
                true => Found::Answer(Answer::Sat(model)),
                false => Found::Open,
            }
        }
        Answer::Unsat => none,
        Answer::Unknown(_) => Found::Open,
    }
}

/// What a search for a small model led to.
enum Found {
    Answer(Answer),
    /// There is none so small.
    None,
    Open,
}

/// What occurs in a term.
#[derive(Clone, Copy, Default)]
struct Contents {
    /// An operator that circuits are slow at.
    slow: bool,
    /// A product of a hash.
    hashes: bool,
}

impl Contents {
    fn and(self, other: Contents) -> Contents {
        Contents { slow: self.slow | other.slow, hashes: self.hashes | other.hashes }
    }
}

/// What is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    All,
    Lemmas,
    Integers,
    Hashes,
}

impl Ways {
    /// Results of no more bits are left to circuits.
    fn easy(self) -> u32 {
        if self == Ways::All { EASY } else { 0 }
    }

    /// Products with constants of so many bits are hashes.
    fn mixing(self) -> u32 {
        if self == Ways::Hashes { 2 } else { mixing::LEAST_BITS }
    }
}

/// As C writes it, the operator of a term that circuits are slow at where its operands have more than `easy` bits and
/// are no constants.
fn slow_operator(terms: &Terms, t: TermId, easy: u32) -> Option<&'static str> {
    let key = terms.key(t);
    match key.op {
        _ if key.w() <= easy => None,
        Op::Udiv | Op::Sdiv => Some("/"),
        Op::Urem | Op::Srem => Some("%"),
        Op::Mul if !terms.is_const(key.b()) => Some("*"),
        _ => None,
    }
}

impl Terms {
    /// As C writes it, an operator in `t` that solvers are slow at; divisions come first.
    pub fn slow_operator(&self, t: TermId) -> Option<&'static str> {
        let (mut work, mut seen) = (vec![t], FxHashSet::default());
        let mut found = None;
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            match slow_operator(self, t, EASY) {
                Some("*") => found = Some("*"),
                None => {}
                division => return division,
            }
            work.extend(self.args(t));
        }
        found
    }
}

impl<S: Solver> Solver for Arithmetic<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        self.core = None;
        let contents = self.contents_of_all(terms, assertions);
        self.asked_inner = !contents.slow;
        if !contents.slow {
            return self.without_slow_operators(terms, assertions, contents.hashes);
        }
        let start = Instant::now();
        let answer = self.decide(terms, assertions)?;
        if answer == Answer::Unknown(UnknownReason::Incomplete) {
            self.asked_inner = true;
            return self.inner.check(terms, assertions);
        }
        self.own.time += start.elapsed();
        self.count(&answer);
        Ok(answer)
    }

    fn core(&self) -> Option<&[TermId]> {
        if self.asked_inner { self.inner.core() } else { self.core.as_deref() }
    }

    fn near(&mut self, terms: &Terms, model: &Model) {
        self.inner.near(terms, model);
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.inner.set_limits(limits);
    }

    fn stats(&self) -> SolverStats {
        let mut stats = self.inner.stats();
        stats += self.own;
        stats.queries -= self.asked_twice.min(stats.queries);
        stats.unknown -= self.asked_twice.min(stats.unknown);
        stats
    }
}
