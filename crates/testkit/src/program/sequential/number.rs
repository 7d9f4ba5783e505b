//! Floating-point numbers and integers of 128 bits, in blocks of their own.
//!
//! Conversions to integers go through functions that keep them in range, and a NaN is noted as one number: which NaN an
//! operation gives is left open by C.

use super::expr::Expr;
use crate::rng::Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    F32,
    F64,
    F80,
    I128,
    U128,
}

use Number as N;

const NUMBERS: [Number; 5] = [N::F32, N::F64, N::F80, N::I128, N::U128];

/// What the blocks rely on.
pub(super) const PRELUDE: [&str; 10] = [
    "typedef __int128 i128;",
    "typedef unsigned __int128 u128;",
    "static i128 wide(long double x) { return x >= -1e30L && x <= 1e30L ? (i128)x : 5; }",
    "static int32_t whole(double x) { return x >= -2e9 && x <= 2e9 ? (int32_t)x : -7; }",
    "static int8_t tiny(float x) { return x > -128 && x < 127 ? (int8_t)x : 1; }",
    "static uint64_t natural(long double x) { return x >= 0 && x < 1.8e19L ? (uint64_t)x : 9; }",
    "static uint64_t large(double x) { return x >= 0 && x < 1.8e19 ? (uint64_t)x : 8; }",
    "static void note_float(float x) { uint32_t b; memcpy(&b, &x, 4); note(x != x ? 77 : b); }",
    "static void note_double(double x) { uint64_t b; memcpy(&b, &x, 8); note(x != x ? 78 : b); }",
    "static void note_long(long double x) { uint64_t b[2] = { 0 }; memcpy(b, &x, 10); \
     if (x != x) note(79); else { note(b[0]); note(b[1]); } }",
];

impl Number {
    fn name(self) -> &'static str {
        match self {
            N::F32 => "float",
            N::F64 => "double",
            N::F80 => "long double",
            N::I128 => "i128",
            N::U128 => "u128",
        }
    }

    fn is_float(self) -> bool {
        matches!(self, N::F32 | N::F64 | N::F80)
    }

    /// The suffix of the built-in functions on this type.
    fn suffix(self) -> &'static str {
        match self {
            N::F32 => "f",
            N::F80 => "l",
            _ => "",
        }
    }
}

/// Numbers in the scope of one block.
#[derive(Default)]
pub(super) struct Numbers {
    variables: Vec<(String, Number)>,
}

impl Numbers {
    /// The lines of a block; `integer` gives integer expressions of the program around it.
    pub(super) fn block(mut self, rng: &mut Rng, integer: &mut dyn FnMut(&mut Rng) -> Expr) -> Vec<String> {
        let mut lines = Vec::new();
        for number in 0..rng.between(2, 4) {
            let ty = rng.pick(&NUMBERS);
            let value = self.value(rng, ty, 2, integer);
            lines.push(format!("{} n{number} = {value};", ty.name()));
            self.variables.push((format!("n{number}"), ty));
        }
        for _ in 0..rng.between(1, 4) {
            let (name, ty) = self.variables[rng.below(self.variables.len())].clone();
            let value = self.value(rng, ty, 3, integer);
            lines.push(match rng.below(5) {
                0 if ty.is_float() => format!("{name} {}= {value};", rng.pick(&["+", "-", "*", "/"])),
                0 if ty == N::U128 => format!("{name} {}= {value};", rng.pick(&["+", "-", "*", "^", "|", "&"])),
                1 if ty.is_float() => format!("{name}{};", rng.pick(&["++", "--"])),
                _ => format!("{name} = {value};"),
            });
            lines.push(self.noted(rng, &name, ty));
        }
        let function = rng.pick(&["whole", "tiny", "natural", "large", "wide"]);
        lines.push(format!("note((uint64_t){function}(n0));"));
        lines
    }

    fn noted(&self, rng: &mut Rng, name: &str, ty: Number) -> String {
        match ty {
            N::F32 => format!("note_float({name});"),
            N::F64 if rng.chance(30) => {
                format!(
                    "if ({name} == {name}) printf(\"%.{}{}\\n\", {name});",
                    rng.between(0, 17),
                    rng.pick(&["g", "e", "a"])
                )
            }
            N::F64 => format!("note_double({name});"),
            N::F80 if rng.chance(20) => format!("if ({name} == {name}) printf(\"%.19Lg\\n\", {name});"),
            N::F80 => format!("note_long({name});"),
            N::I128 | N::U128 => format!("note((uint64_t)((u128){name} >> 64)); note((uint64_t){name});"),
        }
    }

    fn leaf(&self, rng: &mut Rng, ty: Number, integer: &mut dyn FnMut(&mut Rng) -> Expr) -> String {
        if !self.variables.is_empty() && rng.chance(60) {
            let (name, other) = self.variables[rng.below(self.variables.len())].clone();
            return converted(&name, other, ty);
        }
        if ty.is_float() && rng.chance(40) {
            let constant = rng.pick(&["0.1", "-2.5", "1e10", "3.0", "-0.0", "1e-20", "123456.789", "0.5"]);
            return format!("({}){constant}", ty.name());
        }
        format!("({}){}", ty.name(), integer(rng).text)
    }

    fn value(&self, rng: &mut Rng, ty: Number, depth: u32, integer: &mut dyn FnMut(&mut Rng) -> Expr) -> String {
        if depth == 0 || rng.chance(20) {
            return self.leaf(rng, ty, integer);
        }
        if rng.chance(15) {
            let other = rng.pick(&NUMBERS);
            let inner = self.value(rng, other, depth - 1, integer);
            return converted(&inner, other, ty);
        }
        if rng.chance(12) {
            let other = rng.pick(&NUMBERS);
            let (a, b) = (self.value(rng, other, depth - 1, integer), self.value(rng, other, depth - 1, integer));
            let sign = rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
            let (then, otherwise) = (self.leaf(rng, ty, integer), self.leaf(rng, ty, integer));
            return format!("(({a}) {sign} ({b}) ? {then} : {otherwise})");
        }
        let a = self.value(rng, ty, depth - 1, integer);
        let b = self.value(rng, ty, depth - 1, integer);
        if ty.is_float() {
            return float(rng, ty, &a, &b);
        }
        wide(rng, ty, &a, &b)
    }
}

fn float(rng: &mut Rng, ty: Number, a: &str, b: &str) -> String {
    let suffix = ty.suffix();
    match rng.below(12) {
        0 => format!("(-{a})"),
        1 => {
            let function = rng.pick(&["fabs", "floor", "ceil", "trunc", "rint", "round", "nearbyint"]);
            format!("__builtin_{function}{suffix}({a})")
        }
        2 => format!("__builtin_copysign{suffix}({a}, {b})"),
        n => format!("({a} {} {b})", ["+", "-", "*", "/"][n % 4]),
    }
}

/// In the unsigned type, where nothing overflows.
fn wide(rng: &mut Rng, ty: Number, a: &str, b: &str) -> String {
    let name = ty.name();
    match rng.below(9) {
        0 => format!("(({name})({a}) / ({name})(((u128)({b}) & 0xffff) + 1))"),
        1 => format!("(({name})({a}) % ({name})(((u128)({b}) & 0xfffffffffff) + 1))"),
        2 => format!("({name})((u128)({a}) << ((int)({b}) & 127))"),
        3 => format!("(({name})({a}) >> ((int)({b}) & 127))"),
        4 => format!("({name})~(u128)({a})"),
        5 => format!("(({name})({a}) {} ({name})({b}))", rng.pick(&["&", "|", "^"])),
        _ => format!("({name})((u128)({a}) {} (u128)({b}))", rng.pick(&["+", "-", "*"])),
    }
}

/// A value of one type as one of another, without a conversion that C leaves undefined.
fn converted(text: &str, from: Number, to: Number) -> String {
    match (from.is_float(), to) {
        (true, N::I128) => format!("wide({text})"),
        (true, N::U128) => format!("(u128)natural({text})"),
        _ => format!("(({}){text})", to.name()),
    }
}
