//! Variables replaced by other terms: substitution, and self-composition with a second copy of what is uninitialised.

use rustc_hash::FxHashMap;

use crate::pool::Terms;
use crate::term::TermId;

impl Terms {
    /// `t` with every uninitialised variable replaced by another one. Where `t` can differ from the result under one
    /// assignment of all other variables, its value depends on uninitialised data.
    pub fn rename_uninit(&mut self, t: TermId) -> TermId {
        if !self.has_uninit(t) {
            return t;
        }
        let variables = self.vars(t).iter().map(|&index| self.variable(index).clone());
        let uninitialised: Vec<_> = variables.filter(|variable| variable.uninit).collect();
        let mut copies = FxHashMap::default();
        for variable in uninitialised {
            let copy = self.intern_variable(&format!("{}'", variable.name), variable.sort, true);
            copies.insert(variable.term, copy);
        }
        self.substitute(t, &copies)
    }

    /// `t` with variables replaced, all at once, by terms of their width.
    pub fn substitute(&mut self, t: TermId, by: &FxHashMap<TermId, TermId>) -> TermId {
        self.rebuilt(t, by, Terms::mentions)
    }

    /// `t` with some of its parts replaced, whole ones before what they consist of, by terms of their width.
    pub fn replace(&mut self, t: TermId, by: &FxHashMap<TermId, TermId>) -> TermId {
        self.rebuilt(t, by, |_, _, _| true)
    }

    /// `may_change`: whether there may be something to replace in a term.
    fn rebuilt(
        &mut self,
        t: TermId,
        by: &FxHashMap<TermId, TermId>,
        may_change: fn(&Terms, TermId, &FxHashMap<TermId, TermId>) -> bool,
    ) -> TermId {
        let mut done = by.clone();
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            let open = |t: &TermId| !done.contains_key(t) && may_change(self, *t, by);
            if !open(&top) {
                stack.pop();
                continue;
            }
            let pending = stack.len();
            let inner: Vec<TermId> = self.args(top).filter(open).collect();
            stack.extend(inner);
            if stack.len() > pending {
                continue;
            }
            stack.pop();
            let mut key = self.key(top);
            for i in 0..key.op.arity() {
                if let Some(copy) = done.get(&TermId(key.args[i])) {
                    key.args[i] = copy.0;
                }
            }
            let copy = self.make(key);
            done.insert(top, copy);
        }
        done.get(&t).copied().unwrap_or(t)
    }

    /// Whether one of these variables occurs in `t`.
    fn mentions(&self, t: TermId, variables: &FxHashMap<TermId, TermId>) -> bool {
        self.vars(t).iter().any(|&index| variables.contains_key(&self.variable(index).term))
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

    #[test]
    fn parts_are_replaced_before_what_they_consist_of() {
        let mut terms = Terms::new();
        let (x, y, z) = (terms.var("x", 8), terms.var("y", 8), terms.var("z", 8));
        let product = terms.mul(x, y);
        let (sum, other) = (terms.add(product, x), terms.add(z, x));
        assert_eq!(terms.replace(sum, &FxHashMap::from_iter([(product, z)])), other);
        assert_eq!(terms.replace(product, &FxHashMap::from_iter([(product, z), (x, y)])), z);
        assert_eq!(terms.replace(sum, &FxHashMap::from_iter([(other, y)])), sum);
    }

    #[test]
    fn variables_are_replaced_all_at_once() {
        let mut terms = Terms::new();
        let (x, y, z) = (terms.var("x", 8), terms.var("y", 8), terms.var("z", 8));
        let (less, swapped) = (terms.ult(x, y), terms.ult(y, x));
        let by = FxHashMap::from_iter([(x, y), (y, x)]);
        assert_eq!(terms.substitute(less, &by), swapped);
        assert_eq!(terms.substitute(z, &by), z);
        let one = terms.bv(8, 1);
        let sum = terms.add(x, z);
        let replaced = terms.substitute(sum, &FxHashMap::from_iter([(x, one)]));
        assert_eq!(replaced, terms.add(one, z));
    }
}
