//! Terms as a reader of C would write them, for reports.
//!
//! The canonical form spells shifts, masks and zero extensions as slices; they are recognised and printed as
//! the shift, mask or cast again. `x[7:0]` remains for a slice that is neither.

use std::fmt::Write;

use crate::float::FloatOp;
use crate::pool::Terms;
use crate::semantics::signed;
use crate::term::{Key, Op, TermId, mask};

/// Nested operators printed before `...`: reports need the head of a long term, not all of it.
const MAX_DEPTH: u32 = 24;

/// Nodes printed before `...`; a term is a graph, its text a tree.
const MAX_NODES: u32 = 400;

/// How tightly an operator binds, as in C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Ternary,
    OrOr,
    AndAnd,
    Or,
    Xor,
    And,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

impl Terms {
    /// `t` in C-like infix.
    pub fn display(&self, t: TermId) -> String {
        let mut printer = Printer { terms: self, out: String::new(), depth: 0, nodes: 0 };
        printer.term(t, Level::Ternary);
        printer.out
    }
}

struct Printer<'a> {
    terms: &'a Terms,
    out: String,
    depth: u32,
    nodes: u32,
}

impl Printer<'_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Formatted text; writing to a `String` cannot fail.
    fn format(&mut self, arguments: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(arguments);
    }

    fn term(&mut self, t: TermId, outer: Level) {
        self.nodes += 1;
        if self.depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return self.text("...");
        }
        self.depth += 1;
        let key = self.terms.key(t);
        let level = self.level(&key);
        if level < outer {
            self.text("(");
        }
        self.body(t, &key);
        if level < outer {
            self.text(")");
        }
        self.depth -= 1;
    }

    fn level(&self, key: &Key) -> Level {
        let one_bit = key.w() == 1;
        match key.op {
            Op::Ite | Op::IteArray => Level::Ternary,
            Op::Not => match self.terms.op(key.a()) {
                Op::Eq => Level::Equality,
                Op::Ult | Op::Slt => Level::Relation,
                Op::And if one_bit && self.disjunction(key.a()).is_some() => Level::OrOr,
                _ => Level::Unary,
            },
            Op::And if one_bit => Level::AndAnd,
            Op::And => Level::And,
            Op::Or => Level::Or,
            Op::Xor if one_bit => Level::Equality,
            Op::Xor => Level::Xor,
            Op::Add => Level::Sum,
            Op::Mul | Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem => Level::Product,
            Op::Shl | Op::Lshr | Op::Ashr => Level::Shift,
            Op::Eq => Level::Equality,
            Op::Ult | Op::Slt => Level::Relation,
            Op::Float2 => match FloatOp::of(key.low) {
                FloatOp::Add | FloatOp::Sub => Level::Sum,
                FloatOp::Mul | FloatOp::Div => Level::Product,
                FloatOp::Equal => Level::Equality,
                _ => Level::Relation,
            },
            Op::Neg => Level::Unary,
            Op::Concat => match self.shape(key) {
                Shape::Cast(_) => Level::Unary,
                Shape::Left(..) | Shape::Right(..) => Level::Shift,
                Shape::Masked(..) => Level::And,
                Shape::Plain => Level::Primary,
            },
            Op::Sext => match self.arithmetic_shift(key) {
                Some(_) => Level::Shift,
                None => Level::Unary,
            },
            _ => Level::Primary,
        }
    }

    fn body(&mut self, t: TermId, key: &Key) {
        let (a, b, c) = (key.a(), key.b(), key.c());
        let one_bit = key.w() == 1;
        match key.op {
            Op::Const => self.constant(key),
            Op::Var | Op::ArrayVar => {
                let name = &self.terms.variable(key.args[0]).name;
                self.out.push_str(name);
            }
            Op::Not => self.negation(key),
            Op::Neg => self.prefix("-", a),
            Op::And if one_bit => self.infix(a, " && ", b, Level::AndAnd),
            Op::And => self.infix(a, " & ", b, Level::And),
            Op::Or => self.infix(a, " | ", b, Level::Or),
            Op::Xor if one_bit => self.infix(a, " != ", b, Level::Equality),
            Op::Xor => self.infix(a, " ^ ", b, Level::Xor),
            Op::Add => self.sum(a, b),
            Op::Mul => self.infix(a, " * ", b, Level::Product),
            Op::Udiv => self.infix(a, " /u ", b, Level::Product),
            Op::Sdiv => self.infix(a, " / ", b, Level::Product),
            Op::Urem => self.infix(a, " %u ", b, Level::Product),
            Op::Srem => self.infix(a, " % ", b, Level::Product),
            Op::Shl => self.infix(a, " << ", b, Level::Shift),
            Op::Lshr => self.infix(a, " >>u ", b, Level::Shift),
            Op::Ashr => self.infix(a, " >> ", b, Level::Shift),
            Op::Eq => self.infix(a, " == ", b, Level::Equality),
            Op::Ult => self.infix(a, " <u ", b, Level::Relation),
            Op::Slt => self.infix(a, " < ", b, Level::Relation),
            Op::Ite | Op::IteArray => {
                self.term(a, Level::OrOr);
                self.text(" ? ");
                self.term(b, Level::Ternary);
                self.text(" : ");
                self.term(c, Level::Ternary);
            }
            Op::Concat => self.concat(t, key),
            Op::Extract => self.slice(a, key.high(), key.low()),
            Op::Sext => match self.arithmetic_shift(key) {
                Some((x, by)) => {
                    self.term(x, Level::Shift);
                    self.format(format_args!(" >> {by}"));
                }
                None => {
                    self.format(format_args!("(i{})", key.w()));
                    self.term(a, Level::Unary);
                }
            },
            Op::ConstArray => {
                self.text("{all: ");
                self.term(a, Level::Ternary);
                self.text("}");
            }
            Op::Store => {
                self.term(a, Level::Primary);
                self.text("{[");
                self.term(b, Level::Ternary);
                self.text("] = ");
                self.term(c, Level::Ternary);
                self.text("}");
            }
            Op::Float1 | Op::Float2 | Op::Float3 => self.float(key),
            Op::Select => {
                self.term(a, Level::Primary);
                self.text("[");
                self.term(b, Level::Ternary);
                self.text("]");
            }
        }
    }

    /// Arithmetic and comparisons as C writes them, the others as the functions of `<math.h>`.
    fn float(&mut self, key: &Key) {
        let op = FloatOp::of(key.low);
        let (symbol, left, right) = match op {
            FloatOp::Add => (" + ", Level::Sum, Level::Product),
            FloatOp::Sub => (" - ", Level::Sum, Level::Product),
            FloatOp::Mul => (" * ", Level::Product, Level::Unary),
            FloatOp::Div => (" / ", Level::Product, Level::Unary),
            FloatOp::Less => (" < ", Level::Relation, Level::Shift),
            FloatOp::LessEqual => (" <= ", Level::Relation, Level::Shift),
            FloatOp::Equal => (" == ", Level::Equality, Level::Relation),
            _ => return self.float_call(op, key),
        };
        self.number(key.a(), left);
        self.text(symbol);
        self.number(key.b(), right);
    }

    fn float_call(&mut self, op: FloatOp, key: &Key) {
        let name = match op {
            FloatOp::FromSigned | FloatOp::Resize if key.w() == 32 => "(float)",
            FloatOp::FromSigned | FloatOp::Resize => "(double)",
            FloatOp::ToSigned if key.w() == 32 => "(int)",
            FloatOp::ToSigned => "(long)",
            FloatOp::Sqrt => "sqrt",
            FloatOp::Floor => "floor",
            FloatOp::Ceil => "ceil",
            FloatOp::Trunc => "trunc",
            FloatOp::Round => "round",
            FloatOp::RoundEven => "rint",
            _ => "fma",
        };
        self.text(name);
        self.text("(");
        for (index, operand) in key.operands().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            if op == FloatOp::FromSigned {
                self.term(operand, Level::Ternary);
            } else {
                self.number(operand, Level::Ternary);
            }
        }
        self.text(")");
    }

    /// An operand that is a number: a constant is not shown by its bits.
    fn number(&mut self, t: TermId, level: Level) {
        match (self.terms.as_const(t), self.terms.width(t)) {
            (Some(bits), 32) => self.format(format_args!("{:?}", f32::from_bits(bits as u32))),
            (Some(bits), _) => self.format(format_args!("{:?}", f64::from_bits(bits as u64))),
            (None, _) => self.term(t, level),
        }
    }

    /// Small constants in decimal, negative ones as such, masks and addresses in hexadecimal.
    fn constant(&mut self, key: &Key) {
        let value = key.value().unwrap_or_default();
        let negative = signed(value, key.w());
        if key.w() == 1 {
            self.text(if value == 1 { "true" } else { "false" });
        } else if key.w() >= 8 && (-4096..0).contains(&negative) {
            self.format(format_args!("{negative}"));
        } else if value < 4096 {
            self.format(format_args!("{value}"));
        } else {
            self.format(format_args!("{value:#x}"));
        }
    }

    fn infix(&mut self, a: TermId, op: &str, b: TermId, level: Level) {
        // Sums and products of mixed kinds keep their parentheses: `%` does not associate.
        self.term(a, level);
        self.text(op);
        let tighter = match level {
            Level::AndAnd => Level::AndAnd,
            Level::Product => Level::Unary,
            Level::Sum => Level::Product,
            Level::Shift => Level::Sum,
            Level::Relation => Level::Shift,
            Level::Equality => Level::Relation,
            Level::OrOr => Level::OrOr,
            other => other,
        };
        self.term(b, tighter);
    }

    fn prefix(&mut self, op: &str, a: TermId) {
        self.text(op);
        self.term(a, Level::Unary);
    }

    /// `a + b`, with negative parts printed as differences.
    fn sum(&mut self, a: TermId, b: TermId) {
        let minus = |t: &Terms, x: TermId| {
            let key = t.key(x);
            (key.op == Op::Neg).then(|| key.a())
        };
        let (first, second) = match minus(self.terms, a) {
            Some(_) if minus(self.terms, b).is_none() && !self.terms.is_const(b) => (b, a),
            _ => (a, b),
        };
        self.term(first, Level::Sum);
        if let Some(x) = minus(self.terms, second) {
            self.text(" - ");
            return self.term(x, Level::Product);
        }
        match self.terms.as_signed_const(second) {
            Some(c) if c < 0 && c != i128::MIN => self.format(format_args!(" - {}", -c)),
            _ => {
                self.text(" + ");
                self.term(second, Level::Product);
            }
        }
    }

    /// The operands of a disjunction, which is stored as a negated conjunction of negations.
    fn disjunction(&self, conjunction: TermId) -> Option<(TermId, TermId)> {
        let key = self.terms.key(conjunction);
        let negative = |t: TermId| self.terms.op(t) == Op::Not;
        (negative(key.a()) || negative(key.b())).then(|| (key.a(), key.b()))
    }

    fn negation(&mut self, key: &Key) {
        let inner = self.terms.key(key.a());
        let (a, b) = (inner.a(), inner.b());
        match inner.op {
            Op::Eq => self.infix(a, " != ", b, Level::Equality),
            Op::Ult => self.infix(a, " >=u ", b, Level::Relation),
            Op::Slt => self.infix(a, " >= ", b, Level::Relation),
            Op::And if key.w() == 1 => match self.disjunction(key.a()) {
                Some((p, q)) => {
                    self.negated(p, Level::OrOr);
                    self.text(" || ");
                    self.negated(q, Level::OrOr);
                }
                None => self.prefix("!", key.a()),
            },
            _ if key.w() == 1 => self.prefix("!", key.a()),
            _ => self.prefix("~", key.a()),
        }
    }

    /// The negation of the boolean `p`, which need not be a term of the pool.
    fn negated(&mut self, p: TermId, outer: Level) {
        let key = self.terms.key(p);
        if key.op == Op::Not {
            return self.term(key.a(), outer);
        }
        let virtual_not = Key::new(Op::Not, 1, &[p]);
        let level = self.level(&virtual_not);
        if level < outer {
            self.text("(");
        }
        self.negation(&virtual_not);
        if level < outer {
            self.text(")");
        }
    }

    fn slice(&mut self, t: TermId, high: u32, low: u32) {
        self.term(t, Level::Primary);
        if high == low {
            self.format(format_args!("[{high}]"));
        } else {
            self.format(format_args!("[{high}:{low}]"));
        }
    }

    fn concat(&mut self, t: TermId, key: &Key) {
        match self.shape(key) {
            Shape::Cast(x) => {
                self.format(format_args!("(u{})", key.w()));
                self.term(x, Level::Unary);
            }
            Shape::Left(x, by) => {
                self.term(x, Level::Shift);
                self.format(format_args!(" << {by}"));
            }
            Shape::Right(x, by) => {
                self.term(x, Level::Shift);
                self.format(format_args!(" >>u {by}"));
            }
            Shape::Masked(x, bits) => {
                self.term(x, Level::And);
                self.format(format_args!(" & {bits:#x}"));
            }
            Shape::Plain => {
                self.text("{");
                for (i, part) in self.parts(t).into_iter().enumerate() {
                    if i > 0 {
                        self.text(", ");
                    }
                    match self.terms.as_const(part) {
                        Some(value) => {
                            let width = self.terms.width(part);
                            self.format(format_args!("{width}'{value:#x}"));
                        }
                        None => self.term(part, Level::Ternary),
                    }
                }
                self.text("}");
            }
        }
    }

    /// The operands of nested concatenations, from the top.
    fn parts(&self, t: TermId) -> Vec<TermId> {
        let mut parts = Vec::new();
        let mut rest = t;
        loop {
            let key = self.terms.key(rest);
            if key.op != Op::Concat {
                parts.push(rest);
                return parts;
            }
            parts.push(key.a());
            rest = key.b();
        }
    }

    /// What a concatenation of zeros and slices of one term means.
    fn shape(&self, key: &Key) -> Shape {
        let w = key.w();
        let mut parts = vec![key.a()];
        parts.extend(self.parts(key.b()));
        let zero = |t: TermId| self.terms.as_const(t) == Some(0);
        // The source and the lowest bit of a part.
        let slice = |t: TermId| {
            let key = self.terms.key(t);
            match key.op {
                Op::Extract => (key.a(), key.low()),
                _ => (t, 0),
            }
        };
        if let [first, last] = parts[..] {
            let (high, low) = (slice(first), slice(last));
            let whole = |x: TermId| self.terms.width(x) == w;
            if zero(last) && whole(high.0) && high.1 == 0 {
                return Shape::Left(high.0, self.terms.width(last));
            }
            if zero(first) && whole(low.0) && low.1 > 0 && low.1 == self.terms.width(first) {
                return Shape::Right(low.0, low.1);
            }
            if zero(first) && !whole(low.0) {
                return Shape::Cast(last);
            }
        }
        let mut source = None;
        let mut bits = 0;
        let mut top = w;
        for part in parts {
            let width = self.terms.width(part);
            let low = top - width;
            top = low;
            if zero(part) {
                continue;
            }
            let (x, at) = slice(part);
            if self.terms.is_const(part) || at != low || source.is_some_and(|s| s != x) {
                return Shape::Plain;
            }
            source = Some(x);
            bits |= mask(width) << low;
        }
        match source {
            Some(x) if self.terms.width(x) == w => Shape::Masked(x, bits),
            _ => Shape::Plain,
        }
    }

    /// `sext(x[w-1:n])` to the width of x: an arithmetic shift.
    fn arithmetic_shift(&self, key: &Key) -> Option<(TermId, u32)> {
        let inner = self.terms.key(key.a());
        let shift = inner.op == Op::Extract && self.terms.width(inner.a()) == key.w() && inner.high() + 1 == key.w();
        shift.then(|| (inner.a(), inner.low()))
    }
}

enum Shape {
    /// Zero extension.
    Cast(TermId),
    Left(TermId, u32),
    Right(TermId, u32),
    Masked(TermId, u128),
    Plain,
}
