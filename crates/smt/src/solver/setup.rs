//! Which solvers answer, and what watches them.

use std::path::PathBuf;

use super::arithmetic::Arithmetic;
use super::bits::Bits;
use super::cached::Cached;
use super::checked::Checked;
use super::decided::Decided;
use super::fallback::Fallback;
use super::guarded::Guarded;
use super::logged::Logged;
use super::trace::QueryLog;
use super::z3::Z3;
use super::{Limits, Solver, SolverError, Stop};

/// A backend that can be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// Z3, with a real push/pop stack.
    Z3,
    /// Circuits over CaDiCaL, lemmas for what they are slow at; Z3 where a circuit would be too large.
    #[default]
    Bits,
}

impl Backend {
    pub const ALL: [Backend; 2] = [Backend::Bits, Backend::Z3];

    pub fn name(self) -> &'static str {
        match self {
            Backend::Z3 => "z3",
            Backend::Bits => "bits",
        }
    }

    /// The backend by itself, verified. `stop`: when queries are to end.
    ///
    /// # Errors
    /// When a linked library is too old.
    pub fn start(self, stop: Option<&Stop>) -> Result<Box<dyn Solver>, SolverError> {
        Ok(match self {
            Backend::Z3 => Box::new(Guarded::new(z3(stop)?)),
            Backend::Bits => {
                let mut bits = Bits::new();
                if let Some(stop) = stop {
                    bits.stop_when(stop.clone());
                }
                let (stop, of_z3) = (stop.cloned(), stop.cloned());
                let any = Fallback::new(bits, move || z3(of_z3.as_ref()));
                Box::new(Guarded::new(Arithmetic::new(any, stop)))
            }
        })
    }

    /// What checks this one: a backend that shares nothing with it.
    fn second(self) -> Backend {
        match self {
            Backend::Z3 => Backend::Bits,
            Backend::Bits => Backend::Z3,
        }
    }
}

fn z3(stop: Option<&Stop>) -> Result<Z3, SolverError> {
    let mut z3 = Z3::new()?;
    if let Some(stop) = stop.cloned() {
        z3.stop_when(move || stop());
    }
    Ok(z3)
}

/// How path conditions are decided.
#[derive(Clone, Default)]
pub struct Setup {
    pub backend: Backend,
    /// Leaves out the procedures of [`Decided`]: the backend gets every query that is not remembered.
    pub backend_only: bool,
    /// For each query.
    pub limits: Limits,
    /// Ends queries early.
    pub stop: Option<Stop>,
    /// Gets every query that reaches the backend.
    pub log: Option<QueryLog>,
    /// Another backend is asked every query that is not answered by slicing, and must agree; where it does not, the query
    /// goes to this folder.
    pub check: Option<PathBuf>,
}

impl Setup {
    /// Everything below slicing.
    pub(super) fn solver(self) -> Result<Box<dyn Solver>, SolverError> {
        let mut backend = self.backend.start(self.stop.as_ref())?;
        if let Some(log) = self.log {
            backend = Box::new(Logged::new(backend, log));
        }
        let solver: Box<dyn Solver> = if self.backend_only {
            Box::new(Cached::new(backend))
        } else {
            Box::new(Cached::new(Decided::new(backend)))
        };
        let mut solver = match self.check {
            None => solver,
            Some(directory) => {
                let second = self.backend.second().start(self.stop.as_ref())?;
                Box::new(Checked::new(solver, second, directory))
            }
        };
        solver.set_limits(self.limits);
        Ok(solver)
    }
}
