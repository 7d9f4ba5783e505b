//! Strategies on programs of a few actions: how many executions there are is known by counting, and by brute force.

mod actions;

use actions::executions;
use actions::traces::traces;

/// Executions where sections are two steps each, and where they may be one.
#[track_caller]
fn check(threads: &[&str], apart: u64, in_blocks: u64) {
    assert_eq!(executions(threads, false).0, apart, "in two steps");
    assert_eq!(executions(threads, true).0, in_blocks, "in one step");
}

#[test]
fn what_is_independent_has_one_order() {
    check(&["set a 1", "set b 1"], 1, 1);
    check(&["get a", "get a"], 1, 1);
    check(&["lock m; unlock m", "lock n; unlock n"], 1, 1);
    check(&["post s", "post s"], 1, 1);
}

#[test]
fn orders_of_one_place_are_multinomials() {
    check(&["set a 1", "set a 2"], 2, 2);
    check(&["set a 1; set a 2", "set a 3; set a 4"], 6, 6);
    check(&["add a 1", "add a 1", "add a 1"], 6, 6);
    check(&["add a 1; add a 1", "add a 1; add a 1", "add a 1; add a 1"], 90, 90);
}

#[test]
fn sections_that_do_not_conflict_are_not_ordered() {
    check(&["lock m; write x 1; unlock m", "lock m; write x 2; unlock m"], 2, 2);
    check(&["lock m; write x 1; unlock m", "lock m; write y 2; unlock m"], 2, 1);
    check(&["lock m; read x; unlock m", "lock m; read x; unlock m"], 2, 1);
    // An atomic access within one is seen by others.
    check(&["lock m; set a 1; unlock m", "lock m; write y 2; unlock m"], 2, 2);
}

// What a thread that sleeps is about to do was explored before, from a moment that came earlier here and later there: the state is
// the same, what it must not conflict with is not.
#[test]
fn a_state_is_the_same_only_if_who_sleeps_sleeps_on_the_same() {
    let one = "set a 1 relaxed; lock m; write y 5; unlock m";
    let other = "lock m; write y 7; unlock m; set a 1 relaxed; lock m; write z 1; unlock m";
    check(&[one, other], 5, 3);
}

#[test]
fn who_waits_for_each_other_is_found_whatever_is_left_out() {
    let (count, findings) =
        executions(&["lock m; lock n; unlock n; unlock m", "lock n; lock m; unlock m; unlock n"], false);
    assert_eq!((count, findings.len()), (3, 1), "{findings:?}");
    let (count, findings) = executions(&["lock m; wait c m; unlock m", "lock m; signal c; unlock m"], false);
    assert_eq!((count, findings.len()), (2, 1), "the signal that is lost: {findings:?}");
}

/// Executions where every action is a step.
#[track_caller]
fn counts(threads: &[&str], expected: u64) {
    assert_eq!(executions(threads, false).0, expected);
}

#[test]
fn closed_forms() {
    let section = "lock m; unlock m";
    counts(&[section; 2], 2);
    counts(&[section; 3], 6);
    counts(&[section; 4], 24);
    // Each reader is before or after the writer; of two writers, in one of three places.
    let (reader, writer) = ("reads l; leaves l", "writes l; leaves l");
    counts(&[reader; 3], 1);
    counts(&[reader, reader, writer], 4);
    counts(&[reader, reader, reader, writer], 8);
    counts(&[reader, reader, writer, writer], 2 * 9);
    // As many posts as there were waits, or more: the Catalan numbers.
    counts(&["post s", "down s"], 1);
    counts(&["post s; post s", "down s; down s"], 2);
    counts(&["post s; post s; post s", "down s; down s; down s"], 5);
    counts(&["post s; post s; post s; post s", "down s; down s; down s; down s"], 14);
    counts(&["meet b; meet b; meet b", "meet b; meet b; meet b"], 1);
}

// Of three threads that come to a barrier for two, any two go on; what excludes an arrival are two others together.
#[test]
fn a_barrier_lets_any_two_of_three_through() {
    check(&["meet b", "meet b"], 1, 1);
    check(&["meet b", "meet b", "meet b"], 3, 3);
    check(&["meet b", "meet b", "meet b", "meet b"], 6, 6);
    check(&["get a; meet b", "set a 2; meet b", "set a 2; meet b"], 18, 18);
    check(&["get x", "meet b", "meet b; set x 0"], 2, 2);
    check(&["get a; meet b; get x", "set a 2; meet b; get x; set x 2", "set a 2; meet b; set x 0"], 42, 42);
}

struct Rng(u64);

impl Rng {
    fn new(seed: u64) -> Self {
        Rng((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, bound: usize) -> usize {
        // Marsaglia, Xorshift RNGs, 2003.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// Plain numbers are accessed under the lock that is theirs, so nothing races.
fn section(rng: &mut Rng, waits: bool) -> Vec<String> {
    let lock = rng.one_of(&["m", "m", "n"]);
    let mut all = vec![format!("lock {lock}")];
    for _ in 0..1 + rng.below(2) {
        let name = if lock == "m" { rng.one_of(&["x", "y", "z"]) } else { "w" };
        all.push(if rng.below(2) == 0 { format!("write {name} {}", rng.below(2)) } else { format!("read {name}") });
    }
    if waits && lock == "m" && rng.below(3) == 0 {
        all.push(rng.one_of(&["wait c m", "signal c", "broadcast c"]).to_owned());
    }
    all.push(format!("unlock {lock}"));
    all
}

/// `all`: with conditions, semaphores and locks that are tried as well.
fn thread(rng: &mut Rng, all: bool) -> String {
    let mut actions = Vec::new();
    for _ in 0..1 + rng.below(3) {
        match rng.below(if all { 10 } else { 6 }) {
            0 => actions.push(format!("set {} {} relaxed", rng.one_of(&["a", "b"]), rng.below(2))),
            1 => actions.push(format!("get {} relaxed", rng.one_of(&["a", "b"]))),
            2..6 => actions.extend(section(rng, all)),
            6 => actions.push("post s".to_owned()),
            7 => actions.push("down s".to_owned()),
            8 => actions.push("meet r".to_owned()),
            _ => actions.push(rng.one_of(&["add a 1", "tries m", "signal c"]).to_owned()),
        }
    }
    actions.join("; ")
}

#[test]
fn all_strategies_find_the_same_in_as_many_executions_as_brute_force() {
    for seed in 0..600 {
        let mut rng = Rng::new(seed);
        let threads: Vec<String> = (0..2 + rng.below(2)).map(|_| thread(&mut rng, false)).collect();
        let threads: Vec<&str> = threads.iter().map(|thread| &**thread).collect();
        for fused in [false, true] {
            if let Some(traces) = traces(&threads, fused) {
                assert_eq!(executions(&threads, fused).0, traces, "{threads:?}, fused: {fused}");
            }
        }
    }
}

#[test]
fn all_strategies_find_the_same_where_threads_wait() {
    for seed in 0..600 {
        let mut rng = Rng::new(seed);
        let threads: Vec<String> = (0..2 + rng.below(2)).map(|_| thread(&mut rng, true)).collect();
        let threads: Vec<&str> = threads.iter().map(|thread| &**thread).collect();
        // Which executions are complete is another matter where a section is one step and somebody waits for good in it.
        executions(&threads, false);
        executions(&threads, true);
    }
}
