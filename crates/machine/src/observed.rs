//! What threads do, for whoever looks for two that race (SSRD, section 2: the memory accesses and the lock events of a
//! path).

use concurrency::{Held, Range, Record, Site, ThreadId};
use ir::{FuncId, Order};
use memory::{LazyId, Memory, ObjId, Value};
use std::rc::Rc;

/// What is kept of one execution.
pub const MOST_OBSERVED: usize = 1 << 18;

/// Who was called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Called {
    Function(FuncId),
    /// Whoever this pointer leads to.
    Through(Value),
}

/// One thing that was noticed.
#[derive(Clone, Debug)]
pub enum Observed {
    Access {
        record: Record,
        range: Range,
        held: Rc<[Held]>,
        /// Of an access of one word: what was there, if it read, and what is there now, if it wrote.
        read: Option<Value>,
        written: Option<Value>,
    },
    /// Where this pointer leads was asked for by a comparison: what the path does next depends on it.
    Compared(LazyId),
    /// A comparison told these two apart.
    Distinct(ObjId, ObjId),
    /// A call that was not followed ([`crate::Config::opaque`]).
    Called { site: Site, callee: Called, arguments: Rc<[Value]>, result: Option<Value> },
    /// A fence of one that calls nobody ([`crate::Config::opaque`]).
    Fenced { site: Site, order: Order },
    /// The client calls a function of its library ([`crate::Boundary`]), with these scalars, as the ABI passes them. `held`: locks that
    /// it has.
    Entered {
        thread: ThreadId,
        function: FuncId,
        site: Site,
        arguments: Rc<[Value]>,
        held: Rc<[Held]>,
        before: Rc<Memory>,
    },
    /// The call returns.
    Left { thread: ThreadId, results: Rc<[Value]>, after: Rc<Memory> },
    /// What comes of `thread` is after what came before this of `by`.
    Created { by: ThreadId, thread: ThreadId },
    /// What came of `thread` is before what comes of `by`.
    Joined { by: ThreadId, thread: ThreadId },
}

#[derive(Debug)]
struct Node {
    what: Observed,
    /// Up to here.
    length: usize,
    before: Observations,
}

/// All of it so far, shared between states that have a common past. Empty unless [`crate::Config::observe`] or
/// [`crate::Config::opaque`] is set.
#[derive(Clone, Debug, Default)]
pub struct Observations(Option<Rc<Node>>);

impl Observations {
    pub(crate) fn push(&mut self, what: Observed) {
        let (length, before) = (self.len() + 1, std::mem::take(self));
        self.0 = Some(Rc::new(Node { what, length, before }));
    }

    /// What the last access, if it is of this range, has read or written.
    pub(crate) fn note_value(&mut self, at: Range, value: Value, wrote: bool) {
        // Of one that other states share, the value stands there already: it is set right behind the access.
        let Some(Node { what: Observed::Access { range, read, written, .. }, .. }) =
            self.0.as_mut().and_then(Rc::get_mut)
        else {
            return;
        };
        let slot = if wrote { written } else { read };
        if *range == at && slot.is_none() {
            *slot = Some(value);
        }
    }

    /// There may have been more: it is as much as is kept.
    pub fn is_full(&self) -> bool {
        self.len() >= MOST_OBSERVED
    }

    /// Only what was found out about the heap, not what was done with it.
    #[must_use]
    pub fn without_accesses(&self) -> Self {
        let mut rest = Observations::default();
        let about_heap = self.iter().filter(|what| !matches!(what, Observed::Access { .. }));
        about_heap.for_each(|what| rest.push(what.clone()));
        rest
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |node| node.length)
    }

    /// The last first.
    pub fn iter(&self) -> impl Iterator<Item = &Observed> {
        std::iter::successors(self.0.as_deref(), |node| node.before.0.as_deref()).map(|node| &node.what)
    }
}

impl Drop for Observations {
    /// Unlinks a long list step by step: the derived drop would recurse.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(node) = next {
            match Rc::try_unwrap(node) {
                Ok(mut node) => next = node.before.0.take(),
                Err(_) => break,
            }
        }
    }
}
