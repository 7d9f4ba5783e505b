//! Statements that take locks or give them back, at other places of the source.

use super::super::source::Source;
use super::place::{BLOCKS, Place, lock_argument, statements_of};
use super::{Edit, merged};
use crate::analysis::remedies::words;
use concurrency::Site;
use ir::FuncId;
use machine::{Change, Program};
use tree_sitter::Node;

pub(super) fn edits(program: &Program, (change, id): (&Change, FuncId), source: &Source) -> Option<Vec<Edit>> {
    match change {
        Change::Hold(_) | Change::Atomic { .. } => None,
        Change::Later { give, behind } => {
            let moved = Moved::of(program, source, *give, behind)?;
            moved.later()
        }
        Change::Sooner { take, before, give, lock } => {
            let moved = Moved::of(program, source, *take, before)?;
            let name = source.text_of(moved.statement.named_child(0)?.child_by_field_name("function")?);
            let argument = lock_argument(&words::taken(program, *take, lock)?);
            moved.sooner([format!("{name}({argument});"), format!("{}({argument});", program.module[*give].name)])
        }
        Change::Earlier { give, before } => Moved::of(program, source, *give, before)?.earlier(),
        Change::Without { calls } => {
            let here = calls.iter().filter(|&&site| program.site_function(site) == Some(id));
            let gone = |&site: &Site| Some(Moved::of(program, source, site, &[])?.gone());
            here.map(gone).collect()
        }
    }
}

/// A statement that is a call, and what it is to come before or behind.
struct Moved<'s> {
    source: &'s Source,
    function: Node<'s>,
    statement: Node<'s>,
    points: Vec<usize>,
}

impl<'s> Moved<'s> {
    fn of(program: &Program, source: &'s Source, call: Site, points: &[Site]) -> Option<Self> {
        let place = |site: Site| words::offset_of(program, source, site);
        let at = place(call)?;
        let points: Vec<usize> = points.iter().map(|&point| place(point)).collect::<Option<_>>()?;
        let all: Vec<usize> = points.iter().copied().chain([at]).collect();
        let function = source.function(&program.module[program.site_function(call)?].name, &all)?;
        let statement = Place::giving(source, function, (String::new(), &[])).statement_of_call(at)?;
        Some(Moved { source, function, statement, points })
    }

    fn text(&self) -> String {
        self.source.text_of(self.statement).to_owned()
    }

    fn gone(&self) -> Edit {
        let lines = self.source.whole_lines(self.statement.byte_range());
        // What is all of a branch leaves an empty statement.
        let is_bare = self.statement.parent().is_some_and(|parent| !BLOCKS.contains(&parent.kind()));
        match is_bare {
            true => Edit { begin: self.statement.start_byte(), end: self.statement.end_byte(), text: ";".to_owned() },
            false => Edit { begin: lines.start, end: lines.end, text: String::new() },
        }
    }

    /// The statements of the innermost block that has all of these, from the first of them to the last.
    fn run(&self) -> Option<Vec<Node<'s>>> {
        let own = self.statement.start_byte();
        let is_of = |node: &Node| {
            let range = node.byte_range();
            self.points.iter().chain([&own]).any(|point| range.contains(point))
        };
        let mut block = self.statement;
        loop {
            block = block.parent()?;
            let has_all = self.points.iter().all(|point| block.byte_range().contains(point));
            if has_all && BLOCKS.contains(&block.kind()) {
                break;
            }
            if block.id() == self.function.id() {
                return None;
            }
        }
        let statements = statements_of(block);
        let (first, last) = (statements.iter().position(is_of)?, statements.iter().rposition(is_of)?);
        let chosen = statements[first..=last].to_vec();
        chosen.iter().all(|node| node.kind() != "case_statement").then_some(chosen)
    }

    /// Behind the last of what is to come before it, and on every way that leaves before.
    fn later(&self) -> Option<Vec<Edit>> {
        let run = self.run()?;
        let last = *run.last()?;
        let place = Place::giving(self.source, self.function, (self.text(), &self.points));
        let mut edits = vec![self.gone()];
        let mut leaves = false;
        for statement in &run {
            for exit in
                place.exits(*statement)?.into_iter().filter(|exit| exit.start_byte() > self.statement.start_byte())
            {
                leaves |= exit.id() == last.id();
                edits.extend(place.leave(exit)?);
            }
        }
        if !leaves {
            let at = self.source.behind_comment(last.end_byte());
            edits.push(Edit::insert(at, format!("{}{}", place.between(self.statement), self.text())));
        }
        Some(merged(edits))
    }

    /// In front of the first of what is to come behind it; given back where a way leaves before it came to the call.
    fn sooner(&self, [take, give]: [String; 2]) -> Option<Vec<Edit>> {
        let run = self.run()?;
        let place = Place::giving(self.source, self.function, (give, &self.points));
        // It is held behind the run only if the call is the end of it.
        if run.last()?.id() != self.statement.id() {
            return None;
        }
        let mut edits = vec![self.gone(), self.in_front(&take, *run.first()?)];
        for statement in &run {
            for exit in place.exits(*statement)? {
                edits.extend(place.leave(exit)?);
            }
        }
        Some(merged(edits))
    }

    /// In front of the first of what is to come behind it.
    fn earlier(&self) -> Option<Vec<Edit>> {
        let run = self.run()?;
        Some(merged(vec![self.gone(), self.in_front(&self.text(), *run.first()?)]))
    }

    fn in_front(&self, statement: &str, first: Node<'s>) -> Edit {
        let place = Place::giving(self.source, self.function, (String::new(), &[]));
        Edit::insert(first.start_byte(), format!("{statement}{}", place.between(first)))
    }
}
