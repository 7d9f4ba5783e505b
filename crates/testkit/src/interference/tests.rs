use super::*;

fn read(dst: usize, var: usize) -> Stmt {
    Stmt::Read { dst, var }
}

fn equals(local: usize, number: u8, then: Vec<Stmt>) -> Stmt {
    let condition = Condition { operand: Operand::Local(local), relation: Relation::Equal, to: Ok(number) };
    Stmt::If { condition, then, otherwise: Vec::new() }
}

fn write(var: usize, number: u8) -> Stmt {
    Stmt::Write { var, value: Value::Const(number) }
}

fn program(threads: Vec<Vec<Stmt>>, last: Vec<Stmt>) -> Program {
    Program {
        vars: vec![VarKind::Plain; 2],
        mutexes: 1,
        conditions: 1,
        semaphores: vec![0],
        barriers: vec![2],
        once: vec![vec![write(1, 2)]],
        inputs: 0,
        joined: vec![true; threads.len()],
        looks: vec![None; threads.len()],
        threads,
        first: Vec::new(),
        between: Vec::new(),
        last,
        nested: None,
    }
}

#[test]
fn a_read_of_another_threads_write_counts_and_what_a_join_orders_does_not() {
    let writer = vec![write(0, 1)];
    let reader = vec![read(0, 0), equals(0, 1, vec![read(1, 0), equals(1, 1, Vec::new())])];
    let found = degrees(&program(vec![writer, reader], vec![read(0, 0), equals(0, 1, Vec::new())])).expect("few");
    // Both reads are of one write.
    let expected = [((0, false), 0), ((0, true), 1), ((1, true), 2), ((2, true), 0)];
    assert_eq!(found, expected.into_iter().collect());
}

#[test]
fn what_comes_before_a_write_counts_too() {
    let first = vec![write(0, 1)];
    let second = vec![read(0, 0), equals(0, 1, vec![write(1, 1)])];
    let third = vec![read(0, 1), equals(0, 1, Vec::new())];
    let found = degrees(&program(vec![first, second, third], Vec::new())).expect("few");
    assert_eq!(found[&(0, true)], 1);
    assert_eq!(found[&(1, true)], 2);
}

#[test]
fn a_lock_tried_in_vain_is_read_from_who_has_it() {
    let holder = vec![Stmt::Lock(0), write(0, 1), Stmt::Unlock(0)];
    let tries = vec![Stmt::TryLock { mutex: 0, taken: Vec::new(), busy: Vec::new() }];
    let found = degrees(&program(vec![holder, tries], Vec::new())).expect("few");
    assert_eq!(found, [((0, false), 1), ((0, true), 0)].into_iter().collect());
}

// What a wait takes from others brings what was before it; that it waits counts nothing.
#[test]
fn what_comes_before_a_post_counts_and_the_post_does_not() {
    let first = vec![write(0, 1)];
    let posts = vec![read(0, 0), equals(0, 1, vec![Stmt::Post(0)]), Stmt::Post(0)];
    let waits = vec![Stmt::Down(0), equals(1, 0, vec![Stmt::Down(0), equals(1, 0, Vec::new())])];
    let found = degrees(&program(vec![first, posts, waits], Vec::new())).expect("few");
    // The first post needs no interference where the other one is left out; both need one.
    assert_eq!((found[&(1, true)], found[&(2, true)]), (0, 1));
}

#[test]
fn who_is_woken_comes_behind_what_was_before_the_signal() {
    let first = vec![write(0, 1)];
    let waits = |then: Vec<Stmt>| {
        let wait = [Stmt::Lock(0), Stmt::Wait { condition: 0, mutex: 0, limit: None }, Stmt::Unlock(0)];
        wait.into_iter().chain(then).collect::<Vec<_>>()
    };
    let tells = vec![read(0, 0), equals(0, 1, vec![Stmt::Signal { condition: 0, all: false }])];
    let found = degrees(&program(vec![first, waits(vec![equals(1, 0, Vec::new())]), tells], Vec::new())).expect("few");
    assert_eq!(found[&(0, true)], 1);
}

#[test]
fn who_passes_a_barrier_comes_behind_all_who_arrived_and_one_of_them_is_the_serial_one() {
    let first = vec![write(0, 1)];
    let meets = |dst, then: Vec<Stmt>| {
        let barrier = Stmt::Barrier { barrier: 0, dst };
        std::iter::once(barrier).chain(then).collect::<Vec<_>>()
    };
    let reads = vec![read(0, 0), equals(0, 1, meets(None, Vec::new()))];
    let looks = meets(Some(1), vec![equals(1, 1, Vec::new())]);
    let found = degrees(&program(vec![first, reads, looks], Vec::new())).expect("few");
    // Behind the barrier comes what was read before it.
    let expected = [((0, false), 0), ((0, true), 1), ((1, false), 1), ((1, true), 1)];
    assert_eq!(found, expected.into_iter().collect());
}

#[test]
fn that_another_one_has_called_what_is_called_once_counts() {
    let calls = || vec![Stmt::Once(0), read(1, 1), equals(1, 2, Vec::new())];
    let found = degrees(&program(vec![calls(), calls()], Vec::new())).expect("few");
    let expected = [((0, true), 0), ((1, true), 0)];
    assert_eq!(found, expected.into_iter().collect());
    // Who is not the first needs the other's call, and its write.
    let looks = vec![Stmt::Once(0), read(0, 0), equals(0, 1, vec![read(1, 1), equals(1, 2, Vec::new())])];
    let found = degrees(&program(vec![vec![Stmt::Once(0), write(0, 1)], looks], Vec::new())).expect("few");
    // One of the two comes behind the other's call, and what was written before it.
    assert_eq!((found[&(0, true)], found[&(1, true)]), (2, 2));
}

#[test]
fn who_waits_with_a_limit_is_woken_by_another_or_gives_up_by_itself() {
    let wait = Stmt::Wait { condition: 0, mutex: 0, limit: Some(0) };
    let waits = vec![Stmt::Lock(0), wait, Stmt::Unlock(0), equals(0, 1, Vec::new())];
    let tells = vec![Stmt::Signal { condition: 0, all: false }];
    let found = degrees(&program(vec![waits, tells], Vec::new())).expect("few");
    assert_eq!(found, [((0, true), 0), ((0, false), 1)].into_iter().collect());
}

#[test]
fn what_is_tried_of_a_semaphore_is_an_outcome() {
    let tries = || Stmt::TryDown { semaphore: 0, timed: false, taken: Vec::new(), busy: Vec::new() };
    let found = degrees(&program(vec![vec![Stmt::Post(0)], vec![tries()]], Vec::new())).expect("few");
    assert_eq!(found, [((0, true), 1), ((0, false), 0)].into_iter().collect());
    // What another one has taken is missing; what the thread has posted itself is there.
    let posts = vec![Stmt::Post(0), tries()];
    let found = degrees(&program(vec![vec![Stmt::Down(0)], posts], Vec::new())).expect("few");
    assert_eq!(found, [((0, true), 0), ((0, false), 1)].into_iter().collect());
}

#[test]
fn what_a_semaphore_counts_is_one_read_of_all_that_changed_it() {
    let counts = vec![Stmt::Count { dst: 0, semaphore: 0 }, equals(0, 2, Vec::new())];
    let found = degrees(&program(vec![vec![Stmt::Post(0)], vec![Stmt::Post(0)], counts], Vec::new())).expect("few");
    assert_eq!(found, [((0, true), 1), ((0, false), 0)].into_iter().collect());
}

#[test]
fn nothing_comes_between_what_a_section_does() {
    let writes = || vec![write(0, 1), write(0, 2)];
    let reads = || vec![read(0, 0), equals(0, 1, Vec::new())];
    let found = degrees(&program(vec![vec![Stmt::Section(writes())], reads()], Vec::new())).expect("few");
    assert_eq!(found.get(&(0, true)), None);
    let found = degrees(&program(vec![writes(), reads()], Vec::new())).expect("few");
    assert_eq!(found.get(&(0, true)), Some(&1));
}

#[test]
fn that_a_thread_has_ended_is_an_outcome_and_orders() {
    let ended = vec![read(0, 0), equals(0, 1, Vec::new())];
    let looks = Looks { timed: false, ended, otherwise: Vec::new() };
    let found = degrees(&Program {
        joined: vec![false],
        looks: vec![Some(looks)],
        ..program(vec![vec![write(0, 1)]], Vec::new())
    });
    assert_eq!(found, Ok([((0, false), 0), ((0, true), 1), ((1, true), 1)].into_iter().collect()));
}

#[test]
fn the_same_seed_gives_the_same_program() {
    for seed in 0..50 {
        assert_eq!(generate(seed), generate(seed));
        let rendered = render(&generate(seed));
        assert_eq!(rendered.source.matches("if (").count(), rendered.branches.len());
    }
}
