//! The trees of functions, for a terminal. Only where a way splits is the text indented; what comes since the node before
//! stands above a node, as it comes before it.

use super::TextOptions;
use super::page::{Page, Role, pad, width};
use crate::tree::{FunctionTree, TreeAccess, TreeLocation, TreeNode, TreeNodeKind};
use crate::{StoreStats, visible, words};
use std::collections::BTreeSet;

/// Columns of a node's text up to its position.
const TEXT: usize = 60;

/// All trees, ending in a line end if there are any. `store`: which of them an earlier run has made.
pub fn render_tree_text(trees: &[FunctionTree], store: Option<&StoreStats>, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    for tree in trees {
        page.gap();
        render(&mut page, tree);
    }
    if let Some(reused) = store.and_then(|store| words::reused_of(store, ["function", "functions"])) {
        page.gap();
        page.paragraph("Reused: ", &reused);
    }
    page.finish()
}

fn render(page: &mut Page, tree: &FunctionTree) {
    let name = page.paint(Role::Strong, &line_of(&format!("{}({})", tree.function, tree.parameters.join(", "))));
    let place = position(&tree.location, "");
    let paths = words::counted(tree.paths, "path", "paths");
    page.line(format!("{name}{}: {paths}", if place.is_empty() { String::new() } else { format!(", {place}") }));
    if !tree.nodes.is_empty() {
        chain(page, tree, 0, "  ");
    }
    accesses(page, tree);
    for reason in &tree.left_out {
        page.paragraph("  left out: ", &line_of(reason));
    }
}

/// A node and what follows, as long as there is one way on.
fn chain(page: &mut Page, tree: &FunctionTree, first: usize, lead: &str) {
    let mut at = first;
    while let Some(found) = tree.nodes.get(at) {
        node(page, tree, found, lead);
        let splits = found.kind == TreeNodeKind::Branch || found.children.len() > 1;
        match found.children.as_slice() {
            [] => return,
            [only] if !splits => at = *only,
            several => {
                for (index, &child) in several.iter().enumerate() {
                    let last = index + 1 == several.len();
                    let on = tree.nodes.get(child).and_then(|child| child.on.as_deref()).unwrap_or_default();
                    let on = page.paint(Role::Strong, &line_of(on));
                    page.line(format!("{lead}{} {on}", if last { "└─" } else { "├─" }));
                    chain(page, tree, child, &format!("{lead}{}    ", if last { " " } else { "│" }));
                }
                return;
            }
        }
    }
}

fn node(page: &mut Page, tree: &FunctionTree, node: &TreeNode, lead: &str) {
    let mut before: Vec<String> = node.shape.iter().map(|s| format!("{} -> {}", s.pointer, s.pointee)).collect();
    before.extend(node.reads.iter().map(|read| match read.value == read.place {
        true => format!("reads {}", read.place),
        false => format!("reads {} == {}", read.place, read.value),
    }));
    before.extend(node.writes.iter().map(|write| format!("{} = {}", write.place, write.value)));
    for line in before {
        let line = page.paint(Role::Faint, &line_of(&line));
        page.line(format!("{lead}  {line}"));
    }
    let (word, role) = match node.kind {
        TreeNodeKind::Branch => ("if ", Role::Doubt),
        TreeNodeKind::Call => ("call ", Role::Strong),
        TreeNodeKind::Sync => ("", Role::Code),
        TreeNodeKind::Return => ("return ", Role::Fine),
        TreeNodeKind::End => ("", Role::Alarm),
    };
    let word = if node.kind == TreeNodeKind::Branch && is_question(&node.text) { "" } else { word };
    let text = line_of(format!("{word}{}", node.text).trim_end());
    let gap = " ".repeat(TEXT.saturating_sub(width(lead) + width(&text)).max(1));
    let place = page.paint(Role::Faint, &position(&node.location, &tree.location.file));
    page.line(format!("{lead}{}{gap}{place}", page.paint(role, &text)));
}

/// Whether a branch has other outcomes than true and false.
fn is_question(text: &str) -> bool {
    ["where ", "value of ", "one of "].iter().any(|start| text.starts_with(start))
}

/// `file:line`; in the tree's own file only `:line`.
pub(crate) fn position(location: &TreeLocation, own: &str) -> String {
    match location.line {
        0 => String::new(),
        line if location.file == own => format!(":{line}"),
        line => line_of(&format!("{}:{line}", location.file)),
    }
}

/// Each distinct access once.
fn accesses(page: &mut Page, tree: &FunctionTree) {
    let all: BTreeSet<&TreeAccess> = tree.nodes.iter().flat_map(|node| &node.accesses).collect();
    if all.is_empty() {
        return;
    }
    page.line("  accesses:");
    let columns = |access: &TreeAccess| {
        let order = access.order.as_deref().map_or_else(|| "".to_owned(), |order| format!(" ({order})"));
        let atomic = if access.atomic { "atomic " } else { "" };
        [
            format!("{atomic}{}{order}", access.access.replace('_', "-")),
            line_of(&access.place),
            words::counted(access.size, "byte", "bytes"),
            position(&access.location, &tree.location.file),
        ]
    };
    let rows: Vec<[String; 4]> = all.iter().map(|access| columns(access)).collect();
    let widest = |column: usize| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0);
    let widths = [widest(0), widest(1), widest(2), widest(3)];
    for (row, access) in rows.iter().zip(&all) {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, columns)| pad(cell, columns)).collect();
        let locks = match access.locks.as_slice() {
            [] => String::new(),
            locks => format!("  holding {}", line_of(&locks.join(", "))),
        };
        page.line(format!("    {}{locks}", cells.join("  ")));
    }
}

/// As [`visible`], and one line.
fn line_of(text: &str) -> String {
    visible(&text.replace(['\n', '\t'], " "))
}
