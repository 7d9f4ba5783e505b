//! Candidates as changes of the source.
//!
//! A section becomes the statements of one block from the first to the last that has an access of it; every way out of them gives the lock back.
//! To be tried, the changed text is compiled in the place of the file with each line at its number, so that all else stands where it stood.
//!
//! Guarantee: a patch is one that was compiled and explored. None where the source is not plain: where it jumps, where a lock cannot be named,
//! or where macros hide what there is.

use super::super::racing::absolute;
use super::super::session::Session;
use super::candidates::Candidate;
use super::source::{Source, below};
use super::words;
use crate::frontend;
use ir::Location;
use machine::{Extent, Program, Section};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tree_sitter::Node;
use witness::format::SourceFlags;

/// Changes of some files.
pub(super) struct Patch {
    files: Vec<Edited>,
}

struct Edited {
    source: Source,
    /// In the order of the text, none in another.
    edits: Vec<Edit>,
}

/// A text in the place of another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Edit {
    begin: usize,
    end: usize,
    text: String,
}

impl Edit {
    fn insert(at: usize, text: String) -> Self {
        Edit { begin: at, end: at, text }
    }
}

/// What a candidate is in the source, if that is plain.
pub(super) fn of(session: &Session, candidate: &Candidate) -> Option<Patch> {
    let program = &session.engine.program;
    let mut files: Vec<Edited> = Vec::new();
    for section in &candidate.sections {
        let at = program.module[section.function].location.map(|at| &program.module[at])?;
        let file = &program.module[at.file].path;
        let index = match files.iter().position(|known| known.source.file == *file) {
            Some(index) => index,
            None => {
                let source = Source::read(file, absolute(&program.module, file)?)?;
                files.push(Edited { source, edits: Vec::new() });
                files.len() - 1
            }
        };
        let edits = edits(program, section, &files[index].source)?;
        files[index].edits.extend(edits);
    }
    for file in &mut files {
        file.edits.sort();
        let overlap = |pair: &[Edit]| pair[0].end > pair[1].begin || pair[0].begin == pair[1].begin;
        if file.edits.windows(2).any(overlap) {
            return None;
        }
    }
    Some(Patch { files })
}

impl Patch {
    /// As a unified difference, with the names that reports have for files.
    pub(super) fn difference(&self) -> String {
        let one = |file: &Edited| {
            let new = file.text(|_| String::new());
            let name = &file.source.file;
            similar::TextDiff::from_lines(&file.source.text, &new).unified_diff().header(name, name).to_string()
        };
        self.files.iter().map(one).collect()
    }
}

impl Edited {
    /// The changed text; `behind`: what is written behind each change.
    fn text(&self, behind: impl Fn(usize) -> String) -> String {
        let (mut text, mut from) = (String::new(), 0);
        for edit in &self.edits {
            text.push_str(&self.source.text[from..edit.begin]);
            text.push_str(&edit.text);
            text.push_str(&behind(edit.end));
            from = edit.end;
        }
        text + &self.source.text[from..]
    }

    /// The changed text with all that is left of the old one at its line and column.
    fn in_place(&self) -> String {
        self.text(|end| {
            let (line, column) = self.source.place(end);
            // A tab is one column for compilers.
            format!("\n#line {line}\n{}", " ".repeat(column))
        })
    }
}

impl Session {
    /// The program with a patch. None where it does not compile, or has other functions.
    pub(super) fn compiled_with(&self, patch: &Patch) -> Option<Arc<Program>> {
        let folder = tempfile::Builder::new().prefix("raddle-").tempdir().ok()?;
        let overlay = overlay(patch, folder.path())?;
        let flags = ["-ivfsoverlay".to_owned(), overlay.display().to_string()];
        let program = &self.files.program_ref;
        let sources: Vec<PathBuf> = program.typed.iter().map(PathBuf::from).collect();
        let with = |known: &[String]| known.iter().cloned().chain(flags.clone()).collect::<Vec<_>>();
        let own = |own: &SourceFlags| SourceFlags { flags: with(&own.flags), ..own.clone() };
        let own: Vec<SourceFlags> = program.own.iter().map(own).collect();
        let directory = Path::new(&program.directory);
        let limits = &self.time.limits;
        let mut module = frontend::compile(Some(directory), &sources, &with(&program.flags), &own, limits).ok()?;
        let old = &self.engine.program.module;
        let has_clients = old.functions.iter().any(machine::is_client_function);
        if has_clients {
            machine::add_client_functions(&mut module);
        }
        let names = |module: &ir::Module| module.functions.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
        if names(&module) != names(old) {
            return None;
        }
        Program::new(module, self.parameters.bounds.array).ok().map(Arc::new)
    }
}

/// Writes the changed files, and what has clang take them for those that they change.
fn overlay(patch: &Patch, folder: &Path) -> Option<PathBuf> {
    let mut roots = Vec::new();
    for (number, file) in patch.files.iter().enumerate() {
        let content = folder.join(format!("{number}.c"));
        std::fs::write(&content, file.in_place()).ok()?;
        let name = std::path::absolute(&file.source.path).ok()?;
        roots.push(serde_json::json!({ "name": name, "type": "file", "external-contents": content }));
    }
    let overlay = folder.join("overlay.yaml");
    // JSON is YAML.
    let text = serde_json::json!({ "version": 0, "use-external-names": false, "roots": roots }).to_string();
    std::fs::write(&overlay, text).ok()?;
    Some(overlay)
}

/// What a section is about, in a file.
struct Place<'s> {
    source: &'s Source,
    function: Node<'s>,
    lock: String,
    take: &'s str,
    give: &'s str,
    /// Bytes at which there is an access, or a call that takes the lock or gives it back.
    points: Vec<usize>,
    /// The calls, and whether they take it.
    calls: Vec<(usize, bool)>,
}

/// Statements of one block that follow each other.
struct Run<'s> {
    statements: Vec<Node<'s>>,
}

fn edits(program: &Program, section: &Section, source: &Source) -> Option<Vec<Edit>> {
    let module = &program.module;
    let function = &module[section.function];
    let offset = |at: &Location| {
        let is_here = at.function == function.name && module[at.file].path == source.file && at.inlined_at.is_none();
        is_here.then(|| source.offset(at.line, at.column)).flatten()
    };
    let points: Vec<usize> = words::points(program, section).into_iter().map(offset).collect::<Option<_>>()?;
    let mut calls = Vec::new();
    if !matches!(section.extent, Extent::Around(_)) {
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
    let place = Place {
        source,
        function: node,
        lock: lock_argument(&words::lock(program, section)?),
        take: &module[section.take].name,
        give: &module[section.give].name,
        points,
        calls,
    };
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
fn lock_argument(lock: &str) -> String {
    match lock.strip_prefix("(&").and_then(|rest| rest.split_once(")->")) {
        // `(&a.b)->c` as people write it.
        Some((object, member)) if !object.contains(['(', ')']) => format!("&{object}.{member}"),
        _ => format!("&{lock}"),
    }
}

impl<'s> Place<'s> {
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
            edits.push(Edit::insert(first.start_byte(), format!("{}({});{between}", self.take, self.lock)));
        }
        if kept_from.is_none() && !ends {
            let at = self.source.behind_comment(last.end_byte());
            edits.push(Edit::insert(at, format!("{}{}({});", self.between(last), self.give, self.lock)));
        }
        Some(merged(edits))
    }

    /// All of a function, but for what it declares before it does anything with the lock.
    fn whole(&self, body: Node<'s>) -> Option<Run<'s>> {
        let statements = statements_of(body);
        let has_point = |node: &Node| self.points.iter().any(|point| node.byte_range().contains(point));
        let first = statements.iter().position(|node| node.kind() != "declaration" || has_point(node))?;
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
    fn statement_of_call(&self, at: usize) -> Option<Node<'s>> {
        let mut node = self.source.at(at)?;
        while node.kind() != "expression_statement" {
            node = node.parent()?;
        }
        let is_call = node.named_child(0).is_some_and(|child| child.kind() == "call_expression");
        (is_call && node.start_byte() == at).then_some(node)
    }

    /// The statements in one that leave it. None where that is not plain.
    fn exits(&self, statement: Node<'s>) -> Option<Vec<Node<'s>>> {
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
    fn leave(&self, exit: Node<'s>) -> Option<Vec<Edit>> {
        let source = self.source;
        let give = format!("{}({});", self.give, self.lock);
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
        if !self.points.iter().any(|point| exit.byte_range().contains(point)) {
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
        let ty = self.source.text_of(self.function.child_by_field_name("type")?);
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
    fn between(&self, statement: Node) -> String {
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
const BLOCKS: [&str; 6] =
    ["compound_statement", "case_statement", "preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif"];

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
fn statements_of(block: Node<'_>) -> Vec<Node<'_>> {
    let value = block.child_by_field_name("value").map(|value| value.id());
    let mut cursor = block.walk();
    let children = block.named_children(&mut cursor);
    children.filter(|child| child.kind() != "comment" && Some(child.id()) != value).collect()
}

/// Changes at one place as one: what is taken away there comes last.
fn merged(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.begin, edit.end));
    let mut all: Vec<Edit> = Vec::new();
    for edit in edits {
        match all.last_mut() {
            Some(last) if last.begin == edit.begin || last.end == edit.begin && last.begin == last.end => {
                last.end = last.end.max(edit.end);
                last.text.push_str(&edit.text);
            }
            _ => all.push(edit),
        }
    }
    all
}
