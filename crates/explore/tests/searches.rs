//! Rounds, tasks, bounds on preemptions and random walks, on programs of a few actions with known numbers of executions.

mod actions;

use actions::traces::traces;
use actions::{executions, explored, explored_by, program};
use explore::{FindingKey, JointOptions, Sampler, Sampling, Schedules};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;

/// Executions, and whether there is a race. (Programs of actions have no positions by which races could be told apart.)
fn races(threads: &[&str]) -> (u64, bool) {
    let explored = explored(&program(threads), JointOptions::default());
    let is_race = |key: &FindingKey| matches!(key, FindingKey::Race(_));
    (explored.counts.executions, explored.findings.keys().any(is_race))
}

// A race makes both accesses visible, and the next round runs them in both orders.
#[test]
fn what_races_is_interleaved_in_the_next_round() {
    assert_eq!(races(&["write x 1", "read x"]), (2, true));
    assert_eq!(races(&["read x", "read x"]), (1, false));
    assert_eq!(races(&["write x 1; write x 2", "read x"]), (3, true));
    assert_eq!(races(&["write x 1", "write x 2", "write x 3"]), (6, true));
    // Under one lock there is no race, and its accesses stay invisible.
    assert_eq!(races(&["lock m; write x 1; unlock m", "lock m; read x; unlock m"]), (2, false));
    // Only one of the two orders of the lock shows that nothing orders x.
    assert_eq!(races(&["write x 1; lock m; unlock m", "lock m; unlock m; read x"]), (3, true));
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
}

/// Accesses to three numbers, some of them in critical sections.
fn unordered(rng: &mut Rng) -> String {
    let mut actions = Vec::new();
    for _ in 0..1 + rng.below(3) {
        let name = ["x", "y", "z"][rng.below(3)];
        let access = if rng.below(2) == 0 { format!("write {name} 1") } else { format!("read {name}") };
        match rng.below(3) {
            0 => actions.extend(["lock m".to_owned(), access, "unlock m".to_owned()]),
            _ => actions.push(access),
        }
    }
    actions.join("; ")
}

fn random_threads(seed: u64) -> Vec<String> {
    let mut rng = Rng::new(seed);
    (0..2 + rng.below(2)).map(|_| unordered(&mut rng)).collect()
}

// Once every site that races is visible, plain accesses are told apart as atomic ones are: the others are ordered anyway.
#[test]
fn the_last_round_runs_each_trace_of_all_accesses_once() {
    for seed in 0..400 {
        let threads = random_threads(seed);
        let plain: Vec<&str> = threads.iter().map(|thread| &**thread).collect();
        let atomic: Vec<String> = threads.iter().map(|t| t.replace("write", "set").replace("read", "get")).collect();
        let atomic: Vec<&str> = atomic.iter().map(|thread| &**thread).collect();
        if let Some(traces) = traces(&atomic, false) {
            assert_eq!(executions(&plain, false).0, traces, "{plain:?}");
        }
    }
}

#[test]
fn a_search_divided_into_tasks_runs_the_same_executions() {
    let two = NonZeroUsize::MIN.saturating_add(1);
    for seed in 400..550 {
        let threads = random_threads(seed);
        let threads: Vec<&str> = threads.iter().map(|thread| &**thread).collect();
        let program = program(&threads);
        let whole = explored(&program, JointOptions::default());
        let keys = |of: &explore::Exploration| of.findings.keys().cloned().collect::<BTreeSet<_>>();
        for (workers, shares) in [(NonZeroUsize::MIN, [1, 1, 1]), (two, [2, 1, 3]), (two, [7, 3, 2])] {
            let divided = explored_by(workers, shares, &program, JointOptions::default());
            assert_eq!(divided.counts.executions, whole.counts.executions, "{threads:?} in tasks of {shares:?}");
            assert_eq!(keys(&divided), keys(&whole), "{threads:?} in tasks of {shares:?}");
        }
    }
}

// Of two threads with two steps each: one after the other; with the first, or the second, cut in by the other; and in turns.
#[test]
fn a_bound_on_preemptions_counts_schedules() {
    let threads = ["set a 1; set a 2", "set a 3; set a 4"];
    let within = |bound| {
        let options = JointOptions { schedules: Schedules::Bounded(bound), ..JointOptions::default() };
        explored(&program(&threads), options).counts.executions
    };
    assert_eq!([within(0), within(1), within(2), within(9)], [2, 4, 6, 6]);
}

const SAMPLERS: [Sampler; 4] = [Sampler::Walk, Sampler::Pct { depth: 3 }, Sampler::Pos, Sampler::Surw];

fn sampled(threads: &[&str], sampler: Sampler, count: u32, seed: u64) -> explore::Exploration {
    let schedules = Schedules::Random(Sampling { sampler, count, seed });
    explored(&program(threads), JointOptions { schedules, ..JointOptions::default() })
}

#[test]
fn samplers_run_executions_that_there_are() {
    let threads = ["set a 1; set a 2", "set a 3; set a 4"];
    for sampler in SAMPLERS {
        for seed in 0..20 {
            let [few, again, many] = [2, 2, 300].map(|count| sampled(&threads, sampler, count, seed));
            assert_eq!(few.counts.executions, again.counts.executions, "equal seeds give equal executions");
            assert!((1..=2).contains(&few.counts.executions));
            assert_eq!(many.counts.executions, 6, "each of the orders comes up in 300 by {sampler:?}");
            assert!(!many.ledger.is_empty(), "whatever comes up, it is no proof");
            let known = many.counts.sampling.expect("sampled");
            // `main` and the two, which it joins.
            assert_eq!((known.runs, known.threads, known.steps), (300, 3, 4));
        }
    }
}

fn times(action: &str, times: usize) -> String {
    vec![action; times].join("; ")
}

/// In how many of `seeds` two executions show a deadlock.
fn hits(threads: &[&str], sampler: Sampler, seeds: u64) -> f64 {
    (0..seeds).filter(|seed| !sampled(threads, sampler, 2, *seed).findings.is_empty()).count() as f64
}

// A waits for B, B for A; and three in a ring. Each pair of steps that has to come in one order adds one to the depth.
#[test]
fn probabilistic_concurrency_testing_keeps_its_bound() {
    let steps = times("add x 1", 4);
    let other = times("add y 1", 4);
    let late = [&*format!("{}; signal c", times("add x 1", 12)), "lock m; wait c m; unlock m"];
    let two = [
        &*format!("{steps}; lock m; lock n; unlock n; unlock m"),
        &*format!("{other}; lock n; lock m; unlock m; unlock n"),
    ];
    let ring = [
        "lock l; lock m; unlock m; unlock l",
        "lock m; lock n; unlock n; unlock m",
        "lock n; lock l; unlock l; unlock n",
    ];
    let known: [(&[&str], u32); 3] = [(&late, 1), (&two, 2), (&ring, 3)];
    for (threads, depth) in known {
        let seeds = 600;
        let found = hits(threads, Sampler::Pct { depth }, seeds);
        let measured = sampled(threads, Sampler::Pct { depth }, 40, 0).counts.sampling.expect("sampled");
        let bound = 1.0 / (f64::from(measured.threads) * f64::from(measured.steps).powf(f64::from(depth - 1)));
        assert!(found >= bound * seeds as f64, "depth {depth}: {found} of {seeds}, bound {bound}");
        assert!(measured.informed > 0 && measured.informed < measured.runs, "the first measures");
        if depth > 1 {
            assert_eq!(hits(threads, Sampler::Pct { depth: 1 }, seeds), 0.0, "nobody is put back");
        }
    }
    let walked = hits(&late, Sampler::Walk, 600);
    assert!(walked <= 3.0, "{walked}: who waits would have to be passed over thirteen times");
}

// Whether the one comes before the other does not hang on how many steps are before them.
#[test]
fn partial_order_sampling_draws_once_for_an_action() {
    let late = [&*format!("{}; signal c", times("add x 1", 12)), "lock m; wait c m; unlock m"];
    for seed in 0..10 {
        assert!(!sampled(&late, Sampler::Pos, 200, seed).findings.is_empty());
    }
}

// Eleven orders, of which a walk comes to the last once in a thousand.
#[test]
fn selectively_uniform_random_walks_are_uniform() {
    let orders = [&*times("add a 1", 10), "add a 2"];
    let all = |sampler, seed| sampled(&orders, sampler, 100, seed).counts.executions == 11;
    assert!((0..10).all(|seed| all(Sampler::Surw, seed)));
    assert!((0..10).filter(|seed| all(Sampler::Walk, *seed)).count() < 5);
    // Nor do the steps on other places tell.
    let late = [&*format!("{}; signal c", times("add x 1", 12)), "lock m; wait c m; unlock m"];
    for seed in 0..10 {
        assert!(!sampled(&late, Sampler::Surw, 100, seed).findings.is_empty());
    }
}

// Who looks for what others have to bring does not keep them from it.
#[test]
fn who_looks_in_vain_steps_back() {
    let threads = ["lock m; lock n; unlock n; unlock m", "tries m; tries m; tries m"];
    for sampler in SAMPLERS {
        for seed in 0..20 {
            let explored = sampled(&threads, sampler, 30, seed);
            assert!(explored.findings.is_empty() && explored.counts.executions > 1);
        }
    }
}
