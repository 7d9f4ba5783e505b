//! A failure of raddle's own in a worker: what was found before it is kept, and another process can go on.

use explore::{
    Budget, CoverOptions, Coverage, Exhausted, Exploration, JointOptions, Origin, Pace, Paused, Progress, SHARES,
    Wanted, Workers, cover, explore, explore_until_fault, ways,
};
use machine::{Config, Engine, EngineError, Program};
use memory::{HeapRules, Limits};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Four threads, each of which writes without a lock, a race, and increments an atomic counter twice.
const COUNTING: &str = include_str!("../../raddle/tests/counting.rir");

fn origin() -> Origin {
    let module = ir::text::parse(COUNTING).expect("valid IR");
    let program = Arc::new(Program::new(module, 2).expect("a program"));
    let main = program.module.functions_named("main").next().expect("defined");
    Origin::Main {
        program,
        main,
        limits: Limits { depth: 3, array: 2, rules: HeapRules::default() },
        config: Config::default(),
    }
}

/// Explores with engines of which the `fails`-th cannot be made, or all.
fn explored(fails: Option<u32>, paused: Paused<'static>) -> (Exploration, Option<EngineError>) {
    let made = AtomicU32::new(0);
    let new_engine = |program: &Arc<Program>| {
        assert_ne!(Some(made.fetch_add(1, Ordering::Relaxed)), fails, "planted");
        let solver = smt::Solving::set_up(smt::Setup::default())?;
        Ok(Engine::new(Arc::clone(program), solver, Config::default()))
    };
    let workers = Workers { count: NonZeroUsize::MIN, new_engine: &new_engine, shares: SHARES };
    let options = JointOptions { failures: true, ..JointOptions::default() };
    explore_until_fault(workers, &origin(), options, &Budget::default(), &mut (), "main", paused)
}

#[test]
fn what_was_found_before_a_worker_panics_is_kept_and_gone_on_with() {
    let (whole, fault) = explored(None, Paused::default());
    assert!(fault.is_none() && whole.exhausted.is_none());
    assert_eq!((whole.findings.len(), whole.counts.executions), (1, 60_480));

    let (mut part, fault) = explored(Some(6), Paused::default());
    assert!(matches!(&fault, Some(EngineError::Panicked(message)) if message.contains("planted")), "{fault:?}");
    assert_eq!((part.exhausted, part.findings.len()), (Some(Exhausted::Fault), 1));
    assert!(part.counts.executions < 60_480);
    assert!(part.ledger.entries().any(|(entry, _)| entry.kind.name() == "fault"));
    let left = *part.paused.take().expect("something is left");
    let (rest, fault) = explored(None, left);
    assert!(fault.is_none());
    assert_eq!((rest.findings.len(), rest.counts.executions), (1, 60_480));
}

#[test]
fn who_asks_for_no_part_gets_the_fault() {
    let new_engine = |_: &Arc<Program>| Err(EngineError::Diverged);
    let workers = Workers { count: NonZeroUsize::MIN, new_engine: &new_engine, shares: SHARES };
    let options = JointOptions::default();
    let failed = explore(workers, &origin(), options, &Budget::default(), &mut (), "main", Paused::default());
    assert!(matches!(failed, Err(EngineError::Diverged)));
}

/// Panics when it is told of the progress for the so-manieth time.
struct Planted(u64);

impl Progress for Planted {
    fn tick(&mut self, _: &Pace) {
        self.0 -= 1;
        assert_ne!(self.0, 0, "planted");
    }
}

fn covered(fails: u64) -> (Coverage, Option<EngineError>) {
    let origin = origin();
    let solver = smt::Solving::set_up(smt::Setup::default()).expect("a solver");
    let mut engine = Engine::new(Arc::clone(origin.program()), solver, Config::default());
    let all = ways(origin.program());
    cover(
        &mut engine,
        &origin,
        Wanted { ways: all, ..Wanted::default() },
        CoverOptions::default(),
        &Budget::default(),
        &mut Planted(fails),
    )
}

#[test]
fn what_was_covered_before_raddle_fails_is_kept() {
    let (whole, fault) = covered(u64::MAX);
    assert!(fault.is_none() && whole.is_full);
    assert_eq!((whole.covered.len(), whole.exhausted), (6, None));

    let (part, fault) = covered(2);
    assert!(matches!(&fault, Some(EngineError::Panicked(message)) if message.contains("planted")), "{fault:?}");
    assert_eq!((part.ways.len(), part.covered.len(), part.exhausted), (6, 5, Some(Exhausted::Fault)));
    assert!(!part.is_full && !part.for_all && part.complete_to.is_none());
    assert!(part.covered.values().all(|way| way.test < part.tests.len()));
}
