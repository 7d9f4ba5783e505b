//! Data constraints (Con2colic, section 6 and Figure 5): which inputs lead all threads of a scenario the way they go in it.
//!
//! The equations between reads and writes (`DC_interfere`, `DC_local`) are not left to the solver: what was written is put in place of
//! each read's variable, so that most conditions become constants, and only conditions on inputs are asked about.

use super::forest::{Cell, Content, Forest, Label, NodeId, Seen};
use super::local::{joined, local, part_of};
use super::scenario::Expanded;
use crate::trace::canon::Who;
use concurrency::Range;
use machine::{Engine, EngineError};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smt::{Answer, Model, TermId};

/// A read: the node, and which of its reads.
pub(super) type Read = (NodeId, u32);

/// Reads that something depends on, in ascending order.
pub(super) type Reads = SmallVec<[Read; 4]>;

/// What data constraints come to.
pub(super) enum Data {
    /// With these inputs.
    Satisfied(Model),
    /// Not, whatever the inputs are.
    Conflict(Conflict),
    /// The solver gave up.
    Unknown,
}

/// Why there are no inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Conflict {
    /// As long as these take their values from where they do.
    pub reads: Reads,
    /// What does not hold then, over the reads' variables, where that is all.
    pub condition: Option<TermId>,
    /// Reads of which nothing in the condition depends but their own variables.
    pub variables: FxHashMap<Read, TermId>,
}

/// What has to hold.
struct Condition {
    /// With nothing but inputs in it.
    resolved: TermId,
    basis: Basis,
}

/// What a condition is of.
struct Basis {
    /// Over the variables of reads; none where that is not told.
    over_reads: Option<TermId>,
    reads: Reads,
}

/// What stood in memory before anything was written.
pub(super) trait Initially {
    fn content(&self, terms: &mut smt::Terms, expanded: &Expanded, range: Range) -> Content;

    /// A read takes its bytes from several writes, which is not followed.
    fn note_mixed(&self);
}

/// The most conditions of which it is looked for which of them contradict each other.
const MOST_IN_CORE: usize = 48;

pub(super) fn data(
    engine: &mut Engine,
    forest: &Forest,
    expanded: &Expanded,
    initially: &dyn Initially,
) -> Result<Data, EngineError> {
    let mut resolver = Resolver::new(engine, forest, expanded, initially);
    let mut conditions: Vec<Condition> = Vec::new();
    for (who, path) in expanded.paths.iter().enumerate() {
        for (at, &node) in path.nodes.iter().enumerate() {
            match resolver.condition_of((who, at), node, &mut conditions) {
                Ok(()) => {}
                Err(basis) => return Ok(Data::Conflict(resolver.conflict(vec![basis]))),
            }
        }
    }
    conditions.sort_by_key(|condition| condition.resolved);
    conditions.dedup_by_key(|condition| condition.resolved);
    let all: Vec<TermId> = conditions.iter().map(|condition| condition.resolved).collect();
    match resolver.engine.solver.model(&mut resolver.engine.terms, &all)? {
        Answer::Sat(model) => Ok(Data::Satisfied(model)),
        Answer::Unknown(_) => Ok(Data::Unknown),
        Answer::Unsat => {
            core(resolver.engine, &mut conditions)?;
            let bases = conditions.into_iter().map(|condition| condition.basis).collect();
            Ok(Data::Conflict(resolver.conflict(bases)))
        }
    }
}

/// Whether a condition can hold if a variable is `new`, where it does not if it is `old`. Where that is not known, it can.
pub(super) fn changes(
    engine: &mut Engine,
    condition: TermId,
    variable: TermId,
    [old, new]: [TermId; 2],
) -> Result<bool, EngineError> {
    let terms = &mut engine.terms;
    let mut with = |value| terms.substitute(condition, &std::iter::once((variable, value)).collect());
    let (old, new) = (with(old), with(new));
    let old = engine.terms.not(old);
    Ok(!matches!(engine.solver.model(&mut engine.terms, &[new, old])?, Answer::Unsat))
}

/// What reads of a scenario find, with nothing but inputs in it; none where that is not told, or hangs on other reads, which may find
/// something else in a larger scenario.
pub(super) fn values(
    engine: &mut Engine,
    forest: &Forest,
    expanded: &Expanded,
    initially: &dyn Initially,
    reads: &[(Read, Range)],
) -> Vec<Option<Content>> {
    let mut resolver = Resolver::new(engine, forest, expanded, initially);
    let value = |&(read, range): &(Read, Range)| {
        let place = expanded.place(forest, read.0);
        let found = resolver.content(place, read, range).ok();
        found.filter(|(_, reads)| reads[..] == [read]).map(|(content, _)| content)
    };
    reads.iter().map(value).collect()
}

/// What a node of a scenario has written, likewise.
pub(super) fn written(
    engine: &mut Engine,
    forest: &Forest,
    expanded: &Expanded,
    initially: &dyn Initially,
    node: NodeId,
) -> Vec<(Range, Option<Content>)> {
    let Label::Wrote(writes) = forest.label(node) else { return Vec::new() };
    let mut resolver = Resolver::new(engine, forest, expanded, initially);
    let value = |&(range, content): &(Range, Content)| {
        let resolved = match content {
            Content::Term(term) => {
                let value = resolver.resolved(term).ok().filter(|(_, reads)| reads.is_empty());
                value.map(|(term, _)| Content::Term(term))
            }
            fixed => Some(fixed),
        };
        (range, resolved)
    };
    writes.iter().map(value).collect()
}

/// Leaves some conditions that contradict each other.
fn core(engine: &mut Engine, conditions: &mut Vec<Condition>) -> Result<(), EngineError> {
    // Those that no read has a part in stay in any case.
    let mut at = 0;
    while at < conditions.len() && conditions.len() <= MOST_IN_CORE {
        if conditions[at].basis.reads.is_empty() {
            at += 1;
            continue;
        }
        let others = conditions.iter().enumerate().filter(|(index, _)| *index != at);
        let left: Vec<TermId> = others.map(|(_, condition)| condition.resolved).collect();
        match engine.solver.model(&mut engine.terms, &left)? {
            Answer::Unsat => _ = conditions.remove(at),
            Answer::Sat(_) | Answer::Unknown(_) => at += 1,
        }
    }
    Ok(())
}

fn join(reads: &mut Reads, more: &Reads) {
    for read in more {
        if let Err(at) = reads.binary_search(read) {
            reads.insert(at, *read);
        }
    }
}

impl From<Reads> for Basis {
    fn from(reads: Reads) -> Self {
        Basis { over_reads: None, reads }
    }
}

/// Puts what was written in place of what is read.
struct Resolver<'a> {
    engine: &'a mut Engine,
    forest: &'a Forest,
    expanded: &'a Expanded<'a>,
    initially: &'a dyn Initially,
    /// By variable, the read.
    places: FxHashMap<TermId, (Who, usize, u32)>,
    /// What it reads, and what that depends on.
    known: FxHashMap<TermId, Option<(TermId, Reads)>>,
}

impl<'a> Resolver<'a> {
    fn new(
        engine: &'a mut Engine,
        forest: &'a Forest,
        expanded: &'a Expanded<'a>,
        initially: &'a dyn Initially,
    ) -> Self {
        let mut places = FxHashMap::default();
        for (who, path) in expanded.paths.iter().enumerate() {
            for (at, &node) in path.nodes.iter().enumerate() {
                let Label::Act { reads, .. } = forest.label(node) else { continue };
                for (cell, read) in (0..).zip(reads) {
                    if let Seen::Variable(variable) = read.seen {
                        places.insert(variable, (who, at, cell));
                    }
                }
            }
        }
        Resolver { engine, forest, expanded, initially, places, known: FxHashMap::default() }
    }

    /// What conditions that contradict each other come to.
    fn conflict(&mut self, bases: Vec<Basis>) -> Conflict {
        let mut conflict = Conflict::default();
        bases.iter().for_each(|basis| join(&mut conflict.reads, &basis.reads));
        let over_reads: Option<Vec<TermId>> = bases.iter().map(|basis| basis.over_reads).collect();
        let Some(over_reads) = over_reads else { return conflict };
        let terms = &mut self.engine.terms;
        let all = over_reads.into_iter().fold(terms.tru(), |all, condition| terms.and(all, condition));
        conflict.condition = Some(all);
        let variables: Vec<TermId> = terms.vars(all).iter().map(|&index| terms.variable(index).term).collect();
        for &variable in &variables {
            let Some(&(who, at, cell)) = self.places.get(&variable) else { continue };
            let read = (self.expanded.paths[who].nodes[at], cell);
            let hangs_on_it = |other: &TermId| match self.known.get(other) {
                Some(Some((_, reads))) => reads.contains(&read),
                _ => self.places.contains_key(other),
            };
            if !variables.iter().any(|other| *other != variable && hangs_on_it(other)) {
                conflict.variables.insert(read, variable);
            }
        }
        conflict
    }

    /// What a node says of the inputs; or what cannot be.
    fn condition_of(
        &mut self,
        place: (Who, usize),
        node: NodeId,
        conditions: &mut Vec<Condition>,
    ) -> Result<(), Basis> {
        let (condition, wanted) = match self.forest.label(node) {
            Label::Branch { term, holds, .. } => (*term, *holds),
            Label::Value { term, value } => {
                let terms = &mut self.engine.terms;
                let value = terms.bv(terms.width(*term), *value);
                (terms.eq(*term, value), true)
            }
            Label::Otherwise { term, values } => {
                let terms = &mut self.engine.terms;
                let mut all = terms.tru();
                for value in values {
                    let value = terms.bv(terms.width(*term), *value);
                    let other = terms.ne(*term, value);
                    all = terms.and(all, other);
                }
                (all, true)
            }
            Label::Act { reads, .. } => {
                let reads: SmallVec<[(u32, Cell); 2]> = (0..).zip(reads.iter().copied()).collect();
                for (cell, read) in reads {
                    self.as_seen(place, (node, cell), read, conditions)?;
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        let (resolved, reads) = self.resolved(condition)?;
        let terms = &mut self.engine.terms;
        let [resolved, over_reads] = [resolved, condition].map(|term| if wanted { term } else { terms.not(term) });
        self.note(Condition { resolved, basis: Basis { over_reads: Some(over_reads), reads } }, conditions)
    }

    fn note(&mut self, condition: Condition, conditions: &mut Vec<Condition>) -> Result<(), Basis> {
        match self.engine.terms.as_const(condition.resolved) {
            Some(0) => Err(condition.basis),
            Some(_) => Ok(()),
            None => {
                conditions.push(condition);
                Ok(())
            }
        }
    }

    /// What is read has to be what the thread was seen to read, where that is no variable.
    fn as_seen(
        &mut self,
        place: (Who, usize),
        read: Read,
        cell: Cell,
        conditions: &mut Vec<Condition>,
    ) -> Result<(), Basis> {
        match cell.seen {
            Seen::Variable(variable) => {
                self.resolve(variable)?;
                Ok(())
            }
            Seen::Undefined => {
                let (content, reads) = self.content(place, read, cell.range)?;
                if content == Content::Undefined { Ok(()) } else { Err(reads.into()) }
            }
            Seen::Fixed(seen) => {
                let (content, reads) = self.content(place, read, cell.range)?;
                match content {
                    Content::Fixed(number) if number == seen => Ok(()),
                    Content::Fixed(_) | Content::Undefined => Err(reads.into()),
                    Content::Term(term) => {
                        let terms = &mut self.engine.terms;
                        let seen = terms.bv(terms.width(term), u128::from(seen));
                        let resolved = terms.eq(term, seen);
                        self.note(Condition { resolved, basis: reads.into() }, conditions)
                    }
                }
            }
        }
    }

    /// What a read finds, with nothing but inputs in it, and the reads that this depends on: itself among them.
    fn content(&mut self, (who, at): (Who, usize), read: Read, range: Range) -> Result<(Content, Reads), Reads> {
        let own: Reads = [read].into_iter().collect();
        let mut parts: SmallVec<[(Range, Content); 1]> = SmallVec::new();
        let mut reads = own.clone();
        match self.expanded.scenario.source(read.0, read.1) {
            Some(source) => {
                let Label::Wrote(writes) = self.forest.label(source) else { return Err(own) };
                let covers = |written: &Range| {
                    written.object == range.object
                        && written.offset <= range.offset
                        && range.offset + range.size <= written.offset + written.size
                };
                let Some(&(written, content)) = writes.iter().find(|(written, _)| covers(written)) else {
                    let Some(parts) = self.written_in_parts(writes, range) else {
                        self.initially.note_mixed();
                        return Err(own);
                    };
                    return self.whole(parts, reads);
                };
                parts.push((range, part_of(&mut self.engine.terms, written, content, range)));
            }
            None => {
                for piece in local(self.forest, self.expanded, (who, at), range) {
                    let content = match piece.from {
                        Some(from) => part_of(&mut self.engine.terms, from.range, from.content, piece.range),
                        None => self.initially.content(&mut self.engine.terms, self.expanded, piece.range),
                    };
                    parts.push((piece.range, content));
                }
            }
        }
        if let [(_, Content::Fixed(number))] = parts[..] {
            return Ok((Content::Fixed(number), reads));
        }
        let content = joined(&mut self.engine.terms, &parts);
        let Content::Term(term) = content else { return Ok((content, reads)) };
        let (term, more) = self.resolved(term).map_err(|mut why| {
            join(&mut why, &own);
            why
        })?;
        join(&mut reads, &more);
        Ok((Content::Term(term), reads))
    }

    fn whole(&mut self, parts: Vec<(Range, Content)>, mut reads: Reads) -> Result<(Content, Reads), Reads> {
        let content = joined(&mut self.engine.terms, &parts);
        let Content::Term(term) = content else { return Ok((content, reads)) };
        let (term, more) = self.resolved(term)?;
        join(&mut reads, &more);
        Ok((Content::Term(term), reads))
    }

    /// A range of which one action has written each byte, though not all as one.
    fn written_in_parts(&mut self, writes: &[(Range, Content)], range: Range) -> Option<Vec<(Range, Content)>> {
        let mut parts = Vec::new();
        for offset in range.offset..range.offset + range.size {
            let byte = Range { offset, size: 1, ..range };
            let &(written, content) = writes.iter().find(|(written, _)| written.overlaps(&byte))?;
            parts.push((byte, part_of(&mut self.engine.terms, written, content, byte)));
        }
        Some(parts)
    }

    /// What stands for a read's variable.
    fn resolve(&mut self, variable: TermId) -> Result<(TermId, Reads), Reads> {
        match self.known.get(&variable) {
            Some(Some(known)) => return Ok(known.clone()),
            // It depends on itself: no order of events does that.
            Some(None) => return Err(Reads::new()),
            None => {}
        }
        let &(who, at, cell) = self.places.get(&variable).expect("variables are those of the scenario's reads");
        let node = self.expanded.paths[who].nodes[at];
        let Label::Act { reads, .. } = self.forest.label(node) else { return Err(Reads::new()) };
        let range = reads[cell as usize].range;
        self.known.insert(variable, None);
        let (content, reads) = self.content((who, at), (node, cell), range)?;
        let width = self.engine.terms.width(variable);
        let term = match content {
            Content::Term(term) if self.engine.terms.width(term) == width => term,
            Content::Fixed(number) => self.engine.terms.bv(width, u128::from(number)),
            Content::Term(_) | Content::Undefined => return Err(reads),
        };
        self.known.insert(variable, Some((term, reads.clone())));
        Ok((term, reads))
    }

    /// A term with what was written in place of reads.
    fn resolved(&mut self, term: TermId) -> Result<(TermId, Reads), Reads> {
        let engine = &self.engine;
        let variables = engine.terms.vars(term).iter().map(|&index| engine.terms.variable(index).term);
        let of_reads: SmallVec<[TermId; 4]> = variables.filter(|variable| self.places.contains_key(variable)).collect();
        if of_reads.is_empty() {
            return Ok((term, Reads::new()));
        }
        let mut by = FxHashMap::default();
        let mut reads = Reads::new();
        for variable in of_reads {
            let (value, more) = self.resolve(variable)?;
            by.insert(variable, value);
            join(&mut reads, &more);
        }
        Ok((self.engine.terms.substitute(term, &by), reads))
    }
}
