//! Random programs with few inputs that branch a lot: both ways of a branch at once find the assertions that fail with each way
//! by itself, and those that fail natively on some input.

use crate::engine::{check, engine, lower};
use explore::{Exploration, FindingKey};
use machine::FaultKind;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use testkit::rng::Rng;

/// Inputs, each from 0 to 3, and variables that are computed.
const INPUTS: usize = 3;
const VARIABLES: usize = 4;

/// Compares `count` programs. False when any differed.
pub fn run(count: u64, first: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let (mut different, mut failing, mut merged, mut paths) = (0, 0, 0, [0, 0]);
    for seed in first..first + count {
        let source = generate(seed);
        let expected = native(&source, scratch.path())?;
        failing += u64::from(!expected.is_empty());
        let mut found = Vec::new();
        for (index, merge) in [false, true].into_iter().enumerate() {
            let mut engine = engine(lower(&source, scratch.path())?, 2)?;
            engine.config.merge = merge;
            let explored = check(&mut engine)?;
            paths[index] += explored.counts.paths.len() as u64;
            merged += engine.statistics.merged;
            found.push((failing_lines(&explored), explored.findings.len(), engine.ledger.total()));
        }
        let want = (expected.clone(), expected.len(), 0);
        if found.iter().any(|found| *found != want) {
            different += 1;
            std::fs::create_dir_all(keep)?;
            std::fs::write(keep.join(format!("merging{seed}.c")), &source)?;
            eprintln!("seed {seed}: natively {expected:?}; apart and at once, with findings and losses: {found:?}");
        }
    }
    println!(
        "{count} programs, seeds {first} to {}: {different} differ; {failing} fail, {merged} branches merged, paths {} and {}; {:.1} s",
        first + count - 1,
        paths[0],
        paths[1],
        started.elapsed().as_secs_f64()
    );
    Ok(different == 0)
}

struct Writer {
    rng: Rng,
    text: String,
    asserts: usize,
}

/// Assertions are one to a line. `NATIVE` makes a program that tries all inputs, and prints the lines that fail.
fn generate(seed: u64) -> String {
    let mut writer = Writer { rng: Rng::new(seed), text: String::new(), asserts: 0 };
    writer
        .line("#ifdef NATIVE\n#include <stdio.h>\n#define CHECK(c) if (!(c)) { printf(\"%d\\n\", __LINE__); return; }");
    writer.line("#else\n#include <assert.h>\nvoid raddle_symbolic(void *, unsigned long, const char *);\nvoid raddle_assume(int);\n#define CHECK(c) assert(c)\n#endif");
    let inputs: Vec<String> = (0..INPUTS).map(|index| format!("int a{index}")).collect();
    let start: Vec<String> = (0..VARIABLES).map(|index| format!("v{index} = {index}")).collect();
    writer.line(&format!("static void run({})\n{{\n    int {};", inputs.join(", "), start.join(", ")));
    for _ in 0..4 + writer.rng.below(6) {
        writer.statement(1);
    }
    writer.check(1);
    writer.line("}\nint main(void)\n{\n#ifdef NATIVE");
    let names: Vec<String> = (0..INPUTS).map(|index| format!("a{index}")).collect();
    let loops: String = names.iter().map(|name| format!("for (int {name} = 0; {name} < 4; {name}++) ")).collect();
    writer.line(&format!("    {loops}run({});\n#else", names.join(", ")));
    for name in &names {
        writer.line(&format!(
            "    unsigned char {name};\n    raddle_symbolic(&{name}, 1, \"{name}\");\n    raddle_assume({name} < 4);"
        ));
    }
    writer.line(&format!("    run({});\n#endif\n    return 0;\n}}", names.join(", ")));
    writer.text
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    fn value(&mut self) -> String {
        match self.rng.below(5) {
            0 | 1 => format!("a{}", self.rng.below(INPUTS)),
            2 | 3 => format!("v{}", self.rng.below(VARIABLES)),
            _ => self.rng.below(5).to_string(),
        }
    }

    fn expression(&mut self) -> String {
        let (x, y) = (self.value(), self.value());
        match self.rng.below(4) {
            0 => x,
            _ => format!("{x} {} {y}", ["+", "-", "*", "^", "&"][self.rng.below(5)]),
        }
    }

    fn condition(&mut self) -> String {
        let (x, y) = (self.expression(), self.value());
        format!("({x}) {} {y}", ["<", ">", "==", "!=", "<="][self.rng.below(5)])
    }

    fn statement(&mut self, depth: usize) {
        let lead = "    ".repeat(depth);
        match self.rng.below(if depth < 3 { 7 } else { 3 }) {
            0..3 => {
                let (variable, expression) = (self.rng.below(VARIABLES), self.expression());
                self.line(&format!("{lead}v{variable} = {expression};"));
            }
            3 | 4 => {
                let condition = self.condition();
                self.line(&format!("{lead}if ({condition}) {{"));
                self.block(depth);
                if self.rng.chance(50) {
                    self.line(&format!("{lead}}} else {{"));
                    self.block(depth);
                }
                self.line(&format!("{lead}}}"));
            }
            5 => {
                let (counter, rounds) = (format!("i{depth}"), 2 + self.rng.below(2));
                self.line(&format!("{lead}for (int {counter} = 0; {counter} < {rounds}; {counter}++) {{"));
                self.block(depth);
                self.line(&format!("{lead}}}"));
            }
            _ => self.check(depth),
        }
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(2) {
            self.statement(depth + 1);
        }
    }

    fn check(&mut self, depth: usize) {
        self.asserts += 1;
        let (variable, number) = (self.rng.below(VARIABLES), self.rng.below(12));
        self.line(&format!("{}CHECK(v{variable} != {number});", "    ".repeat(depth)));
    }
}

/// The lines of the assertions that were found to fail.
pub(crate) fn failing_lines(explored: &Exploration) -> BTreeSet<u32> {
    let line = |key: &FindingKey| match key {
        FindingKey::Fault(FaultKind::Assertion, position) => Some(position.line),
        _ => None,
    };
    explored.findings.keys().filter_map(line).collect()
}

/// The lines that fail, on any input.
pub(crate) fn native(source: &str, scratch: &Path) -> anyhow::Result<BTreeSet<u32>> {
    let (c, program) = (scratch.join("native.c"), scratch.join("native"));
    std::fs::write(&c, source)?;
    let built = Command::new("clang-22")
        .args(["-O0", "-w", "-fwrapv", "-DNATIVE", "-o"])
        .arg(&program)
        .arg(&c)
        .arg("-lm")
        .output()?;
    if !built.status.success() {
        anyhow::bail!("{}", String::from_utf8_lossy(&built.stderr));
    }
    let printed = String::from_utf8(Command::new(&program).output()?.stdout)?;
    Ok(printed.lines().map(str::parse).collect::<Result<_, _>>()?)
}
