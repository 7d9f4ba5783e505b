//! Which steps of a schedule a finding depends on.
//!
//! A step that touches nothing that another thread's step touches could come anywhere among the other threads' steps, and
//! nobody would see a difference: such steps are left out. Kept are the finding's own accesses, every two steps of
//! different threads on the same bytes of which one changes them (this is how one thread comes to what another has made or
//! published, and how locks and signals order them), what is done with locks that an access holds or that stand in the
//! object that is accessed, waits and other synchronisation that may come out in several ways, and all steps of which it is
//! not known what they touch. A failure that is no race is shown with everything that synchronises.

use crate::{Finding, ScheduleStep, Touches};

/// The steps to show, in their order.
pub(super) fn essential(finding: &Finding) -> Vec<ScheduleStep> {
    let steps = &finding.schedule;
    let locks: Vec<&str> = finding.accesses.iter().flat_map(|access| &access.locks).map(|lock| bare(lock)).collect();
    let raced: Vec<u32> =
        steps.iter().filter(|step| step.access.is_some()).filter_map(|step| Some(step.touches?.object)).collect();
    let is_guard = |step: &ScheduleStep, touches: &Touches| {
        let held = || locks.iter().any(|lock| step.text.contains(lock));
        let is_plain = || ORDINARY.iter().any(|verb| step.text.starts_with(verb));
        let matters = || finding.accesses.is_empty() || !is_plain() || raced.contains(&touches.object) || held();
        touches.synchronises && matters()
    };
    let depends = |step: &ScheduleStep, touches: &Touches| {
        let other = |other: &ScheduleStep| {
            other.thread != step.thread && other.touches.is_some_and(|others| others.conflicts(touches))
        };
        steps.iter().any(other)
    };
    let is_kept = |(at, step): (usize, &ScheduleStep)| {
        // What fails, fails behind the last step.
        step.access.is_some()
            || finding.accesses.is_empty() && at + 1 == steps.len()
            || step.touches.as_ref().is_none_or(|touches| is_guard(step, touches) || depends(step, touches))
    };
    steps.iter().enumerate().filter(|&step| is_kept(step)).map(|(_, step)| step.clone()).collect()
}

/// What comes out in one way only where no other thread uses the same.
const ORDINARY: [&str; 3] = ["locks ", "unlocks ", "initialises "];

/// A lock's name without how it is held.
fn bare(lock: &str) -> &str {
    lock.strip_suffix(" (shared)").unwrap_or(lock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::race;

    fn step(thread: u32, text: &str, object: u32, writes: bool, synchronises: bool) -> ScheduleStep {
        let touches = Some(Touches { object, offset: 0, size: 8, writes, synchronises });
        ScheduleStep { thread, text: text.into(), touches, ..ScheduleStep::default() }
    }

    #[test]
    fn steps_that_nobody_else_notices_are_left_out() {
        let schedule = vec![
            step(1, "reads N1.next[1]", 1, false, false),
            step(1, "writes new struct node.key", 2, true, false),
            step(1, "locks N9.mutex", 9, true, true),
            step(1, "locks N1.mutex", 8, true, true),
            step(1, "waits on N9.ready (wakes spuriously)", 10, true, true),
            step(1, "writes new struct node.next[0]", 2, true, false),
            ScheduleStep { access: Some(1), ..step(1, "writes N1.next[0]", 3, true, false) },
            step(2, "reads N1.next[1]", 1, false, false),
            step(2, "writes new struct node.key", 4, true, false),
            ScheduleStep { thread: 2, text: "joins thread 1".into(), ..ScheduleStep::default() },
            step(2, "reads new struct node.next[0]", 2, false, false),
            ScheduleStep { access: Some(2), ..step(2, "reads N1.next[0]", 3, false, false) },
        ];
        let finding = Finding { schedule, ..race() };
        let kept: Vec<(u32, String)> = essential(&finding).into_iter().map(|step| (step.thread, step.text)).collect();
        let kept: Vec<(u32, &str)> = kept.iter().map(|(thread, text)| (*thread, text.as_str())).collect();
        assert_eq!(
            kept,
            [
                // The thread's own read does not matter; what another reads as well does, object by object.
                (1, "writes new struct node.key"),
                (1, "locks N1.mutex"),
                (1, "waits on N9.ready (wakes spuriously)"),
                (1, "writes new struct node.next[0]"),
                (1, "writes N1.next[0]"),
                (2, "joins thread 1"),
                (2, "reads new struct node.next[0]"),
                (2, "reads N1.next[0]"),
            ]
        );
        let failure = Finding { accesses: Vec::new(), ..finding };
        let texts: Vec<String> = essential(&failure).into_iter().map(|step| step.text).collect();
        assert!(texts.contains(&"locks N9.mutex".to_owned()), "{texts:?}");
    }
}
