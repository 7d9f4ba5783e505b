//! The schedule as one code flow: a thread flow for each thread, `executionOrder` across all of them (SARIF 3.36 to 3.38).

use super::place::{Places, literal};
use super::said;
use crate::{Finding, ScheduleStep};
use serde_json::json;
use serde_sarif::sarif::{CodeFlow, ThreadFlow, ThreadFlowLocation};
use std::collections::BTreeMap;

/// None without a schedule.
pub(super) fn code_flow(finding: &Finding, places: &Places) -> Option<CodeFlow> {
    let mut threads: BTreeMap<u32, Vec<ThreadFlowLocation>> = BTreeMap::new();
    for (order, step) in (1..).zip(&finding.schedule) {
        threads.entry(step.thread).or_default().push(location(order, step, places));
    }
    let flows: Vec<ThreadFlow> = threads
        .into_iter()
        .map(|(thread, locations)| {
            let name = finding.threads.iter().find(|known| known.thread == thread);
            let id = name.map_or_else(|| format!("thread {thread}"), |n| format!("thread {thread} ({})", n.name));
            ThreadFlow::builder().id(literal(&id)).locations(locations).build()
        })
        .collect();
    if flows.is_empty() {
        return None;
    }
    let message = said("the schedule that shows it; a thread runs ahead up to its next step");
    Some(CodeFlow::builder().message(message).thread_flows(flows).build())
}

/// `order` counts from 1 over all threads.
fn location(order: i64, step: &ScheduleStep, places: &Places) -> ThreadFlowLocation {
    let mut at = places.line(&step.file, step.line);
    let mark = step.access.map_or_else(String::new, |number| format!("[{number}] "));
    let note = step.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
    at.message = Some(said(&format!("{mark}{}{note}", step.text)));
    let importance = if step.access.is_some() { "essential" } else { "important" };
    ThreadFlowLocation::builder().location(at).execution_order(order).importance(json!(importance)).build()
}
