//! What owners and nodes have beside links, keys and locks, on cases whose answer is known.

use super::*;

const ROOT_ID: RootId = RootId(0);

/// `m = l->mark; if (m) ...`
fn marked(then: &[Stmt]) -> Vec<Stmt> {
    let check = Stmt::If { cond: Cond::Marked, then: then.to_vec(), otherwise: Vec::new() };
    vec![Stmt::FollowMark { root: ROOT_ID }, check]
}

/// `p = l->head; if (p) ...`
fn first(then: &[Stmt]) -> Vec<Stmt> {
    vec![Stmt::Follow { dst: P, from: ROOT }, when(var(P), then)]
}

#[test]
fn marks_lead_to_keys_only_if_one_is_given_away() {
    let count = |operations: &[&[Stmt]], depth| {
        let HeapCounts { must, may } = count_heaps(&library(Roots::OwnerParam, 1, depth, operations));
        (must, may)
    };
    // A null owner; no node, one, one that leads to itself: each with no mark and with one to an integer of its own.
    let reads = marked(&[Stmt::ReadMarked]);
    assert_eq!(count(&[&reads], 2), (1 + 3 * 2, 1 + 3 * 2));
    // With one node more. What only a mark brings within the depth (a second node that leads nowhere, to the first, or to itself) is there in one
    // reading.
    let gives = first(&[Stmt::SetMark { root: ROOT_ID, node: var(P) }]);
    assert_eq!(count(&[&reads, &gives], 2), (7 + 2, 7 + 2 + 3));
    // No room for an integer.
    assert_eq!(count(&[&reads], 1), (2, 2));
    // A null mark gives nothing away.
    assert_eq!(count(&[&[Stmt::SetMark { root: ROOT_ID, node: Node::Null }]], 2), (7, 7));
    let HeapCounts { must, .. } = count_heaps(&library(Roots::OwnerGlobals(2), 1, 2, &[&reads]));
    assert_eq!(must, (3 * 2) * (3 * 2));
}

#[test]
fn what_is_marked_may_be_a_key() {
    let write = marked(&[Stmt::WriteMarked { int: Int::Const(7) }]);
    let read = first(&[Stmt::ReadKey { node: var(P) }]);
    let set = locked(ROOT_LOCK, &first(&[Stmt::SetMark { root: ROOT_ID, node: var(P) }]));
    let of = |operations: &[&[Stmt]]| {
        let library = library(Roots::OwnerParam, 1, 2, operations);
        named(&library, &run(&library).entries[1].must)
    };
    assert!(of(&[&write, &read]).is_empty());
    assert_eq!(of(&[&write, &read, &set]), [pair(("*m = 7;", Write), ("v = p->key;", Read))].into());
    // What the other call sets is followed.
    let races = of(&[&write, &set]);
    assert_eq!(races, [pair(("m = l->mark;", Read), ("l->mark = &p->key;", Write))].into());
}

#[test]
fn what_is_marked_may_be_freed() {
    let write = locked(ROOT_LOCK, &marked(&[Stmt::WriteMarked { int: Int::Const(7) }]));
    let set = locked(ROOT_LOCK, &first(&[Stmt::SetMark { root: ROOT_ID, node: var(P) }]));
    let free = [locked(ROOT_LOCK, &pop()), vec![Stmt::Free { node: var(P) }]].concat();
    let library = library(Roots::OwnerParam, 1, 2, &[&write, &free, &set]);
    let found = run(&library);
    let race = pair(("*m = 7;", Write), ("free(p);", Free));
    assert_eq!(named(&library, &found.entries[1].must), [race].into());
    assert!(found.entries[2].may.is_empty() && found.entries[5].may.is_empty());
}

fn call_back(callback: Callback, missing: Missing) -> Stmt {
    Stmt::CallBack { root: ROOT_ID, node: var(P), callback, missing }
}

#[test]
fn a_function_that_may_be_null_is_a_precondition() {
    let counts = |missing| {
        let call = [call_back(Callback::Notify, missing)];
        run(&library(Roots::OwnerParam, 1, 1, &[&call])).operations[0].must
    };
    // A null owner, and an owner with a function and without.
    assert_eq!((counts(Missing::Skipped).shapes_kept, counts(Missing::Skipped).shapes_dropped), (2, 1));
    assert_eq!((counts(Missing::Fails).shapes_kept, counts(Missing::Fails).shapes_dropped), (1, 2));
}

#[test]
fn what_a_client_returns_decides() {
    let value = |int| Cond::Value { int, equal: true };
    let count = |unlocked: &[Stmt]| {
        let pick = [locked(ROOT_LOCK, &[call_back(Callback::Pick, Missing::Skipped)]), unlocked.to_vec()].concat();
        let library = library(Roots::OwnerParam, 1, 2, &[&pick]);
        named(&library, &run(&library).entries[0].must)
    };
    let write = Stmt::WriteKey { node: var(P), int: Int::Const(7) };
    let when_it_is = |int, stmt: Stmt| {
        first(&[
            call_back(Callback::Pick, Missing::Skipped),
            Stmt::If { cond: value(int), then: vec![stmt], otherwise: Vec::new() },
        ])
    };
    let races = |int| {
        let library = library(Roots::OwnerParam, 1, 2, &[&when_it_is(int, write.clone())]);
        named(&library, &run(&library).entries[0].must)
    };
    // It may be any number: both calls may write.
    let both = pair(("p->key = 7;", Write), ("p->key = 7;", Write));
    let read = pair(("p->key = 7;", Write), ("v = pick(&p->key, 3);", Read));
    assert_eq!(races(Int::Const(5)), [both.clone(), read.clone()].into());
    assert_eq!(races(Int::K), [both, read].into());
    assert!(count(&[]).is_empty());
    // Each function is one more case, and each number that it returns.
    let library = library(Roots::OwnerParam, 1, 2, &[&when_it_is(Int::Const(5), write)]);
    let cases = run(&library).operations[0].must.cases_kept;
    // Shapes with no, one, and one node that leads to itself, with integers for the nodes, `k`, and what comes back: 0, 5, or others.
    let ways = |integers: usize| valuations(&library, integers).len() as u64;
    assert_eq!(cases, 2 * (ways(2) + 2 * ways(3)));
}

#[test]
fn a_function_is_taken_away() {
    let call = [call_back(Callback::Notify, Missing::Skipped)];
    let clear = [Stmt::ClearCallback { root: ROOT_ID, callback: Callback::Notify }];
    let library = library(Roots::OwnerParam, 1, 1, &[&call, &clear]);
    let found = run(&library);
    let (read, write) = (("notify = l->notify;", Read), ("l->notify = NULL;", Write));
    assert!(found.entries[0].may.is_empty());
    assert_eq!(named(&library, &found.entries[1].must), [pair(read, write)].into());
    assert_eq!(named(&library, &found.entries[2].must), [pair(write, write)].into());
}

#[test]
fn what_is_done_without_a_function_races() {
    let call = first(&[call_back(Callback::Pick, Missing::Replaced)]);
    let library = library(Roots::OwnerParam, 1, 2, &[&call]);
    let write = ("p->key = 7;", Write);
    assert_eq!(named(&library, &run(&library).entries[0].must), [pair(write, write)].into());
}

fn scan(text: Text, scan: Scan) -> Vec<Stmt> {
    first(&[Stmt::Scan { node: var(P), text, scan }])
}

fn write_byte(text: Text, index: u8, sets: bool) -> Vec<Stmt> {
    first(&[Stmt::WriteByte { node: var(P), text, index, sets }])
}

#[test]
fn a_string_ends_in_its_array() {
    let (walk, length) = (scan(Text::Name, Scan::Walk), scan(Text::Name, Scan::Length));
    let (tag, end) = (write_byte(Text::Tag, 0, true), write_byte(Text::Name, 1, false));
    let library = library(Roots::OwnerParam, 1, 2, &[&walk, &length, &tag, &end]);
    let found = run(&library);
    // No node, or one of two with an empty string, one of one letter, or one that does not end; and a null owner.
    let counts = found.operations[0].must;
    assert_eq!((counts.shapes_kept, counts.shapes_dropped), (1 + 2 * 2, 2 + 1));
    assert_eq!(found.operations[1].must, counts);
    let race = |index: usize| named(&library, &found.entries[index].must);
    let (walks, writes) = ("for (const char *s = p->name; *s; s++) {}", ("p->name[1] = 0;", Write));
    // Walks do not come to the tag, and do come to the second byte.
    assert!(race(2).is_empty() && race(5).is_empty());
    assert_eq!(race(3), [pair((walks, Read), writes)].into());
    assert_eq!(race(6), [pair(("strlen(p->name);", Read), writes)].into());
}

#[test]
fn however_a_string_is_read_it_ends_in_its_array() {
    let write = write_byte(Text::Name, 0, false);
    let races = |how, line: &str| {
        let library = library(Roots::OwnerParam, 1, 2, &[&scan(Text::Name, how), &write]);
        let found = run(&library);
        assert_eq!(named(&library, &found.entries[1].must), [pair((line, Read), ("p->name[0] = 0;", Write))].into());
        found.operations[0].must
    };
    let walk = races(Scan::Walk, "for (const char *s = p->name; *s; s++) {}");
    assert_eq!(races(Scan::Call, "for (; *s; s++) {}"), walk);
    assert_eq!(races(Scan::Length, "strlen(p->name);"), walk);
    assert_eq!(races(Scan::LengthAt, "strlen((const char *)p + offsetof(struct node, name));"), walk);
}

#[test]
fn what_is_behind_the_end_matters_only_where_that_is_overwritten() {
    let shapes = |operations: &[&[Stmt]]| count_heaps(&library(Roots::NodeParam, 1, 1, operations)).must;
    let (name, tag) = (scan(Text::Name, Scan::Walk), scan(Text::Tag, Scan::Length));
    let node = |stmts: &[Stmt]| [vec![Stmt::Copy { dst: P, node: Node::Param }], stmts[1..].to_vec()].concat();
    let (name, tag, sets) = (node(&name), node(&tag), node(&write_byte(Text::Name, 0, true)));
    assert_eq!(shapes(&[&sets]), 3);
    assert_eq!(shapes(&[&name]), 1 + 2 * 3);
    assert_eq!(shapes(&[&name, &tag]), 1 + 2 * 9);
    assert_eq!(shapes(&[&name, &sets]), 1 + 2 * 4);
}

/// Writes a key where the flag in `next` is as it `is` to be.
fn write_if_flagged(is: bool) -> Vec<Stmt> {
    let cond = Cond::Flagged { node: var(P), is };
    let write = Stmt::WriteKey { node: var(P), int: Int::Const(7) };
    first(&[Stmt::If { cond, then: vec![write], otherwise: Vec::new() }])
}

fn flag(sets: bool) -> Vec<Stmt> {
    first(&[Stmt::Flag { node: var(P), sets }])
}

#[test]
fn flags_are_there_from_the_beginning_where_they_are_set_and_looked_at() {
    let count = |operations: &[&[Stmt]]| {
        let HeapCounts { must, may } = count_heaps(&library(Roots::OwnerParam, 1, 2, operations));
        assert_eq!(must, may);
        must
    };
    // A null owner, no node, and one that leads nowhere or to itself: each with a flag and without.
    assert_eq!(count(&[&write_if_flagged(true), &flag(true)]), 2 + 2 * 2);
    assert_eq!(count(&[&write_if_flagged(true), &flag(false)]), 4);
    assert_eq!(count(&[&write_if_flagged(true)]), 4);
    assert_eq!(count(&[&flag(true)]), 4);
}

#[test]
fn what_is_done_where_a_flag_is_races_if_one_may_be_there() {
    let write = ("p->key = 7;", Write);
    let set = ("p->next = flagged(p->next);", Write);
    let races = |operations: &[&[Stmt]], pair: usize| {
        let library = library(Roots::OwnerParam, 1, 2, operations);
        named(&library, &run(&library).entries[pair].must)
    };
    let both = pair(write, write);
    assert_eq!(races(&[&write_if_flagged(true), &flag(true)], 0), [both.clone()].into());
    assert!(races(&[&write_if_flagged(true), &flag(false)], 0).is_empty());
    assert_eq!(races(&[&write_if_flagged(false), &flag(false)], 0), [both].into());
    // Looking at it reads the link.
    let look = |is: bool| (if is { "if (is_flagged(p->next)) {" } else { "if (!is_flagged(p->next)) {" }, Read);
    assert_eq!(races(&[&write_if_flagged(true), &flag(true)], 1), [pair(look(true), set)].into());
    let read = ("p->next = flagged(p->next);", Read);
    assert_eq!(races(&[&write_if_flagged(true), &flag(true)], 2), [pair(set, set), pair(read, set)].into());
}

#[test]
fn a_flag_goes_with_what_is_written_over_it() {
    let under = |stmts: &[Stmt]| locked(ROOT_LOCK, &first(stmts));
    let write = Stmt::WriteKey { node: var(P), int: Int::Const(7) };
    let sets = Stmt::Flag { node: var(P), sets: true };
    let look = Stmt::If { cond: Cond::Flagged { node: var(P), is: true }, then: vec![write], otherwise: Vec::new() };
    let cleared = |by: Stmt| {
        // Set, then written over, then looked at, behind the lock of all.
        let library = library(
            Roots::OwnerParam,
            1,
            2,
            &[&under(&[sets.clone(), by, look.clone()]), &first(&[Stmt::ReadKey { node: var(P) }])],
        );
        run(&library).entries[1].must.is_empty()
    };
    assert!(cleared(Stmt::Link { to: next_of(var(P)), node: Node::Null }));
    assert!(cleared(Stmt::Flag { node: var(P), sets: false }));
    assert!(cleared(Stmt::Relink { to: next_of(var(P)), from: next_of(var(P)) }));
    assert!(!cleared(sets.clone()));
}
