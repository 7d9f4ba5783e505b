//! The schedule against the source: a column for each thread, time downwards; on narrow pages one below the other.

use super::side::thread_class;
use crate::svg::held_at;
use crate::text::{ScheduleRow, expanded, holding, schedule_rows, schedule_threads};
use crate::{Blocked, Finding, Sources};
use maud::{Markup, html};

/// Rows of a long schedule that are shown: the last ones, where the failure is.
const SHOWN: usize = 200;

/// A source line with what its thread does there.
struct Moment<'a> {
    thread: u32,
    file: &'a str,
    line: u32,
    /// For the accesses of a race their number, and what happens.
    steps: Vec<(Option<u32>, String)>,
    held: Vec<String>,
    is_end: bool,
}

impl Moment<'_> {
    /// An access of the race, or where a thread of a deadlock waits.
    fn is_hot(&self) -> bool {
        self.is_end || self.steps.iter().any(|(access, _)| access.is_some())
    }
}

pub(super) fn section(finding: &Finding, sources: &dyn Sources) -> Markup {
    let rows = schedule_rows(&finding.schedule);
    let skipped = rows.len().saturating_sub(SHOWN);
    let mut moments: Vec<Moment> = rows.iter().zip(held_at(&rows)).skip(skipped).map(moment).collect();
    moments.extend(finding.blocked.iter().map(end));
    if moments.is_empty() {
        return html! {};
    }
    let threads = schedule_threads(finding);
    let lane_of = |thread: u32| threads.keys().position(|&known| known == thread).unwrap_or(0) + 1;
    let style = |row: usize, thread: u32| format!("--row:{row};--lane:{}", lane_of(thread));
    let file = common_file(&moments);
    html! {
        section {
            h4 { "Schedule" }
            p.hint {
                "Time runs downwards; each thread runs ahead up to its next step."
                @if let Some(file) = file { " Lines of " code { (file) } "." }
                @if skipped > 0 { " " (skipped) " earlier lines are left out; the witness has all steps." }
            }
            div.scroll tabindex="0" role="region" aria-label="Schedule" {
                ol.schedule style={ "--lanes:" (threads.len()) } {
                    @for (thread, name) in &threads {
                        li class={ "lane " (thread_class(*thread)) } style=(style(1, *thread)) aria-hidden="true" { (name) }
                    }
                    @for (index, moment) in moments.iter().enumerate() {
                        @let is_turn = index == 0 || moments[index - 1].thread != moment.thread;
                        @let turn = if is_turn { " turn" } else { "" };
                        @let hot = if moment.is_hot() { " hot" } else { "" };
                        @let class = format!("moment {}{turn}{hot}", thread_class(moment.thread));
                        li class=(class) style=(style(index + 2, moment.thread)) {
                            span.who { (threads.get(&moment.thread).map_or("", String::as_str)) }
                            (render(moment, file, sources))
                        }
                    }
                }
            }
        }
    }
}

/// The file of all moments, if they have one: then it need not stand at each.
fn common_file<'a>(moments: &[Moment<'a>]) -> Option<&'a str> {
    let mut files = moments.iter().map(|moment| moment.file).filter(|file| !file.is_empty());
    let first = files.next()?;
    files.all(|file| file == first).then_some(first)
}

fn moment<'a>((row, held): (&ScheduleRow<'a>, Vec<String>)) -> Moment<'a> {
    let first = row.steps.first();
    let in_words = |step: &&crate::ScheduleStep| {
        let note = step.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
        (step.access, format!("{}{note}", step.text))
    };
    Moment {
        thread: row.thread,
        file: first.map_or("", |step| &step.file),
        line: first.map_or(0, |step| step.line),
        steps: row.steps.iter().map(in_words).collect(),
        held,
        is_end: false,
    }
}

/// Where a thread waits for good.
fn end(blocked: &Blocked) -> Moment<'_> {
    let what = blocked.waits_for.as_deref().unwrap_or("another thread");
    Moment {
        thread: blocked.thread,
        file: &blocked.location.file,
        line: blocked.location.line,
        steps: vec![(None, format!("waits for {what}"))],
        held: blocked.holds.clone(),
        is_end: true,
    }
}

fn render(moment: &Moment, file: Option<&str>, sources: &dyn Sources) -> Markup {
    let code = sources.line(moment.file, moment.line).map(|code| expanded(code.trim()));
    html! {
        @if moment.line > 0 {
            @if file.is_some() {
                span.position.short { (moment.line) }
            } @else {
                span.position { (moment.file) ":" (moment.line) }
            }
            @if let Some(code) = code { " " code { (code) } }
        }
        ul {
            @for (access, text) in &moment.steps {
                @if let Some(number) = access {
                    li { strong { "▶ [" (number) "] " (text) } }
                } @else if moment.is_end {
                    li { strong { "■ " (text) } }
                } @else {
                    li { (text) }
                }
            }
        }
        @if !moment.held.is_empty() { span.held { (holding(&moment.held)) } }
    }
}
