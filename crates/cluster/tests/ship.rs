//! The loop with an engine that fails in every way that one can, and work that knows what was done of it.

use cluster::{End, Ended, Engine, EngineError, Failed, Pace, Situation, Status, Task, TaskNumber, Work, ship};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

const AT_ONCE: Pace = Pace {
    look: Duration::ZERO,
    take_in: Duration::ZERO,
    patience: Duration::from_millis(20),
    after_failure: Duration::ZERO,
    cores: 3,
};

/// Things of a tree: what is done leaves two more, as long as there are so many.
const THINGS: u64 = 500;

/// More looks than that nothing here takes: something is waited for that does not come.
const LOOKS: u32 = 100_000;

/// A small generator, seeded.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// What both see: the folder.
#[derive(Default)]
struct Shared {
    parts: BTreeMap<TaskNumber, Vec<u64>>,
    results: Vec<u64>,
    /// How many tasks may end before their time.
    called_back: usize,
}

struct Tree {
    shared: Rc<RefCell<Shared>>,
    open: BTreeSet<u64>,
    held: BTreeMap<TaskNumber, Vec<u64>>,
    done: BTreeSet<u64>,
    twice: u32,
    last: u64,
    told: Vec<String>,
    stops_after: Option<usize>,
}

impl Tree {
    fn new(shared: &Rc<RefCell<Shared>>) -> Self {
        Tree {
            shared: Rc::clone(shared),
            open: BTreeSet::from([0]),
            held: BTreeMap::new(),
            done: BTreeSet::new(),
            twice: 0,
            last: 0,
            told: Vec::new(),
            stops_after: None,
        }
    }
}

impl Work for Tree {
    type Error = String;

    fn is_stopped(&mut self) -> bool {
        self.stops_after.is_some_and(|many| self.done.len() >= many)
    }

    fn take_in(&mut self) -> Result<usize, String> {
        let results = std::mem::take(&mut self.shared.borrow_mut().results);
        let many = results.len();
        for thing in results {
            if self.open.remove(&thing) {
                assert!(self.done.insert(thing), "it was open and done");
                self.open.extend([2 * thing + 1, 2 * thing + 2].into_iter().filter(|&child| child < THINGS));
            } else {
                assert!(self.done.contains(&thing), "nobody asked for it");
                self.twice += 1;
            }
        }
        Ok(many)
    }

    fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    fn deal(&mut self, many: usize, least: usize) -> Result<Vec<Task>, String> {
        let held: BTreeSet<u64> = self.held.values().flatten().copied().collect();
        let free: Vec<u64> = self.open.difference(&held).copied().collect();
        let mut tasks = Vec::new();
        let dealt: Vec<&[u64]> = free.chunks(free.len().div_ceil(many).max(1)).collect();
        for things in dealt.iter().cycle().take(dealt.len().max(if dealt.is_empty() { 0 } else { least })) {
            self.last += 1;
            let number = TaskNumber(self.last);
            self.held.insert(number, things.to_vec());
            self.shared.borrow_mut().parts.insert(number, things.to_vec());
            tasks.push(Task { number, command: vec![number.0.to_string()], errors: PathBuf::new() });
        }
        Ok(tasks)
    }

    fn call_back(&mut self, many: usize) {
        self.shared.borrow_mut().called_back += many;
    }

    fn given_back(&mut self, task: TaskNumber) {
        assert!(self.held.remove(&task).is_some(), "given back twice");
    }

    fn why(&self, task: TaskNumber, how: &str) -> String {
        assert!(self.held.contains_key(&task), "it holds its things until its results were looked for");
        how.to_owned()
    }

    fn tell(&mut self, situation: Situation<'_>) {
        self.told.push(format!("{situation:?}"));
    }
}

/// How often, in a hundred, what happens.
#[derive(Clone, Copy, Default)]
struct Faults {
    lost: u64,
    failed: u64,
    /// Its results come after its end, if at all.
    late: u64,
    twice: u64,
    half: u64,
    away: u64,
}

struct Unruly {
    shared: Rc<RefCell<Shared>>,
    dice: Dice,
    faults: Faults,
    out: Vec<TaskNumber>,
    late: Vec<u64>,
    cores: Option<usize>,
    most_out: usize,
    cancelled: bool,
    is_away: bool,
    looks: u32,
}

impl Unruly {
    fn new(shared: &Rc<RefCell<Shared>>, seed: u64, faults: Faults) -> Self {
        Unruly {
            shared: Rc::clone(shared),
            dice: Dice(seed),
            faults,
            out: Vec::new(),
            late: Vec::new(),
            cores: Some(4),
            most_out: 0,
            cancelled: false,
            is_away: false,
            looks: 0,
        }
    }

    fn happens(&mut self, often: u64) -> bool {
        self.dice.below(100) < often
    }
}

impl Engine for Unruly {
    fn submit(&mut self, tasks: &[Task]) -> Result<(), EngineError> {
        if self.happens(self.faults.away) {
            self.is_away = true;
            // It may have taken some of them all the same.
            self.out.extend(tasks.iter().take(1).map(|task| task.number));
            return Err(EngineError::Unreachable { place: "here".to_owned(), why: "away".to_owned() });
        }
        self.out.extend(tasks.iter().map(|task| task.number));
        self.most_out = self.most_out.max(self.out.len());
        Ok(())
    }

    fn follow(&mut self) -> Result<Status, EngineError> {
        self.looks += 1;
        assert!(self.looks < LOOKS, "it is over, or goes on");
        if self.happens(self.faults.away) {
            self.is_away = true;
            return Err(EngineError::Unreachable { place: "here".to_owned(), why: "away".to_owned() });
        }
        self.shared.borrow_mut().results.append(&mut self.late);
        let mut status = Status { ended: Vec::new(), cores: self.cores };
        for task in std::mem::take(&mut self.out) {
            if self.happens(50) {
                self.out.push(task);
                continue;
            }
            if self.happens(self.faults.lost) {
                status.ended.push((task, End::Lost));
                continue;
            }
            let mut things = self.shared.borrow().parts[&task].clone();
            if self.happens(self.faults.half) {
                things.truncate(things.len() / 2);
            }
            if self.happens(self.faults.twice) {
                things.extend(things.clone());
            }
            if self.happens(self.faults.late) {
                self.late.extend(things);
            } else {
                self.shared.borrow_mut().results.extend(things);
            }
            let end = if self.happens(self.faults.failed) { End::Failed("killed".to_owned()) } else { End::Done };
            status.ended.push((task, end.clone()));
            if self.happens(self.faults.twice) {
                status.ended.push((task, end));
            }
        }
        Ok(status)
    }

    fn again(&mut self) -> Result<(), EngineError> {
        self.is_away = self.happens(30);
        match self.is_away {
            true => Err(EngineError::Unreachable { place: "here".to_owned(), why: "still away".to_owned() }),
            false => Ok(()),
        }
    }

    fn cancel(&mut self) {
        self.cancelled = true;
        self.out.clear();
    }
}

fn shipped(seed: u64, faults: Faults) -> (Tree, Unruly, Result<Ended, Failed<String>>) {
    let shared = Rc::default();
    let (mut tree, mut engine) = (Tree::new(&shared), Unruly::new(&shared, seed, faults));
    let ended = ship(&mut engine, &mut tree, AT_ONCE);
    assert!(engine.cancelled);
    (tree, engine, ended)
}

#[test]
fn all_is_done_once_whatever_the_engine_does() {
    let none = Faults::default();
    let (mut twice, mut told) = (0, BTreeSet::new());
    for faults in [
        none,
        Faults { lost: 30, ..none },
        Faults { failed: 30, ..none },
        Faults { late: 30, ..none },
        Faults { twice: 30, ..none },
        Faults { half: 60, ..none },
        Faults { away: 5, ..none },
        Faults { lost: 20, failed: 20, late: 20, twice: 20, half: 20, away: 3 },
    ] {
        for seed in 0..20 {
            let (tree, engine, ended) = shipped(seed, faults);
            assert!(matches!(ended, Ok(Ended::Over)), "{seed}: {ended:?}");
            assert_eq!(tree.done.len() as u64, THINGS);
            // One that was away may have both what it had and what was given again.
            assert!(engine.most_out <= 8 || faults.away > 0, "two for each core: {}", engine.most_out);
            twice += tree.twice;
            told.extend(tree.told);
        }
    }
    // What has not happened is no test.
    assert!(twice > 0);
    for what in ["TaskFailed", "NoAnswer", "Answers"] {
        assert!(told.iter().any(|told| told.starts_with(what)), "{told:?}");
    }
}

#[test]
fn without_faults_nothing_is_done_twice() {
    let (tree, _, _) = shipped(1, Faults::default());
    assert_eq!((tree.twice, tree.told.len()), (0, 0));
}

#[test]
fn where_cores_have_nothing_to_do_tasks_are_called_back() {
    /// Whose tasks have time enough for all things, and give back what they have not begun when they are called.
    struct Patient {
        shared: Rc<RefCell<Shared>>,
        out: Vec<TaskNumber>,
        looks: u32,
        called: usize,
    }
    impl Engine for Patient {
        fn submit(&mut self, tasks: &[Task]) -> Result<(), EngineError> {
            self.out.extend(tasks.iter().map(|task| task.number));
            Ok(())
        }

        fn follow(&mut self) -> Result<Status, EngineError> {
            const CORES: usize = 4;
            self.looks += 1;
            assert!(self.looks < LOOKS, "nobody calls them back");
            let mut shared = self.shared.borrow_mut();
            // All have something to do: time goes by.
            let is_time = self.out.len() >= CORES;
            let many = if is_time { self.out.len() } else { shared.called_back.min(self.out.len()) };
            self.called += if is_time { 0 } else { many };
            shared.called_back = 0;
            let mut ended = Vec::new();
            for task in self.out.drain(..many) {
                let first = shared.parts[&task][0];
                shared.results.push(first);
                ended.push((task, End::Done));
            }
            Ok(Status { ended, cores: Some(CORES) })
        }

        fn again(&mut self) -> Result<(), EngineError> {
            Ok(())
        }

        fn cancel(&mut self) {}
    }
    let shared: Rc<RefCell<Shared>> = Rc::default();
    let mut engine = Patient { shared: Rc::clone(&shared), out: Vec::new(), looks: 0, called: 0 };
    let mut tree = Tree::new(&shared);
    assert!(matches!(ship(&mut engine, &mut tree, AT_ONCE), Ok(Ended::Over)));
    assert_eq!((tree.done.len() as u64, tree.twice), (THINGS, 0));
    // The root, its two children, and some at the end: who has something to do is left alone.
    assert!((3..20).contains(&engine.called), "{}", engine.called);
}

#[test]
fn tasks_that_all_fail_are_the_end() {
    let shared = Rc::default();
    let mut tree = Tree::new(&shared);
    // A worker of another version does nothing.
    struct Other(Vec<TaskNumber>, u32, u32);
    impl Engine for Other {
        fn submit(&mut self, tasks: &[Task]) -> Result<(), EngineError> {
            self.0.extend(tasks.iter().map(|task| task.number));
            self.1 += 1;
            Ok(())
        }

        fn follow(&mut self) -> Result<Status, EngineError> {
            self.2 += 1;
            assert!(self.2 < LOOKS, "it is given up");
            let failed = |task| (task, End::Failed("was made by another build".to_owned()));
            Ok(Status { ended: std::mem::take(&mut self.0).into_iter().map(failed).collect(), cores: None })
        }

        fn again(&mut self) -> Result<(), EngineError> {
            Ok(())
        }

        fn cancel(&mut self) {}
    }
    let mut engine = Other(Vec::new(), 0, 0);
    match ship(&mut engine, &mut tree, AT_ONCE) {
        Err(Failed::Tasks(why)) => assert_eq!(why, "was made by another build"),
        other => panic!("{other:?}"),
    }
    assert_eq!(engine.1, 7, "a few times");
    assert!(tree.done.is_empty());
}

#[test]
fn a_worker_that_can_do_nothing_does_not_get_all_tasks() {
    /// Two workers of one core each. The first fails at once, and is given the next task again.
    struct Unfair {
        shared: Rc<RefCell<Shared>>,
        waiting: Vec<TaskNumber>,
        good: Option<TaskNumber>,
        looks: u32,
    }
    impl Engine for Unfair {
        fn submit(&mut self, tasks: &[Task]) -> Result<(), EngineError> {
            self.waiting.extend(tasks.iter().map(|task| task.number));
            Ok(())
        }

        fn follow(&mut self) -> Result<Status, EngineError> {
            self.looks += 1;
            assert!(self.looks < LOOKS, "it is over, or goes on");
            let mut ended = Vec::new();
            if let Some(task) = self.good.take() {
                let mut shared = self.shared.borrow_mut();
                let things = shared.parts[&task].clone();
                shared.results.extend(things);
                ended.push((task, End::Done));
            }
            if !self.waiting.is_empty() {
                ended.push((self.waiting.remove(0), End::Failed("there is no raddle".to_owned())));
                self.good = self.waiting.pop();
            }
            Ok(Status { ended, cores: Some(2) })
        }

        fn again(&mut self) -> Result<(), EngineError> {
            Ok(())
        }

        fn cancel(&mut self) {}
    }
    let shared: Rc<RefCell<Shared>> = Rc::default();
    let mut engine = Unfair { shared: Rc::clone(&shared), waiting: Vec::new(), good: None, looks: 0 };
    let mut tree = Tree::new(&shared);
    let ended = ship(&mut engine, &mut tree, AT_ONCE);
    assert!(matches!(ended, Ok(Ended::Over)), "{ended:?}");
    assert_eq!((tree.done.len() as u64, tree.twice), (THINGS, 0), "what fails does nothing");
}

#[test]
fn an_engine_that_stays_away_is_the_end() {
    struct Away;
    impl Engine for Away {
        fn submit(&mut self, _: &[Task]) -> Result<(), EngineError> {
            Ok(())
        }

        fn follow(&mut self) -> Result<Status, EngineError> {
            Err(EngineError::Unreachable { place: "here".to_owned(), why: "gone".to_owned() })
        }

        fn again(&mut self) -> Result<(), EngineError> {
            Err(EngineError::Unreachable { place: "here".to_owned(), why: "still gone".to_owned() })
        }

        fn cancel(&mut self) {}
    }
    let mut tree = Tree::new(&Rc::default());
    let ended = ship(&mut Away, &mut tree, AT_ONCE);
    assert!(matches!(ended, Err(Failed::Engine(EngineError::Unreachable { .. }))), "{ended:?}");
    // One that answers, and is away whenever it is asked for anything.
    #[derive(Default)]
    struct Flapping(u32);
    impl Engine for Flapping {
        fn submit(&mut self, _: &[Task]) -> Result<(), EngineError> {
            Err(EngineError::Unreachable { place: "here".to_owned(), why: "gone".to_owned() })
        }

        fn follow(&mut self) -> Result<Status, EngineError> {
            self.0 += 1;
            assert!(self.0 < LOOKS, "it is given up");
            Ok(Status::default())
        }

        fn again(&mut self) -> Result<(), EngineError> {
            Ok(())
        }

        fn cancel(&mut self) {}
    }
    let ended = ship(&mut Flapping::default(), &mut Tree::new(&Rc::default()), AT_ONCE);
    assert!(matches!(ended, Err(Failed::Engine(EngineError::Unreachable { .. }))), "{ended:?}");
}

#[test]
fn what_is_stopped_has_taken_in_what_came_back() {
    let shared = Rc::default();
    let (mut tree, mut engine) = (Tree::new(&shared), Unruly::new(&shared, 3, Faults::default()));
    tree.stops_after = Some(40);
    let ended = ship(&mut engine, &mut tree, AT_ONCE);
    assert!(matches!(ended, Ok(Ended::Stopped)), "{ended:?}");
    assert!(tree.done.len() >= 40 && (tree.done.len() as u64) < THINGS && engine.cancelled);
    assert!(shared.borrow().results.is_empty());
}

#[test]
fn that_there_are_no_workers_is_told_once() {
    let shared = Rc::default();
    let (mut tree, mut engine) = (Tree::new(&shared), Unruly::new(&shared, 3, Faults::default()));
    engine.cores = Some(0);
    assert!(matches!(ship(&mut engine, &mut tree, AT_ONCE), Ok(Ended::Over)));
    assert_eq!(tree.told, ["NoWorkers"]);
    assert!(engine.most_out <= 6);
}
