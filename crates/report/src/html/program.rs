//! C programs that go with a finding: the text to copy, and the command that builds it.

use crate::{Finding, Program, visible};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Bytes of programs in one page. Each is some eighty thousand: with all of hundreds of findings no browser would like it.
const MOST: usize = 4 << 20;

/// The findings, by their ids, whose tests stand in the page: the first ones.
pub(super) fn fitting(findings: &[Finding]) -> BTreeSet<String> {
    let mut room = MOST;
    let mut fitting = BTreeSet::new();
    for finding in findings {
        let Some(Ok(test)) = &finding.test else { continue };
        let Some(left) = room.checked_sub(test.source.len()) else { break };
        room = left;
        fitting.insert(finding.id.clone());
    }
    fitting
}

/// How to see the finding again. `is_shown`: its test stands in the page.
pub(super) fn section(finding: &Finding, is_shown: bool) -> Markup {
    let Some(witness) = &finding.witness else { return html! {} };
    let witness = quoted(witness);
    let file = match &finding.test {
        Some(Ok(test)) => test.file.clone(),
        _ => format!("{}.c", finding.id),
    };
    html! {
        section.again {
            h4 { "See it again" }
            p { "Step by step:" }
            (command(&format!("raddle replay {witness}")))
            @if let Some(Err(why)) = &finding.test {
                p { "No C test: " (why) "." }
            } @else {
                p { "As a C test for ThreadSanitizer, with the command that builds it:" }
                (command(&format!("raddle test {witness} -o {}", quoted(&file))))
            }
            @if let Some(client) = &finding.client {
                (listing("A client that builds the shape", "Public calls, then two threads.", &client.program))
            }
            @if let Some(Ok(test)) = finding.test.as_ref().filter(|_| is_shown) {
                (listing("The C test", "Ends with 66 if the failure shows, with 3 if the schedule was not reached.", test))
            }
        }
    }
}

/// A word for a POSIX shell. What no shell takes stays as it is.
fn quoted(path: &str) -> String {
    shlex::try_quote(path).map_or_else(|_| path.to_owned(), |quoted| quoted.into_owned())
}

/// A program under a title, folded, with a remark on what it does.
fn listing(title: &str, remark: &str, program: &Program) -> Markup {
    html! {
        details.listing {
            summary { (title) ", " (program.source.lines().count()) " lines" }
            p.hint { (remark) " A click selects a whole text. For " code { (program.file) } ", built by:" }
            (command(&program.build))
            @if visible(&program.source) != program.source {
                p.hint { "The text has characters that are written out here; use the command above." }
            }
            (to_copy(&program.source))
        }
    }
}

/// Text that one click selects.
fn to_copy(text: &str) -> Markup {
    html! { pre.copy { (text) } }
}

/// As [`to_copy`], wrapped.
fn command(text: &str) -> Markup {
    html! { pre.copy.command { (text) } }
}
