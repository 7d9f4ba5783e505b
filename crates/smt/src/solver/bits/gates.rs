//! Gates as clauses, in a SAT solver that lives as long as they do.
//!
//! Tseitin's translation (1968) with both directions, so that a gate's output is a function of its inputs and a clause
//! never excludes an input: what was said of one query's terms is true for every other. Gates of constants, of equal and
//! of opposite inputs are simplified away; the others are made once.

use rustc_hash::FxHashMap;

/// A literal: the variable's number, negated for its complement. Never zero.
pub(super) type Lit = i32;

/// The literal that is true, and its complement.
pub(super) const TRUE: Lit = 1;
pub(super) const FALSE: Lit = -1;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    /// If the first, then the second, else the third.
    Mux(Lit, Lit, Lit),
    /// At least two of three.
    Majority(Lit, Lit, Lit),
}

/// What clauses go to.
pub(super) trait Clauses {
    fn add(&mut self, clause: &[Lit]);
}

/// The gates made so far.
pub(super) struct Gates<C> {
    pub(super) solver: C,
    variables: Lit,
    clauses: usize,
    made: FxHashMap<Gate, Lit>,
}

impl<C: Clauses> Gates<C> {
    pub(super) fn new(solver: C) -> Gates<C> {
        let mut gates = Gates { solver, variables: 1, clauses: 0, made: FxHashMap::default() };
        gates.clause(&[TRUE]);
        gates
    }

    /// How many variables and clauses there are.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.variables as usize, self.clauses)
    }

    /// A literal that nothing is known of.
    pub(super) fn fresh(&mut self) -> Lit {
        self.variables += 1;
        self.variables
    }

    pub(super) fn clause(&mut self, clause: &[Lit]) {
        self.clauses += 1;
        self.solver.add(clause);
    }

    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        match (a, b) {
            (FALSE, _) | (_, FALSE) => return FALSE,
            (TRUE, other) | (other, TRUE) => return other,
            _ if a == b => return a,
            _ if a == -b => return FALSE,
            _ => {}
        }
        let gate = Gate::And(a, b);
        if let Some(&made) = self.made.get(&gate) {
            return made;
        }
        let out = self.fresh();
        self.clause(&[-out, a]);
        self.clause(&[-out, b]);
        self.clause(&[out, -a, -b]);
        self.made.insert(gate, out);
        out
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        -self.and(-a, -b)
    }

    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // A complement moves from the inputs to the output.
        let sign = a.signum() * b.signum();
        let (x, y) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
        if x == y {
            return if sign > 0 { FALSE } else { TRUE };
        }
        if x == TRUE {
            return -sign * y;
        }
        let gate = Gate::Xor(x, y);
        if let Some(&made) = self.made.get(&gate) {
            return sign * made;
        }
        let out = self.fresh();
        self.clause(&[-out, x, y]);
        self.clause(&[-out, -x, -y]);
        self.clause(&[out, -x, y]);
        self.clause(&[out, x, -y]);
        self.made.insert(gate, out);
        sign * out
    }

    /// Whether two literals are equal.
    pub(super) fn same(&mut self, a: Lit, b: Lit) -> Lit {
        -self.xor(a, b)
    }

    pub(super) fn mux(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        let (condition, a, b) = if condition < 0 { (-condition, b, a) } else { (condition, a, b) };
        match (condition, a, b) {
            (TRUE, _, _) => return a,
            _ if a == b => return a,
            _ if a == -b => return self.same(condition, a),
            (c, a, b) if a == TRUE || a == c => return self.or(c, b),
            (c, a, b) if a == FALSE || a == -c => return self.and(-c, b),
            (c, a, b) if b == TRUE || b == -c => return self.or(-c, a),
            (c, a, b) if b == FALSE || b == c => return self.and(c, a),
            _ => {}
        }
        let gate = Gate::Mux(condition, a, b);
        if let Some(&made) = self.made.get(&gate) {
            return made;
        }
        let out = self.fresh();
        self.clause(&[-condition, -a, out]);
        self.clause(&[-condition, a, -out]);
        self.clause(&[condition, -b, out]);
        self.clause(&[condition, b, -out]);
        // Implied; they let equal arms decide the output.
        self.clause(&[-a, -b, out]);
        self.clause(&[a, b, -out]);
        self.made.insert(gate, out);
        out
    }

    pub(super) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable_by_key(|l| (l.abs(), *l));
        let [a, b, c] = inputs;
        // A constant, with variable 1, sorts first.
        match a {
            TRUE => return self.or(b, c),
            FALSE => return self.and(b, c),
            _ if a == b || b == c => return b,
            _ if a == -b => return c,
            _ if b == -c => return a,
            _ => {}
        }
        let gate = Gate::Majority(a, b, c);
        if let Some(&made) = self.made.get(&gate) {
            return made;
        }
        let out = self.fresh();
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.clause(&[-x, -y, out]);
            self.clause(&[x, y, -out]);
        }
        self.made.insert(gate, out);
        out
    }

    pub(super) fn and_all(&mut self, inputs: impl IntoIterator<Item = Lit>) -> Lit {
        inputs.into_iter().fold(TRUE, |all, input| self.and(all, input))
    }
}
