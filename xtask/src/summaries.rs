//! Random programs and libraries whose threads call functions that compute, read and write: nothing but the work done may depend
//! on whether summaries of these calls are invoked.

use crate::engine::{LIMITS, engine, lower, new_engine, take_over};
use anyhow::{Context, bail};
use explore::{
    Budget, Counts, Exploration, JointOptions, LibraryOptions, Operation, Origin, Paused, RootRule, SHARES, Sequence,
    Workers, explore, explore_library,
};
use machine::{Config, Engine, Repeats, Summaries};
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::rng::Rng;

/// Functions that are called, operations that call them, and numbers in each block of memory.
const HELPERS: usize = 3;
const OPERATIONS: usize = 2;
const CELLS: usize = 4;

/// What a search without summaries may take, and then one with them.
const TIMES: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];

/// Compares `count` programs and as many libraries. False when any differed.
pub fn run(count: u64, first: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let (mut different, mut found, mut executions) = (0, 0, 0);
    let (mut built, mut invoked, mut saved, mut too_large) = (0, 0, 0, 0);
    for seed in first..first + count {
        let source = generate(seed);
        for whole in [true, false] {
            let mut outcomes = Vec::new();
            for summaries in [Summaries::Never, Summaries::Pays, Summaries::Always] {
                let mut engine = engine(lower(&source, scratch.path())?, 2)?;
                engine.config.summaries = summaries;
                let explored = explored(&mut engine, whole, TIMES[usize::from(summaries != Summaries::Never)])?;
                if explored.paused.is_some() && summaries == Summaries::Never {
                    too_large += 1;
                    break;
                }
                found += explored.findings.len();
                executions += explored.counts.executions;
                built += engine.statistics.summaries;
                invoked += engine.statistics.invoked;
                saved += engine.statistics.invoked_instructions;
                outcomes.push(said(&engine, explored));
            }
            if outcomes.iter().any(|said| *said != outcomes[0]) {
                different += 1;
                std::fs::create_dir_all(keep)?;
                std::fs::write(keep.join(format!("summaries{seed}.c")), &source)?;
                eprintln!("seed {seed}: never, where it pays, always: {outcomes:#?}");
            }
        }
    }
    println!(
        "{count} programs and libraries, {too_large} of them too large, seeds {first} to {}: {different} differ; {found} findings, {executions} executions, {built} summaries, {invoked} calls and {saved} instructions not carried out; {:.1} s",
        first + count - 1,
        started.elapsed().as_secs_f64()
    );
    Ok(different == 0)
}

/// All that must not depend on summaries.
fn said(engine: &Engine, explored: Exploration) -> (String, Counts) {
    let ledger: Vec<_> = engine.ledger.entries().collect();
    let findings: Vec<_> = explored.findings.keys().collect();
    (format!("{:?} {findings:?} {ledger:?}", explored.completing), explored.counts)
}

/// Explores from `main`, or both operations together on every heap.
fn explored(engine: &mut Engine, whole: bool, time: Duration) -> anyhow::Result<Exploration> {
    let budget = Budget { deadline: Some(Instant::now() + time), ..Budget::default() };
    let new_engine = new_engine(engine);
    let workers = Workers { count: NonZeroUsize::MIN, new_engine: &new_engine, shares: SHARES };
    let explored = if whole {
        let main = engine.program.module.functions_named("main").next().context("no main")?;
        let program = Arc::clone(&engine.program);
        let origin = Origin::Main { program, main, limits: LIMITS, config: engine.config };
        let options = JointOptions { keep_outputs: true, failures: true, ..JointOptions::default() };
        explore(workers, &origin, options, &budget, &mut (), "main", Paused::default())?
    } else {
        explore_library(workers, &library(engine)?, &budget, &mut (), Paused::default())?
    };
    take_over(engine, &explored);
    Ok(explored)
}

/// The heaps and threads of both operations.
fn library(engine: &Engine) -> anyhow::Result<Origin> {
    let together = engine.config;
    let options = LibraryOptions {
        limits: LIMITS,
        globals_symbolic: true,
        roots: RootRule::Same,
        valid: None,
        joint: JointOptions { atomic_blocks: true, ..JointOptions::default() },
        alone: Config { repeats: Repeats::Control, wakes: false, quiet_steps: 200_000, ..together },
        together,
    };
    let operations = (0..OPERATIONS).filter_map(|index| {
        let name = format!("op{index}");
        let function = engine.program.module.functions_named(&name).next()?;
        Some(Sequence { first: Operation::new(function, name), then: Vec::new() })
    });
    let threads: Vec<Sequence> = operations.collect();
    let Ok(origin) = Origin::library(&engine.program, &threads, &options) else {
        bail!("an operation passes a structure by value");
    };
    Ok(origin.narrowed()?.origin)
}

struct Writer {
    rng: Rng,
    text: String,
}

fn generate(seed: u64) -> String {
    let mut writer = Writer { rng: Rng::new(seed), text: String::new() };
    writer
        .line("#include <assert.h>\n#include <pthread.h>\nvoid raddle_symbolic(void *, unsigned long, const char *);");
    writer.line(&format!(
        "struct box {{ pthread_mutex_t lock; long cell[{CELLS}]; int *at; struct box *next; }};\n\
         static struct box first, second;\nstatic int numbers[{CELLS}];\n"
    ));
    (0..HELPERS).for_each(|index| writer.helper(index));
    (0..OPERATIONS).for_each(|index| writer.operation(index));
    writer.main();
    writer.text
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    fn one_of(&mut self, all: &[&str]) -> String {
        all[self.rng.below(all.len())].to_owned()
    }

    fn number(&mut self) -> String {
        self.one_of(&["r", "n", "i", "1", "3", "p[0]", "p[i]", "p[i + 1]", "numbers[i]"])
    }

    /// A loop that counts, over two neighbouring cells at a time.
    fn helper(&mut self, index: usize) {
        let rounds = 1 + self.rng.below(2);
        self.line(&format!("static long help{index}(long *p, long n)\n{{\n    long r = {index};"));
        self.line(&format!("    for (int i = 0; i < {rounds}; i++) {{"));
        for _ in 0..1 + self.rng.below(3) {
            self.statement(index);
        }
        self.line("    }\n    return r;\n}\n");
    }

    fn statement(&mut self, index: usize) {
        let (a, b) = (self.number(), self.number());
        let op = self.one_of(&["+", "-", "*", "^", "&"]);
        let text = match self.rng.below(9) {
            0 | 1 => format!("r = {a} {op} {b};"),
            2 => format!("p[i] = {a} {op} {b};"),
            3 => format!("p[0] = {a};"),
            4 => format!("if (p[i] {} {b}) r++; else r += 2;", self.one_of(&["<", "==", "!="])),
            5 => format!("if ({a} {} n) p[i + 1] = r;", self.one_of(&["<", "=="])),
            6 => format!("((int *)p)[i] = (int)({a} {op} r);"),
            7 if index > 0 => format!("r {op}= help{}(p + {}, {b});", self.rng.below(index), self.rng.below(2)),
            _ => format!("numbers[i] = (int)({a} {op} {b});"),
        };
        self.line(&format!("        {text}"));
    }

    fn operation(&mut self, index: usize) {
        self.line(&format!("long op{index}(struct box *b, long n)\n{{\n    long r = 0;"));
        for _ in 0..1 + self.rng.below(2) {
            let locked = self.rng.chance(75);
            if locked {
                self.line("    pthread_mutex_lock(&b->lock);");
            }
            for _ in 0..1 + self.rng.below(2) {
                let helper = self.rng.below(HELPERS);
                let argument = self.one_of(&["n", "r", "2", "b->cell[1]"]);
                let text = match self.rng.below(6) {
                    0..3 => format!("r += help{helper}(b->cell, {argument});"),
                    3 => format!("if (b->next) r += help{helper}(b->next->cell, {argument});"),
                    4 => format!("if (n < r) r = help{helper}(b->cell + 1, {argument});"),
                    _ => format!("long own[{CELLS}] = {{ n }}; r ^= help{helper}(own, {argument});"),
                };
                self.line(&format!("    {{ {text} }}"));
            }
            if locked {
                self.line("    pthread_mutex_unlock(&b->lock);");
            }
        }
        self.line("    return r;\n}\n");
    }

    fn main(&mut self) {
        self.line("static signed char input;");
        for index in 0..OPERATIONS {
            let argument = self.one_of(&["1", "2", "input"]);
            self.line(&format!(
                "static void *thread{index}(void *arg)\n{{\n    op{index}(&first, {argument});\n    op{index}(arg, 1);\n    return arg;\n}}\n"
            ));
        }
        self.line("int main(void)\n{\n    pthread_t threads[2];\n    raddle_symbolic(&input, 1, \"input\");\n    first.next = &second;");
        for index in 0..OPERATIONS {
            let place = self.one_of(&["first", "second"]);
            self.line(&format!("    pthread_create(&threads[{index}], 0, thread{index}, &{place});"));
        }
        self.line("    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);");
        let (cell, number) = (self.rng.below(CELLS), self.rng.below(6));
        self.line(&format!("    assert(first.cell[{cell}] != {number});\n    return 0;\n}}"));
    }
}
