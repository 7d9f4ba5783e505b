//! Through what a circle goes that no interleaving shows.

use super::{Event, Graph, What, are_dependent, count};
use concurrency::Site;

/// Whether an event comes before a later one of its thread, or one that depends on it or knows of it.
fn leads(a: &Event, b: &Event) -> bool {
    let depends = || match (&a.action, &b.action) {
        (Some(a), Some(b)) => are_dependent(a, b),
        _ => false,
    };
    a.thread == b.thread || a.is_known_to(&b.before) || depends()
}

impl Graph {
    /// The shortest circle from the last event through the write that it misses, back to what its thread did before: the atomic operations
    /// on it, itself first, and the fences between.
    pub(super) fn circle(&self, missed: usize) -> Vec<Site> {
        let Some((event, others)) = self.events.split_last() else { return Vec::new() };
        let is_led_to = |other: &Event| count(&event.led, other.thread) >= other.number;
        let mut from: Vec<Option<usize>> = vec![None; others.len()];
        let mut reached = vec![missed];
        let mut next = 0;
        let last = loop {
            let Some(&at) = reached.get(next) else { return event.site.into_iter().collect() };
            if others[at].thread == event.thread {
                break at;
            }
            for other in at + 1..others.len() {
                let is_new = from[other].is_none();
                if is_new && is_led_to(&others[other]) && leads(&others[at], &others[other]) {
                    from[other] = Some(at);
                    reached.push(other);
                }
            }
            next += 1;
        };
        let mut steps: Vec<usize> = std::iter::successors(Some(last), |&at| from[at]).collect();
        steps.reverse();
        let mut circle: Vec<Site> = event.site.into_iter().collect();
        let ends = steps[1..].iter().copied().chain([others.len()]);
        for (&step, end) in steps.iter().zip(ends) {
            circle.extend(others[step].site);
            let between = self.events[step + 1..end].iter().filter(|other| other.thread == others[step].thread);
            let fences = between.filter(|other| matches!(other.what, What::Fence { .. }));
            // Between two operations of one thread alone.
            let stays = self.events[end].thread == others[step].thread;
            circle.extend(fences.filter(|_| stays).filter_map(|fence| fence.site));
        }
        circle
    }
}
