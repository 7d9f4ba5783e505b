//! Who does what where: the accesses of a race, the threads of a deadlock, the place of a failure, each with its source.

use crate::text::{access_in_words, accessed, expanded, holders, holding, position, thread_name};
use crate::words::capitalised;
use crate::{Access, Blocked, Finding, Location, Note, Sources};
use maud::{Markup, html};

/// Lines before and after the one that is meant.
const AROUND: u32 = 3;

/// All sides of a finding.
pub(super) fn sides(finding: &Finding, sources: &dyn Sources) -> Markup {
    html! {
        div.sides {
            @for (number, side) in (1..).zip(&finding.accesses) { (access(side, number, sources)) }
            @for side in &finding.blocked { (blocked(side, &finding.blocked, sources)) }
            @if finding.accesses.is_empty() && finding.blocked.is_empty() {
                div.side { (place(&finding.location, sources)) }
            }
        }
        @for note in &finding.notes { (remark(note, sources)) }
    }
}

/// The class that gives a thread its colour; as in drawings there are four.
pub(super) fn thread_class(thread: u32) -> &'static str {
    ["thread-0", "thread-1", "thread-2", "thread-3"][thread as usize % 4]
}

fn access(access: &Access, number: u32, sources: &dyn Sources) -> Markup {
    let who = thread_name(access.thread, access.operation.as_deref());
    html! {
        div class={ "side " (thread_class(access.thread)) } {
            h4 { "[" (number) "] " (capitalised(&who)) }
            p { (access_in_words(access)) " " code { (accessed(access)) } ", " (holding(&access.locks)) }
            (place(&access.location, sources))
        }
    }
}

fn blocked(blocked: &Blocked, all: &[Blocked], sources: &dyn Sources) -> Markup {
    let who = thread_name(blocked.thread, blocked.operation.as_deref());
    let holders: Vec<String> = holders(blocked, all).iter().map(|thread| format!("thread {thread}")).collect();
    html! {
        div class={ "side " (thread_class(blocked.thread)) } {
            h4 { (capitalised(&who)) }
            p {
                "Holds " @if blocked.holds.is_empty() { "no lock" } @else { (blocked.holds.join(", ")) }
                " and waits"
                @if let Some(what) = &blocked.waits_for { " for " code { (what) } }
                @if !holders.is_empty() { ", held by " (holders.join(", ")) }
            }
            (place(&blocked.location, sources))
        }
    }
}

fn remark(note: &Note, sources: &dyn Sources) -> Markup {
    html! {
        div.note {
            p { (note.text) @if note.location.is_none() { "." } @else { ":" } }
            @if let Some(location) = &note.location { (place(location, sources)) }
        }
    }
}

/// The line with its neighbours, and the calls that led there.
fn place(location: &Location, sources: &dyn Sources) -> Markup {
    html! {
        @if !location.file.is_empty() || !location.function.is_empty() {
            p.position {
                code { (position(location)) }
                @if !location.function.is_empty() { " in " code { (location.function) } }
            }
        }
        (excerpt(location, sources))
        @if location.stack.len() > 1 {
            ol.stack { @for (number, frame) in location.stack.iter().enumerate() { li { code { "#" (number) " " (frame) } } } }
        }
    }
}

fn excerpt(location: &Location, sources: &dyn Sources) -> Markup {
    let line_of = |number: u32| Some((number, sources.line(&location.file, number)?));
    if line_of(location.line).is_none() {
        return html! {};
    }
    let numbers = location.line.saturating_sub(AROUND)..=location.line.saturating_add(AROUND);
    let lines: Vec<(u32, String)> = numbers.filter_map(line_of).collect();
    html! {
        pre.source {
            @for (number, line) in &lines {
                @if *number == location.line {
                    @let (before, here, after) = around(line, location.column);
                    span.here { span.gutter { "▶ " (number) } (before) mark { (here) } (after) "\n" }
                } @else {
                    span { span.gutter { (number) } (expanded(line).trim_end()) "\n" }
                }
            }
        }
    }
}

/// The line before, at and after the word or sign at a column, counted in bytes from 1. Nothing is marked where there is no
/// such column.
fn around(line: &str, column: u32) -> (String, String, String) {
    let line = line.trim_end();
    let start = usize::try_from(column).unwrap_or(0).checked_sub(1).filter(|&start| line.get(start..).is_some());
    let start = start.unwrap_or(line.len());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let rest = &line[start..];
    let word: usize = rest.chars().take_while(|&c| is_word(c)).map(char::len_utf8).sum();
    let length = if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) };
    // Tabs are as wide as what stands before them says, so the pieces are cut from what is shown.
    let (whole, before, here) = (expanded(line), expanded(&line[..start]), expanded(&line[..start + length]));
    let piece = |from: &str, to: &str| to.strip_prefix(from).unwrap_or_default().to_owned();
    (before.clone(), piece(&before, &here), piece(&here, &whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_or_a_sign_is_marked() {
        let around = |line: &str, column| {
            let (before, here, after) = around(line, column);
            format!("{before}<{here}>{after}")
        };
        assert_eq!(around("\tcurr->next = node;", 2), "    <curr>->next = node;");
        assert_eq!(around("\tx\t= 1;", 4), "    x   <=> 1;");
        assert_eq!(around("é = ü;", 6), "é = <ü>;");
        for beyond in [0, 2, 99, u32::MAX] {
            assert_eq!(around("é;", beyond), "é;<>", "{beyond}");
        }
        assert_eq!(around("", 1), "<>");
    }
}
