//! Questions about integers, as SMT-LIB text.

use std::ffi::{CStr, CString};

use z3_sys::*;

use super::{Context, died};
use crate::solver::{Limits, SolverError};

/// Linear integer arithmetic: what is asked holds no products of variables.
const LOGIC: &CStr = c"QF_LIA";

/// What Z3 says of a script.
pub(crate) enum Said {
    /// With the values of the named constants.
    Sat(Vec<i128>),
    Unsat,
    Unknown,
}

/// Questions that one context answers. Making one for each takes a tenth of the time of short questions, and Z3 returns a
/// context's memory only with the context.
const QUESTIONS: u32 = 256;

/// Who is asked: a context, with a solver of its own for each script, so that nothing is asserted that belongs to another.
#[derive(Default)]
pub(crate) struct Scripts {
    context: Option<Context>,
    asked: u32,
}

impl Scripts {
    /// Declarations and assertions, and the integer constants whose values are asked for.
    pub(crate) fn ask(&mut self, script: &str, names: &[String], limits: Limits) -> Result<Said, SolverError> {
        if self.asked >= QUESTIONS {
            *self = Scripts::default();
        }
        self.asked += 1;
        let context = match &mut self.context {
            Some(context) => context,
            none => none.insert(Context::new()?),
        };
        let said = context.ask(script, names, limits);
        context.drop_stacks();
        if said.is_err() {
            self.context = None;
        }
        said
    }
}

impl Context {
    fn ask(&mut self, script: &str, names: &[String], limits: Limits) -> Result<Said, SolverError> {
        let stack = self.new_stack(&super::Z3Options { stacks: 1, logic: Some(LOGIC), limits })?;
        let solver = stack.solver;
        self.stacks.push(stack);
        let script = CString::new(script).map_err(|_| died("a script with a zero byte"))?;
        // SAFETY: solver and script live until the end; the result of the check is a number.
        let result = unsafe {
            Z3_solver_from_string(self.raw, solver, script.as_ptr());
            self.checked()?;
            Z3_solver_check(self.raw, solver)
        };
        match result {
            Z3_L_FALSE => Ok(Said::Unsat),
            Z3_L_TRUE => Ok(Said::Sat(self.integers(solver, names)?)),
            _ => Ok(Said::Unknown),
        }
    }

    /// The values of integer constants in the solver's model.
    fn integers(&mut self, solver: Z3_solver, names: &[String]) -> Result<Vec<i128>, SolverError> {
        // SAFETY: the model belongs to this context and is counted while in use.
        unsafe {
            let model = Z3_solver_get_model(self.raw, solver).ok_or_else(|| self.error())?;
            Z3_model_inc_ref(self.raw, model);
            let values = names.iter().map(|name| self.integer(model, name)).collect();
            Z3_model_dec_ref(self.raw, model);
            values
        }
    }

    fn integer(&self, model: Z3_model, name: &str) -> Result<i128, SolverError> {
        let name = CString::new(name).map_err(|_| died("a name with a zero byte"))?;
        // SAFETY: handles belong to this context and are counted while in use; the text is copied before the next call.
        unsafe {
            let symbol = Z3_mk_string_symbol(self.raw, name.as_ptr()).ok_or_else(|| self.error())?;
            let sort = Z3_mk_int_sort(self.raw).ok_or_else(|| self.error())?;
            let constant = Z3_mk_const(self.raw, symbol, sort).ok_or_else(|| self.error())?;
            Z3_inc_ref(self.raw, constant);
            let mut value = constant;
            let evaluated = Z3_model_eval(self.raw, model, constant, true, &mut value);
            let text = if evaluated {
                Z3_inc_ref(self.raw, value);
                let text = Z3_get_numeral_string(self.raw, value);
                let text =
                    if text.is_null() { None } else { Some(CStr::from_ptr(text).to_string_lossy().into_owned()) };
                Z3_dec_ref(self.raw, value);
                text
            } else {
                None
            };
            Z3_dec_ref(self.raw, constant);
            text.and_then(|text| text.parse().ok()).ok_or_else(|| died("a model value is no integer"))
        }
    }
}
