use super::ast::Which;
use super::*;

fn stmt(line: u32, what: What) -> Stmt {
    Stmt { line, what }
}

const CELL: Cell = Cell { space: Space::Global, which: Which::Constant(0) };
const FLAG: Cell = Cell { space: Space::Global, which: Which::Constant(1) };

fn of(blocks: u32, threads: u32, body: Vec<Stmt>) -> Expectation {
    judged(Kernel { name: "k".to_owned(), body, blocks, threads, warp: 4, lockstep: false, heap: None })
}

fn judged(kernel: Kernel) -> Expectation {
    enumerate(&kernel).unwrap_or_else(|why| panic!("{why:?}"))
}

fn words(found: &Expectation) -> Vec<String> {
    found.races.iter().map(ToString::to_string).collect()
}

#[test]
fn a_barrier_orders_a_block() {
    let body = |barrier: bool| {
        let mut body = vec![stmt(1, What::Write(Cell { space: Space::Shared, which: Which::Own }, 1))];
        body.extend(barrier.then(|| stmt(2, What::Barrier)));
        body.push(stmt(3, What::Read(Cell { space: Space::Shared, which: Which::Next })));
        body
    };
    assert_eq!(words(&of(2, 2, body(false))), ["IntraWarp 1 write / 3 read"]);
    assert!(of(2, 2, body(true)).races.is_empty());
}

#[test]
fn messages_take_fences_that_are_wide_enough() {
    let body = |scope: Option<Scope>| {
        let fence = |line| scope.map(|scope| stmt(line, What::Fence(scope)));
        let send = [Some(stmt(1, What::Write(CELL, 1))), fence(2), Some(stmt(3, What::Add(FLAG, 1, Scope::Device)))];
        let take = vec![stmt(6, What::Read(CELL))];
        let take = fence(5).into_iter().chain(take).collect();
        let receive =
            vec![stmt(7, What::Add(FLAG, 0, Scope::Device)), stmt(8, What::If(Condition::Read, take, vec![]))];
        vec![stmt(9, What::If(Condition::Block(0), send.into_iter().flatten().collect(), receive))]
    };
    assert_eq!(words(&of(2, 1, body(None))), ["Global 1 write / 6 read"]);
    assert_eq!(words(&of(2, 1, body(Some(Scope::Block)))), ["Global (scope) 1 write / 6 read"]);
    assert!(of(2, 1, body(Some(Scope::Device))).races.is_empty());
}

#[test]
fn who_ends_keeps_others_from_a_barrier_and_not_from_lanes() {
    let body = |what: What| vec![stmt(1, What::If(Condition::Thread(0), vec![stmt(2, what)], vec![]))];
    assert_eq!(of(1, 2, body(What::Barrier)).divergences.len(), 1);
    assert!(of(1, 2, body(What::SyncWarp)).divergences.is_empty());
}

#[test]
fn sides_of_a_branch_diverge() {
    let (write, read) = (vec![stmt(2, What::Write(CELL, 1))], vec![stmt(3, What::Read(CELL))]);
    let body = vec![stmt(1, What::If(Condition::Thread(0), write, read))];
    assert_eq!(words(&of(1, 2, body)), ["IntraWarpDivergent 2 write / 3 read"]);
}

#[test]
fn in_lockstep_one_instruction_comes_before_the_next() {
    let (own, next) =
        (Cell { space: Space::Shared, which: Which::Own }, Cell { space: Space::Shared, which: Which::Next });
    let of = |body: Vec<Stmt>| {
        judged(Kernel { name: "k".to_owned(), body, blocks: 1, threads: 2, warp: 2, lockstep: true, heap: None })
    };
    assert!(of(vec![stmt(1, What::Write(own, 1)), stmt(2, What::Read(next))]).races.is_empty());
    assert_eq!(words(&of(vec![stmt(1, What::Write(CELL, 1))])), ["IntraWarp 1 write / 1 write"]);
    let (write, read) = (vec![stmt(2, What::Write(CELL, 1))], vec![stmt(3, What::Read(CELL))]);
    let sides = vec![stmt(1, What::If(Condition::Thread(0), write.clone(), read))];
    assert_eq!(words(&of(sides)), ["IntraWarpDivergent 2 write / 3 read"]);
    let behind = vec![stmt(1, What::If(Condition::Thread(0), write, vec![])), stmt(4, What::Read(CELL))];
    assert!(of(behind).races.is_empty());
    let inside = vec![stmt(2, What::Write(CELL, 1))];
    let before = vec![stmt(1, What::Read(CELL)), stmt(3, What::If(Condition::Thread(0), inside, vec![]))];
    assert!(of(before).races.is_empty());
}

#[test]
fn in_lockstep_lanes_wait_for_those_in_a_branch_that_wait_for_them() {
    let body = vec![stmt(1, What::If(Condition::Thread(0), vec![stmt(2, What::SyncWarp)], vec![]))];
    let of = |lockstep: bool| {
        let body = body.clone();
        judged(Kernel { name: "k".to_owned(), body, blocks: 1, threads: 2, warp: 2, lockstep, heap: None })
            .divergences
            .len()
    };
    assert_eq!((of(true), of(false)), (1, 0));
}
