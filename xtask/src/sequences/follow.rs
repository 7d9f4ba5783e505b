//! A program that follows a violation sequence natively, made from the sequence and the source alone.

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use tree_sitter::{Node, Parser, Tree};

const RUNTIME: &str = include_str!("runtime.c");

#[derive(Deserialize)]
pub(super) struct Entry {
    pub entry_type: String,
    pub metadata: Metadata,
    pub content: Vec<Segment>,
}

#[derive(Deserialize)]
pub(super) struct Metadata {
    pub format_version: String,
}

#[derive(Deserialize)]
pub(super) struct Segment {
    pub segment: Vec<Step>,
}

#[derive(Deserialize)]
pub(super) struct Step {
    pub waypoint: Waypoint,
}

#[derive(Deserialize)]
pub(super) struct Waypoint {
    #[serde(rename = "type")]
    pub kind: String,
    pub action: String,
    pub constraint: Option<Constraint>,
    pub location: Location,
    #[serde(default)]
    pub thread_id: usize,
}

#[derive(Deserialize)]
pub(super) struct Constraint {
    pub value: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
pub(super) struct Location {
    pub file_name: String,
    pub line: usize,
    pub column: usize,
}

/// What is written into the source, by the byte in front of which it comes.
#[derive(Default)]
struct Edits {
    begins: BTreeMap<usize, Vec<String>>,
    /// In front of what begins there.
    ends: BTreeMap<usize, Vec<String>>,
}

/// The source, made to follow.
///
/// # Errors
/// When a waypoint is not where the format says that it has to be.
pub(super) fn instrument(text: &str, entry: &Entry) -> anyhow::Result<String> {
    if (entry.entry_type.as_str(), entry.metadata.format_version.as_str()) != ("violation_sequence", "2.2") {
        bail!("an entry of another kind or format");
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_c::LANGUAGE.into())?;
    let tree = parser.parse(text, None).context("parsed")?;
    let mut points: BTreeMap<(usize, bool), Vec<(usize, &Waypoint)>> = BTreeMap::new();
    let last = entry.content.len() - 1;
    let mut created = vec![-1; entry.content.len()];
    let mut threads = 0;
    for (number, segment) in entry.content.iter().enumerate() {
        if (segment.segment.len() == 2) != (number == last) {
            bail!("segment {number} has {} waypoints", segment.segment.len());
        }
        for Step { waypoint } in &segment.segment {
            if waypoint.action != "follow" || (waypoint.kind == "target") != (number == last) {
                bail!("segment {number}: a waypoint of another kind");
            }
            let at = offset(text, &waypoint.location)?;
            let is_call = waypoint.kind.starts_with("function_");
            points.entry((at, is_call)).or_default().push((number, waypoint));
            if is_call && text[call_at(&tree, at)?.start_byte()..].starts_with("pthread_create") {
                threads += 1;
                created[number] = threads;
            }
        }
    }
    let mut edits = Edits::default();
    let mut tables = String::new();
    let mut values = String::new();
    for (index, (&(at, is_call), waypoints)) in points.iter().enumerate() {
        let table = format!("w_points{index}");
        write!(tables, "static const struct w_point {table}[] = {{")?;
        for (number, waypoint) in waypoints {
            write!(tables, "{{{number}, {}}}, ", waypoint.thread_id)?;
        }
        tables += "{-1, 0}};\n";
        if is_call {
            let constraint = waypoints.iter().any(|(_, waypoint)| waypoint.kind == "function_return");
            edits.call(text, call_at(&tree, at)?, &table, constraint);
        } else {
            edits.statement(statement_at(&tree, at)?, &table)?;
        }
        for (number, waypoint) in waypoints {
            if let Some(value) = waypoint.constraint.as_ref().and_then(|it| it.value.strip_prefix("\\result == ")) {
                writeln!(values, "case {number}: return {value};")?;
            }
        }
    }
    let created: Vec<String> = created.iter().map(i32::to_string).collect();
    let threads = entry.content.iter().map(|segment| segment.segment[0].waypoint.thread_id.to_string());
    let mut out = format!(
        "#define W_LAST {last}\nstatic const int w_created[] = {{{}}};\nstatic const int w_thread[] = {{{}}};\n",
        created.join(", "),
        threads.collect::<Vec<_>>().join(", ")
    );
    out += RUNTIME;
    out += &tables;
    write!(out, "static long double w_value(int segment) {{ switch (segment) {{\n{values}}} return 0; }}\n#line 1\n")?;
    out += &edits.into_text(text);
    Ok(out)
}

fn offset(text: &str, at: &Location) -> anyhow::Result<usize> {
    let begin: usize = text.split_inclusive('\n').take(at.line - 1).map(str::len).sum();
    let offset = begin + at.column - 1;
    (offset < text.len()).then_some(offset).ok_or_else(|| anyhow!("{}:{} is behind the end", at.line, at.column))
}

/// The call that a closing parenthesis ends.
fn call_at(tree: &Tree, at: usize) -> anyhow::Result<Node<'_>> {
    let mut node = tree.root_node().descendant_for_byte_range(at, at + 1);
    while let Some(found) = node {
        if found.kind() == "call_expression" && found.end_byte() == at + 1 {
            return Ok(found);
        }
        node = found.parent().filter(|parent| parent.end_byte() == at + 1);
    }
    bail!("no call ends at byte {at}")
}

/// The largest thing that begins at a byte.
fn statement_at(tree: &Tree, at: usize) -> anyhow::Result<Node<'_>> {
    let mut node = tree.root_node().descendant_for_byte_range(at, at + 1).context("a node")?;
    if node.start_byte() != at {
        bail!("nothing begins at byte {at}");
    }
    while let Some(parent) = node.parent().filter(|parent| parent.start_byte() == at) {
        node = parent;
    }
    Ok(node)
}

impl Edits {
    fn call(&mut self, text: &str, call: Node, table: &str, returns: bool) {
        let source = &text[call.byte_range()];
        let name = source.split('(').next().unwrap_or_default().trim();
        if name == "pthread_create" {
            self.begin(call.start_byte(), format!("(w_next = w_gate({table}), w_create("));
            self.end(call.end_byte(), ")".to_owned());
            return;
        }
        if !returns {
            self.begin(call.start_byte(), format!("(w_gate({table}), "));
            self.end(call.end_byte(), ")".to_owned());
            return;
        }
        let forced = if name.starts_with("__VERIFIER_nondet_") {
            "if (w_at >= 0) w_result = (__typeof__(w_result))w_value(w_at); "
        } else {
            ""
        };
        self.begin(call.start_byte(), format!("({{ int w_at = w_wait({table}); __auto_type w_result = "));
        self.end(call.end_byte(), format!("; {forced}w_pass(w_at); w_result; }})"));
    }

    fn statement(&mut self, node: Node, table: &str) -> anyhow::Result<()> {
        let is_block = |node: Node| node.kind() == "compound_statement" || node.kind().starts_with("preproc_");
        let in_block = node.parent().is_some_and(is_block);
        match node.kind() {
            "declaration" if !in_block => bail!("a declaration that is in no block"),
            kind if kind.ends_with("_statement") && kind != "expression_statement" && !in_block => {
                self.begin(node.start_byte(), format!("{{ w_gate({table}); "));
                self.end(node.end_byte(), " }".to_owned());
            }
            kind if kind == "declaration" || kind.ends_with("_statement") && kind != "expression_statement" => {
                self.begin(node.start_byte(), format!("w_gate({table}); "));
            }
            _ => self.begin(node.start_byte(), format!("w_gate({table}), ")),
        }
        Ok(())
    }

    fn begin(&mut self, at: usize, text: String) {
        self.begins.entry(at).or_default().push(text);
    }

    fn end(&mut self, at: usize, text: String) {
        self.ends.entry(at).or_default().push(text);
    }

    fn into_text(self, source: &str) -> String {
        let mut out = String::new();
        let mut from = 0;
        let mut places: Vec<usize> = self.begins.keys().chain(self.ends.keys()).copied().collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            out += &source[from..place];
            from = place;
            out.extend(self.ends.get(&place).into_iter().flatten().map(String::as_str));
            let begins = self.begins.get(&place).map_or(&[][..], Vec::as_slice);
            out.extend(begins.iter().map(String::as_str));
            // Its arguments follow.
            if begins.last().is_some_and(|text| text.ends_with("w_create(")) {
                from = place + source[place..].find('(').map_or(0, |at| at + 1);
            }
        }
        out + &source[from..]
    }
}
