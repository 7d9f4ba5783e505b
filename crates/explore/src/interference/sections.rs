//! Atomic sections (SV-COMP's `__VERIFIER_atomic_begin` and `_end`): while a thread is in one, no other thread does anything.
//!
//! What waits in a section for what another thread has done by then may be done before it begins just as well: joins and passes of barriers
//! commute with everything. So all that other threads do comes before a section or behind it.

use super::forest::{Forest, Label};
use super::order::Event;
use super::scenario::Expanded;
use crate::trace::canon::Who;
use concurrency::Action;

/// A section of a scenario.
#[derive(Debug)]
pub(super) struct Section {
    pub who: Who,
    pub begin: Event,
    /// Its last action; none where the thread is not followed to where the section is over.
    pub end: Option<Event>,
}

/// All of them. `at`: by thread and node, the last action up to there.
pub(super) fn sections(
    forest: &Forest,
    expanded: &Expanded,
    at: impl Fn((Who, usize)) -> Option<Event>,
) -> Vec<Section> {
    let mut all: Vec<Section> = Vec::new();
    for (who, path) in expanded.paths.iter().enumerate() {
        let mut is_open = false;
        for (number, &node) in path.nodes.iter().enumerate() {
            match forest.label(node) {
                Label::Act { action: Action::AtomicBegin, .. } | Label::Pending { action: Action::AtomicBegin, .. } => {
                    all.extend(at((who, number)).map(|begin| Section { who, begin, end: None }));
                    is_open = true;
                }
                Label::SectionOver if is_open => {
                    if let Some(section) = all.last_mut() {
                        section.end = at((who, number));
                    }
                    is_open = false;
                }
                _ => {}
            }
        }
    }
    all
}
