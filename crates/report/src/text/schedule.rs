//! The schedule of a finding: time downwards, one column a thread; or one step a line.

use super::finding::{expanded, thread_name};
use super::page::{Page, Role, pad, width, wrap};
use crate::{Finding, ScheduleStep};
use std::collections::BTreeMap;

/// Steps shown of a long schedule: the last ones, where the failure is.
const SHOWN: usize = 120;
const INDENT: &str = "    ";
const SEPARATOR: &str = " │ ";
/// Before the steps that are the accesses of a race.
const MARK: &str = "▶";

/// Steps of one thread on one line of source, without another thread's in between.
pub(crate) struct Row<'a> {
    pub(crate) thread: u32,
    pub(crate) steps: Vec<&'a ScheduleStep>,
}

/// `steps`: those of the finding's schedule that are to be seen.
pub(super) fn render_columns(page: &mut Page, finding: &Finding, steps: &[ScheduleStep]) {
    if steps.is_empty() {
        return;
    }
    let mut threads = threads(finding);
    let takes_part = |thread: u32| {
        let ends = finding.accesses.iter().map(|a| a.thread).chain(finding.blocked.iter().map(|b| b.thread));
        ends.chain(steps.iter().map(|step| step.thread)).any(|known| known == thread)
    };
    threads.retain(|&thread, _| takes_part(thread));
    page.gap();
    let skipped = steps.len().saturating_sub(SHOWN);
    let shown = &steps[skipped..];
    let rows = rows(shown);
    let file = common_file(shown);
    let lines = file.map_or_else(String::new, |file| format!("lines of {file}; "));
    page.line(format!("  Schedule ({lines}a thread runs ahead up to its next step):"));
    let mut columns: Vec<Vec<Vec<Piece>>> = Vec::new();
    let room = page.options.width.saturating_sub(INDENT.len() + SEPARATOR.len() * (threads.len().max(1) - 1));
    let limit = (room / threads.len().max(1)).max(24);
    for row in &rows {
        let cell = cell(page, row, file, limit);
        columns.push(threads.keys().map(|&t| if t == row.thread { cell.clone() } else { Vec::new() }).collect());
    }
    let widths: Vec<usize> = threads
        .values()
        .enumerate()
        .map(|(index, heading)| {
            let cells = columns.iter().flat_map(|row| row[index].iter().map(|piece| width(&piece.text)));
            cells.max().unwrap_or(0).max(width(heading))
        })
        .collect();
    let headings = threads.values().map(|h| Piece { text: h.clone(), role: Some(Role::Strong) });
    print_line(page, &widths, headings.map(Some).collect());
    if skipped > 0 {
        page.line(format!("{INDENT}... {skipped} earlier steps are in the witness"));
    }
    for row in columns {
        let height = row.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..height {
            print_line(page, &widths, row.iter().map(|cell| cell.get(number).cloned()).collect());
        }
    }
}

/// A line of a cell.
#[derive(Clone)]
struct Piece {
    text: String,
    role: Option<Role>,
}

fn print_line(page: &mut Page, widths: &[usize], cells: Vec<Option<Piece>>) {
    let mut line = INDENT.to_owned();
    for (index, (cell, &columns)) in cells.into_iter().zip(widths).enumerate() {
        if index > 0 {
            line.push_str(&page.paint(Role::Faint, SEPARATOR));
        }
        match cell {
            Some(Piece { text, role: Some(role) }) => {
                line.push_str(&page.paint(role, &text));
                line.push_str(&pad("", columns.saturating_sub(width(&text))));
            }
            Some(Piece { text, role: None }) => line.push_str(&pad(&text, columns)),
            None => line.push_str(&pad("", columns)),
        }
    }
    page.line(line);
}

/// Every thread that appears, with its heading.
pub(crate) fn threads(finding: &Finding) -> BTreeMap<u32, String> {
    let mut names: BTreeMap<u32, Option<&str>> = finding.schedule.iter().map(|s| (s.thread, None)).collect();
    for access in &finding.accesses {
        names.insert(access.thread, access.operation.as_deref());
    }
    for blocked in &finding.blocked {
        names.insert(blocked.thread, blocked.operation.as_deref());
    }
    for thread in &finding.threads {
        names.insert(thread.thread, Some(&thread.name));
    }
    names.into_iter().map(|(thread, name)| (thread, thread_name(thread, name))).collect()
}

pub(crate) fn rows(steps: &[ScheduleStep]) -> Vec<Row<'_>> {
    let mut rows: Vec<Row> = Vec::new();
    for step in steps {
        let here = |s: &ScheduleStep| (s.thread, s.file.clone(), s.line);
        match rows.last_mut() {
            Some(row) if row.steps.last().is_some_and(|last| here(last) == here(step)) => row.steps.push(step),
            _ => rows.push(Row { thread: step.thread, steps: vec![step] }),
        }
    }
    rows
}

/// The file of all steps, if they have one: then it need not stand at each.
fn common_file(steps: &[ScheduleStep]) -> Option<&str> {
    let mut files = steps.iter().map(|s| s.file.as_str()).filter(|f| !f.is_empty());
    let first = files.next()?;
    files.all(|f| f == first).then_some(first)
}

/// `26  code`, then what happens there.
fn cell(page: &Page, row: &Row, file: Option<&str>, limit: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let Some(first) = row.steps.first() else { return pieces };
    let code = page.options.sources.line(&first.file, first.line).map(|code| expanded(code.trim()));
    let place = match file {
        _ if first.line == 0 => String::new(),
        Some(_) => first.line.to_string(),
        None => format!("{}:{}", first.file, first.line),
    };
    let code = wrap(&code.unwrap_or_default(), limit.saturating_sub(width(&place) + 2));
    let code = if code.is_empty() { vec![String::new()] } else { code };
    for (number, line) in code.iter().enumerate() {
        let lead = if number == 0 { place.clone() } else { pad("", width(&place)) };
        let text = format!("{lead}  {line}").trim_end().to_owned();
        if !text.is_empty() {
            pieces.push(Piece { text, role: Some(Role::Code) });
        }
    }
    for step in &row.steps {
        let (mark, role) = match step.access {
            Some(number) => (format!("{MARK} [{number}] "), Some(Role::Alarm)),
            None => ("  ".to_owned(), None),
        };
        let note = step.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
        let lines = wrap_hanging(&format!("{mark}{}{note}", step.text), limit, "    ");
        pieces.extend(lines.into_iter().map(|text| Piece { text, role }));
    }
    pieces
}

/// Wrapped, with the lines after the first indented. Leading blanks stay.
fn wrap_hanging(text: &str, limit: usize, indent: &str) -> Vec<String> {
    let plain = text.trim_start();
    let lead = &text[..text.len() - plain.len()];
    let lines = wrap(plain, limit.saturating_sub(indent.len().max(lead.len())));
    let lead = |number: usize| if number == 0 { lead } else { indent };
    lines.iter().enumerate().map(|(number, line)| format!("{}{line}", lead(number))).collect()
}

pub(super) fn render_steps(page: &mut Page, finding: &Finding) {
    if finding.schedule.is_empty() {
        return;
    }
    let threads = threads(finding);
    page.gap();
    page.line("  Step by step:");
    let digits = finding.schedule.len().to_string().len();
    let column = threads.values().map(|name| width(name)).max().unwrap_or(0);
    for (number, step) in (1..).zip(&finding.schedule) {
        let who = threads.get(&step.thread).map_or("", String::as_str);
        let place = if step.line == 0 { String::new() } else { format!("{}:{}", step.file, step.line) };
        let note = step.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
        let mark = step.access.map_or_else(String::new, |access| format!("{MARK} [{access}] "));
        let text = format!("{mark}{}{note}", step.text);
        let role = if step.access.is_some() { Role::Alarm } else { Role::Strong };
        let text = page.paint(role, &text);
        page.line(format!("{INDENT}{number:>digits$}. {}  {text}", pad(who, column)));
        let code = page.options.sources.line(&step.file, step.line).map(|code| expanded(code.trim()));
        let code = page.paint(Role::Code, &code.unwrap_or_default());
        let below = format!("{place}  {code}");
        if !below.trim().is_empty() {
            page.line(format!("{INDENT}{}{}", " ".repeat(digits + 4 + column), below.trim_end()));
        }
    }
}
