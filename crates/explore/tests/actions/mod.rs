//! Programs of a few actions, one line a thread, and what exploring them comes to.

pub(crate) mod traces;

use explore::{Budget, Exploration, JointOptions, Origin, Paused, Por, SHARES, UnfoldingOptions, Workers, explore};
use ir::BlockId;
use machine::{Config, Engine, EngineError, Program, Weak};
use memory::{HeapRules, Limits};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// All ways of covering all orders.
pub(crate) const STRATEGIES: [Por; 3] = [Por::SleepSets, Por::SourceSets, Por::VisitedStates];

/// The program of these threads, which `main` creates in turn and joins. A thread is actions with `;` between them:
///
/// | action | |
/// |---|---|
/// | `read x`, `write x 1` | of a plain number |
/// | `get a`, `set a 1`, `add a 1` | of an atomic one, `seq_cst`; with `relaxed` behind it, that |
/// | `lock m`, `unlock m` | |
/// | `tries m` | and gives it back if it got it |
/// | `wait c m`, `signal c`, `broadcast c` | |
/// | `post s`, `down s` | of a semaphore, 0 at first |
/// | `meet b` | at a barrier for two |
/// | `reads l`, `writes l`, `leaves l` | of a read-write lock |
///
/// Whatever name is used for a number, a lock and so on is one.
pub(crate) fn program(threads: &[&str]) -> Arc<Program> {
    let mut writer = Writer::default();
    let bodies: Vec<String> = threads.iter().map(|thread| writer.body(thread)).collect();
    let mut text = String::from("T0 = void\nT1 = signed int 4\nT2 = ptr T0\n");
    for (index, (name, kind)) in writer.globals.iter().enumerate() {
        let size = match kind {
            Kind::Number => 4,
            Kind::Mutex => 40,
            Kind::Condition => 48,
            Kind::Semaphore | Kind::Barrier => 32,
            Kind::RwLock => 56,
        };
        let _ = writeln!(text, "global g{index} {name}: {size} align 8 = zero");
    }
    for (index, body) in bodies.iter().enumerate() {
        let _ = writeln!(text, "fn f{index} t{index}(%0: ptr) -> ptr address_taken {{\nb0:\n{body}  return %0\n}}");
    }
    let main = bodies.len();
    let semaphores: Vec<usize> =
        (0..writer.globals.len()).filter(|&index| writer.globals[index].1 == Kind::Semaphore).collect();
    let mut next = 0;
    let mut line = |text: &mut String, line: String, defines: bool| {
        let dest = if defines { format!("%{next}: ") } else { String::new() };
        let _ = writeln!(text, "  {dest}{line}");
        next += usize::from(defines);
        next
    };
    let _ = writeln!(text, "fn f{main} main() -> i32 external {{\nb0:");
    for semaphore in semaphores {
        let name = &writer.globals[semaphore].0;
        let call = format!("i32 = call sem_init(ptr g{semaphore}:{name}, i32 0, i32 0)");
        line(&mut text, call, true);
    }
    for index in (0..writer.globals.len()).filter(|&index| writer.globals[index].1 == Kind::Barrier) {
        let name = &writer.globals[index].0;
        line(&mut text, format!("i32 = call pthread_barrier_init(ptr g{index}:{name}, ptr null, i32 2)"), true);
    }
    let mut handles = Vec::new();
    for _ in &bodies {
        handles.push(line(&mut text, "ptr = alloca 8 align 8".to_owned(), true) - 1);
    }
    for (index, handle) in handles.iter().enumerate() {
        let call = format!("i32 = call pthread_create(ptr %{handle}, ptr null, ptr f{index}:t{index}, ptr null)");
        line(&mut text, call, true);
    }
    for handle in &handles {
        let loaded = line(&mut text, format!("i64 = load i64 [%{handle}]"), true) - 1;
        line(&mut text, format!("i32 = call pthread_join(i64 %{loaded}, ptr null)"), true);
    }
    text.push_str("  return 0\n}\n");
    // Only what is called: a program that has `pthread_mutex_trylock` has no sections that are single steps.
    let called = FUNCTIONS.iter().filter(|(name, _)| text.contains(&format!("call {name}("))).collect::<Vec<_>>();
    for (index, (name, parameters)) in called.into_iter().enumerate() {
        let function = main + 1 + index;
        text = text.replace(&format!("call {name}("), &format!("call f{function}:{name}("));
        let _ = writeln!(text, "fn f{function} {name}({parameters}) -> i32 external");
    }
    let module = ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Arc::new(Program::new(module, 2).expect("a program"))
}

const FUNCTIONS: [(&str, &str); 16] = [
    ("pthread_rwlock_rdlock", "%0: ptr"),
    ("pthread_rwlock_wrlock", "%0: ptr"),
    ("pthread_rwlock_unlock", "%0: ptr"),
    ("pthread_barrier_init", "%0: ptr, %1: ptr, %2: i32"),
    ("pthread_barrier_wait", "%0: ptr"),
    ("pthread_create", "%0: ptr, %1: ptr, %2: ptr, %3: ptr"),
    ("pthread_join", "%0: i64, %1: ptr"),
    ("pthread_mutex_lock", "%0: ptr"),
    ("pthread_mutex_trylock", "%0: ptr"),
    ("pthread_mutex_unlock", "%0: ptr"),
    ("pthread_cond_wait", "%0: ptr, %1: ptr"),
    ("pthread_cond_signal", "%0: ptr"),
    ("pthread_cond_broadcast", "%0: ptr"),
    ("sem_init", "%0: ptr, %1: i32, %2: i32"),
    ("sem_post", "%0: ptr"),
    ("sem_wait", "%0: ptr"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Mutex,
    Condition,
    Semaphore,
    Barrier,
    RwLock,
}

#[derive(Default)]
struct Writer {
    globals: Vec<(String, Kind)>,
}

impl Writer {
    /// `g0:x`
    fn global(&mut self, name: &str, kind: Kind) -> String {
        let known = self.globals.iter().position(|known| known.0 == name);
        let index = known.unwrap_or_else(|| {
            self.globals.push((name.to_owned(), kind));
            self.globals.len() - 1
        });
        format!("g{index}:{name}")
    }

    fn body(&mut self, thread: &str) -> String {
        let mut text = String::new();
        // The parameter is %0.
        let (mut next, mut blocks) = (1, 0);
        for action in thread.split(';').map(str::trim).filter(|action| !action.is_empty()) {
            let words: Vec<&str> = action.split_whitespace().collect();
            let order = if words.last() == Some(&"relaxed") { "relaxed" } else { "seq_cst" };
            let number = |this: &mut Self| this.global(words[1], Kind::Number);
            let (line, defines) = match words[0] {
                "read" => (format!("load i32 [{}]", number(self)), true),
                "write" => (format!("store i32 {}, [{}]", words[2], number(self)), false),
                "get" => (format!("load i32 [{}] {order}", number(self)), true),
                "set" => (format!("store i32 {}, [{}] {order}", words[2], number(self)), false),
                "add" => (format!("rmw add i32 [{}], {} {order}", number(self), words[2]), true),
                "tries" => {
                    let mutex = self.global(words[1], Kind::Mutex);
                    let _ = writeln!(
                        text,
                        "  %{next}: i32 = call pthread_mutex_trylock(ptr {mutex})\n  %{} = cmp eq i32 %{next}, 0\n  branch \
                         %{}, b{}, b{}\nb{}:\n  %{}: i32 = call pthread_mutex_unlock(ptr {mutex})\n  jump b{}\nb{}:",
                        next + 1,
                        next + 1,
                        blocks + 1,
                        blocks + 2,
                        blocks + 1,
                        next + 2,
                        blocks + 2,
                        blocks + 2
                    );
                    (next, blocks) = (next + 3, blocks + 2);
                    continue;
                }
                "wait" => {
                    let condition = self.global(words[1], Kind::Condition);
                    let mutex = self.global(words[2], Kind::Mutex);
                    (format!("i32 = call pthread_cond_wait(ptr {condition}, ptr {mutex})"), true)
                }
                other => {
                    let (function, kind) = match other {
                        "lock" => ("pthread_mutex_lock", Kind::Mutex),
                        "unlock" => ("pthread_mutex_unlock", Kind::Mutex),
                        "signal" => ("pthread_cond_signal", Kind::Condition),
                        "broadcast" => ("pthread_cond_broadcast", Kind::Condition),
                        "post" => ("sem_post", Kind::Semaphore),
                        "down" => ("sem_wait", Kind::Semaphore),
                        "reads" => ("pthread_rwlock_rdlock", Kind::RwLock),
                        "writes" => ("pthread_rwlock_wrlock", Kind::RwLock),
                        "leaves" => ("pthread_rwlock_unlock", Kind::RwLock),
                        "meet" => ("pthread_barrier_wait", Kind::Barrier),
                        _ => panic!("no action: {action}"),
                    };
                    (format!("i32 = call {function}(ptr {})", self.global(words[1], kind)), true)
                }
            };
            let dest = match (defines, line.starts_with("i32 =")) {
                (false, _) => String::new(),
                (true, true) => format!("%{next}: "),
                (true, false) => format!("%{next} = "),
            };
            next += usize::from(defines);
            let _ = writeln!(text, "  {dest}{line}");
        }
        text
    }
}

/// What exploring a program in some way comes to.
pub(crate) fn explored(program: &Arc<Program>, options: JointOptions) -> Exploration {
    explored_by(NonZeroUsize::MIN, SHARES, program, options)
}

/// The same by so many workers, with the search divided after so many steps of a task.
pub(crate) fn explored_by(
    count: NonZeroUsize,
    shares: [u64; 3],
    program: &Arc<Program>,
    options: JointOptions,
) -> Exploration {
    let config = Config { spurious: 0, weak: Weak::Accept, ..Config::default() };
    let new_engine = |program: &Arc<Program>| -> Result<Engine, EngineError> {
        let solver = smt::Solving::set_up(smt::Setup::default())?;
        Ok(Engine::new(Arc::clone(program), solver, config))
    };
    let workers = Workers { count, new_engine: &new_engine, shares };
    let main = program.module.functions_named("main").next().expect("defined");
    let limits = Limits { depth: 3, array: 2, rules: HeapRules::default() };
    let origin = Origin::Main { program: Arc::clone(program), main, limits, config };
    let options = JointOptions { failures: true, ..options };
    explore(workers, &origin, options, &Budget::default(), &mut (), "main", Paused::default()).expect("no fault")
}

/// How far each block was come to.
fn reached(program: &Arc<Program>, explored: &Exploration) -> Vec<usize> {
    let functions = program.module.functions();
    let blocks =
        functions.flat_map(|(id, function)| (0..function.blocks.len()).map(move |index| (id, BlockId::new(index))));
    blocks.map(|(id, block)| explored.spent.came.reach(program, id, block)).collect()
}

/// Executions and kinds of findings, which must be the same by every strategy.
pub(crate) fn executions(threads: &[&str], atomic_blocks: bool) -> (u64, BTreeSet<String>) {
    let program = program(threads);
    let by = |por| {
        let explored = explored(&program, JointOptions { atomic_blocks, por: Some(por), ..JointOptions::default() });
        let findings: BTreeSet<String> = explored.findings.keys().map(|key| format!("{key:?}")).collect();
        (explored.counts.executions, findings, reached(&program, &explored))
    };
    // What was carried out is the same, whatever is left out of executions because others stand for them.
    let found = STRATEGIES.map(by);
    assert!(found[0].2.iter().any(|reach| *reach > 0));
    for (por, other) in STRATEGIES.iter().zip(&found) {
        assert_eq!(*other, found[0], "{por:?} and {:?} of {threads:?}, atomic blocks: {atomic_blocks}", STRATEGIES[0]);
    }
    if !atomic_blocks {
        let whole = Por::Unfolding(UnfoldingOptions::default());
        let options = JointOptions { por: Some(whole), ..JointOptions::default() };
        let counts = explored(&program, options).counts;
        assert_eq!((counts.executions, counts.redundant), (found[0].0, 0), "unfolding, of {threads:?}");
        assert_eq!(by(whole), found[0], "unfolding, of {threads:?}");
        let cut = Por::Unfolding(UnfoldingOptions { cutoffs: true, ..UnfoldingOptions::default() });
        let (_, findings, came) = by(cut);
        assert_eq!((&findings, &came), (&found[0].1, &found[0].2), "unfolding with cutoffs, of {threads:?}");
    }
    let (_, findings, came) = by(Por::ShortestFirst);
    assert_eq!(
        (&findings, &came),
        (&found[0].1, &found[0].2),
        "shortest first, of {threads:?}, atomic blocks: {atomic_blocks}"
    );
    let [(executions, findings, _), ..] = found;
    (executions, findings)
}
