//! The oracle on cases whose answer is known and against a slower one, and the generator's spread.

mod members;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::caller::{Caller, Next, steps};
use super::exec::{Call, Effect, Memory, Telling, Thread, ThreadId, initial_memory};
use super::heaps::{heaps, valuations};
use super::order::conflict;
use super::render::translate;
use super::*;
use crate::finding::AccessKind::{self, Free, Read, Write};
use crate::finding::{Race, Site};

const P: Pointer = Pointer(0);
const Q: Pointer = Pointer(1);
const NEXT: LinkId = LinkId(0);
const OTHER: LinkId = LinkId(1);
const ROOT: Place = Place::Root(RootId(0));
const ROOT_LOCK: LockRef = LockRef::Root(RootId(0));

fn library(roots: Roots, links: u8, depth: usize, operations: &[&[Stmt]]) -> Library {
    let operations: Vec<Vec<Stmt>> = operations.iter().map(|body| body.to_vec()).collect();
    let strength = Strength::Sequential;
    let library = Library {
        roots,
        links,
        node_locks: true,
        flexible: false,
        depth,
        own: Own::None,
        tallies: false,
        strength,
        operations,
        makers: Makers::default(),
    };
    assert!(library.well_formed());
    library
}

fn run(library: &Library) -> Expectation {
    judge(library, Extent::default(), &Bounds::default()).expect("small enough")
}

fn next_of(node: Node) -> Place {
    Place::Field(node, NEXT)
}

fn var(pointer: Pointer) -> Node {
    Node::Var(pointer)
}

fn when(node: Node, then: &[Stmt]) -> Stmt {
    let cond = Cond::Pointers { one: node, other: Node::Null, equal: false };
    Stmt::If { cond, then: then.to_vec(), otherwise: Vec::new() }
}

fn locked(lock: LockRef, body: &[Stmt]) -> Vec<Stmt> {
    [&[Stmt::Lock(lock)], body, &[Stmt::Unlock(lock)]].concat()
}

/// Races as (line, kind) pairs by the text of their lines, the pair sorted.
fn named(library: &Library, races: &BTreeSet<Race>) -> BTreeSet<[(String, AccessKind); 2]> {
    let source = render(library);
    let texts: Vec<&str> = source.lines().map(str::trim).collect();
    let name = |site: Site| (texts[site.line as usize - 1], site.access);
    races.iter().map(|race| pair(name(race.first()), name(race.second()))).collect()
}

fn pair(one: (&str, AccessKind), other: (&str, AccessKind)) -> [(String, AccessKind); 2] {
    let mut pair = [one, other].map(|(text, access)| (text.to_owned(), access));
    pair.sort();
    pair
}

/// `p = head; t = new node before p; head = t;`
fn push() -> Vec<Stmt> {
    vec![
        Stmt::Follow { dst: P, from: ROOT },
        Stmt::New { dst: Pointer(2), key: Int::K, next: var(P) },
        Stmt::Link { to: ROOT, node: var(Pointer(2)) },
    ]
}

fn pop() -> Vec<Stmt> {
    let unlink = Stmt::Relink { to: ROOT, from: next_of(var(P)) };
    vec![Stmt::Follow { dst: P, from: ROOT }, when(var(P), &[unlink])]
}

#[test]
fn shapes_are_counted() {
    // Counted apart from this code, from all graphs on up to seven nodes.
    let count = |roots, links, depth| {
        let HeapCounts { must, may } = count_heaps(&library(roots, links, depth, &[]));
        (must, may)
    };
    assert_eq!(count(Roots::NodeParam, 1, 3), (10, 10));
    assert_eq!(count(Roots::NodeParam, 2, 2), (131, 306));
    // One more for a null owner.
    assert_eq!(count(Roots::OwnerParam, 1, 3), (7, 7));
    assert_eq!(count(Roots::OwnerGlobals(1), 1, 3), (6, 6));
    assert_eq!(count(Roots::OwnerGlobals(1), 2, 3), (131, 306));
    // A global pointer is an object of the chain in one reading.
    assert_eq!(count(Roots::NodeGlobals(1), 1, 3), (6, 10));
    // Two owners share nothing; two pointers may: both null, one of them, both to one node, to two.
    assert_eq!(count(Roots::OwnerGlobals(2), 1, 2), (9, 9));
    assert_eq!(count(Roots::NodeGlobals(2), 1, 1).1, 1 + 2 + 2 + 2 + 9);
}

#[test]
fn valuations_are_counted() {
    // Bell numbers without constants; with one constant the next one (the constant is a block of its own).
    let compare = |int| {
        let cond = Cond::NodeAndKey { node: var(P), int, equal: true };
        library(Roots::NodeParam, 1, 1, &[&[Stmt::If { cond, then: Vec::new(), otherwise: Vec::new() }]])
    };
    let counts = |library: &Library| Vec::from_iter((0..6).map(|variables| valuations(library, variables).len()));
    assert_eq!(counts(&compare(Int::K)), [1, 1, 2, 5, 15, 52]);
    assert_eq!(counts(&compare(Int::Const(7))), [1, 2, 5, 15, 52, 203]);
    assert_eq!(counts(&library(Roots::NodeParam, 1, 1, &[])), [1; 6]);
}

#[test]
fn a_structure_lock_protects() {
    let (push, pop) = (locked(ROOT_LOCK, &push()), locked(ROOT_LOCK, &pop()));
    let found = run(&library(Roots::OwnerParam, 1, 3, &[&push, &pop]));
    assert_eq!(found.entries.len(), 3);
    assert!(found.entries.iter().all(|pair| pair.may.is_empty() && pair.must_cases > 0), "{found}");
    // Only the null owner is outside the precondition.
    let expected = Counts { shapes_kept: 6, shapes_dropped: 1, cases_kept: 6, cases_dropped: 1 };
    assert_eq!(found.operations[0].must, expected);
}

#[test]
fn an_unlocked_pop_races() {
    let locked_pop = locked(ROOT_LOCK, &pop());
    let library = library(Roots::OwnerParam, 1, 2, &[&locked_pop, &pop()]);
    let found = run(&library);
    assert!(found.entries[0].may.is_empty());
    let (read, unlink) = ("p = l->head;", "l->head = p->next;");
    let expected = BTreeSet::from([pair((read, Read), (unlink, Write)), pair((unlink, Write), (unlink, Write))]);
    assert_eq!(named(&library, &found.entries[1].must), expected);
    assert_eq!(found.entries[1].must, found.entries[1].may);
}

#[test]
fn aliasing_decides_whether_two_locks_are_one() {
    // The first writes its neighbour under the lock of the node, the second under that of the neighbour.
    let outer = locked(
        LockRef::Node(Node::Param),
        &[
            Stmt::Follow { dst: P, from: next_of(Node::Param) },
            when(var(P), &[Stmt::WriteKey { node: var(P), int: Int::Const(7) }]),
        ],
    );
    let inner = locked(LockRef::Node(var(Q)), &[Stmt::WriteKey { node: var(Q), int: Int::Const(8) }]);
    let inner = [Stmt::Follow { dst: Q, from: Place::Field(Node::Param, OTHER) }, when(var(Q), &inner)];
    let deep = library(Roots::NodeParam, 2, 2, &[&outer, &inner]);
    let found = run(&deep);
    let race = pair(("p->key = 7;", Write), ("q->key = 8;", Write));
    assert_eq!(named(&deep, &found.entries[1].must), [race].into());
    assert!(found.entries[0].may.is_empty() && found.entries[2].may.is_empty());
    // With a single node both locks are the same.
    let shallow = Library { depth: 1, ..deep };
    assert!(run(&shallow).entries.iter().all(|pair| pair.may.is_empty()));
}

#[test]
fn preconditions_drop_heaps() {
    let walk = Stmt::While {
        cond: Cond::Pointers { one: var(P), other: Node::Null, equal: false },
        body: vec![Stmt::Follow { dst: P, from: next_of(var(P)) }],
    };
    let all = [Stmt::Copy { dst: P, node: Node::Param }, walk];
    let found = run(&library(Roots::NodeParam, 1, 3, &[&all]));
    // Of the ten shapes null and the three straight chains let the walk return.
    let expected = Counts { shapes_kept: 4, shapes_dropped: 6, cases_kept: 4, cases_dropped: 6 };
    assert_eq!(found.operations[0].must, expected);

    let relock = [locked(LockRef::Node(Node::Param), &locked(LockRef::Node(Node::Param), &[]))].concat();
    let unlock = [Stmt::Unlock(LockRef::Node(Node::Param))];
    let twice = [Stmt::Free { node: Node::Param }, Stmt::ReadKey { node: Node::Param }];
    let found = run(&library(Roots::NodeParam, 1, 2, &[&relock, &unlock, &twice]));
    assert!(found.operations[0].is_vacuous() && found.operations[1].is_vacuous());
    // Freeing null and reading through it is a fault as well.
    assert!(found.operations[2].is_vacuous(), "{found}");
    assert!(found.entries.iter().all(|pair| pair.may_cases == 0));
}

#[test]
fn a_walk_that_a_writer_makes_endless_is_explored() {
    // Alone each returns; together the list may become a cycle under the walk.
    let walk = Stmt::While {
        cond: Cond::Pointers { one: var(P), other: Node::Null, equal: false },
        body: vec![Stmt::Follow { dst: P, from: next_of(var(P)) }],
    };
    let all = [Stmt::Copy { dst: P, node: Node::Param }, walk];
    let knot = [
        Stmt::Link { to: next_of(Node::Param), node: Node::Param },
        Stmt::Link { to: next_of(Node::Param), node: Node::Null },
    ];
    let library = library(Roots::NodeParam, 1, 2, &[&all, &knot]);
    let races = named(&library, &run(&library).entries[1].must);
    let read = ("p = p->next;", Read);
    assert_eq!(races, [pair(read, ("n->next = n;", Write)), pair(read, ("n->next = NULL;", Write))].into());
}

#[test]
fn a_lock_on_freed_memory_is_only_a_possible_race() {
    let free = [Stmt::Free { node: Node::Param }];
    let touch = locked(LockRef::Node(Node::Param), &[Stmt::ReadKey { node: Node::Param }]);
    let library = library(Roots::NodeParam, 1, 1, &[&free, &touch]);
    let found = run(&library);
    let both = &found.entries[1];
    let read = pair(("free(n);", Free), ("v = n->key;", Read));
    let lock = pair(("free(n);", Free), ("pthread_mutex_lock(&n->lock);", AccessKind::Sync));
    assert_eq!(named(&library, &both.must), [read.clone()].into());
    assert!(named(&library, &both.may).is_superset(&[read, lock].into()));
    // However the engine calls the lock's access, it is within the bracket; another line is not.
    let lock_line = found.lock_lines.first().copied().expect("a lock");
    let free_line = both.may.iter().flat_map(|race| [race.first(), race.second()]).find(|site| site.access == Free);
    let free_site = free_line.expect("a free");
    let extra = |line| Race::new(free_site, Site { line, access: AccessKind::ReadWrite });
    let reported = |line| both.must.iter().copied().chain([extra(line)]).collect::<BTreeSet<Race>>();
    assert_eq!(found.check(both, &reported(lock_line)), Ok(()));
    assert!(found.check(both, &reported(1)).is_err());
}

#[test]
fn a_missing_race_is_a_mismatch() {
    let found = run(&library(Roots::OwnerParam, 1, 2, &[&pop()]));
    let pair = &found.entries[0];
    assert_eq!(found.check(pair, &pair.must), Ok(()));
    let mismatch = found.check(pair, &BTreeSet::new()).expect_err("races are missing");
    assert_eq!(mismatch.missing, pair.must);
}

/// All interleavings of threads by brute force, with happens-before as an explicit graph: what the oracle's
/// remembered states have to agree with. None if there are too many.
struct Explicit<'a> {
    callers: &'a [Caller<'a>],
    /// Thread, what it did, whom it woke, all that happens before.
    events: Vec<(ThreadId, Effect, u8, u64)>,
    races: BTreeSet<Race>,
    paths: usize,
}

impl Explicit<'_> {
    fn visit(&mut self, memory: &Memory, threads: &[Thread]) -> Option<()> {
        let mut moved = false;
        for (index, caller) in self.callers.iter().enumerate() {
            let id = ThreadId(index as u8);
            if !caller.enabled(&threads[id.index()], memory) {
                continue;
            }
            moved = true;
            if self.events.len() > 40 {
                return None;
            }
            for Next { memory, threads, effect, woken } in steps(self.callers, id, memory, threads) {
                self.add(id, effect, woken);
                if effect.fault {
                    self.paths += 1;
                } else {
                    self.visit(&memory, &threads)?;
                }
                self.events.pop();
            }
        }
        self.paths += usize::from(!moved);
        (self.paths < 4000).then_some(())
    }

    fn add(&mut self, id: ThreadId, effect: Effect, woken: u8) {
        let mut before = 0;
        // Of what a place told, from the last store on: an exchange adds to what it took from.
        let mut told = true;
        for (index, &(thread, other, wakes, earlier)) in self.events.iter().enumerate().rev() {
            let from = other.released.filter(|&(channel, _)| effect.acquired == Some(channel));
            let tells = told && from.is_some_and(|(_, telling)| telling != Telling::Forgets);
            told &= from.is_none_or(|(_, telling)| telling == Telling::Adds);
            if thread == id || wakes & id.bit() != 0 || tells {
                before |= earlier | 1 << index;
            }
        }
        for (index, &(_, other, _, _)) in self.events.iter().enumerate() {
            for one in effect.accesses.iter().flatten() {
                for other in other.accesses.iter().flatten() {
                    if before & 1 << index == 0 && conflict(one, other) {
                        let site = |access: &super::exec::Access| Site { line: access.line, access: access.kind };
                        self.races.insert(Race::new(site(one), site(other)));
                    }
                }
            }
        }
        self.events.push((id, effect, woken, before));
    }
}

/// How often the oracle and the explicit graph were compared on small heaps, for threads that call the first operation so
/// many times each. They must agree.
fn compared_with_explicit(seeds: std::ops::Range<u64>, calls: &[usize]) -> usize {
    let extent = Extent { threads: calls.len(), calls: calls.iter().copied().max().unwrap_or(1), ..Extent::default() };
    let mut compared = 0;
    for seed in seeds {
        let library = generate(seed);
        let translation = translate(&library);
        let constants = library.constants();
        for heap in heaps(&library, extent, 12).iter() {
            let inputs = super::oracle::inputs(&library, 0);
            let all_inputs = inputs * calls.iter().sum::<usize>();
            let Some(valuation) = valuations(&library, heap.values() + all_inputs).pop() else {
                continue;
            };
            let (keys, ks) = valuation.split_at(heap.values());
            let mut ks = ks.iter();
            let mut caller = |(thread, &count): (usize, &usize)| {
                let mut call = |number: usize| Call {
                    code: &translation.operations[0],
                    constants: &constants,
                    owner_null: heap.owner_null,
                    owner: 0,
                    param: heap.param,
                    own: heap.own.get(thread * extent.calls + number).copied().flatten(),
                    visitors: heap.visitors,
                    k: *ks.next().expect("one for each call"),
                    picked: *ks.by_ref().take(inputs - 1).next().unwrap_or(&super::heaps::Code(0)),
                };
                Caller((0..count).map(&mut call).collect())
            };
            let callers: Vec<Caller> = calls.iter().enumerate().map(&mut caller).collect();
            let mut memory = initial_memory(heap, keys);
            let threads: Vec<Thread> = callers.iter().map(|caller| caller.start(&mut memory)).collect();
            let mut explicit = Explicit { callers: &callers, events: Vec::new(), races: BTreeSet::new(), paths: 0 };
            if explicit.visit(&memory, &threads).is_none() {
                continue;
            }
            let remembered = super::oracle::joint_races(&callers, initial_memory(heap, keys));
            assert_eq!(remembered, explicit.races, "seed {seed}, {heap:?}\n{}", render(&library));
            compared += 1;
        }
    }
    compared
}

#[test]
fn remembered_states_lose_no_race() {
    let [pairs, triples, sequences] =
        [&[1, 1][..], &[1, 1, 1], &[2, 1]].map(|calls| compared_with_explicit(0..120, calls));
    assert!(pairs > 500 && triples > 150 && sequences > 150, "{pairs}, {triples}, {sequences}");
}

#[test]
fn generation_is_deterministic_and_well_formed() {
    for seed in 0..2000 {
        let library = generate(seed);
        assert!(library.well_formed(), "seed {seed}");
        assert_eq!(library, generate(seed));
    }
}

#[test]
fn shrinking_keeps_only_what_the_failure_needs() {
    let races = |library: &Library| {
        judge(library, Extent::default(), &Bounds::default())
            .is_ok_and(|found| found.entries.iter().any(|pair| !pair.must.is_empty()))
    };
    let original = (0..).map(generate).find(races).expect("some library races");
    let small = shrink(&original, races);
    assert!(races(&small) && small.well_formed());
    let mut statements = 0;
    small.walk(|_| statements += 1);
    assert!(small.operations.len() == 1 && statements <= 2, "{}", render(&small));
}

/// Shares of cases in percent, by name.
fn shares(counts: &BTreeMap<&'static str, usize>, total: usize) -> String {
    counts.iter().map(|(name, count)| format!("{name}: {:.1}\n", 100.0 * *count as f64 / total as f64)).collect()
}

#[test]
fn every_action_is_common_and_races_neither_rare_nor_certain() {
    let mut seen = BTreeMap::new();
    let (mut drawn, mut judged, mut racy, mut vacuous) = (0, 0, 0, 0);
    let bounds = Bounds { max_cases: 400, max_states: 15_000 };
    for seed in 0..2000 {
        let library = generate(seed);
        drawn += 1;
        for action in actions(&library) {
            *seen.entry(action).or_insert(0) += 1;
        }
        let Ok(found) = judge(&library, Extent::default(), &bounds) else { continue };
        judged += 1;
        racy += usize::from(found.entries.iter().any(|pair| !pair.must.is_empty()));
        vacuous += usize::from(found.operations.iter().any(OperationResult::is_vacuous));
        for pair in &found.entries {
            assert!(pair.must.is_subset(&pair.may) && pair.must_cases <= pair.may_cases, "seed {seed}");
        }
    }
    let report = format!("{judged} of {drawn} judged, {racy} racy, {vacuous} vacuous\n{}", shares(&seen, drawn));
    assert_eq!(seen.len(), 70, "{report}");
    assert!(seen.values().all(|&count| count * 60 >= drawn), "{report}");
    assert!(judged * 9 >= drawn * 4, "{report}");
    assert!((30..=70).contains(&(100 * racy / judged)), "{report}");
    assert!(vacuous * 20 <= judged, "{report}");
}

#[test]
fn what_is_private_races_once_it_is_published() {
    let own = |operation: &[Stmt]| {
        let library = Library { own: Own::Private, ..library(Roots::NodeParam, 1, 1, &[]) };
        let library = Library { operations: vec![operation.to_vec()], ..library };
        assert!(library.well_formed());
        library
    };
    let write = |node| Stmt::WriteKey { node, int: Int::Const(7) };
    // Nothing, a node, a node that leads to itself: for `n`, and for each thread's `o`.
    assert_eq!(heaps(&own(&[]), Extent::default(), usize::MAX).len(), 27);
    let races = |library: &Library| run(library).entries[0].must.len();
    assert_eq!(races(&own(&[write(Node::Own)])), 0);
    assert_eq!(races(&own(&[write(Node::Param)])), 1);
    let publish = locked(ROOT_LOCK, &[Stmt::Link { to: next_of(Node::Param), node: Node::Own }]);
    let read = locked(ROOT_LOCK, &[Stmt::Follow { dst: P, from: next_of(Node::Param) }]);
    let use_it = [when(var(P), &[write(var(P))])];
    let published = [publish.clone(), read.clone(), use_it.to_vec()].concat();
    assert_eq!(races(&own(&published)), 1, "the other thread finds it through `n`");
    let kept = [vec![write(Node::Own)], read, use_it.to_vec()].concat();
    assert_eq!(races(&own(&kept)), 1, "only what `n` leads to at first");
    // Each thread's own part of the precondition: `o->next` is used.
    let second = [Stmt::Follow { dst: P, from: next_of(Node::Own) }];
    let counts = run(&own(&second)).operations[0].must;
    assert_eq!((counts.shapes_kept, counts.shapes_dropped), (18, 9));
}

#[test]
fn what_is_passed_by_value_leads_to_what_is_shared() {
    let by_value = |roots: Roots, operation: &[Stmt]| {
        let library = Library { own: Own::ByValue, ..library(roots, 1, 1, &[]) };
        let library = Library { operations: vec![operation.to_vec()], ..library };
        assert!(library.well_formed());
        library
    };
    let write = [Stmt::WriteKey { node: Node::Own, int: Int::Const(7) }];
    let shared = by_value(Roots::NodeGlobals(1), &write);
    // A global and two threads' nodes: none, or one, two or three different ones, which lead to any of them.
    let heaps_of = |nodes: usize| (1 + nodes).pow(nodes as u32);
    let apart = 1 + 7 * heaps_of(1) + 6 * heaps_of(2) + heaps_of(3);
    assert_eq!(heaps(&shared, Extent::default(), usize::MAX).len(), apart);
    assert_eq!(run(&shared).entries[0].must.len(), 1, "both may be given one node");
    let list = by_value(Roots::OwnerParam, &write);
    assert_eq!(run(&list).entries[0].must.len(), 1);
}

#[test]
fn the_compiler_accepts_what_is_rendered() {
    // All in one translation unit for speed: only the names at file level need to differ.
    let mut all =
        "#define _XOPEN_SOURCE 700\n#include <pthread.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n".to_owned();
    let names = [
        "node",
        "list",
        "op0",
        "op1",
        "op2",
        "view",
        "g0",
        "g1",
        "head0",
        "head1",
        "lock0",
        "lock1",
        "cond0",
        "cond1",
        "visit0",
        "visit1",
        "visitors",
        "value_of",
        "key_of",
        "each",
        "soon",
        "scan",
        "plain",
        "flagged",
        "is_flagged",
    ];
    for seed in 0..100 {
        let source = render(&generate(seed));
        let (_, rest) = source.split_once("\n\n").expect("headers, then code");
        for name in names {
            all += &format!("#define {name} {name}_{seed}\n");
        }
        all += rest;
        for name in names {
            all += &format!("#undef {name}\n");
        }
    }
    let mut child = Command::new("clang-22")
        .args(["-std=c11", "-x", "c", "-", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"])
        .args(["-Wno-unused", "-Wno-unused-parameter", "-Wno-missing-field-initializers"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("clang-22 runs");
    child.stdin.take().expect("a pipe").write_all(all.as_bytes()).expect("clang reads");
    assert!(child.wait().expect("clang ends").success());
}
