//! C programs that go with a finding: the text to copy, and the command that builds it.

use crate::{Finding, Program, visible};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Bytes of programs in one page, without what they share: with all of hundreds of findings no browser would like it.
const MOST: usize = 4 << 20;

/// What the tests of a page share: once in the page, however many there are.
pub(super) struct Shared<'a>(Vec<&'a str>);

impl<'a> Shared<'a> {
    /// Of the findings whose tests stand in the page.
    pub(super) fn of(findings: &'a [Finding], fitting: &BTreeSet<String>) -> Self {
        let tests =
            findings.iter().filter(|finding| fitting.contains(&finding.id)).filter_map(|found| found.test.as_ref());
        let mut known: Vec<&str> = Vec::new();
        for (_, shared) in tests.flatten().map(Program::own_and_shared) {
            if !shared.is_empty() && !known.contains(&shared) {
                known.push(shared);
            }
        }
        Shared(known)
    }

    /// The place of what a test shares.
    fn anchor(&self, test: &Program) -> Option<String> {
        let (_, shared) = test.own_and_shared();
        self.0.iter().position(|known| *known == shared).map(|number| format!("machinery-{}", number + 1))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of it.
    pub(super) fn section(&self) -> Markup {
        html! {
            @if !self.is_empty() {
                section #machinery {
                    h2 { "What the C tests share" }
                    p.hint { "It stands behind what each test has of its own, and holds the threads to the schedule. There is nothing to read here." }
                    @for (number, text) in self.0.iter().enumerate() {
                        details.listing {
                            summary { "The machinery, " (text.lines().count()) " lines" }
                            div id={ "machinery-" (number + 1) } { (to_copy(text, "The machinery")) }
                        }
                    }
                }
            }
        }
    }
}

/// The findings, by their ids, whose tests stand in the page: the first ones.
pub(super) fn fitting(findings: &[Finding]) -> BTreeSet<String> {
    let mut room = MOST;
    let mut fitting = BTreeSet::new();
    for finding in findings {
        let Some(Ok(test)) = &finding.test else { continue };
        let Some(left) = room.checked_sub(test.own_and_shared().0.len()) else { break };
        room = left;
        fitting.insert(finding.id.clone());
    }
    fitting
}

/// What is said of a test.
struct Words {
    how: &'static str,
    title: &'static str,
    remark: &'static str,
}

const C: Words = Words {
    how: "As a C test for ThreadSanitizer, with the command that builds it:",
    title: "The C test",
    remark: "Ends with 66 if the failure shows, with 3 if the schedule was not reached.",
};

const CUDA: Words = Words {
    how: "As a CUDA test, with the commands that build it and look at it on a device:",
    title: "The CUDA test",
    remark: "Says at its top what shows the failure. It holds no schedule: that it shows nothing proves nothing.",
};

/// How to see the finding again. `shared`: what its test shares, if that stands in the page.
pub(super) fn section(finding: &Finding, shared: Option<&Shared>) -> Markup {
    let Some(witness) = &finding.witness else { return html! {} };
    let witness = quoted(witness);
    let file = match &finding.test {
        Some(Ok(test)) => test.file.clone(),
        _ => format!("{}.c", finding.id),
    };
    let is_cuda = finding.class.is_some() || file.ends_with(".cu");
    let words = if is_cuda { &CUDA } else { &C };
    html! {
        section.again {
            h4 { "See it again" }
            p { "Step by step:" }
            (command(&format!("raddle replay {witness}")))
            @if let Some(Err(why)) = &finding.test {
                p { (if is_cuda { "No CUDA test: " } else { "No C test: " }) (why) "." }
            } @else {
                p { (words.how) }
                (command(&format!("raddle test {witness} -o {}", quoted(&file))))
            }
            @if let Some(client) = &finding.client {
                (listing("A client that builds the shape", "Public calls, then two threads.", &client.program, None))
            }
            @if let Some((Ok(test), shared)) = finding.test.as_ref().zip(shared) {
                (listing(words.title, words.remark, test, shared.anchor(test)))
            }
        }
    }
}

/// A word for a POSIX shell. What no shell takes stays as it is.
fn quoted(path: &str) -> String {
    shlex::try_quote(path).map_or_else(|_| path.to_owned(), |quoted| quoted.into_owned())
}

/// A program under a title, folded, with a remark on what it does; `rest`: where the rest of it stands.
fn listing(title: &str, remark: &str, program: &Program, rest: Option<String>) -> Markup {
    let text = if rest.is_some() { program.own_and_shared().0 } else { &program.source };
    html! {
        details.listing {
            summary { (title) ", " (text.lines().count()) " lines" }
            p.hint { (remark) " A click selects a whole text. For " code { (program.file) } ", built by:" }
            (command(&program.build))
            @if visible(&program.source) != program.source {
                p.hint { "The text has characters that are written out here; use the command above." }
            }
            (to_copy(text, title))
            @if let Some(rest) = rest {
                p.hint { "Behind it comes " a href={ "#" (rest) } { "what all tests share" } "; " code { "raddle test" } " writes both." }
            }
        }
    }
}

/// Text that one click selects, and the keyboard scrolls.
fn to_copy(text: &str, title: &str) -> Markup {
    html! { pre.copy tabindex="0" role="region" aria-label=(title) { (text) } }
}

/// As [`to_copy`], wrapped.
fn command(text: &str) -> Markup {
    html! { pre.copy.command tabindex="0" role="region" aria-label="A command" { (text) } }
}
