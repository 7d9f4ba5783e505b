//! Self-composition: a second copy of the uninitialised variables.

use rustc_hash::FxHashMap;

use crate::pool::Terms;
use crate::term::{Op, TermId};

impl Terms {
    /// `t` with every uninitialised variable replaced by another one. Where `t` can differ from the result under one
    /// assignment of all other variables, its value depends on uninitialised data.
    pub fn rename_uninit(&mut self, t: TermId) -> TermId {
        let mut renamed: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if !self.has_uninit(top) || renamed.contains_key(&top) {
                stack.pop();
                continue;
            }
            let pending = stack.len();
            let open: Vec<TermId> =
                self.args(top).filter(|a| self.has_uninit(*a) && !renamed.contains_key(a)).collect();
            stack.extend(open);
            if stack.len() > pending {
                continue;
            }
            stack.pop();
            let mut key = self.key(top);
            let copy = if matches!(key.op, Op::Var | Op::ArrayVar) {
                let variable = self.variable(key.args[0]);
                let (name, sort) = (format!("{}'", variable.name), variable.sort);
                self.intern_variable(&name, sort, true)
            } else {
                for i in 0..key.op.arity() {
                    if let Some(copy) = renamed.get(&TermId(key.args[i])) {
                        key.args[i] = copy.0;
                    }
                }
                self.make(key)
            };
            renamed.insert(top, copy);
        }
        renamed.get(&t).copied().unwrap_or(t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_uninitialised_variables_are_replaced() {
        let mut terms = Terms::new();
        let (x, u) = (terms.var("x", 8), terms.uninit_var("u", 8));
        assert_eq!(terms.rename_uninit(x), x);
        let sum = terms.add(x, u);
        let other = terms.rename_uninit(sum);
        assert_ne!(other, sum);
        let (u2, x2) = (terms.rename_uninit(u), x);
        assert_eq!(terms.add(x2, u2), other);
    }
}
