//! The mathematical library of the system that raddle runs on.
//!
//! C11 leaves the accuracy of most of these functions to the implementation (5.2.4.2.2p6), so a program's results are those
//! of the library it is linked with. Calling that library is the one way to get them bit by bit, with the error number
//! that it sets.
//!
//! Guarantee: results and error numbers are those of this machine's C library, called in the default environment.
//! Owes: nothing for `long double`, which Rust can neither hold nor pass.

use errno::{Errno, errno, set_errno};

macro_rules! declared {
    ($($(#[$attribute:meta])* $name:ident: fn($($arg:ty),*) -> $result:ty;)*) => {
        #[link(name = "m")]
        // SAFETY: the signatures are those of <math.h> (C11 7.12, POSIX, GNU); the functions read their operands and write
        // `errno` and what a `&mut` leads to.
        unsafe extern "C" {
            $($(#[$attribute])* pub(crate) safe fn $name($(_: $arg),*) -> $result;)*
        }
    };
}

/// Functions that Rust's run-time library has, too, with other last bits and without error numbers. The version of the symbol
/// says which are meant.
macro_rules! versioned {
    ($($name:ident $symbol:literal: fn($($arg:ty),*) -> $result:ty;)*) => {
        declared! {
            $(#[cfg_attr(all(target_arch = "x86_64", target_env = "gnu"), link_name = $symbol)]
              $name: fn($($arg),*) -> $result;)*
        }
    };
}

versioned! {
    cbrt "cbrt@GLIBC_2.2.5": fn(f64) -> f64;
    cbrtf "cbrtf@GLIBC_2.2.5": fn(f32) -> f32;
    fdim "fdim@GLIBC_2.2.5": fn(f64, f64) -> f64;
    fdimf "fdimf@GLIBC_2.2.5": fn(f32, f32) -> f32;
    fmax "fmax@GLIBC_2.2.5": fn(f64, f64) -> f64;
    fmaxf "fmaxf@GLIBC_2.2.5": fn(f32, f32) -> f32;
    fmin "fmin@GLIBC_2.2.5": fn(f64, f64) -> f64;
    fminf "fminf@GLIBC_2.2.5": fn(f32, f32) -> f32;
    fmod "fmod@GLIBC_2.2.5": fn(f64, f64) -> f64;
    fmodf "fmodf@GLIBC_2.2.5": fn(f32, f32) -> f32;
}

macro_rules! both {
    ($($double:ident $single:ident: fn($($arg:ident),*) -> $result:ident;)*) => {
        declared! {
            $($double: fn($(both!(@double $arg)),*) -> both!(@double $result);
              $single: fn($(both!(@single $arg)),*) -> both!(@single $result);)*
        }
    };
    (@double Real) => { f64 };
    (@single Real) => { f32 };
    (@double Int) => { i32 };
    (@single Int) => { i32 };
    (@double Out) => { &mut i32 };
    (@single Out) => { &mut i32 };
}

both! {
    acos acosf: fn(Real) -> Real;
    acosh acoshf: fn(Real) -> Real;
    asin asinf: fn(Real) -> Real;
    asinh asinhf: fn(Real) -> Real;
    atan atanf: fn(Real) -> Real;
    atanh atanhf: fn(Real) -> Real;
    cos cosf: fn(Real) -> Real;
    cosh coshf: fn(Real) -> Real;
    erf erff: fn(Real) -> Real;
    erfc erfcf: fn(Real) -> Real;
    exp expf: fn(Real) -> Real;
    exp10 exp10f: fn(Real) -> Real;
    exp2 exp2f: fn(Real) -> Real;
    expm1 expm1f: fn(Real) -> Real;
    j0 j0f: fn(Real) -> Real;
    j1 j1f: fn(Real) -> Real;
    log logf: fn(Real) -> Real;
    log10 log10f: fn(Real) -> Real;
    log1p log1pf: fn(Real) -> Real;
    log2 log2f: fn(Real) -> Real;
    logb logbf: fn(Real) -> Real;
    nextdown nextdownf: fn(Real) -> Real;
    nextup nextupf: fn(Real) -> Real;
    sin sinf: fn(Real) -> Real;
    sinh sinhf: fn(Real) -> Real;
    tan tanf: fn(Real) -> Real;
    tanh tanhf: fn(Real) -> Real;
    tgamma tgammaf: fn(Real) -> Real;
    y0 y0f: fn(Real) -> Real;
    y1 y1f: fn(Real) -> Real;
    atan2 atan2f: fn(Real, Real) -> Real;
    hypot hypotf: fn(Real, Real) -> Real;
    nextafter nextafterf: fn(Real, Real) -> Real;
    pow powf: fn(Real, Real) -> Real;
    remainder remainderf: fn(Real, Real) -> Real;
    ldexp ldexpf: fn(Real, Int) -> Real;
    scalbn scalbnf: fn(Real, Int) -> Real;
    jn jnf: fn(Int, Real) -> Real;
    yn ynf: fn(Int, Real) -> Real;
    ilogb ilogbf: fn(Real) -> Int;
    lgamma_r lgammaf_r: fn(Real, Out) -> Real;
    remquo remquof: fn(Real, Real, Out) -> Real;
}

/// A function, by what it takes and gives.
pub(crate) enum Function<F> {
    One(extern "C" fn(F) -> F),
    Two(extern "C" fn(F, F) -> F),
    Scaled(extern "C" fn(F, i32) -> F),
    Ordered(extern "C" fn(i32, F) -> F),
    Exponent(extern "C" fn(F) -> i32),
    /// Besides, the sign.
    Signed(extern "C" fn(F, &mut i32) -> F),
    /// Besides, the quotient's low bits.
    Quotient(extern "C" fn(F, F, &mut i32) -> F),
}

/// What a function is called with.
pub(crate) struct Operands<F> {
    pub(crate) floats: [F; 2],
    pub(crate) integer: i32,
}

/// What it gives.
pub(crate) enum Given<F> {
    Float(F),
    Integer(i32),
    FloatAnd(F, i32),
}

impl<F: Copy> Function<F> {
    /// How many floating-point operands there are.
    pub(crate) fn floats(&self) -> usize {
        if matches!(self, Function::Two(_) | Function::Quotient(_)) { 2 } else { 1 }
    }

    /// Calls it. Besides, the error number that it sets; 0: none.
    pub(crate) fn call(&self, operands: &Operands<F>) -> (Given<F>, i32) {
        let &Operands { floats: [a, b], integer } = operands;
        set_errno(Errno(0));
        let mut second = 0;
        let given = match self {
            Function::One(f) => Given::Float(f(a)),
            Function::Two(f) => Given::Float(f(a, b)),
            Function::Scaled(f) => Given::Float(f(a, integer)),
            Function::Ordered(f) => Given::Float(f(integer, a)),
            Function::Exponent(f) => Given::Integer(f(a)),
            Function::Signed(f) => {
                let value = f(a, &mut second);
                Given::FloatAnd(value, second)
            }
            Function::Quotient(f) => {
                let value = f(a, b, &mut second);
                Given::FloatAnd(value, second)
            }
        };
        (given, errno().0)
    }
}
