//! The backend of our own: terms as circuits, circuits as clauses, CaDiCaL to solve them.
//!
//! Every term is translated once and keeps its clauses, which define it and exclude nothing; a query is the literals of
//! its conjuncts, assumed. So what CaDiCaL learns in one query serves those that follow, and the assumptions that it
//! fails by are an unsatisfiable core.
//!
//! Models are for [`super::guarded`] to verify. Guarantee: equal sequences of queries give equal answers.
//! A query whose circuit would be too large is [`UnknownReason::Incomplete`].

mod circuit;
mod float;
mod gates;
#[cfg(test)]
mod tests;
mod words;

use std::time::{Duration, Instant};

use self::circuit::{Circuit, TooLarge};
use self::gates::{Clauses, FALSE, Lit};
use super::{Answer, Limits, Solver, SolverError, SolverStats, Stop, UnknownReason};
use crate::model::Model;
use crate::pool::Terms;
use crate::term::TermId;

const BACKEND: &str = "bits";

/// Between two looks at the clock.
const PERIOD: Duration = Duration::from_millis(20);

/// Clauses kept before all of them are made anew: CaDiCaL gives every variable a value, also those that a query does
/// not depend on.
const MAX_KEPT: usize = 400_000;

type Sat = cadical::Solver<Interrupt>;

/// When CaDiCaL gives up.
struct Interrupt {
    stop: Option<Stop>,
    deadline: Option<Instant>,
    looked: Instant,
    calls: u32,
}

impl cadical::Callbacks for Interrupt {
    fn terminate(&mut self) -> bool {
        // It asks far more often than a clock need be read.
        self.calls = self.calls.wrapping_add(1);
        if !self.calls.is_multiple_of(64) || self.looked.elapsed() < PERIOD {
            return false;
        }
        self.looked = Instant::now();
        self.deadline.is_some_and(|deadline| self.looked >= deadline) || self.stop.as_ref().is_some_and(|stop| stop())
    }
}

impl Clauses for Sat {
    fn add(&mut self, clause: &[Lit]) {
        self.add_clause(clause.iter().copied());
    }
}

/// Bit-blasting over CaDiCaL.
pub struct Bits {
    pool: u64,
    circuit: Circuit<Sat>,
    limits: Limits,
    stop: Option<Stop>,
    core: Option<Vec<TermId>>,
    stats: SolverStats,
}

impl Default for Bits {
    fn default() -> Bits {
        Bits::new()
    }
}

impl Bits {
    pub fn new() -> Bits {
        Bits {
            pool: 0,
            circuit: Circuit::new(Sat::new()),
            limits: Limits::default(),
            stop: None,
            core: None,
            stats: SolverStats::default(),
        }
    }

    /// Lets queries end with [`Answer::Unknown`] soon after `stop` says so.
    pub fn stop_when(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// The assertions by which the last query failed.
    pub(super) fn failed(&self) -> &[TermId] {
        self.core.as_deref().unwrap_or_default()
    }

    /// As [`Solver::check`], which never fails here.
    pub(super) fn decide(&mut self, terms: &Terms, assertions: &[TermId]) -> Answer {
        self.core = None;
        self.run(terms, assertions)
    }

    fn run(&mut self, terms: &Terms, assertions: &[TermId]) -> Answer {
        if self.pool != terms.pool_id() || self.circuit.gates.size().1 > MAX_KEPT {
            self.pool = terms.pool_id();
            self.circuit = Circuit::new(Sat::new());
        }
        self.circuit.begin();
        let mut literals = Vec::with_capacity(assertions.len());
        for &assertion in assertions {
            match self.circuit.literal(terms, assertion) {
                Ok(FALSE) => {
                    self.core = Some(vec![assertion]);
                    return Answer::Unsat;
                }
                Ok(literal) => literals.push(literal),
                Err(TooLarge) => {
                    self.circuit = Circuit::new(Sat::new());
                    return Answer::Unknown(UnknownReason::Incomplete);
                }
            }
        }
        match self.solve(&literals) {
            Some(true) => Answer::Sat(self.model(terms, assertions)),
            Some(false) => {
                let sat = &self.circuit.gates.solver;
                let failed = assertions.iter().zip(&literals).filter(|&(_, &literal)| sat.failed(literal));
                self.core = Some(failed.map(|(&assertion, _)| assertion).collect());
                Answer::Unsat
            }
            None if self.limits.steps.is_some() && self.limits.timeout.is_none() => {
                Answer::Unknown(UnknownReason::Steps)
            }
            None => Answer::Unknown(UnknownReason::Timeout),
        }
    }

    fn solve(&mut self, literals: &[Lit]) -> Option<bool> {
        let sat = &mut self.circuit.gates.solver;
        let now = Instant::now();
        let deadline = self.limits.timeout.and_then(|timeout| now.checked_add(timeout));
        let interrupt = Interrupt { stop: self.stop.clone(), deadline, looked: now, calls: 0 };
        let limited = interrupt.stop.is_some() || deadline.is_some();
        sat.set_callbacks(limited.then_some(interrupt));
        if let Some(steps) = self.limits.steps {
            // A step is a conflict.
            let conflicts = i32::try_from(steps).unwrap_or(i32::MAX);
            if sat.set_limit("conflicts", conflicts).is_err() {
                tracing::warn!("CaDiCaL does not limit its conflicts");
            }
        }
        sat.solve_with(literals.iter().copied())
    }

    fn model(&self, terms: &Terms, assertions: &[TermId]) -> Model {
        let mut variables: Vec<u32> = assertions.iter().flat_map(|&a| terms.vars(a).iter().copied()).collect();
        variables.sort_unstable();
        variables.dedup();
        let sat = &self.circuit.gates.solver;
        self.circuit.model(terms, &variables, |literal| sat.value(literal) == Some(true))
    }
}

impl Solver for Bits {
    fn name(&self) -> &'static str {
        BACKEND
    }

    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        let start = Instant::now();
        let answer = self.decide(terms, assertions);
        self.stats.time += start.elapsed();
        self.stats.queries += 1;
        match &answer {
            Answer::Sat(_) => self.stats.sat += 1,
            Answer::Unsat => self.stats.unsat += 1,
            Answer::Unknown(_) => self.stats.unknown += 1,
        }
        Ok(answer)
    }

    fn core(&self) -> Option<&[TermId]> {
        self.core.as_deref()
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn stats(&self) -> SolverStats {
        self.stats
    }
}
