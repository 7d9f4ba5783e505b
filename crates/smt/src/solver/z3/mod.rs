//! The Z3 backend.
//!
//! Z3 is linked and runs in this process. Each assertion has a scope of its own on a real push/pop stack; a
//! query pops to the longest common prefix with the stack and pushes the rest. Slicing makes queries
//! alternate between unrelated path conditions, so there are several stacks, and a query goes to the one
//! that shares most with it.
//!
//! Models are for [`super::guarded`] to verify. Guarantee: queries without limits and equal sequences of queries give
//! equal answers and models.

mod float;
mod model;
pub(crate) mod script;
mod translate;
mod watch;

use std::ffi::CStr;
use std::time::Instant;

use rustc_hash::FxHashMap;
use watch::Watch;
use z3_sys::*;

use super::{Answer, Limits, Solver, SolverError, SolverStats, UnknownReason};
use crate::pool::Terms;
use crate::term::{MAX_WIDTH, TermId};

/// Of Z3's resource units, what counts as a step: about what a conflict takes.
const RESOURCES: u32 = 200;

const BACKEND: &str = "z3";
const REQUIRED: &str = "5.0";

/// Translated terms kept before the context is made anew: Z3 never returns memory of a living context.
const MAX_TRANSLATED: usize = 2_000_000;

/// How the backend is set up.
///
/// The defaults are measured, on random walks over branches with backtracking (Z3 5.4): QF_ABV's solver answers
/// in half the median time of the general one and a third of QF_BV's, with arrays and without. Four stacks
/// under slicing save a fifth of the total time over one; without slicing they make no difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Z3Options {
    /// Independent push/pop stacks.
    pub stacks: usize,
    /// The SMT-LIB logic that selects Z3's solver; `None` for its general incremental one, which is taken for a pool with
    /// floating-point operators in any case: other solvers give wrong models of them.
    pub logic: Option<&'static CStr>,
    pub limits: Limits,
}

impl Default for Z3Options {
    fn default() -> Z3Options {
        Z3Options { stacks: 4, logic: Some(c"QF_ABV"), limits: Limits::default() }
    }
}

/// The Z3 solver.
pub struct Z3 {
    /// Before the context, which it must not outlive.
    watch: Option<Watch>,
    options: Z3Options,
    context: Context,
    stats: SolverStats,
    clock: u64,
    /// Whether the stacks are for numbers, too.
    has_numbers: bool,
}

/// A Z3 context with what was made in it: translated terms and solver stacks.
struct Context {
    raw: Z3_context,
    /// The pool that the translated terms belong to; zero for none yet.
    pool: u64,
    /// Per term its translation, Boolean for comparisons and connectives, else bit-vector or array.
    native: Vec<Option<Z3_ast>>,
    /// The other form of one-bit terms.
    converted: FxHashMap<TermId, Z3_ast>,
    translated: usize,
    /// Bit-vector sorts by width, and the one-bit constants: counted, for Z3 frees an uncounted term or sort
    /// at the next call that makes one.
    sorts: Vec<Option<Z3_sort>>,
    bits: [Option<Z3_ast>; 2],
    stacks: Vec<Stack>,
}

// SAFETY: a Z3 context may move between threads as long as one thread at a time uses it; all use is through
// `&mut Z3`, and no handle leaves this module.
unsafe impl Send for Context {}

struct Stack {
    solver: Z3_solver,
    assertions: Vec<TermId>,
    /// When it was used last, for choosing which to give up.
    used: u64,
}

impl Z3 {
    /// A solver with the default options. Fails if the linked Z3 is too old.
    pub fn new() -> Result<Z3, SolverError> {
        Z3::with_options(Z3Options::default())
    }

    pub fn with_options(options: Z3Options) -> Result<Z3, SolverError> {
        let (major, _, _) = Z3::version();
        if major < 5 {
            let (major, minor, build) = Z3::version();
            return Err(SolverError::Version {
                backend: BACKEND,
                found: format!("{major}.{minor}.{build}"),
                required: REQUIRED,
            });
        }
        Ok(Z3 {
            watch: None,
            options,
            context: Context::new()?,
            stats: SolverStats::default(),
            clock: 0,
            has_numbers: false,
        })
    }

    /// Lets queries end with [`Answer::Unknown`] soon after `stop` says so, which is asked from another thread.
    pub fn stop_when(&mut self, stop: impl Fn() -> bool + Send + Sync + 'static) {
        self.watch = Some(Watch::new(stop));
    }

    /// The version of the linked library: major, minor, build.
    pub fn version() -> (u32, u32, u32) {
        let (mut major, mut minor, mut build, mut revision) = (0, 0, 0, 0);
        // SAFETY: the four pointers are valid for writes.
        unsafe { Z3_get_version(&mut major, &mut minor, &mut build, &mut revision) };
        (major, minor, build)
    }

    /// What Z3 prints for an SMT-LIB script, read by its own parser.
    #[cfg(test)]
    pub(crate) fn run_script(&mut self, script: &str) -> String {
        let script = std::ffi::CString::new(script).expect("no zero byte");
        // SAFETY: the script is a C string; the result is copied before the next call.
        unsafe {
            let text = Z3_eval_smtlib2_string(self.context.raw, script.as_ptr());
            CStr::from_ptr(text).to_string_lossy().trim().to_owned()
        }
    }

    /// Forgets everything but the options and counts.
    fn renew(&mut self) -> Result<(), SolverError> {
        self.context = Context::new()?;
        Ok(())
    }

    /// The stack to use for `assertions`, and how many of them it holds already.
    fn choose(&mut self, assertions: &[TermId]) -> Result<(usize, usize), SolverError> {
        let shared = |stack: &Stack| {
            let pairs = stack.assertions.iter().zip(assertions);
            pairs.take_while(|(a, b)| a == b).count()
        };
        let best = (0..self.context.stacks.len())
            .map(|i| (shared(&self.context.stacks[i]), i))
            .max_by_key(|&(shared, i)| (shared, std::cmp::Reverse(i)));
        // A stack that shares nothing is better left to the path condition that it holds.
        match best {
            Some((shared, i)) if shared > 0 => return Ok((i, shared)),
            _ => {}
        }
        if self.context.stacks.len() < self.options.stacks.max(1) {
            let logic = if self.has_numbers { None } else { self.options.logic };
            let stack = self.context.new_stack(&Z3Options { logic, ..self.options })?;
            self.context.stacks.push(stack);
            return Ok((self.context.stacks.len() - 1, 0));
        }
        let oldest = (0..self.context.stacks.len()).min_by_key(|&i| self.context.stacks[i].used);
        Ok((oldest.unwrap_or(0), 0))
    }

    fn run(&mut self, terms: &Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        if self.context.pool != terms.pool_id() {
            if self.context.pool != 0 {
                self.renew()?;
            }
            self.context.pool = terms.pool_id();
        } else if self.context.translated > MAX_TRANSLATED {
            self.renew()?;
            self.context.pool = terms.pool_id();
        }
        if self.has_numbers != terms.has_numbers() {
            self.has_numbers = terms.has_numbers();
            self.context.drop_stacks();
        }
        let (at, shared) = self.choose(assertions)?;
        self.clock += 1;
        self.context.stacks[at].used = self.clock;
        self.context.pop_to(at, shared)?;
        for &assertion in &assertions[shared..] {
            self.context.push(terms, at, assertion)?;
        }
        self.stats.reused += shared as u64;
        self.stats.pushed += (assertions.len() - shared) as u64;
        if let Some(watch) = &self.watch {
            watch.begin(self.context.raw);
        }
        let answer = self.context.check(terms, at, assertions, self.options.limits);
        if self.watch.as_ref().is_some_and(Watch::end) {
            self.renew()?;
            // It may have been told to stop while it gave its model.
            return Ok(answer.unwrap_or(Answer::Unknown(UnknownReason::Timeout)));
        }
        answer
    }
}

impl Solver for Z3 {
    fn name(&self) -> &'static str {
        BACKEND
    }

    fn check(&mut self, terms: &mut Terms, assertions: &[TermId]) -> Result<Answer, SolverError> {
        let start = Instant::now();
        let answer = self.run(terms, assertions);
        let elapsed = start.elapsed();
        self.stats.time += elapsed;
        self.stats.queries += 1;
        match &answer {
            Ok(Answer::Sat(_)) => self.stats.sat += 1,
            Ok(Answer::Unsat) => self.stats.unsat += 1,
            Ok(Answer::Unknown(_)) => self.stats.unknown += 1,
            // The stack no longer matches what we believe of it.
            Err(_) => self.renew()?,
        }
        tracing::trace!(
            target: "query",
            assertions = assertions.len(),
            micros = elapsed.as_micros() as u64,
            "z3"
        );
        answer
    }

    fn set_limits(&mut self, limits: Limits) {
        if self.options.limits != limits {
            self.options.limits = limits;
            // Stacks take their limits when made.
            self.context.drop_stacks();
        }
    }

    fn stats(&self) -> SolverStats {
        self.stats
    }
}

impl Context {
    fn new() -> Result<Context, SolverError> {
        // SAFETY: the configuration is used once and deleted; a null handler makes errors codes, not exits.
        let raw = unsafe {
            let config = Z3_mk_config().ok_or_else(|| died("no configuration"))?;
            let context = Z3_mk_context_rc(config);
            Z3_del_config(config);
            let context = context.ok_or_else(|| died("no context"))?;
            Z3_set_error_handler(context, None);
            context
        };
        Ok(Context {
            raw,
            pool: 0,
            native: Vec::new(),
            converted: FxHashMap::default(),
            translated: 0,
            sorts: vec![None; MAX_WIDTH as usize + 1],
            bits: [None; 2],
            stacks: Vec::new(),
        })
    }

    fn new_stack(&mut self, options: &Z3Options) -> Result<Stack, SolverError> {
        // SAFETY: handles belong to this context; the solver is counted here and released in `drop_stacks`.
        let solver = unsafe {
            let solver = match options.logic {
                None => Z3_mk_simple_solver(self.raw),
                Some(logic) => Z3_mk_string_symbol(self.raw, logic.as_ptr())
                    .and_then(|logic| Z3_mk_solver_for_logic(self.raw, logic)),
            };
            let solver = solver.ok_or_else(|| self.error())?;
            Z3_solver_inc_ref(self.raw, solver);
            let parameters = Z3_mk_params(self.raw).ok_or_else(|| self.error())?;
            Z3_params_inc_ref(self.raw, parameters);
            // Z3's own handler would swallow the signal, and the caller's would not run.
            if let Some(name) = Z3_mk_string_symbol(self.raw, c"ctrl_c".as_ptr()) {
                Z3_params_set_bool(self.raw, parameters, name, false);
            }
            let set = |name: &CStr, value: u32| {
                if let Some(name) = Z3_mk_string_symbol(self.raw, name.as_ptr()) {
                    Z3_params_set_uint(self.raw, parameters, name, value);
                }
            };
            if let Some(timeout) = options.limits.timeout {
                let millis = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX);
                set(c"timeout", millis.max(1));
            }
            if let Some(steps) = options.limits.steps {
                set(c"rlimit", steps.saturating_mul(RESOURCES).max(1));
            }
            Z3_solver_set_params(self.raw, solver, parameters);
            Z3_params_dec_ref(self.raw, parameters);
            solver
        };
        Ok(Stack { solver, assertions: Vec::new(), used: 0 })
    }

    fn drop_stacks(&mut self) {
        for stack in self.stacks.drain(..) {
            // SAFETY: the solver was counted when it was made and is not used again.
            unsafe { Z3_solver_dec_ref(self.raw, stack.solver) };
        }
    }

    /// The error that Z3 has just signalled.
    fn error(&self) -> SolverError {
        // SAFETY: the message is a C string that lives until the next call on this context.
        let message = unsafe {
            let code = Z3_get_error_code(self.raw);
            let text = Z3_get_error_msg(self.raw, code);
            if text.is_null() {
                "unknown error".to_owned()
            } else {
                CStr::from_ptr(text).to_string_lossy().into_owned()
            }
        };
        died(&message)
    }

    /// Whether the call just made failed.
    fn checked(&self) -> Result<(), SolverError> {
        // SAFETY: reads the state of a living context.
        if unsafe { Z3_get_error_code(self.raw) } == ErrorCode::Ok { Ok(()) } else { Err(self.error()) }
    }

    fn pop_to(&mut self, at: usize, depth: usize) -> Result<(), SolverError> {
        let stack = &mut self.stacks[at];
        let surplus = stack.assertions.len() - depth;
        if surplus > 0 {
            stack.assertions.truncate(depth);
            // SAFETY: the solver has one scope per assertion.
            unsafe { Z3_solver_pop(self.raw, stack.solver, surplus as u32) };
            self.checked()?;
        }
        Ok(())
    }

    fn push(&mut self, terms: &Terms, at: usize, assertion: TermId) -> Result<(), SolverError> {
        let formula = self.bool_of(terms, assertion)?;
        let stack = &mut self.stacks[at];
        // SAFETY: solver and formula belong to this context.
        unsafe {
            Z3_solver_push(self.raw, stack.solver);
            Z3_solver_assert(self.raw, stack.solver, formula);
        }
        stack.assertions.push(assertion);
        self.checked()
    }

    fn check(
        &mut self,
        terms: &Terms,
        at: usize,
        assertions: &[TermId],
        limits: Limits,
    ) -> Result<Answer, SolverError> {
        let solver = self.stacks[at].solver;
        // SAFETY: the solver belongs to this context.
        let result = unsafe { Z3_solver_check(self.raw, solver) };
        match result {
            Z3_L_FALSE => Ok(Answer::Unsat),
            Z3_L_TRUE => {
                let model = self.model(terms, solver, assertions)?;
                Ok(Answer::Sat(model))
            }
            _ => {
                // SAFETY: the reason is a C string that lives until the next call on this context.
                let reason = unsafe {
                    let text = Z3_solver_get_reason_unknown(self.raw, solver);
                    if text.is_null() {
                        return Err(self.error());
                    }
                    CStr::from_ptr(text).to_string_lossy()
                };
                Ok(Answer::Unknown(unknown_reason(&reason, limits)))
            }
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.drop_stacks();
        // SAFETY: deleting the context releases its terms; no handle is used afterwards.
        unsafe { Z3_del_context(self.raw) };
    }
}

/// Z3 says `canceled` when it runs out of steps as well as out of time.
fn unknown_reason(text: &str, limits: Limits) -> UnknownReason {
    if text.contains("memory") {
        UnknownReason::Memory
    } else if text.contains("resource") {
        UnknownReason::Steps
    } else if text.contains("timeout") {
        UnknownReason::Timeout
    } else if text.contains("canceled") {
        match limits.steps {
            Some(_) if limits.timeout.is_none() => UnknownReason::Steps,
            // Or told to stop, because the caller's time is over.
            _ => UnknownReason::Timeout,
        }
    } else {
        UnknownReason::Incomplete
    }
}

fn died(message: &str) -> SolverError {
    SolverError::Died { backend: BACKEND, message: message.to_owned() }
}
