//! What stands in memory where an execution reads and writes: cells with variables of their own, and contents as terms.

use super::Execution;
use crate::interference::forest::{Cell as ReadCell, Content, Label, Seen};
use crate::interference::trace::LastWrite;
use crate::trace::canon::Canon;
use concurrency::Range;
use ir::{Op, Ty};
use machine::{LossKind, LossSite};
use memory::{Byte, Memory, Pointer, Value};
use smt::TermId;

/// Bytes of a block that is copied for which each byte is a read of its own.
const MOST_BYTES: u64 = 64;

impl Execution<'_> {
    /// The cells of what is read, each with a variable of its own in its place in memory.
    pub(super) fn read_cells(&mut self, at: usize, range: Range, cells: &mut Vec<ReadCell>) {
        let id = self.threads[at].id;
        let is_pointer = reads_pointer(self.engine.program.instruction(self.state.thread(id)));
        if range.size <= 8 && is_readable(&self.state.memory, range) {
            self.read_cell(at, range, is_pointer, cells);
            return;
        }
        let bytes = range.size;
        if bytes > MOST_BYTES || !is_readable(&self.state.memory, range) {
            if is_readable(&self.state.memory, range) {
                let site = self.engine.program.site(self.state.thread(id).frame());
                let place = self.engine.program.place(site);
                let what = "a block that threads share is copied as a whole; copy it in smaller parts";
                self.engine.note(LossKind::Unsupported, LossSite::Search(place), what);
            }
            return;
        }
        let mut offset = range.offset;
        while offset < range.offset + range.size {
            let byte = self.state.memory.object(range.object).contents.byte(offset as usize);
            let size = match byte {
                Byte::OfCell { value: Value::Ptr(_) | Value::Symbolic { .. }, size, index: 0 } => u64::from(size),
                _ => 1,
            };
            self.read_cell(at, Range { offset, size, ..range }, false, cells);
            offset += size;
        }
    }

    pub(super) fn read_cell(&mut self, at: usize, range: Range, is_pointer: bool, cells: &mut Vec<ReadCell>) {
        let canonical = self.canonical(range);
        let (content, value) = self.content(range);
        let has_address = matches!(value, Some(Value::Ptr(_) | Value::Symbolic { .. }));
        if is_pointer || has_address {
            self.note_pointer(canonical);
        }
        self.note_fresh(canonical, content);
        let is_pointer = self.known.pointers.contains(&canonical);
        let seen = match content {
            Content::Undefined => Seen::Undefined,
            Content::Fixed(number) => Seen::Fixed(number),
            Content::Term(term) if is_pointer => Seen::Fixed(self.engine.terms.eval(term, &self.done.model) as u64),
            Content::Term(term) => {
                self.known.numbers.insert(canonical);
                let (who, number) = (self.threads[at].who, self.threads[at].reads.len());
                let variable = self.engine.terms.var(&format!("read {who}.{number}"), range.size as u32 * 8);
                let value = self.engine.terms.eval(term, &self.done.model);
                self.done.model.set(variable, value);
                let to = Pointer::new(range.object, range.offset as i64);
                let written = self.state.memory.write(&mut self.engine.terms, to, range.size, Value::Term(variable));
                match written {
                    Ok(()) => {
                        self.threads[at].lent.push((range, variable, term));
                        Seen::Variable(variable)
                    }
                    Err(_) => Seen::Undefined,
                }
            }
        };
        self.threads[at].reads.push(match seen {
            Seen::Variable(variable) => Some(variable),
            Seen::Fixed(_) | Seen::Undefined => None,
        });
        cells.push(ReadCell { range: canonical, seen });
    }

    pub(super) fn note_pointer(&mut self, range: Range) {
        if self.known.pointers.insert(range) && self.known.numbers.contains(&range) {
            self.known.mistaken = true;
        }
    }

    /// What an object holds that nobody has written, and that was not there when threads began.
    pub(super) fn note_fresh(&mut self, range: Range, content: Content) {
        let is_written = self.writes.get(&range.object).into_iter().flatten().any(|write| write.range.overlaps(&range));
        if !is_written {
            self.known.fresh.entry(range).or_insert(content);
        }
    }

    /// What stands in a range, as one.
    pub(super) fn content(&mut self, range: Range) -> (Content, Option<Value>) {
        content_at(&mut self.engine.terms, &self.state.memory, range, |terms, value, memory| match value {
            Value::Symbolic { .. } => {
                let term = memory.term_of(terms, value, range.size as u32 * 8).ok();
                term.map(|term| terms.eval(term, &self.done.model) as u64)
            }
            _ => None,
        })
    }

    /// The thread has written what it was granted to write, once the action is over.
    pub(super) fn note_written(&mut self, at: usize) {
        let (who, id) = (self.threads[at].who, self.threads[at].id);
        if self.state.thread(id).is_in_course() {
            return;
        }
        self.take_back(at);
        let Some(ranges) = self.threads[at].writing.take().filter(|ranges| !ranges.is_empty()) else { return };
        let mut written = Vec::new();
        for range in ranges {
            self.written_parts(range, &mut written);
        }
        if written.is_empty() {
            return;
        }
        let by = self.push(who, Label::Wrote(written.clone().into_boxed_slice()));
        if self.known.pairs {
            self.note_kept(at, by, &written);
        }
        for (range, _) in written {
            let of_object = self.writes.entry(range.object).or_default();
            of_object.retain(|write| {
                let (begin, end) = (write.range.offset, write.range.offset + write.range.size);
                !(range.offset <= begin && end <= range.offset + range.size)
            });
            of_object.push(LastWrite { range, by: (who, by) });
        }
    }

    /// Puts back what stood where a variable stands: other threads' reads have their own.
    pub(super) fn take_back(&mut self, at: usize) {
        for (range, variable, before) in std::mem::take(&mut self.threads[at].lent) {
            if !is_readable(&self.state.memory, range) {
                continue;
            }
            let place = Pointer::new(range.object, range.offset as i64);
            if self.state.memory.peek(place, range.size) != Some(Value::Term(variable)) {
                continue;
            }
            let value = match self.engine.terms.as_const(before) {
                Some(number) => Value::Int(number as u64),
                None => Value::Term(before),
            };
            // A cell of its size is what stands there.
            let _ = self.state.memory.write(&mut self.engine.terms, place, range.size, value);
        }
    }

    pub(super) fn written_parts(&mut self, range: Range, written: &mut Vec<(Range, Content)>) {
        if !is_readable(&self.state.memory, range) {
            return;
        }
        if range.size <= 8 {
            let (content, value) = self.content(range);
            let canonical = self.canonical(range);
            if matches!(value, Some(Value::Ptr(_) | Value::Symbolic { .. })) {
                self.note_pointer(canonical);
            }
            written.push((canonical, content));
            return;
        }
        let mut offset = range.offset;
        while offset < range.offset + range.size {
            let contents = &self.state.memory.object(range.object).contents;
            let size = match contents.byte(offset as usize) {
                Byte::OfCell { size, index: 0, .. } if offset + u64::from(size) <= range.offset + range.size => {
                    u64::from(size)
                }
                _ => 1,
            };
            self.written_parts(Range { offset, size, ..range }, written);
            offset += size;
        }
    }
}

/// Whether a read asks for an address.
fn reads_pointer(op: Option<&Op>) -> bool {
    match op {
        Some(Op::Load { ty, .. } | Op::AtomicRmw { ty, .. } | Op::CompareExchange { ty, .. }) => *ty == Ty::Ptr,
        _ => false,
    }
}

/// Whether a range lies in an object that is there.
pub(super) fn is_readable(memory: &Memory, range: Range) -> bool {
    let object = memory.object(range.object);
    object.is_live() && object.contains(range.offset as i64, range.size)
}

/// What stands in a range of at most eight bytes, as one, and the value if it is one.
pub(in crate::interference) fn content_at(
    terms: &mut smt::Terms,
    memory: &Memory,
    range: Range,
    address: impl Fn(&mut smt::Terms, Value, &Memory) -> Option<u64>,
) -> (Content, Option<Value>) {
    let at = Pointer::new(range.object, range.offset as i64);
    match memory.peek(at, range.size) {
        Some(value @ Value::Int(number)) => {
            (Content::Term(terms.bv(range.size as u32 * 8, u128::from(number))), Some(value))
        }
        Some(value @ Value::Term(term)) => (Content::Term(term), Some(value)),
        Some(value @ Value::Ptr(pointer)) => (Content::Fixed(memory.address(pointer)), Some(value)),
        Some(value) => (address(terms, value, memory).map_or(Content::Undefined, Content::Fixed), Some(value)),
        None => (in_bytes(terms, memory, range), None),
    }
}

/// The same of several values.
fn in_bytes(terms: &mut smt::Terms, memory: &Memory, range: Range) -> Content {
    // Terms are no wider.
    if range.size > 16 {
        return Content::Undefined;
    }
    let mut whole: Option<TermId> = None;
    for offset in range.offset..range.offset + range.size {
        let byte = match memory.object(range.object).contents.byte(offset as usize) {
            Byte::Concrete(byte) => terms.bv(8, u128::from(byte)),
            Byte::OfCell { value, size, index } => match memory.term_of(terms, value, u32::from(size) * 8) {
                Ok(term) => terms.extract(term, u32::from(index) * 8 + 7, u32::from(index) * 8),
                Err(_) => return Content::Undefined,
            },
            Byte::Undefined | Byte::Initial => return Content::Undefined,
        };
        whole = Some(whole.map_or(byte, |low| terms.concat(byte, low)));
    }
    whole.map_or(Content::Undefined, Content::Term)
}

/// A canonical range in a memory, if its object is there.
pub(in crate::interference) fn in_memory(canon: &Canon, memory: &Memory, range: Range) -> Option<Range> {
    let object = memory.at_address(canon.address(range.object))?.object;
    let range = Range { object, ..range };
    is_readable(memory, range).then_some(range)
}
