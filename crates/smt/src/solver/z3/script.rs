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

/// Declarations and assertions, and the integer constants whose values are asked for.
pub(crate) fn ask(script: &str, names: &[String], limits: Limits) -> Result<Said, SolverError> {
    // A context for each script: none of it is used again, and Z3 returns a context's memory with the context.
    let mut context = Context::new()?;
    let options = super::Z3Options { stacks: 1, logic: Some(LOGIC), limits };
    let stack = context.new_stack(&options)?;
    let solver = stack.solver;
    context.stacks.push(stack);
    let script = CString::new(script).map_err(|_| died("a script with a zero byte"))?;
    // SAFETY: solver and script live until the end; the result of the check is a number.
    let result = unsafe {
        Z3_solver_from_string(context.raw, solver, script.as_ptr());
        context.checked()?;
        Z3_solver_check(context.raw, solver)
    };
    match result {
        Z3_L_FALSE => Ok(Said::Unsat),
        Z3_L_TRUE => Ok(Said::Sat(context.integers(solver, names)?)),
        _ => Ok(Said::Unknown),
    }
}

impl Context {
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
