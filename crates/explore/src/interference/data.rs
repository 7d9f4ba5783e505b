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
    /// Whatever the inputs are: not as long as these reads take their values from where they do.
    Conflict(Reads),
    /// The solver gave up.
    Unknown,
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
    let mut conditions: Vec<(TermId, Reads)> = Vec::new();
    for (who, path) in expanded.paths.iter().enumerate() {
        for (at, &node) in path.nodes.iter().enumerate() {
            match resolver.condition_of((who, at), node, &mut conditions) {
                Ok(()) => {}
                Err(reads) => return Ok(Data::Conflict(reads)),
            }
        }
    }
    conditions.sort_by_key(|(term, _)| *term);
    conditions.dedup_by_key(|(term, _)| *term);
    let all: Vec<TermId> = conditions.iter().map(|(term, _)| *term).collect();
    match engine.solver.model(&mut engine.terms, &all)? {
        Answer::Sat(model) => Ok(Data::Satisfied(model)),
        Answer::Unknown(_) => Ok(Data::Unknown),
        Answer::Unsat => Ok(Data::Conflict(core(engine, conditions)?)),
    }
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

/// The reads of some conditions that contradict each other.
fn core(engine: &mut Engine, mut conditions: Vec<(TermId, Reads)>) -> Result<Reads, EngineError> {
    // Those that no read has a part in stay in any case.
    let mut at = 0;
    while at < conditions.len() && conditions.len() <= MOST_IN_CORE {
        if conditions[at].1.is_empty() {
            at += 1;
            continue;
        }
        let left: Vec<TermId> =
            conditions.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, (term, _))| *term).collect();
        match engine.solver.model(&mut engine.terms, &left)? {
            Answer::Unsat => _ = conditions.remove(at),
            Answer::Sat(_) | Answer::Unknown(_) => at += 1,
        }
    }
    let mut reads = Reads::new();
    conditions.iter().for_each(|(_, of)| join(&mut reads, of));
    Ok(reads)
}

fn join(reads: &mut Reads, more: &Reads) {
    for read in more {
        if let Err(at) = reads.binary_search(read) {
            reads.insert(at, *read);
        }
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

    /// What a node says of the inputs; the reads for which that cannot be.
    fn condition_of(
        &mut self,
        place: (Who, usize),
        node: NodeId,
        conditions: &mut Vec<(TermId, Reads)>,
    ) -> Result<(), Reads> {
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
        let (term, reads) = self.resolved(condition)?;
        let term = if wanted { term } else { self.engine.terms.not(term) };
        self.note(term, reads, conditions)
    }

    fn note(&mut self, term: TermId, reads: Reads, conditions: &mut Vec<(TermId, Reads)>) -> Result<(), Reads> {
        match self.engine.terms.as_const(term) {
            Some(0) => Err(reads),
            Some(_) => Ok(()),
            None => {
                conditions.push((term, reads));
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
        conditions: &mut Vec<(TermId, Reads)>,
    ) -> Result<(), Reads> {
        match cell.seen {
            Seen::Variable(variable) => self.resolve(variable).map(|_| ()),
            Seen::Undefined => {
                let (content, reads) = self.content(place, read, cell.range)?;
                if content == Content::Undefined { Ok(()) } else { Err(reads) }
            }
            Seen::Fixed(seen) => {
                let (content, reads) = self.content(place, read, cell.range)?;
                match content {
                    Content::Fixed(number) if number == seen => Ok(()),
                    Content::Fixed(_) | Content::Undefined => Err(reads),
                    Content::Term(term) => {
                        let terms = &mut self.engine.terms;
                        let seen = terms.bv(terms.width(term), u128::from(seen));
                        let equal = terms.eq(term, seen);
                        self.note(equal, reads, conditions)
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
