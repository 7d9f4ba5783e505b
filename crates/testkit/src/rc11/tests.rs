//! The verdicts that the literature gives of litmus tests.

use super::*;
use Order::{AcqRel, Acquire, Relaxed, Release, SeqCst};

fn load(place: usize, order: Order) -> Op {
    Op::Load { to: 0, place, order }
}

fn store(place: usize, order: Order) -> Op {
    Op::Store { place, value: 1, order }
}

fn program(threads: Vec<Vec<Op>>) -> Program {
    Program { threads, places: 2 }
}

fn store_buffering(write: Order, read: Order, fence: Option<Order>) -> Program {
    let side = |mine: usize| {
        let mut ops = vec![store(mine, write)];
        ops.extend(fence.map(Op::Fence));
        ops.push(load(1 - mine, read));
        ops
    };
    program(vec![side(0), side(1)])
}

#[test]
fn store_buffering_needs_sequential_consistency() {
    assert!(store_buffering(SeqCst, SeqCst, None).is_robust());
    assert!(!store_buffering(Release, Acquire, None).is_robust());
    assert!(!store_buffering(SeqCst, Acquire, None).is_robust());
    assert!(store_buffering(Relaxed, Relaxed, Some(SeqCst)).is_robust(), "RC11 strengthens fences");
    assert!(!store_buffering(Relaxed, Relaxed, Some(AcqRel)).is_robust());
}

#[test]
fn message_passing_needs_release_and_acquire() {
    let of = |write, read| {
        let writer = vec![store(0, Relaxed), store(1, write)];
        let reader = vec![load(1, read), Op::Unless { register: 0, value: 1, skip: 1 }, load(0, Relaxed)];
        program(vec![writer, reader]).is_robust()
    };
    assert!(of(Release, Acquire));
    assert!(!of(Relaxed, Acquire) && !of(Release, Relaxed));
}

#[test]
fn load_buffering_is_forbidden() {
    let side = |mine: usize| vec![load(mine, Relaxed), store(1 - mine, Relaxed)];
    assert!(program(vec![side(0), side(1)]).is_robust());
}

#[test]
fn independent_reads_of_independent_writes_need_sequential_consistency() {
    let of = |write, read| {
        let reader = |first: usize| vec![load(first, read), load(1 - first, read)];
        program(vec![vec![store(0, write)], vec![store(1, write)], reader(0), reader(1)]).is_robust()
    };
    assert!(of(SeqCst, SeqCst));
    assert!(!of(Release, Acquire));
}

#[test]
fn coherence_holds_for_relaxed_atomics() {
    let reads = vec![load(0, Relaxed), load(0, Relaxed)];
    assert!(program(vec![vec![store(0, Relaxed), store(0, Relaxed)], reads.clone(), reads]).is_robust());
}

#[test]
fn write_to_read_causality() {
    let of = |order: Order| {
        let middle = vec![load(0, order), Op::Unless { register: 0, value: 1, skip: 1 }, store(1, order)];
        let middle = middle.into_iter().map(|op| match op {
            Op::Store { place, value, .. } => {
                Op::Store { place, value, order: if order == Relaxed { Relaxed } else { Release } }
            }
            op => op,
        });
        let last = vec![load(1, order), Op::Unless { register: 0, value: 1, skip: 1 }, load(0, Relaxed)];
        program(vec![vec![store(0, Relaxed)], middle.collect(), last]).is_robust()
    };
    assert!(of(Acquire));
    assert!(!of(Relaxed));
}

#[test]
fn updates_of_one_place_are_in_order() {
    let add = || Op::Add { to: 0, place: 0, value: 1, order: Relaxed };
    assert!(program(vec![vec![add(), add()], vec![add()], vec![add()]]).is_robust());
}
