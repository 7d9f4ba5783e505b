//! Orders between variables, decided without a solver.
//!
//! Conjuncts of the forms `x < y`, `x <= y`, `x = y`, `x != y`, signed or not, with constants and with `x + c`, are
//! difference constraints over the integers (see `graph`); a sum that may wrap around is one of two. An operand is read as a signed or as
//! an unsigned number: the two are different unknowns unless the sign is known. An extension reads as what it extends.
//!
//! Guarantee: a conflict is one whatever else the query holds, and its conjuncts alone are unsatisfiable. What is offered
//! as a solution speaks of these conjuncts only: the caller evaluates.

mod graph;
mod literal;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use self::graph::{Graph, Outcome, Reasons, Sum};
use self::literal::{Literal, Needs, Relation, Side};
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
    /// Of sums that may wrap around, by what is added.
    sums: FxHashMap<(Reading, i128, i128), u32>,
    /// By node but the first; none for sums.
    readings: Vec<Option<Reading>>,
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
            sums: FxHashMap::default(),
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
        let [(x, x_offset), (y, y_offset)] = [literal.x, literal.y].map(|side| self.operand(side, &mut reasons));
        let bound = literal.bound + y_offset - x_offset;
        match literal.relation {
            Relation::AtMost => self.graph.at_most(x, y, bound, reasons),
            Relation::Equal => {
                self.graph.at_most(x, y, bound, reasons.clone());
                self.graph.at_most(y, x, -bound, reasons);
            }
            Relation::Differ => self.graph.differ(x, y, bound, reasons),
        }
    }

    /// A node and what is added to it; whatever conjuncts that rests on become reasons.
    fn operand(&mut self, side: Side, reasons: &mut Reasons) -> (u32, i128) {
        let Some(reading) = side.reading else { return (0, side.offset) };
        let x = self.node(reading);
        let Some(needs) = side.needs else { return (x, side.offset) };
        match self.ranges.get(&reading) {
            // It cannot wrap around.
            Some((lo, hi, why)) if needs.least <= *lo && *hi <= needs.most => {
                reasons.extend(why.iter().copied());
                (x, side.offset)
            }
            _ => (self.sum(x, reading, side.offset, needs), 0),
        }
    }

    fn sum(&mut self, x: u32, reading: Reading, offset: i128, Needs { least, most, modulus }: Needs) -> u32 {
        if let Some(&node) = self.sums.get(&(reading, offset, modulus)) {
            return node;
        }
        let over = most < reading.range(self.terms).1;
        let wrapped = if over { offset - modulus } else { offset + modulus };
        let node = self.graph.sum(Sum { x, offset, least, most, over, wrapped });
        self.graph.at_most(0, node, -(least + offset), Reasons::new());
        self.graph.at_most(node, 0, most + offset, Reasons::new());
        self.sums.insert((reading, offset, modulus), node);
        self.readings.push(None);
        node
    }

    fn node(&mut self, reading: Reading) -> u32 {
        if let Some(&node) = self.nodes.get(&reading) {
            return node;
        }
        let node = self.graph.node();
        self.nodes.insert(reading, node);
        self.readings.push(Some(reading));
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
                let value_of = |(reading, value): (&Option<Reading>, &i128)| {
                    let term = (*reading)?.term;
                    Some((term, *value as u128 & mask(self.terms.width(term))))
                };
                let values = self.readings.iter().zip(&values[1..]).filter_map(value_of).collect();
                let (bounds, reasons) = self.bounds();
                Verdict::Open { values, bounds, reasons }
            }
        }
    }

    /// What the comparisons leave of each term, unsigned, and all conjuncts that this rests on.
    fn bounds(&self) -> (Vec<Bound>, Vec<u32>) {
        let mut bounds = Vec::new();
        for (reading, (lo, hi)) in self.readings.iter().zip(&self.graph.bounds()[1..]) {
            let (Some(reading), Some(lo), Some(hi)) = (*reading, *lo, *hi) else { continue };
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
