//! Floating-point functions of the C library: those of the system's mathematical library, and numbers in text.
//!
//! The library's sources call `__raddle_libm_NAME`, with a place for the error number behind the operands; an intrinsic of
//! LLVM's that stands for a function calls it by its own name, without one.
//! A symbolic operand takes each of its values where they are few, and enters the ledger otherwise. What depends on
//! uninitialised data stays so.

use super::{Model, returns};
use crate::float::{self, Format, Rounded, Shape, libm};
use crate::step::{Call, Flow, StepCx, bits_of, indeterminate, value_of};
use crate::{LossKind, Stop};
use ir::{FloatCast, FloatOp, PointerSize, Ty};
use libm::{Function, Given, Operands};
use memory::{Pointer, Value};

type Done = Result<Flow, Stop>;

macro_rules! functions {
    ($wanted:expr; $($kind:ident: $($name:ident)*;)*) => {
        match $wanted {
            $($(stringify!($name) => |cx, call| native(cx, call, &Function::$kind(libm::$name)),)*)*
            _ => return None,
        }
    };
}

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "__raddle_float" => write,
        "__raddle_number" => read,
        "__raddle_scale" => scale,
        _ => return library(name.strip_prefix("__raddle_libm_").unwrap_or(name)),
    })
}

fn library(name: &str) -> Option<Model> {
    Some(functions! { name;
        One: acos acosf acosh acoshf asin asinf asinh asinhf atan atanf atanh atanhf cbrt cbrtf cos cosf cosh coshf
            erf erff erfc erfcf exp expf exp10 exp10f exp2 exp2f expm1 expm1f j0 j0f j1 j1f log logf log10 log10f
            log1p log1pf log2 log2f logb logbf nextdown nextdownf nextup nextupf sin sinf sinh sinhf tan tanf
            tanh tanhf tgamma tgammaf y0 y0f y1 y1f;
        Two: atan2 atan2f fdim fdimf fmax fmaxf fmin fminf fmod fmodf hypot hypotf nextafter nextafterf pow powf
            remainder remainderf;
        Scaled: ldexp ldexpf scalbn scalbnf;
        Ordered: jn jnf yn ynf;
        Exponent: ilogb ilogbf;
        Signed: lgamma_r lgammaf_r;
        Quotient: remquo remquof;
    })
}

/// `float` or `double`.
trait Native: Copy {
    const TY: Ty;
    fn of(bits: u128) -> Self;
    fn bits(self) -> u128;
}

impl Native for f32 {
    const TY: Ty = Ty::F32;

    fn of(bits: u128) -> Self {
        f32::from_bits(bits as u32)
    }

    fn bits(self) -> u128 {
        u128::from(self.to_bits())
    }
}

impl Native for f64 {
    const TY: Ty = Ty::F64;

    fn of(bits: u128) -> Self {
        f64::from_bits(bits as u64)
    }

    fn bits(self) -> u128 {
        u128::from(self.to_bits())
    }
}

/// The operands of a call, and how many there are; `None` where one depends on uninitialised data.
fn operands<F: Native>(
    cx: &mut StepCx,
    call: &Call,
    function: &Function<F>,
) -> Result<(Option<Operands<F>>, usize), Stop> {
    let ordered = matches!(function, Function::Ordered(_));
    let first = usize::from(ordered);
    let mut floats = [F::of(0); 2];
    let mut known = true;
    for (index, place) in floats.iter_mut().enumerate().take(function.floats()) {
        let value = call.arg(cx, first + index)?;
        match bits_of(cx, value, F::TY)? {
            Some(bits) => *place = F::of(bits),
            None => known = false,
        }
    }
    let mut integer = 0;
    if ordered || matches!(function, Function::Scaled(_)) {
        let at = if ordered { 0 } else { 1 };
        let value = call.arg(cx, at)?;
        match bits_of(cx, value, call.ty(at))? {
            Some(bits) => integer = bits as i32,
            None => known = false,
        }
    }
    let count = function.floats() + usize::from(ordered || matches!(function, Function::Scaled(_)));
    Ok((known.then_some(Operands { floats, integer }), count))
}

/// A call of the system's function. Behind the operands come places for a second result, where there is one, and for the
/// error number, which is 0 where none is set.
fn native<F: Native>(cx: &mut StepCx, call: &Call, function: &Function<F>) -> Done {
    if cx.pointer() == PointerSize::Four {
        let remedy = "a mathematical function, whose results for 32 bits are those of another library";
        return Err(cx.abandon(LossKind::Unsupported, remedy));
    }
    let (operands, mut next) = operands(cx, call, function)?;
    let (given, error) = match operands {
        Some(operands) => {
            let (given, error) = function.call(&operands);
            (Some(given), error)
        }
        None => (None, 0),
    };
    if matches!(function, Function::Signed(_) | Function::Quotient(_)) {
        let second = match given {
            Some(Given::FloatAnd(_, second)) => Value::Int(u64::from(second as u32)),
            _ => indeterminate(cx, 32),
        };
        let at = call.arg(cx, next)?;
        cx.store_at(at, 4, second, None, false)?;
        next += 1;
    }
    if next < call.args.len() {
        let at = call.arg(cx, next)?;
        cx.store_at(at, 4, Value::Int(u64::from(error as u32)), None, false)?;
    }
    let width = F::TY.bits(cx.pointer());
    let value = match given {
        Some(Given::Float(value) | Given::FloatAnd(value, _)) => value_of(cx, value.bits(), width),
        Some(Given::Integer(value)) => Value::Int(u64::from(value as u32)),
        None if matches!(function, Function::Exponent(_)) => indeterminate(cx, 32),
        None => indeterminate(cx, width),
    };
    returns(cx, call, value)
}

/// `long double __raddle_scale(long double x, int exponent)`: `x * 2^exponent`.
fn scale(cx: &mut StepCx, call: &Call) -> Done {
    let (x, exponent) = (call.arg(cx, 0)?, call.arg(cx, 1)?);
    let value = match (bits_of(cx, x, Ty::F80)?, bits_of(cx, exponent, Ty::Int(32))?) {
        (Some(x), Some(exponent)) => value_of(cx, float::compute(FloatOp::Scale, Ty::F80, &[x, exponent]), 80),
        _ => indeterminate(cx, 80),
    };
    returns(cx, call, value)
}

/// `size_t __raddle_float(char *to, long double value, int is_long, int conversion, int flags, int zeros_to, int precision)`:
/// a number as `printf` writes it, without the blanks that fill its field, and how long that is. With a null pointer only
/// the length is asked for. Flags: 1 `#`, 2 `+`, 4 a space.
fn write(cx: &mut StepCx, call: &Call) -> Done {
    let value = call.arg(cx, 1)?;
    let mut numbers = [0u64; 5];
    for (index, number) in numbers.iter_mut().enumerate() {
        *number = call.concrete(cx, 2 + index)?;
    }
    let [is_long, conversion, flags, zeros_to, precision] = numbers;
    let Some(bits) = bits_of(cx, value, Ty::F80)? else {
        return Err(cx.fault(crate::FaultKind::UninitializedRead, "an uninitialised value is printed"));
    };
    let shape = Shape {
        conversion: conversion as u8,
        precision: usize::try_from(precision as i32).ok(),
        alternate: flags & 1 != 0,
        plus: flags & 2 != 0,
        space: flags & 4 != 0,
        zeros_to: zeros_to as usize,
    };
    let text = match is_long {
        0 => float::format(Ty::F64, float::convert(FloatCast::Resize, Ty::F80, Ty::F64, bits), &shape),
        _ => float::format(Ty::F80, bits, &shape),
    };
    let to = call.arg(cx, 0)?;
    if to != Value::NULL {
        let at = cx.locate_exactly(to, text.len() as u64, None)?;
        for (index, byte) in text.bytes().enumerate() {
            cx.write(at.plus(index as i64), 1, Value::Int(u64::from(byte)))?;
        }
    }
    returns(cx, call, Value::Int(text.len() as u64))
}

/// The characters of a number, which the library has just read. Without a check, and no access: it is the same reading.
fn characters(cx: &mut StepCx, at: Pointer, count: u64) -> Result<Vec<u8>, Stop> {
    let mut text = Vec::new();
    for index in 0..count as i64 {
        let byte = cx.read(at.plus(index), 1)?;
        text.push(cx.concrete(byte, Ty::Int(8))? as u8);
    }
    Ok(text)
}

/// `long double __raddle_number(const char *from, size_t count, int format, int *error)`: the number without a sign in
/// `count` characters, rounded to a `float` (0), `double` (1) or `long double` (2); an error number or 0.
fn read(cx: &mut StepCx, call: &Call) -> Done {
    const ERANGE: u64 = 34;
    let (count, format) = (call.concrete(cx, 1)?, call.concrete(cx, 2)?);
    let from = call.arg(cx, 0)?;
    let at = cx.locate_exactly(from, count, None)?;
    let text = characters(cx, at, count)?;
    let format = match format {
        0 => Format::SINGLE,
        1 => Format::DOUBLE,
        _ => Format::EXTENDED,
    };
    let number = float::read(&text, format);
    let bits = match number.value {
        Rounded::Infinite => float::convert(FloatCast::Resize, Ty::F64, Ty::F80, u128::from(f64::INFINITY.to_bits())),
        Rounded::Finite { significand, exponent } => {
            let whole = float::convert(FloatCast::FromUnsigned, Ty::Int(64), Ty::F80, u128::from(significand));
            float::compute(FloatOp::Scale, Ty::F80, &[whole, u128::from(exponent as u32)])
        }
    };
    let error = call.arg(cx, 3)?;
    cx.store_at(error, 4, Value::Int(if number.out_of_range { ERANGE } else { 0 }), None, false)?;
    let value = value_of(cx, bits, 80);
    returns(cx, call, value)
}
