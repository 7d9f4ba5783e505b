//! Orders between variables, decided without a solver.
//!
//! Conjuncts of the forms `x < y`, `x <= y`, `x = y`, `x != y`, signed or not, with constants and with `x + c` that
//! cannot wrap around, are difference constraints over the integers (see `graph`). An operand is read as a signed or as
//! an unsigned number: the two are different unknowns unless the sign is known. An extension reads as what it extends.
//!
//! Guarantee: a conflict is one whatever else the query holds, and its conjuncts alone are unsatisfiable. What is offered
//! as a solution speaks of these conjuncts only: the caller evaluates.

mod graph;
mod literal;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use self::graph::{Graph, Outcome, Reasons};
use self::literal::{Literal, Relation, Side};
use crate::pool::Terms;
use crate::semantics::signed;
use crate::term::{TermId, mask};

/// A term read as an integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Reading {
    pub(super) term: TermId,
    pub(super) signed: bool,
}

impl Reading {
    /// What holds of it whatever the variables.
    fn range(self, terms: &Terms) -> (i128, i128) {
        let (facts, width) = (terms.facts(self.term), terms.width(self.term));
        if self.signed { facts.signed_range(width) } else { (facts.lo as i128, facts.hi as i128) }
    }
}

/// What the ordering conjuncts of a query say.
pub(super) enum Verdict {
    /// Positions of conjuncts that contradict each other.
    Unsat(Vec<u32>),
    /// Values that satisfy the ordering conjuncts, each term's in its own width, and the bounds of each.
    Open { values: Vec<(TermId, u128)>, bounds: Vec<Bound>, reasons: Vec<u32> },
    /// No conjunct is of these forms, or there are too many.
    Nothing,
}

/// The ordering conjuncts allow a term no values but these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) term: TermId,
    pub(super) lo: u128,
    pub(super) hi: u128,
}

/// The forms of conjuncts seen before.
#[derive(Default)]
pub(super) struct Orders {
    pool: u64,
    literals: FxHashMap<TermId, Rc<[Literal]>>,
}

/// The graph of one query.
struct Query<'a> {
    terms: &'a Terms,
    graph: Graph,
    nodes: FxHashMap<Reading, u32>,
    readings: Vec<Reading>,
    /// By reading, what constants say of it, and the conjuncts that do.
    ranges: FxHashMap<Reading, (i128, i128, Reasons)>,
}

impl Orders {
    pub(super) fn decide(&mut self, terms: &Terms, assertions: &[TermId]) -> Verdict {
        if self.pool != terms.pool_id() {
            *self = Orders { pool: terms.pool_id(), ..Orders::default() };
        }
        let mut literals: Vec<(u32, Rc<[Literal]>)> = Vec::new();
        for (position, &assertion) in assertions.iter().enumerate() {
            let known = self.literals.entry(assertion).or_insert_with(|| literal::of(terms, assertion).into());
            if !known.is_empty() {
                literals.push((position as u32, Rc::clone(known)));
            }
        }
        if literals.is_empty() {
            return Verdict::Nothing;
        }
        let every = || literals.iter().flat_map(|(position, all)| all.iter().map(move |literal| (*position, literal)));
        // Equality is equality in either reading: it goes where the comparisons are.
        let (mut any_signed, mut any_unsigned) = (false, false);
        for (_, literal) in every().filter(|(_, literal)| literal.relation == Relation::AtMost) {
            any_signed |= literal.signed;
            any_unsigned |= !literal.signed;
        }
        let used = |literal: &Literal| match literal.relation {
            Relation::AtMost if literal.derived => any_signed && any_unsigned,
            Relation::AtMost => true,
            _ if literal.signed => any_signed,
            _ => any_unsigned || !any_signed,
        };
        let mut query = Query {
            terms,
            graph: Graph::new(),
            nodes: FxHashMap::default(),
            readings: Vec::new(),
            ranges: FxHashMap::default(),
        };
        for (position, literal) in every().filter(|(_, literal)| used(literal)) {
            query.note_range(position, literal);
        }
        for (position, literal) in every().filter(|(_, literal)| used(literal)) {
            query.add(position, literal);
        }
        query.verdict(assertions.len() as u32)
    }
}

impl Query<'_> {
    /// Takes down what a comparison with a constant says of the other side.
    fn note_range(&mut self, position: u32, literal: &Literal) {
        let (reading, lo, hi) = match (literal.x, literal.y, literal.relation) {
            (Side { reading: Some(x), needs: None, offset }, Side { reading: None, offset: c, .. }, relation) => {
                let top = c - offset + literal.bound;
                (x, (relation == Relation::Equal).then_some(top), Some(top))
            }
            (Side { reading: None, offset: c, .. }, Side { reading: Some(y), needs: None, offset }, relation) => {
                let bottom = c - offset - literal.bound;
                (y, Some(bottom), (relation == Relation::Equal).then_some(bottom))
            }
            _ => return,
        };
        if literal.relation == Relation::Differ {
            return;
        }
        let terms = self.terms;
        let range = self.ranges.entry(reading).or_insert_with(|| {
            let (lo, hi) = reading.range(terms);
            (lo, hi, Reasons::new())
        });
        let (lo, hi) = (lo.unwrap_or(range.0), hi.unwrap_or(range.1));
        if lo > range.0 || hi < range.1 {
            *range = (range.0.max(lo), range.1.min(hi), std::mem::take(&mut range.2));
            range.2.push(position);
        }
    }

    fn add(&mut self, position: u32, literal: &Literal) {
        let mut reasons: Reasons = [position].into_iter().collect();
        for side in [literal.x, literal.y] {
            if !self.fits(side, &mut reasons) {
                return;
            }
        }
        let (x, y) = (self.node(literal.x.reading), self.node(literal.y.reading));
        let bound = literal.bound + literal.y.offset - literal.x.offset;
        match literal.relation {
            Relation::AtMost => self.graph.at_most(x, y, bound, reasons),
            Relation::Equal => {
                self.graph.at_most(x, y, bound, reasons.clone());
                self.graph.at_most(y, x, -bound, reasons);
            }
            Relation::Differ => self.graph.differ(x, y, bound, reasons),
        }
    }

    /// Whether adding the constant cannot wrap around; whatever conjuncts that rests on become reasons.
    fn fits(&self, side: Side, reasons: &mut Reasons) -> bool {
        let (Some(reading), Some((least, most))) = (side.reading, side.needs) else { return true };
        match self.ranges.get(&reading) {
            Some((lo, hi, why)) if least <= *lo && *hi <= most => {
                reasons.extend(why.iter().copied());
                true
            }
            _ => false,
        }
    }

    fn node(&mut self, reading: Option<Reading>) -> u32 {
        let Some(reading) = reading else { return 0 };
        if let Some(&node) = self.nodes.get(&reading) {
            return node;
        }
        let node = self.graph.node();
        self.nodes.insert(reading, node);
        self.readings.push(reading);
        let (lo, hi) = reading.range(self.terms);
        self.graph.at_most(0, node, -lo, Reasons::new());
        self.graph.at_most(node, 0, hi, Reasons::new());
        node
    }

    fn verdict(mut self, conjuncts: u32) -> Verdict {
        if self.graph.len() == 1 && self.readings.is_empty() {
            return Verdict::Nothing;
        }
        match self.graph.solve(conjuncts) {
            Outcome::Conflict(core) => Verdict::Unsat(core),
            Outcome::Open => Verdict::Nothing,
            Outcome::Values(values) => {
                let value_of = |(reading, value): (&Reading, &i128)| {
                    (reading.term, *value as u128 & mask(self.terms.width(reading.term)))
                };
                let values = self.readings.iter().zip(&values[1..]).map(value_of).collect();
                let (bounds, reasons) = self.bounds();
                Verdict::Open { values, bounds, reasons }
            }
        }
    }

    /// What the comparisons leave of each term, unsigned, and all conjuncts that this rests on.
    fn bounds(&self) -> (Vec<Bound>, Vec<u32>) {
        let mut bounds = Vec::new();
        for (reading, (lo, hi)) in self.readings.iter().zip(&self.graph.bounds()[1..]) {
            let (Some(lo), Some(hi)) = (*lo, *hi) else { continue };
            let (width, term) = (self.terms.width(reading.term), reading.term);
            // A signed range is an unsigned one where the sign is the same at both ends.
            let narrow = lo <= hi && (!reading.signed || (lo < 0) == (hi < 0));
            if narrow && (lo, hi) != reading.range(self.terms) {
                let unsigned = |v: i128| v as u128 & mask(width);
                debug_assert!(!reading.signed || signed(unsigned(lo), width) == lo);
                bounds.push(Bound { term, lo: unsigned(lo), hi: unsigned(hi) });
            }
        }
        (bounds, self.graph.reasons())
    }
}
