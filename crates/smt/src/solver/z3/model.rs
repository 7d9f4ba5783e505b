//! Reading values out of a Z3 model.

use std::ffi::CStr;

use rustc_hash::{FxHashMap, FxHashSet};
use z3_sys::*;

use super::{Context, died};
use crate::model::{ArrayValue, Model};
use crate::pool::Terms;
use crate::smtlib;
use crate::solver::SolverError;
use crate::term::{Op, TermId};

impl Context {
    /// The values of the variables that the assertions mention.
    pub(super) fn model(
        &mut self,
        terms: &Terms,
        solver: Z3_solver,
        assertions: &[TermId],
    ) -> Result<Model, SolverError> {
        let mut variables: Vec<u32> = assertions.iter().flat_map(|&a| terms.vars(a).iter().copied()).collect();
        variables.sort_unstable();
        variables.dedup();
        // SAFETY: the model belongs to this context and is counted while in use.
        unsafe {
            let raw = Z3_solver_get_model(self.raw, solver).ok_or_else(|| self.error())?;
            Z3_model_inc_ref(self.raw, raw);
            let model = self.read_model(terms, raw, assertions, &variables);
            Z3_model_dec_ref(self.raw, raw);
            model
        }
    }

    fn read_model(
        &mut self,
        terms: &Terms,
        raw: Z3_model,
        assertions: &[TermId],
        variables: &[u32],
    ) -> Result<Model, SolverError> {
        let mut model = Model::new();
        let mut arrays = false;
        for &variable in variables {
            let t = terms.variable(variable).term;
            if terms.op(t) == Op::ArrayVar {
                arrays = true;
                continue;
            }
            // A variable that only cancelled subterms mention has no translation: any value will do.
            if let Some(ast) = self.native_of(t) {
                let value = self.value(raw, ast)?;
                model.set(t, value);
            }
        }
        if arrays {
            self.read_arrays(terms, raw, assertions, &mut model)?;
        }
        Ok(model)
    }

    /// Array variables need values only where the assertions read them.
    fn read_arrays(
        &mut self,
        terms: &Terms,
        raw: Z3_model,
        assertions: &[TermId],
        model: &mut Model,
    ) -> Result<(), SolverError> {
        let mut found: FxHashMap<TermId, ArrayValue> = FxHashMap::default();
        for select in smtlib::reachable(terms, assertions) {
            let key = terms.key(select);
            if key.op != Op::Select {
                continue;
            }
            let index_ast = self.bv_of(terms, key.b())?;
            let index = self.value(raw, index_ast)?;
            for base in bases(terms, key.a()) {
                let Some(array_ast) = self.native_of(base) else {
                    continue;
                };
                let byte = self.element(raw, array_ast, terms.width(base), index)?;
                found.entry(base).or_default().entries.insert(index, byte as u8);
            }
        }
        for (variable, value) in found {
            model.set_array(variable, value);
        }
        Ok(())
    }

    /// One element of an array in a model.
    fn element(&mut self, raw: Z3_model, array: Z3_ast, index_width: u32, index: u128) -> Result<u128, SolverError> {
        let index = self.numeral(index_width, index)?;
        // SAFETY: handles belong to this context; new ones are counted while in use.
        unsafe {
            Z3_inc_ref(self.raw, index);
            let value = match Z3_mk_select(self.raw, array, index) {
                Some(select) => {
                    Z3_inc_ref(self.raw, select);
                    let value = self.value(raw, select);
                    Z3_dec_ref(self.raw, select);
                    value
                }
                None => Err(self.error()),
            };
            Z3_dec_ref(self.raw, index);
            value
        }
    }

    /// The value of a formula or bit-vector in a model, completed where the model is silent.
    fn value(&self, model: Z3_model, ast: Z3_ast) -> Result<u128, SolverError> {
        let mut result = ast;
        // SAFETY: `result` is valid for writes; the value read from it is counted while in use.
        unsafe {
            if !Z3_model_eval(self.raw, model, ast, true, &mut result) {
                return Err(self.error());
            }
            Z3_inc_ref(self.raw, result);
            let value = self.numeral_value(result);
            Z3_dec_ref(self.raw, result);
            value
        }
    }

    fn numeral_value(&self, ast: Z3_ast) -> Result<u128, SolverError> {
        // SAFETY: `ast` is a value of this context; strings are copied before the next call.
        unsafe {
            match Z3_get_bool_value(self.raw, ast) {
                Z3_L_TRUE => return Ok(1),
                Z3_L_FALSE => return Ok(0),
                _ => {}
            }
            let mut small = 0;
            if Z3_is_numeral_ast(self.raw, ast) {
                if Z3_get_numeral_uint64(self.raw, ast, &mut small) {
                    return Ok(u128::from(small));
                }
                let text = Z3_get_numeral_string(self.raw, ast);
                if !text.is_null()
                    && let Ok(value) = CStr::from_ptr(text).to_string_lossy().parse()
                {
                    return Ok(value);
                }
            }
        }
        Err(died("a model value is not a numeral"))
    }
}

/// The array variables that an array may have elements of.
fn bases(terms: &Terms, array: TermId) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let mut work = vec![array];
    let mut bases = Vec::new();
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        let key = terms.key(t);
        match key.op {
            Op::ArrayVar => bases.push(t),
            Op::Store => work.push(key.a()),
            Op::IteArray => work.extend([key.b(), key.c()]),
            _ => {}
        }
    }
    bases
}
