//! Random programs that compute with floating-point inputs: the assertions that fail are those that fail natively on some of the
//! numbers that the inputs may be.
//!
//! Inputs are given by their bits, so that zeros of both signs and each NaN are numbers of their own; none of what is computed
//! is known before a solver was asked.

use crate::engine::{check, engine, lower};
use crate::merging::{failing_lines, native};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;
use testkit::rng::Rng;

/// Numbers that one input may be.
const CHOICES: usize = 6;

/// The variables of a program, inputs first.
const VARIABLES: [(&str, Kind); 7] = [
    ("f0", Kind::Float),
    ("d0", Kind::Double),
    ("k0", Kind::Int),
    ("f1", Kind::Float),
    ("d1", Kind::Double),
    ("k1", Kind::Int),
    ("u1", Kind::Unsigned),
];

/// How many of them are inputs.
const INPUTS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Double,
    Int,
    Unsigned,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Float => "float",
            Kind::Double => "double",
            Kind::Int => "int",
            Kind::Unsigned => "unsigned long",
        }
    }

    /// The integer of its bits.
    fn bits(self) -> &'static str {
        if self == Kind::Double { "unsigned long" } else { "unsigned" }
    }
}

/// Compares `count` programs. False when any differed.
pub fn run(count: u64, first: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let (mut different, mut failing, mut paths) = (0, 0, 0);
    for seed in first..first + count {
        let source = generate(seed);
        let expected = native(&source, scratch.path())?;
        failing += u64::from(!expected.is_empty());
        let mut engine = engine(lower(&source, scratch.path())?, 2)?;
        let explored = check(&mut engine)?;
        paths += explored.counts.paths.len() as u64;
        let found = (failing_lines(&explored), explored.findings.len(), engine.ledger.total());
        if found != (expected.clone(), expected.len(), 0) {
            different += 1;
            std::fs::create_dir_all(keep)?;
            std::fs::write(keep.join(format!("floating{seed}.c")), &source)?;
            eprintln!("seed {seed}: natively {expected:?}; found, with findings and losses: {found:?}");
        }
    }
    println!(
        "{count} programs, seeds {first} to {}: {different} differ; {failing} fail, {paths} paths; {:.1} s",
        first + count - 1,
        started.elapsed().as_secs_f64()
    );
    Ok(different == 0)
}

struct Writer {
    rng: Rng,
    text: String,
}

/// Assertions are one to a line. `NATIVE` makes a program that tries all inputs, and prints the lines that fail.
fn generate(seed: u64) -> String {
    let mut writer = Writer { rng: Rng::new(seed), text: String::new() };
    writer.line("#include <string.h>\n#ifdef NATIVE\n#include <stdio.h>\n#define CHECK(c) if (!(c)) { printf(\"%d\\n\", __LINE__); return; }");
    writer.line("#else\n#include <assert.h>\nvoid raddle_symbolic(void *, unsigned long, const char *);\nvoid raddle_assume(int);\n#define CHECK(c) assert(c)\n#endif");
    for (name, kind) in &VARIABLES[..INPUTS] {
        let choices: Vec<String> = (0..CHOICES).map(|_| format!("{:#x}", writer.input(*kind))).collect();
        writer.line(&format!("static const {} {name}_choices[{CHOICES}] = {{ {} }};", kind.bits(), choices.join(", ")));
    }
    let inputs: Vec<String> =
        VARIABLES[..INPUTS].iter().map(|(name, kind)| format!("{} {name}", kind.name())).collect();
    writer.line(&format!("static void run({})\n{{", inputs.join(", ")));
    for (name, kind) in &VARIABLES[INPUTS..] {
        let start = writer.constant(*kind);
        writer.line(&format!("    {} {name} = {start};", kind.name()));
    }
    for _ in 0..3 + writer.rng.below(4) {
        writer.statement(1);
    }
    writer.check(1);
    writer.line("}\nint main(void)\n{");
    for (name, kind) in &VARIABLES[..INPUTS] {
        writer.line(&format!("    {} {name}_bits;\n    {} {name};", kind.bits(), kind.name()));
    }
    writer.line("#ifdef NATIVE");
    let loops = VARIABLES[..INPUTS]
        .iter()
        .map(|(name, _)| format!("for (int {name}_i = 0; {name}_i < {CHOICES}; {name}_i++) "));
    let loops: String = loops.collect();
    writer.line(&format!("    {loops}{{"));
    for (name, _) in &VARIABLES[..INPUTS] {
        writer.line(&format!(
            "    {name}_bits = {name}_choices[{name}_i]; memcpy(&{name}, &{name}_bits, sizeof {name});"
        ));
    }
    let names: Vec<&str> = VARIABLES[..INPUTS].iter().map(|(name, _)| *name).collect();
    writer.line(&format!("    run({});\n    }}\n#else", names.join(", ")));
    for (name, _) in &VARIABLES[..INPUTS] {
        let allowed = (0..CHOICES).map(|index| format!("({name}_bits == {name}_choices[{index}])"));
        let allowed = allowed.collect::<Vec<_>>().join(" | ");
        writer.line(&format!(
            "    raddle_symbolic(&{name}_bits, sizeof {name}_bits, \"{name}\");\n    raddle_assume({allowed});\n    memcpy(&{name}, &{name}_bits, sizeof {name});"
        ));
    }
    writer.line(&format!("    run({});\n#endif\n    return 0;\n}}", names.join(", ")));
    writer.text
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    /// Bits of an input: ordinary numbers mostly, and such as only bits can name.
    fn input(&mut self, kind: Kind) -> u64 {
        let value = match self.rng.below(6) {
            0 => self.rng.between(0, 8) as f64 - 4.0,
            1 => (self.rng.between(0, 64) as f64 - 32.0) / 8.0,
            2 => [0.1, 1e10, -1e-10, 3e9, -2147483648.0, 9.3e18, 1e38][self.rng.below(7)],
            3 => [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN][self.rng.below(5)],
            4 => [f64::MIN_POSITIVE, 5e-324, 1e-40, f64::MAX][self.rng.below(4)],
            _ => f64::from_bits(self.rng.next_u64()),
        };
        match kind {
            Kind::Float => u64::from((value as f32).to_bits()),
            Kind::Double => value.to_bits(),
            Kind::Int | Kind::Unsigned => u64::from(self.rng.between(0, 200) as u32).wrapping_sub(100) & 0xffff_ffff,
        }
    }

    fn constant(&mut self, kind: Kind) -> String {
        let number = ["0.0", "1.0", "-1.5", "0.1", "2.0", "1e10", "3.5", "-0.0"][self.rng.below(8)];
        match kind {
            Kind::Float => format!("{number}f"),
            Kind::Double => number.to_owned(),
            Kind::Int | Kind::Unsigned => self.rng.below(5).to_string(),
        }
    }

    fn variable(&mut self, kind: Kind) -> String {
        let alike: Vec<&str> = VARIABLES.iter().filter(|v| v.1 == kind).map(|v| v.0).collect();
        alike[self.rng.below(alike.len())].to_owned()
    }

    fn value(&mut self, kind: Kind) -> String {
        if self.rng.chance(25) { self.constant(kind) } else { self.variable(kind) }
    }

    fn expression(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 {
            return self.value(kind);
        }
        let (f, d) = (Kind::Float, Kind::Double);
        let suffix = if kind == f { "f" } else { "" };
        match (kind, self.rng.below(10)) {
            (Kind::Float | Kind::Double, 0..4) => {
                let (x, y) = (self.expression(kind, depth - 1), self.expression(kind, depth - 1));
                format!("({x} {} {y})", ["+", "-", "*", "/"][self.rng.below(4)])
            }
            (Kind::Float | Kind::Double, 4) => {
                let other = [f, d, Kind::Int, Kind::Unsigned][self.rng.below(4)];
                format!("({})({})", kind.name(), self.expression(other, depth - 1))
            }
            (Kind::Float | Kind::Double, 5 | 6) => {
                let name = ["sqrt", "floor", "ceil", "trunc", "round", "rint", "fabs"][self.rng.below(7)];
                format!("__builtin_{name}{suffix}({})", self.expression(kind, depth - 1))
            }
            (Kind::Float | Kind::Double, 7) => {
                let name = ["copysign", "fmin", "fmax"][self.rng.below(3)];
                let (x, y) = (self.expression(kind, depth - 1), self.value(kind));
                match name {
                    "copysign" => format!("__builtin_copysign{suffix}({x}, {y})"),
                    "fmin" => format!("({x} < {y} ? {x} : {y})"),
                    _ => format!("(- {x})"),
                }
            }
            (Kind::Float | Kind::Double, 8) => {
                let (x, y, z) = (self.value(kind), self.value(kind), self.value(kind));
                format!("__builtin_fma{suffix}({x}, {y}, {z})")
            }
            (Kind::Int | Kind::Unsigned, 0..3) => {
                let (x, y) = (self.value(kind), self.value(kind));
                format!("({x} {} {y})", ["+", "-", "^"][self.rng.below(3)])
            }
            (Kind::Int | Kind::Unsigned, 3..7) => {
                let from = if self.rng.chance(50) { f } else { d };
                let x = self.expression(from, depth - 1);
                // What does not fit is undefined in C (6.3.1.4p1).
                let (low, high) = if kind == Kind::Int { ("-2e9", "2e9") } else { ("0", "1.8e19") };
                format!("({x} > {low} && {x} < {high} ? ({})({x}) : 7)", kind.name())
            }
            (Kind::Int | Kind::Unsigned, 7) => format!("({})({})", kind.name(), self.condition(depth - 1)),
            _ => self.value(kind),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let kind = [Kind::Float, Kind::Double, Kind::Double, Kind::Int][self.rng.below(4)];
        let (x, y) = (self.expression(kind, depth), self.value(kind));
        match self.rng.below(8) {
            0 if kind != Kind::Int => format!("({x}) {} ({x})", ["!=", "=="][self.rng.below(2)]),
            1 if kind != Kind::Int => {
                let name = ["isnan", "isinf", "isfinite", "isnormal", "signbit"][self.rng.below(5)];
                format!("__builtin_{name}({x})")
            }
            2 if kind != Kind::Int => {
                let name = ["isgreater", "isless", "islessgreater", "isunordered"][self.rng.below(4)];
                format!("__builtin_{name}({x}, {y})")
            }
            _ => format!("({x}) {} {y}", ["<", ">", "==", "!=", "<=", ">="][self.rng.below(6)]),
        }
    }

    fn statement(&mut self, depth: usize) {
        let lead = "    ".repeat(depth);
        match self.rng.below(if depth < 3 { 6 } else { 3 }) {
            0..3 => {
                let (name, kind) = VARIABLES[INPUTS + self.rng.below(VARIABLES.len() - INPUTS)];
                let expression = self.expression(kind, 2);
                self.line(&format!("{lead}{name} = {expression};"));
            }
            3 | 4 => {
                let condition = self.condition(1);
                self.line(&format!("{lead}if ({condition}) {{"));
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
        let condition = self.condition(1);
        self.line(&format!("{}CHECK(!({condition}));", "    ".repeat(depth)));
    }
}
