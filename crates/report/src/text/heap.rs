//! The initial heap as boxes: one for each object, its links written out, who points to it at its foot.

use super::TextOptions;
use super::finding::content;
use super::page::{Page, Role, pad, width};
use crate::{Content, Heap, HeapObject, NoSources};

/// Blanks between boxes in one row.
const GUTTER: &str = "   ";

/// `close`: directly below what stands before it.
pub(super) fn render(page: &mut Page, heap: &Heap, close: bool) {
    if heap.roots.is_empty() && heap.objects.is_empty() {
        return;
    }
    if !close {
        page.gap();
    }
    page.line("  Initial heap:");
    draw(page, heap);
}

/// The boxes alone, for at most so many columns.
pub(crate) fn as_text(heap: &Heap, columns: usize) -> String {
    let options = TextOptions { color: false, width: columns, full: false, sources: &NoSources };
    let mut page = Page::new(&options);
    draw(&mut page, heap);
    page.finish()
}

fn draw(page: &mut Page, heap: &Heap) {
    for (names, target) in roots(heap) {
        page.paragraph("    ", &format!("{names} {target}"));
    }
    let boxes: Vec<Vec<String>> = heap.objects.iter().map(|object| boxed(heap, object)).collect();
    let mut row: Vec<&Vec<String>> = Vec::new();
    let mut used = 0;
    for drawn in &boxes {
        let columns = drawn.first().map_or(0, |line| width(line));
        if !row.is_empty() && used + GUTTER.len() + columns > page.options.width {
            render_row(page, &row);
            row.clear();
        }
        used = if row.is_empty() { 4 + columns } else { used + GUTTER.len() + columns };
        row.push(drawn);
    }
    render_row(page, &row);
}

/// Roots that hold the same stand together: that they are aliases is the point of many shapes.
fn roots(heap: &Heap) -> Vec<(String, String)> {
    let mut groups: Vec<(Vec<&str>, &Content)> = Vec::new();
    for root in &heap.roots {
        let link = matches!(root.content, Content::Link { .. });
        match groups.iter_mut().find(|(_, content)| link && **content == root.content) {
            Some((names, _)) => names.push(&root.name),
            None => groups.push((vec![&root.name], &root.content)),
        }
    }
    let arrow = |held: &Content| match held {
        Content::Link { .. } => content(held),
        _ => format!("= {}", content(held)),
    };
    groups.into_iter().map(|(names, held)| (names.join(", "), arrow(held))).collect()
}

/// The places that point to an object or into it, in the order of the drawing.
fn referrers(heap: &Heap, name: &str) -> Vec<String> {
    let leads_here = |content: &Content| matches!(content, Content::Link { object, .. } if object == name);
    let roots = heap.roots.iter().filter(|r| leads_here(&r.content)).map(|r| r.name.clone());
    let fields = heap.objects.iter().flat_map(|object| {
        let own = object.fields.iter().filter(|f| leads_here(&f.content));
        own.map(|field| match field.name.as_str() {
            "" => object.name.clone(),
            member => format!("{}.{member}", object.name),
        })
    });
    roots.chain(fields).collect()
}

fn boxed(heap: &Heap, object: &HeapObject) -> Vec<String> {
    let mut title = object.name.clone();
    if !object.r#type.is_empty() {
        title.push_str(&format!(": {}", object.r#type));
    }
    if let Some(note) = &object.note {
        title.push_str(&format!(" ({note})"));
    }
    let names = object.fields.iter().map(|f| width(&f.name)).max().unwrap_or(0);
    let mut rows: Vec<String> = Vec::new();
    for field in &object.fields {
        let itself = matches!(&field.content, Content::Link { object: target, .. } if *target == object.name);
        let itself = if itself { " (itself)" } else { "" };
        let row = format!("{} {}{itself}", pad(&field.name, names), content(&field.content));
        rows.push(row.trim_start().to_owned());
    }
    let from = referrers(heap, &object.name);
    if !from.is_empty() {
        rows.push(format!("◀── {}", from.join(", ")));
    }
    let inner = rows.iter().map(|row| width(row)).max().unwrap_or(0).max(width(&title) + 1);
    let mut lines = vec![format!("╭─ {title} {}╮", "─".repeat(inner - width(&title) - 1))];
    lines.extend(rows.iter().map(|row| format!("│ {} │", pad(row, inner))));
    lines.push(format!("╰─{}─╯", "─".repeat(inner)));
    lines
}

fn render_row(page: &mut Page, row: &[&Vec<String>]) {
    let height = row.iter().map(|drawn| drawn.len()).max().unwrap_or(0);
    for number in 0..height {
        let mut line = String::from("    ");
        for (index, drawn) in row.iter().enumerate() {
            if index > 0 {
                line.push_str(GUTTER);
            }
            let columns = drawn.first().map_or(0, |first| width(first));
            line.push_str(&pad(drawn.get(number).map_or("", String::as_str), columns));
        }
        let role = if line.contains('╭') { Role::Strong } else { Role::Faint };
        page.line(if role == Role::Strong { page.paint(role, &line) } else { line });
    }
}
