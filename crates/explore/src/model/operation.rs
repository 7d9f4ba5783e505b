//! What threads are asked to do: calls of a library's operations.

use concurrency::ThreadId;
use ir::FuncId;
use machine::{Engine, OnReturn, State};
use memory::Value;
use serde::Serialize;

/// A function that a thread calls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Operation {
    pub function: FuncId,
    /// As the user typed it.
    pub name: String,
    /// Pointer parameters, by index, which lead to a heap of the calling thread's own.
    pub private: Vec<usize>,
    /// Pointer parameters, by index, to an object that the caller has to itself: nothing else leads there, whatever hangs on it.
    pub alone: Vec<usize>,
}

impl Operation {
    /// All of whose parameters lead to what threads share.
    pub fn new(function: FuncId, name: impl Into<String>) -> Self {
        Operation { function, name: name.into(), private: Vec::new(), alone: Vec::new() }
    }
}

/// What one thread does: calls of operations, one after the other. What they return, nobody looks at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Sequence {
    pub first: Operation,
    pub then: Vec<Operation>,
}

impl From<Operation> for Sequence {
    fn from(first: Operation) -> Self {
        Sequence { first, then: Vec::new() }
    }
}

impl Sequence {
    /// At least one.
    pub fn calls(&self) -> impl Iterator<Item = &Operation> {
        std::iter::once(&self.first).chain(&self.then)
    }

    pub fn length(&self) -> usize {
        1 + self.then.len()
    }

    /// `insert`, or `insert; search`.
    pub fn name(&self) -> String {
        self.calls().map(|call| call.name.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// All sequences of `length` calls, in the order of the operations.
    pub fn all(operations: &[Operation], length: usize) -> Vec<Sequence> {
        let mut all: Vec<Sequence> = operations.iter().cloned().map(Sequence::from).collect();
        for _ in 1..length {
            let longer = |sequence: &Sequence| {
                let sequence = sequence.clone();
                operations.iter().map(move |next| {
                    let mut longer = sequence.clone();
                    longer.then.push(next.clone());
                    longer
                })
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }
}

/// What threads do together, in words: `insert and search`, `(insert; search) and insert`.
pub fn in_words<'a>(threads: impl IntoIterator<Item = &'a Sequence>) -> String {
    let word = |sequence: &Sequence| match sequence.length() {
        1 => sequence.name(),
        _ => format!("({})", sequence.name()),
    };
    threads.into_iter().map(word).collect::<Vec<_>>().join(" and ")
}

/// A call that is about to be made.
#[derive(Clone, Debug)]
pub struct Call {
    pub function: FuncId,
    pub arguments: Vec<Value>,
}

/// The arguments of all calls.
pub(crate) fn arguments(threads: &[Vec<Call>]) -> Vec<Value> {
    threads.iter().flatten().flat_map(|call| &call.arguments).copied().collect()
}

/// Adds a thread that makes these calls, one after the other. `number` counts from 1 and names the thread, so that what it
/// allocates and reads has the same names alone and together with others.
pub fn start(engine: &mut Engine, state: &mut State, number: usize, calls: &[Call]) {
    let Some((last, earlier)) = calls.split_last() else { return };
    let name = number.to_string();
    let thread = engine.add_thread(state, &name, None, last.function, &last.arguments, OnReturn::EndThread);
    for call in earlier.iter().rev() {
        engine.call_first(state, thread, call.function, &call.arguments);
    }
}

/// The orders in which threads can make their calls if none begins before the one before it is done: by thread, once for
/// each of its calls.
pub(crate) fn serial_orders(threads: &[Sequence]) -> Vec<Vec<ThreadId>> {
    let mut orders = Vec::new();
    let mut left: Vec<usize> = threads.iter().map(Sequence::length).collect();
    extend(&mut left, &mut Vec::new(), &mut orders);
    orders
}

fn extend(left: &mut [usize], order: &mut Vec<ThreadId>, orders: &mut Vec<Vec<ThreadId>>) {
    if left.iter().all(|&left| left == 0) {
        orders.push(order.clone());
        return;
    }
    for thread in 0..left.len() {
        if left[thread] > 0 {
            left[thread] -= 1;
            order.push(ThreadId::new(thread));
            extend(left, order, orders);
            order.pop();
            left[thread] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(name: &str) -> Operation {
        Operation::new(FuncId::new(0), name)
    }

    #[test]
    fn sequences_come_in_the_order_of_the_operations() {
        let operations = [operation("a"), operation("b")];
        let names = |length| -> Vec<String> { Sequence::all(&operations, length).iter().map(Sequence::name).collect() };
        assert_eq!(names(1), ["a", "b"]);
        assert_eq!(names(2), ["a; a", "a; b", "b; a", "b; b"]);
        assert_eq!(names(3).len(), 8);
        let threads = [Sequence::all(&operations, 2).remove(1), operation("b").into()];
        assert_eq!(in_words(&threads), "(a; b) and b");
    }

    #[test]
    fn serial_orders_are_all_interleavings_of_calls() {
        let one = || Sequence::from(operation("a"));
        let two = || Sequence::all(&[operation("a")], 2).remove(0);
        let indices = |threads: &[Sequence]| -> Vec<Vec<usize>> {
            serial_orders(threads).iter().map(|order| order.iter().map(|thread| thread.index()).collect()).collect()
        };
        assert_eq!(indices(&[one(), one()]), [[0, 1], [1, 0]]);
        assert_eq!(indices(&[two(), one()]), [[0, 0, 1], [0, 1, 0], [1, 0, 0]]);
        assert_eq!(indices(&[one(), one(), one()]).len(), 6, "3!");
        assert_eq!(indices(&[two(), two()]).len(), 6, "4! / (2! 2!)");
        assert_eq!(indices(&[two(), two(), two()]).len(), 90, "6! / (2! 2! 2!)");
    }
}
