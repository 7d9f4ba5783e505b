use super::ast::{Call, Function, Kind, Library, Link, Lock, Step, Test};
use super::{generate, oracle, render};

/// Narada, Figure 1: `update` with the holder's lock, and `set`.
fn figure_1(lock_inner: bool) -> Library {
    let lock = if lock_inner { Lock::Of(1) } else { Lock::Of(0) };
    let update = Function {
        name: "update".to_owned(),
        parameters: vec![Kind::Holder],
        takes_number: false,
        steps: match lock_inner {
            true => vec![Step::Follow(0, Link::Inner), Step::Acquire(lock), Step::Write(1, 0), Step::Release(lock)],
            false => vec![Step::Acquire(lock), Step::Follow(0, Link::Inner), Step::Write(1, 0), Step::Release(lock)],
        },
    };
    let set = Function {
        name: "set".to_owned(),
        parameters: vec![Kind::Holder, Kind::Box],
        takes_number: false,
        steps: vec![Step::Acquire(Lock::Of(0)), Step::Set(0, Link::Inner, 1), Step::Release(Lock::Of(0))],
    };
    let call = |function, objects| Call { function, objects, number: 0 };
    let test = Test { objects: vec![Kind::Box, Kind::Holder], calls: vec![call(1, vec![1, 0]), call(0, vec![1])] };
    Library { global_locks: 0, shared_locks: false, wraps: false, functions: vec![update, set], tests: vec![test] }
}

#[test]
fn two_holders_of_one_box_race_on_it() {
    let library = figure_1(false);
    let lines = render(&library).lines;
    let races = |calls| {
        let truth = oracle(&library, &lines, calls).expect("small");
        truth.races.get(&[0, 0]).map_or(0, std::collections::BTreeSet::len)
    };
    assert_eq!([races(0), races(1), races(2)], [0, 0, 1], "two calls of `set` make the boxes one");
    let truth = oracle(&library, &lines, 3).expect("small");
    assert_eq!(truth.races.len(), 1, "`set` holds the lock with which `update` reads");
}

#[test]
fn the_lock_of_the_box_protects_it() {
    let library = figure_1(true);
    let truth = oracle(&library, &render(&library).lines, 3).expect("small");
    assert!(!truth.races.contains_key(&[0, 0]));
    assert!(truth.races.contains_key(&[0, 1]), "the box is read without the holder's lock");
}

#[test]
fn readers_exclude_writers_and_not_each_other() {
    let mut library = figure_1(true);
    library.shared_locks = true;
    let updates = |library: &Library| {
        let truth = oracle(library, &render(library).lines, 3).expect("small");
        truth.races.get(&[0, 0]).map_or(0, std::collections::BTreeSet::len)
    };
    assert_eq!(updates(&library), 0);
    library.functions[0].steps[1] = Step::AcquireShared(Lock::Of(1));
    assert_eq!(updates(&library), 1, "both write as readers");
    library.functions[0].steps[2] = Step::Read(1, 0);
    assert_eq!(updates(&library), 0, "both read");
}

#[test]
fn numbers_say_which_element_is_accessed() {
    let mut library = figure_1(false);
    library.functions[0].takes_number = true;
    library.functions[0].steps[2] = Step::WriteAt(1);
    library.functions.push(Function {
        name: "look".to_owned(),
        parameters: vec![Kind::Box],
        takes_number: false,
        steps: vec![Step::Read(0, 1)],
    });
    library.tests[0].calls.push(Call { function: 2, objects: vec![0], number: 0 });
    let races = |number| {
        let mut library = library.clone();
        library.tests[0].calls[1].number = number;
        let truth = oracle(&library, &render(&library).lines, 2).expect("small");
        truth.races.contains_key(&[0, 2])
    };
    assert!(!races(2) && races(1), "`look` reads the second");
}

#[test]
fn libraries_are_those_of_their_seeds() {
    for seed in 0..40 {
        let library = generate(seed);
        assert_eq!(library, generate(seed));
        assert!(library.tests.iter().all(|test| !test.calls.is_empty()));
    }
}
