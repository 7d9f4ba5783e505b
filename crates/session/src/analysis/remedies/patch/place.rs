//! A section in the source: the statements of one block from the first to the last that has an access of it.

use super::super::source::{Source, below};
use super::super::words;
use super::{Edit, merged};
use ir::Location;
use machine::{Extent, Program, Section};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// What a section is about, in a file.
pub(super) struct Place<'s> {
    source: &'s Source,
    function: Node<'s>,
    /// The statements that take the lock and give it back.
    take: String,
    give: String,
    /// What returns is computed under the lock, whatever it is.
    is_whole: bool,
    /// Bytes at which there is an access, or a call that takes the lock or gives it back.
    points: Vec<usize>,
    /// The calls, and whether they take it.
    calls: Vec<(usize, bool)>,
}

/// Statements of one block that follow each other.
struct Run<'s> {
    statements: Vec<Node<'s>>,
}

/// `is_only`: it takes the place of all that the function does with locks of its kind.
pub(super) fn edits(program: &Program, section: &Section, source: &Source, is_only: bool) -> Option<Vec<Edit>> {
    let module = &program.module;
    let function = &module[section.function];
    let offset = |at: &Location| {
        let is_here = at.function == function.name && module[at.file].path == source.file && at.inlined_at.is_none();
        is_here.then(|| source.offset(at.line, at.column)).flatten()
    };
    let points = if is_only { Vec::new() } else { words::points(program, section) };
    let points: Vec<usize> = points.into_iter().map(offset).collect::<Option<_>>()?;
    let mut calls = Vec::new();
    if !is_only && !matches!(section.extent, Extent::Around(_)) {
        for site in program.calls_on_lock(section) {
            let at = program.site_location(site).map(|at| &module[at])?;
            let takes = matches!(program.site_op(site),
                Some(ir::Op::Call { callee: ir::Callee::Direct(callee), .. }) if *callee == section.take);
            calls.push((offset(at)?, takes));
        }
    }
    calls.sort_unstable();
    let inside = match points.is_empty() {
        true => vec![source.offset(module[function.location?].line, 1)?],
        false => points.clone(),
    };
    let node = match points.is_empty() {
        true => definition(source, &function.name, inside[0])?,
        false => source.function(&function.name, &points)?,
    };
    let lock = words::lock(program, section)?;
    let condition = match section.unless {
        Some(_) => format!("if ({}) ", words::differs(program, section)?),
        None => String::new(),
    };
    let statement = |callee: ir::FuncId| format!("{condition}{}({});", module[callee].name, lock_argument(&lock));
    let (take, give) = (statement(section.take), statement(section.give));
    let place = Place { source, function: node, take, give, is_whole: is_only, points, calls };
    place.edits(&section.extent)
}

/// The definition with this name that begins on the line of a byte, or after it.
fn definition<'s>(source: &'s Source, name: &str, from: usize) -> Option<Node<'s>> {
    let mut at = from;
    // The name may stand on a line after the type.
    while at < source.text.len() {
        if let Some(found) = source.function(name, &[at]) {
            return Some(found);
        }
        at += source.text[at..].find(['\n', ' ', '*', '('])? + 1;
        if at > from + MOST_BEFORE_NAME {
            return None;
        }
    }
    None
}

/// Characters of a function's type and name.
const MOST_BEFORE_NAME: usize = 256;

/// `&q->lock`
pub(super) fn lock_argument(lock: &str) -> String {
    match lock.strip_prefix("(&").and_then(|rest| rest.split_once(")->")) {
        // `(&a.b)->c` as people write it.
        Some((object, member)) if !object.contains(['(', ')']) => format!("&{object}.{member}"),
        _ => format!("&{lock}"),
    }
}

impl<'s> Place<'s> {
    /// For what a statement of a function gives back, wherever it is left.
    pub(super) fn giving(source: &'s Source, function: Node<'s>, (give, points): (String, &[usize])) -> Self {
        let (points, calls) = (points.to_vec(), Vec::new());
        Place { source, function, take: String::new(), give, is_whole: false, points, calls }
    }

    fn edits(&self, extent: &Extent) -> Option<Vec<Edit>> {
        let body = self.function.child_by_field_name("body")?;
        let run = match extent {
            Extent::Whole => self.whole(body)?,
            Extent::Around(_) | Extent::Extended(_) => self.around(body)?,
        };
        let (first, last) = (*run.statements.first()?, *run.statements.last()?);
        // Where what gives it back ends the section already, it stays, and so does all that follows the first call that takes it.
        let takes: Vec<usize> = self.calls.iter().filter(|(_, takes)| *takes).map(|(at, _)| *at).collect();
        let ends_there = self.calls.last().is_some_and(|(at, takes)| !takes && Some(at) == self.points.iter().max());
        let kept_from = match takes.as_slice() {
            [take] if ends_there => Some(*take),
            _ => None,
        };
        let mut edits = Vec::new();
        let (mut begins, mut ends) = (false, false);
        for (at, takes) in &self.calls {
            if *takes || kept_from.is_none() {
                let statement = self.statement_of_call(*at)?;
                // What begins or ends the section already stays.
                if *takes && statement.id() == first.id() {
                    begins = true;
                    continue;
                }
                if !takes && statement.id() == last.id() {
                    ends = true;
                    continue;
                }
                let lines = self.source.whole_lines(statement.byte_range());
                edits.push(Edit { begin: lines.start, end: lines.end, text: String::new() });
            }
        }
        let until = kept_from.unwrap_or(usize::MAX);
        for statement in &run.statements {
            for exit in self.exits(*statement)?.into_iter().filter(|exit| exit.start_byte() < until) {
                ends |= exit.id() == last.id();
                edits.extend(self.leave(exit)?);
            }
        }
        if !begins {
            let between = self.between(first);
            edits.push(Edit::insert(first.start_byte(), format!("{}{between}", self.take)));
        }
        if kept_from.is_none() && !ends {
            let at = self.source.behind_comment(last.end_byte());
            edits.push(Edit::insert(at, format!("{}{}", self.between(last), self.give)));
        }
        Some(merged(edits))
    }

    /// All of a function, but for what it declares before it does anything with the lock.
    fn whole(&self, body: Node<'s>) -> Option<Run<'s>> {
        let statements = statements_of(body);
        let has_point = |node: &Node| self.points.iter().any(|point| node.byte_range().contains(point));
        let computes = |node: &Node| self.is_whole && below(*node).iter().any(|part| part.kind() == "init_declarator");
        let is_first = |node: &Node| node.kind() != "declaration" || has_point(node) || computes(node);
        let first = statements.iter().position(is_first)?;
        Some(Run { statements: statements[first..].to_vec() })
    }

    /// The fewest statements of one block that have all points.
    fn around(&self, body: Node<'s>) -> Option<Run<'s>> {
        let has_all = |node: &Node| self.points.iter().all(|point| node.byte_range().contains(point));
        let blocks = below(body);
        let block = blocks
            .into_iter()
            .filter(|node| BLOCKS.contains(&node.kind()) && has_all(node))
            .min_by_key(|node| node.byte_range().len())?;
        let statements = statements_of(block);
        let has_point = |node: &Node| self.points.iter().any(|point| node.byte_range().contains(point));
        let (first, last) = (statements.iter().position(has_point)?, statements.iter().rposition(has_point)?);
        // What is declared there may be needed behind it, but cases are no statements.
        let chosen = statements[first..=last].to_vec();
        chosen.iter().all(|node| node.kind() != "case_statement").then_some(Run { statements: chosen })
    }

    /// The statement that is no more than a call.
    pub(super) fn statement_of_call(&self, at: usize) -> Option<Node<'s>> {
        let mut node = self.source.at(at)?;
        while node.kind() != "expression_statement" {
            node = node.parent()?;
        }
        let is_call = node.named_child(0).is_some_and(|child| child.kind() == "call_expression");
        (is_call && node.start_byte() == at).then_some(node)
    }

    /// The statements in one that leave it. None where that is not plain.
    pub(super) fn exits(&self, statement: Node<'s>) -> Option<Vec<Node<'s>>> {
        let mut exits = Vec::new();
        for node in below(statement) {
            match node.kind() {
                "return_statement" => exits.push(node),
                "goto_statement" | "labeled_statement" => return None,
                "break_statement" if !is_inside(node, statement, &LOOPS_AND_SWITCH) => exits.push(node),
                "continue_statement" if !is_inside(node, statement, &LOOPS_AND_SWITCH[..3]) => exits.push(node),
                _ => {}
            }
        }
        Some(exits)
    }

    /// Gives the lock back before a statement leaves; what it returns is computed first where that takes the lock.
    pub(super) fn leave(&self, exit: Node<'s>) -> Option<Vec<Edit>> {
        let source = self.source;
        let give = &self.give;
        let parent = exit.parent()?;
        let is_bare = !BLOCKS.contains(&parent.kind());
        let starts = exit.start_byte();
        let (mut edits, mut between, mut begin, mut before, mut after) =
            (Vec::new(), self.between(exit), starts, String::new(), String::new());
        if is_bare {
            // It gets a block, which begins behind the condition, before a comment.
            let mut sibling = exit.prev_sibling()?;
            while sibling.kind() == "comment" {
                sibling = sibling.prev_sibling()?;
            }
            let owner = if parent.kind() == "else_clause" { parent.parent()? } else { parent };
            let outer = source.indent(owner.start_byte());
            after = format!("\n{outer}}}");
            if source.begins_line(starts) {
                edits.push(Edit::insert(sibling.end_byte(), " {".to_owned()));
            } else {
                between = format!("\n{outer}{}", self.unit());
                (begin, before) = (sibling.end_byte(), format!(" {{{between}"));
            }
        }
        let end = source.behind_comment(exit.end_byte());
        let is_plain = |value: Node| PLAIN.contains(&value.kind());
        let is_computed = self.is_whole && !exit.named_child(0).is_none_or(is_plain);
        if !is_computed && !self.points.iter().any(|point| exit.byte_range().contains(point)) {
            edits.push(Edit { begin, end: starts, text: format!("{before}{give}{between}") });
            if is_bare {
                edits.push(Edit::insert(end, after));
            }
            return Some(edits);
        }
        let value = exit.named_child(0)?;
        let name = self.unused_name()?;
        edits.push(Edit { begin, end: value.start_byte(), text: format!("{before}{} = ", self.declared(&name)?) });
        edits.push(Edit::insert(end, format!("{between}{give}{between}return {name};{after}")));
        Some(edits)
    }

    /// A declaration of what the function returns.
    fn declared(&self, name: &str) -> Option<String> {
        let mut cursor = self.function.walk();
        let qualifiers = self.function.children(&mut cursor).filter(|child| child.kind() == "type_qualifier");
        let qualifiers: String = qualifiers.map(|child| format!("{} ", self.source.text_of(child))).collect();
        let ty = format!("{qualifiers}{}", self.source.text_of(self.function.child_by_field_name("type")?));
        let mut declarator = self.function.child_by_field_name("declarator")?;
        let mut stars = String::new();
        while declarator.kind() == "pointer_declarator" {
            stars.push('*');
            declarator = declarator.child_by_field_name("declarator")?;
        }
        Some(format!("{ty} {stars}{name}"))
    }

    fn unused_name(&self) -> Option<String> {
        let used: BTreeSet<&str> = below(self.function)
            .into_iter()
            .filter(|node| node.kind() == "identifier")
            .map(|node| self.source.text_of(node))
            .collect();
        ["result", "value", "returned"].into_iter().find(|name| !used.contains(name)).map(str::to_owned)
    }

    /// What stands between two statements there.
    pub(super) fn between(&self, statement: Node) -> String {
        let at = statement.start_byte();
        if self.source.begins_line(at) { format!("\n{}", self.source.indent(at)) } else { " ".to_owned() }
    }

    /// How far a block is indented.
    fn unit(&self) -> String {
        let statements = self.function.child_by_field_name("body").map(statements_of).unwrap_or_default();
        let indent = statements.first().map(|first| self.source.indent(first.start_byte())).unwrap_or_default();
        let own = self.source.indent(self.function.start_byte());
        indent.strip_prefix(own).filter(|unit| !unit.is_empty()).unwrap_or("    ").to_owned()
    }
}

/// What statements follow each other in; the preprocessor's parts of a block among them.
pub(super) const BLOCKS: [&str; 6] =
    ["compound_statement", "case_statement", "preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif"];

/// Values that are the same wherever they are computed.
const PLAIN: [&str; 5] = ["identifier", "number_literal", "true", "false", "null"];

const LOOPS_AND_SWITCH: [&str; 4] = ["for_statement", "while_statement", "do_statement", "switch_statement"];

/// Whether a node is in another of some kind, that is in a statement or is that.
fn is_inside(node: Node, statement: Node, kinds: &[&str]) -> bool {
    let mut at = node;
    while at.id() != statement.id() {
        let Some(parent) = at.parent() else { return false };
        at = parent;
        if kinds.contains(&at.kind()) {
            return true;
        }
    }
    false
}

/// The statements and declarations of a block or a case.
pub(super) fn statements_of(block: Node<'_>) -> Vec<Node<'_>> {
    let value = block.child_by_field_name("value").map(|value| value.id());
    let mut cursor = block.walk();
    let children = block.named_children(&mut cursor);
    children.filter(|child| child.kind() != "comment" && Some(child.id()) != value).collect()
}
