//! Terms and solvers.
//!
//! [`Terms`] holds hash-consed terms of bit-vectors, of arrays, and of floating-point operators on bit-vectors. Building a term applies the rewriter
//! (`rewrite`), which knows the constant bits and the unsigned range of every term ([`Facts`]), so most
//! branch conditions become constants before a solver sees them. [`Solver`] decides conjunctions; [`Bits`] and
//! [`Z3`] are backends; [`Sliced`], [`Cached`], [`Decided`], [`Checked`] and others are decorators; [`Solving`] composes
//! them as [`Setup`] says.
//!
//! Guarantee: a term and its rewritten form have equal values under every assignment (each rule is proved by
//! a solver query in the tests); SMT-LIB semantics throughout, also for division by zero and oversize shifts.
//! Same sequence of calls, same ids, same models: nothing depends on addresses or on hash seeds.
//! Not promised: that two equivalent terms get one id.
//! Knows nothing of programs, memory, threads or exploration.

mod construct;
mod display;
mod eval;
mod facts;
mod float;
mod linear;
mod model;
mod pool;
mod rename;
mod rewrite;
mod semantics;
mod smtlib;
mod solver;
mod term;
mod vars;

pub use eval::Evaluator;
pub use facts::Facts;
pub use float::FloatOp;
pub use model::{ArrayValue, Model};
pub use pool::Terms;
pub use smtlib::to_smtlib;
pub use solver::arithmetic::Arithmetic;
pub use solver::bits::Bits;
pub use solver::cached::Cached;
pub use solver::checked::Checked;
pub use solver::decided::Decided;
pub use solver::fallback::Fallback;
pub use solver::guarded::Guarded;
pub use solver::logged::Logged;
pub use solver::setup::{Backend, Setup};
pub use solver::sliced::Sliced;
pub use solver::solving::{Branch, Solving, Values};
pub use solver::trace::{QueryLog, Trace, TraceError};
pub use solver::z3::{Z3, Z3Options};
pub use solver::{Answer, Limits, Solver, SolverError, SolverStats, Stop, Tri, UnknownReason};
pub use term::{MAX_WIDTH, Node, Sort, TermId, Variable};
