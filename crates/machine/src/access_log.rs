//! What an operation that runs alone has accessed, as far as that tells whether a loop of its can end.
//!
//! A loop comes back to its header with the registers that steer it as they were. It will go the same way again if what
//! it read to steer it still holds: if nothing of that was written on the round. What else it writes, such as a counter
//! in each node of a circular list, changes nothing.

use concurrency::Range;
use std::rc::Rc;

/// Accesses that are remembered; beyond them nothing is concluded.
const LONGEST: u64 = 50_000;

#[derive(Clone, Copy, Debug)]
pub(crate) struct LoggedRange {
    pub range: Range,
    pub write: bool,
    /// Frames on the stack.
    pub depth: usize,
    /// What was read may steer a loop of its own function.
    pub steers: bool,
}

#[derive(Debug)]
struct Node {
    access: LoggedRange,
    before: AccessLog,
}

/// Accesses so far, shared between states that have a common past.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessLog {
    last: Option<Rc<Node>>,
    length: u64,
}

impl AccessLog {
    pub(crate) fn push(&mut self, access: LoggedRange) {
        let before = std::mem::take(self);
        let length = before.length + 1;
        *self = if length > LONGEST {
            // Nothing is known of the past any more.
            AccessLog { last: None, length }
        } else {
            AccessLog { last: Some(Rc::new(Node { access, before })), length }
        };
    }

    /// How many there were.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Whether the accesses since there were `since` leave all alone that steers a loop of the frame at `depth`.
    pub(crate) fn spares_what_steers(&self, since: u64, depth: usize) -> bool {
        if self.length > LONGEST {
            return false;
        }
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let mut at = self;
        while at.length > since {
            let Some(node) = &at.last else { return false };
            let LoggedRange { range, write, depth: frames, steers } = node.access;
            match write {
                true => writes.push(range),
                false if steers || frames > depth => reads.push(range),
                false => {}
            }
            at = &node.before;
        }
        writes.sort_unstable();
        // In the order in which they begin: a read is compared with those only that may reach it.
        let longest = writes.iter().map(|write| write.size).max().unwrap_or(0);
        reads.iter().all(|read| {
            let from = Range { offset: read.offset.saturating_sub(longest), size: 0, ..*read };
            let first = writes.partition_point(|write| *write < from);
            let begins_before_end =
                |write: &&Range| write.object == read.object && write.offset < read.offset + read.size;
            writes[first..].iter().take_while(begins_before_end).all(|write| !read.overlaps(write))
        })
    }
}

impl Drop for AccessLog {
    /// Unlinks a long list step by step: the derived drop would recurse.
    fn drop(&mut self) {
        let mut next = self.last.take();
        while let Some(node) = next {
            match Rc::try_unwrap(node) {
                Ok(mut node) => next = node.before.last.take(),
                Err(_) => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory::ObjId;

    fn access(object: usize, offset: u64, size: u64, write: bool, depth: usize, steers: bool) -> LoggedRange {
        LoggedRange { range: Range { object: ObjId::new(object), offset, size }, write, depth, steers }
    }

    #[test]
    fn only_what_steers_must_stay() {
        let mut log = AccessLog::default();
        log.push(access(0, 8, 8, true, 1, true));
        let since = log.length();
        log.push(access(0, 8, 8, false, 1, true));
        log.push(access(0, 0, 4, false, 1, false));
        log.push(access(0, 0, 4, true, 1, true));
        log.push(access(1, 8, 8, true, 1, true));
        assert!(log.spares_what_steers(since, 1), "what is written steers nothing, or is another object");
        assert!(!log.spares_what_steers(0, 1), "the write before counts from there on");
        log.push(access(0, 0, 4, false, 2, false));
        assert!(!log.spares_what_steers(since, 1), "what a called function reads may steer its caller");
        assert!(log.spares_what_steers(since, 2));
        log.push(access(0, 4, 64, true, 1, true));
        assert!(!log.spares_what_steers(since, 2), "a long write reaches a read that begins far behind it");
    }
}
