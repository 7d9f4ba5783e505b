//! Terms as integers of a script.

use rustc_hash::FxHashMap;
use std::rc::Rc;

use super::Question;
use super::number::{Number, bounded, literal, range};
use crate::pool::Terms;
use crate::semantics::signed;
use crate::term::{Key, Op, TermId};

const TRUE: &str = "true";
const FALSE: &str = "false";

/// Wider words are not computed with.
const WIDEST: u32 = 96;

#[derive(Clone)]
enum Form {
    /// A name, or `true` or `false`.
    Truth(Rc<str>),
    /// Equal to the value modulo 2^width.
    Number(Number),
    /// A word that is too wide, or an array: what contains it is not translated either.
    Nothing,
}

pub(super) struct Writer<'a> {
    terms: &'a Terms,
    bounds: FxHashMap<TermId, (i128, i128)>,
    script: String,
    forms: FxHashMap<TermId, Form>,
    /// Values as signed and as unsigned words.
    readings: FxHashMap<(TermId, bool), Number>,
    /// Quotients and remainders of what was divided by what, rounded down.
    divided: FxHashMap<(Rc<str>, i128), (Number, Number)>,
    /// Numbers without their sign.
    sizes: FxHashMap<Rc<str>, Number>,
    variables: Vec<(TermId, String)>,
    names: u32,
    exact: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(terms: &'a Terms, bounds: FxHashMap<TermId, (i128, i128)>) -> Writer<'a> {
        Writer {
            terms,
            bounds,
            script: String::new(),
            forms: FxHashMap::default(),
            readings: FxHashMap::default(),
            divided: FxHashMap::default(),
            sizes: FxHashMap::default(),
            variables: Vec::new(),
            names: 0,
            exact: true,
        }
    }

    pub(super) fn finish(self) -> Question {
        Question { script: self.script, variables: self.variables, exact: self.exact }
    }

    pub(super) fn assert(&mut self, assertion: TermId) {
        self.translate(assertion);
        let truth = self.truth(assertion);
        self.line(&format!("(assert {truth})"));
    }

    fn line(&mut self, text: &str) {
        self.script.push_str(text);
        self.script.push('\n');
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("n{}", self.names)
    }

    /// A variable within bounds.
    fn unknown(&mut self, low: i128, high: i128) -> Number {
        let name = self.name();
        self.line(&format!("(declare-const {name} Int)"));
        self.line(&format!("(assert (<= {} {name} {}))", literal(low), literal(high)));
        Number { text: name.into(), low, high }
    }

    /// An integer term, named; none where its bounds are too far.
    fn define(&mut self, text: &str, bounds: Option<(i128, i128)>) -> Option<Number> {
        let (low, high) = bounds?;
        if low == high {
            return Some(Number::literal(low));
        }
        let name = self.name();
        self.line(&format!("(define-fun {name} () Int {text})"));
        Some(Number { text: name.into(), low, high })
    }

    fn define_truth(&mut self, text: &str) -> Rc<str> {
        let name = self.name();
        self.line(&format!("(define-fun {name} () Bool {text})"));
        name.into()
    }

    /// Translates `t` and all it contains. Iterative, so deep terms do not exhaust the stack.
    fn translate(&mut self, t: TermId) {
        let mut work = vec![t];
        while let Some(&top) = work.last() {
            if self.forms.contains_key(&top) {
                work.pop();
                continue;
            }
            let pending = work.len();
            if !self.terms.key(top).op.is_array() && self.terms.op(top) != Op::Select {
                work.extend(self.terms.args(top).filter(|arg| !self.forms.contains_key(arg)));
            }
            if work.len() == pending {
                work.pop();
                let form = self.build(top);
                self.forms.insert(top, form);
            }
        }
    }

    fn build(&mut self, t: TermId) -> Form {
        let key = self.terms.key(t);
        if key.w() > WIDEST || key.op.is_array() {
            return self.opaque(t);
        }
        match if key.w() == 1 { self.build_truth(&key) } else { self.build_number(t, &key).map(Form::Number) } {
            Some(form) => form,
            None => self.opaque(t),
        }
    }

    /// A variable in place of what is not translated, if words of its width are.
    fn opaque(&mut self, t: TermId) -> Form {
        self.exact = false;
        let width = self.terms.width(t);
        if width == 1 {
            let name = self.name();
            self.line(&format!("(declare-const {name} Bool)"));
            return Form::Truth(name.into());
        }
        if width > WIDEST || self.terms.key(t).op.is_array() {
            return Form::Nothing;
        }
        let facts = self.terms.facts(t);
        Form::Number(self.unknown(facts.lo.cast_signed(), facts.hi.cast_signed()))
    }

    fn truth(&mut self, t: TermId) -> Rc<str> {
        match &self.forms[&t] {
            Form::Truth(text) => Rc::clone(text),
            Form::Number(number) => format!("(= {} 1)", number.text).into(),
            Form::Nothing => unreachable!("a single bit is not too wide"),
        }
    }

    fn number(&mut self, t: TermId) -> Option<Number> {
        Some(match self.forms[&t].clone() {
            Form::Number(number) => number,
            Form::Truth(text) => match &*text {
                TRUE => Number::literal(1),
                FALSE => Number::literal(0),
                text => Number { text: format!("(ite {text} 1 0)").into(), low: 0, high: 1 },
            },
            Form::Nothing => return None,
        })
    }

    /// The value of a word, signed or unsigned: what was computed, less a multiple of 2^width.
    fn reading(&mut self, t: TermId, is_signed: bool) -> Option<Number> {
        if let Some(known) = self.readings.get(&(t, is_signed)) {
            return Some(known.clone());
        }
        let number = self.number(t)?;
        let width = self.terms.width(t);
        let (least, most) = range(width, is_signed);
        let whole = 1i128 << width;
        let (first, last) = ((number.low - least).div_euclid(whole), (number.high - least).div_euclid(whole));
        let found = if first == 0 && last == 0 {
            number
        } else if first == last {
            let by = first.checked_mul(whole)?;
            let bounds = bounded(number.low.checked_sub(by), number.high.checked_sub(by));
            self.define(&format!("(- {} {})", number.text, literal(by)), bounds)?
        } else {
            let times = self.unknown(first, last);
            let text = format!("(- {} (* {whole} {}))", number.text, times.text);
            let value = self.define(&text, Some((least, most)))?;
            self.line(&format!("(assert (<= {} {} {}))", literal(least), value.text, literal(most)));
            value
        };
        self.readings.insert((t, is_signed), found.clone());
        Some(found)
    }

    fn build_truth(&mut self, key: &Key) -> Option<Form> {
        let (a, b) = (key.a(), key.b());
        let text: Rc<str> = match key.op {
            Op::Const => if key.value() == Some(1) { TRUE } else { FALSE }.into(),
            Op::Var => return self.variable(key),
            Op::Not => {
                let a = self.truth(a);
                self.not(&a)
            }
            Op::And | Op::Or | Op::Xor => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.connected(key.op, &a, &b)
            }
            Op::Ite => {
                let (a, b, c) = (self.truth(a), self.truth(b), self.truth(key.c()));
                match &*a {
                    TRUE => b,
                    FALSE => c,
                    _ => self.define_truth(&format!("(ite {a} {b} {c})")),
                }
            }
            Op::Eq if self.terms.width(a) == 1 => {
                let (a, b) = (self.truth(a), self.truth(b));
                let differ = self.connected(Op::Xor, &a, &b);
                self.not(&differ)
            }
            Op::Eq | Op::Ult | Op::Slt => {
                // Equal words are equal in either reading.
                let unsigned = |n: &Number, width| n.within(0, range(width, false).1);
                let width = self.terms.width(a);
                let is_signed = match key.op {
                    Op::Eq => !(unsigned(&self.number(a)?, width) && unsigned(&self.number(b)?, width)),
                    op => op == Op::Slt,
                };
                let (a, b) = (self.reading(a, is_signed)?, self.reading(b, is_signed)?);
                if key.op == Op::Eq { self.equal(&a, &b) } else { self.less(&a, &b) }
            }
            Op::Extract if key.low() + 1 == self.terms.width(a) => {
                let a = self.reading(a, true)?;
                self.less(&a, &Number::literal(0))
            }
            Op::Extract => {
                let bit = self.field(key)?;
                self.equal(&bit, &Number::literal(1))
            }
            _ => return None,
        };
        Some(Form::Truth(text))
    }

    fn less(&mut self, a: &Number, b: &Number) -> Rc<str> {
        match () {
            () if a.high < b.low => TRUE.into(),
            () if a.low >= b.high => FALSE.into(),
            () => self.define_truth(&format!("(< {} {})", a.text, b.text)),
        }
    }

    fn equal(&mut self, a: &Number, b: &Number) -> Rc<str> {
        match () {
            () if a.high < b.low || b.high < a.low => FALSE.into(),
            () if a.value().is_some() && a.value() == b.value() => TRUE.into(),
            () => self.define_truth(&format!("(= {} {})", a.text, b.text)),
        }
    }

    fn not(&mut self, a: &str) -> Rc<str> {
        match a {
            TRUE => FALSE.into(),
            FALSE => TRUE.into(),
            _ => self.define_truth(&format!("(not {a})")),
        }
    }

    fn connected(&mut self, op: Op, a: &Rc<str>, b: &Rc<str>) -> Rc<str> {
        match (op, &**a, &**b) {
            (Op::And, FALSE, _) | (Op::And, _, FALSE) => FALSE.into(),
            (Op::Or, TRUE, _) | (Op::Or, _, TRUE) => TRUE.into(),
            (Op::And, TRUE, _) | (Op::Or | Op::Xor, FALSE, _) => Rc::clone(b),
            (Op::And, _, TRUE) | (Op::Or | Op::Xor, _, FALSE) => Rc::clone(a),
            (Op::Xor, TRUE, other) | (Op::Xor, other, TRUE) => self.not(other),
            (Op::And, ..) => self.define_truth(&format!("(and {a} {b})")),
            (Op::Or, ..) => self.define_truth(&format!("(or {a} {b})")),
            _ => self.define_truth(&format!("(xor {a} {b})")),
        }
    }

    /// One of two numbers.
    fn chosen(&mut self, when: &str, then: &Number, other: &Number) -> Option<Number> {
        match when {
            TRUE => Some(then.clone()),
            FALSE => Some(other.clone()),
            _ => {
                let bounds = bounded(Some(then.low.min(other.low)), Some(then.high.max(other.high)));
                self.define(&format!("(ite {when} {} {})", then.text, other.text), bounds)
            }
        }
    }

    fn variable(&mut self, key: &Key) -> Option<Form> {
        let t = self.terms.variable(key.args[0]).term;
        if key.w() == 1 {
            // Its value is asked for as an integer.
            let bit = self.unknown(0, 1);
            self.variables.push((t, bit.text.to_string()));
            return Some(Form::Truth(format!("(= {} 1)", bit.text).into()));
        }
        let (low, high) = self.bounds.get(&t).copied().unwrap_or_else(|| range(key.w(), false));
        let number = self.unknown(low, high);
        self.variables.push((t, number.text.to_string()));
        Some(Form::Number(number))
    }

    fn build_number(&mut self, t: TermId, key: &Key) -> Option<Number> {
        let (a, b) = (key.a(), key.b());
        let of_b = if key.op.arity() == 2 { self.terms.as_const(b) } else { None };
        match key.op {
            // The smaller of the two readings: factors are small then.
            Op::Const => Some(Number::literal(signed(key.value()?, key.w()))),
            Op::Var => match self.variable(key)? {
                Form::Number(number) => Some(number),
                Form::Truth(_) | Form::Nothing => None,
            },
            Op::Not => {
                let a = self.number(a)?;
                self.define(&format!("(- (- 1) {})", a.text), bounded(Some(-1 - a.high), Some(-1 - a.low)))
            }
            Op::Neg => {
                let a = self.number(a)?;
                self.define(&format!("(- {})", a.text), bounded(Some(-a.high), Some(-a.low)))
            }
            Op::Add => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                let bounds = bounded(a.low.checked_add(b.low), a.high.checked_add(b.high));
                self.define(&format!("(+ {} {})", a.text, b.text), bounds)
            }
            Op::Mul => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                let (factor, other) = if let Some(value) = b.value() { (value, a) } else { (a.value()?, b) };
                self.multiplied(&other, factor)
            }
            Op::Shl => {
                let by = of_b.filter(|&by| by < u128::from(key.w()))?;
                let a = self.number(a)?;
                self.multiplied(&a, 1 << by)
            }
            Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem => {
                let is_signed = matches!(key.op, Op::Sdiv | Op::Srem);
                let divisor = if is_signed { signed(of_b?, key.w()) } else { of_b?.cast_signed() };
                let a = self.reading(a, is_signed)?;
                let (quotient, rest) = self.truncated(&a, divisor)?;
                Some(if matches!(key.op, Op::Udiv | Op::Sdiv) { quotient } else { rest })
            }
            Op::Lshr | Op::Ashr => {
                let by = of_b.filter(|&by| by < u128::from(key.w()))?;
                let a = self.reading(a, key.op == Op::Ashr)?;
                self.floored(&a, 1 << by).map(|(quotient, _)| quotient)
            }
            Op::And | Op::Or | Op::Xor => self.bitwise(key, of_b),
            Op::Concat => {
                let (high, low) = (self.number(a)?, self.reading(b, false)?);
                let high = self.multiplied(&high, 1 << self.terms.width(b))?;
                let bounds = bounded(high.low.checked_add(low.low), high.high.checked_add(low.high));
                self.define(&format!("(+ {} {})", high.text, low.text), bounds)
            }
            Op::Extract => self.field(key),
            Op::Sext => self.reading(a, true),
            Op::Ite => {
                let (when, then, other) = (self.truth(a), self.number(b)?, self.number(key.c())?);
                self.chosen(&when, &then, &other)
            }
            _ => None,
        }
        .map(|number| self.narrowed(t, number))
    }

    /// With what is known of the term whatever the variables, where that says more.
    fn narrowed(&self, t: TermId, number: Number) -> Number {
        let facts = self.terms.facts(t);
        let (low, high) = (facts.lo.cast_signed(), facts.hi.cast_signed());
        // Only where the number is the unsigned value itself.
        if number.within(0, range(self.terms.width(t), false).1) && low <= high {
            return Number { low: number.low.max(low), high: number.high.min(high), ..number };
        }
        number
    }

    fn multiplied(&mut self, number: &Number, factor: i128) -> Option<Number> {
        let ends = (number.low.checked_mul(factor), number.high.checked_mul(factor));
        let bounds = if factor < 0 { bounded(ends.1, ends.0) } else { bounded(ends.0, ends.1) };
        self.define(&format!("(* {} {})", literal(factor), number.text), bounds)
    }

    /// Bits that are cut out: what is above them does not matter, nor by which multiple of 2^width a number is off.
    fn field(&mut self, key: &Key) -> Option<Number> {
        let a = self.number(key.a())?;
        let shifted = if key.low() == 0 { a } else { self.floored(&a, 1 << key.low())?.0 };
        if key.w() == 1 { self.floored(&shifted, 2).map(|(_, bit)| bit) } else { Some(shifted) }
    }

    fn bitwise(&mut self, key: &Key, of_b: Option<u128>) -> Option<Number> {
        let (a, b) = (self.number(key.a())?, self.number(key.b())?);
        if a.is_bit() && b.is_bit() {
            let one = Number::literal(1);
            let (a, b) = (self.equal(&a, &one), self.equal(&b, &one));
            let truth = self.connected(key.op, &a, &b);
            return self.chosen(&truth, &one, &Number::literal(0));
        }
        let mask = of_b.filter(|_| key.op == Op::And)?;
        let (ones, zeros) = (mask.trailing_ones(), mask.trailing_zeros());
        if mask == (1u128 << ones) - 1 {
            return self.floored(&a, 1 << ones).map(|(_, rest)| rest);
        }
        // All but the lowest bits.
        if mask >> zeros == (1u128 << (key.w() - zeros)) - 1 {
            let (quotient, _) = self.floored(&a, 1 << zeros)?;
            return self.multiplied(&quotient, 1 << zeros);
        }
        None
    }

    /// Quotient and remainder by a positive number, rounded down.
    fn floored(&mut self, number: &Number, divisor: i128) -> Option<(Number, Number)> {
        let (first, last) = (number.low.div_euclid(divisor), number.high.div_euclid(divisor));
        if first == 0 && last == 0 {
            return Some((Number::literal(0), number.clone()));
        }
        let at = (Rc::clone(&number.text), divisor);
        if let Some(known) = self.divided.get(&at) {
            return Some(known.clone());
        }
        let quotient = if first == last { Number::literal(first) } else { self.unknown(first, last) };
        let text = format!("(- {} (* {divisor} {}))", number.text, quotient.text);
        let bounds = if first == last {
            (number.low - first * divisor, number.high - first * divisor)
        } else {
            (0, divisor - 1)
        };
        let rest = self.define(&text, Some(bounds))?;
        self.line(&format!("(assert (<= 0 {} {}))", rest.text, divisor - 1));
        self.divided.insert(at, (quotient.clone(), rest.clone()));
        Some((quotient, rest))
    }

    /// Quotient and remainder, rounded towards zero (LangRef `sdiv`, `udiv`).
    fn truncated(&mut self, number: &Number, divisor: i128) -> Option<(Number, Number)> {
        if divisor == 0 {
            return None;
        }
        let size = divisor.checked_abs()?;
        let (quotient, rest) = if number.low >= 0 {
            self.floored(number, size)?
        } else {
            // The quotient of the sizes, with the sign.
            let absolute = self.absolute(number)?;
            let (quotient, rest) = self.floored(&absolute, size)?;
            (self.signed_as(&quotient, number)?, self.signed_as(&rest, number)?)
        };
        let quotient = if divisor < 0 { self.multiplied(&quotient, -1)? } else { quotient };
        Some((quotient, rest))
    }

    fn absolute(&mut self, number: &Number) -> Option<Number> {
        if let Some(known) = self.sizes.get(&number.text) {
            return Some(known.clone());
        }
        let size = self.signed_as(number, number)?;
        let size = Number { low: size.low.max(0), ..size };
        self.sizes.insert(Rc::clone(&number.text), size.clone());
        Some(size)
    }

    /// A number with its sign changed where another is negative.
    fn signed_as(&mut self, number: &Number, like: &Number) -> Option<Number> {
        let changed = self.define(&format!("(- {})", number.text), bounded(Some(-number.high), Some(-number.low)))?;
        let negative = self.less(like, &Number::literal(0));
        self.chosen(&negative, &changed, number)
    }
}

impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.script)
    }
}
