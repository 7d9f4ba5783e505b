//! Random programs that call the C library with floating-point numbers and print what each call gives, bit by bit, with
//! `errno`: to be run natively and by raddle.

use crate::rng::Rng;
use std::fmt::Write as _;

const UNARY: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp10", "exp2",
    "expm1", "j0", "j1", "lgamma", "log", "log10", "log1p", "log2", "sin", "sinh", "tan", "tanh", "tgamma", "y0", "y1",
];
/// There is one for `long double`, too.
const EXACT: &[&str] = &["ceil", "fabs", "floor", "logb", "nearbyint", "rint", "round", "roundeven", "sqrt", "trunc"];
const BINARY: &[&str] = &["atan2", "hypot", "pow", "remainder", "fdim", "fmod", "nextafter"];
const EXACT_BINARY: &[&str] = &["copysign", "fdim", "fmax", "fmin", "fmod", "nextafter", "remainder"];
const INTEGER: &[&str] = &["ilogb", "llogb", "lrint", "llrint", "lround", "llround", "isinf"];
/// True or false, whichever number says so.
const CLASSES: &[&str] = &["__signbit", "__isnan", "__finite", "isnan", "finite"];
const SCALED: &[&str] = &["ldexp", "scalbn", "scalbln"];

const PRELUDE: &str = r#"#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int isnanf(float), isinff(float), finitef(float), isnanl(long double), isinfl(long double), finitel(long double);
/* Of several NaNs, which one comes out is up to the order in which the compiler has the operands. */
#define ANY(x) ((x) != (x) ? NAN : (x))
static void shown(const char *what, const void *at, int size)
{
    printf("%s", what);
    for (int i = size; i-- > 0;)
        printf(" %02x", ((const unsigned char *)at)[i]);
    printf(" %d\n", errno);
    errno = 0;
}
static double d(unsigned long bits) { double x; memcpy(&x, &bits, 8); return x; }
static float f(unsigned bits) { float x; memcpy(&x, &bits, 4); return x; }
static long double l(unsigned short head, unsigned long bits)
{
    long double x = 0;
    memcpy(&x, &bits, 8);
    memcpy((char *)&x + 8, &head, 2);
    return x;
}
static void D(const char *what, double x) { shown(what, &x, 8); }
static void F(const char *what, float x) { shown(what, &x, 4); }
static void L(const char *what, long double x) { shown(what, &x, 10); }
static void I(const char *what, long x) { shown(what, &x, 8); }
"#;

/// A type of numbers, by the suffix of its functions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Double,
    Float,
    Long,
}

impl Kind {
    fn suffix(self) -> &'static str {
        match self {
            Kind::Double => "",
            Kind::Float => "f",
            Kind::Long => "l",
        }
    }

    fn shows(self) -> char {
        match self {
            Kind::Double => 'D',
            Kind::Float => 'F',
            Kind::Long => 'L',
        }
    }
}

/// A program without input.
pub fn generate(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text = PRELUDE.to_owned();
    let _ = writeln!(text, "int main(void)\n{{\n    errno = 0;");
    for number in 0..150 {
        match rng.below(10) {
            0..=4 => call(&mut rng, &mut text, number),
            5 => parts(&mut rng, &mut text, number),
            6 | 7 => printed(&mut rng, &mut text, number),
            _ => read(&mut rng, &mut text, number),
        }
    }
    text + "    return 0;\n}\n"
}

/// A number as an expression that makes it of its bits.
fn number(rng: &mut Rng, kind: Kind) -> String {
    let (significand_bits, exponent_bits) = match kind {
        Kind::Double => (52, 11),
        Kind::Float => (23, 8),
        Kind::Long => (63, 15),
    };
    let bias = (1i64 << (exponent_bits - 1)) - 1;
    let exponent = match rng.below(12) {
        0 => 0,
        1 => 2 * bias + 1,
        2 => rng.between(1, 2 * bias),
        3 => rng.between(1, significand_bits),
        4 => rng.between(2 * bias - 3, 2 * bias),
        5 => bias + significand_bits + rng.between(-2, 2),
        6..=8 => bias + rng.between(-4, 4),
        _ => bias + rng.between(-30, 70),
    };
    let whole = (1u64 << significand_bits) - 1;
    let significand = match rng.below(6) {
        0 => 0,
        1 => 1,
        2 => whole,
        3 => (rng.next_u64() & 7) << (significand_bits - 3),
        _ => rng.next_u64() & whole,
    };
    // Signalling NaNs are beyond what C says of these functions.
    let significand =
        if exponent == 2 * bias + 1 && significand != 0 { 1 << (significand_bits - 1) } else { significand };
    let sign = u64::from(rng.chance(40));
    let head = (sign << exponent_bits) | exponent as u64;
    match kind {
        Kind::Double => format!("d({:#x})", head << 52 | significand),
        Kind::Float => format!("f({:#x})", head << 23 | significand),
        Kind::Long => format!("l({head:#x}, {:#x})", u64::from(exponent != 0) << 63 | significand),
    }
}

/// A call with one result.
fn call(rng: &mut Rng, text: &mut String, index: usize) {
    let kind = rng.pick(&[Kind::Double, Kind::Double, Kind::Float, Kind::Long]);
    let (suffix, shows) = (kind.suffix(), kind.shows());
    let (x, y, z) = (number(rng, kind), number(rng, kind), number(rng, kind));
    let n = rng.pick(&[0, 1, -1, 5, -60, 1000, -1080, 17000, -17000, i64::from(i32::MAX), i64::from(i32::MIN)]);
    let (shows, expression) = match rng.below(16) {
        0..=5 if kind != Kind::Long => (shows, format!("{}{suffix}({x})", rng.pick(UNARY))),
        6 | 7 if kind != Kind::Long => (shows, format!("{}{suffix}({x}, {y})", rng.pick(BINARY))),
        0 | 1 | 8 => (shows, format!("{}{suffix}({x})", rng.pick(EXACT))),
        2 | 3 | 9 => (shows, format!("{}{suffix}({x}, {y})", rng.pick(EXACT_BINARY))),
        4 | 10 => ('I', format!("{}{suffix}({x})", rng.pick(INTEGER))),
        11 if rng.chance(50) => ('I', format!("{}{suffix}({x})", rng.pick(&["__fpclassify", "__isinf"]))),
        11 => ('I', format!("{}{suffix}({x}) != 0", rng.pick(CLASSES))),
        5 | 12 => (shows, format!("{}{suffix}({x}, {n})", rng.pick(SCALED))),
        6 | 13 => (shows, format!("ANY(fma{suffix}({x}, {y}, {z}))")),
        7 | 14 => {
            let towards = number(rng, Kind::Long);
            (shows, format!("nexttoward{suffix}({x}, {towards})"))
        }
        _ => ('I', format!("isless({x}, {y}) + 2 * isfinite({x}) + 4 * (signbit({y}) != 0) + 8 * fpclassify({z})")),
    };
    let _ = writeln!(text, "    {shows}(\"{index} {}\", {expression});", expression.replace('"', "'"));
}

/// A call with two results.
fn parts(rng: &mut Rng, text: &mut String, index: usize) {
    let kind = rng.pick(&[Kind::Double, Kind::Float, Kind::Long]);
    let (suffix, shows) = (kind.suffix(), kind.shows());
    let ty = ["double", "float", "long double"][kind as usize];
    let (x, y) = (number(rng, kind), number(rng, kind));
    let _ = match rng.below(4) {
        // Of what is no finite number the exponent is unspecified.
        0 => writeln!(
            text,
            "    {{ int n; {ty} x = {x}; {shows}(\"{index} frexp{suffix}\", frexp{suffix}(x, &n)); if (isfinite(x)) I(\"\", n); }}"
        ),
        1 if kind != Kind::Long => writeln!(
            text,
            "    {{ int n = 0; {shows}(\"{index} remquo{suffix}\", remquo{suffix}({x}, {y}, &n)); I(\"\", n & 7); }}"
        ),
        2 if kind != Kind::Long => writeln!(
            text,
            "    {{ {ty} s, c; sincos{suffix}({x}, &s, &c); {shows}(\"{index} sincos{suffix}\", s); {shows}(\"\", c); }}"
        ),
        _ => writeln!(
            text,
            "    {{ {ty} w; {shows}(\"{index} modf{suffix} {x}\", modf{suffix}({x}, &w)); {shows}(\"\", w); }}"
        ),
    };
}

/// A number printed into memory and to standard output.
fn printed(rng: &mut Rng, text: &mut String, index: usize) {
    let long = rng.chance(30);
    let value = number(rng, if long { Kind::Long } else { Kind::Double });
    let mut format = "%".to_owned();
    for flag in "-+ 0#'".chars() {
        if rng.chance(20) {
            format.push(flag);
        }
    }
    if rng.chance(40) {
        let _ = write!(format, "{}", rng.between(1, 40));
    }
    if rng.chance(60) {
        let _ = write!(format, ".{}", rng.pick(&[0, 1, 2, 3, 5, 9, 13, 14, 15, 17, 20, 30, 60, 340]));
    }
    if long {
        format.push('L');
    }
    format.push(rng.pick(b"fegaFEGAfeg").into());
    let _ = writeln!(
        text,
        "    {{ static char t[6000]; int n = snprintf(t, sizeof t, \"{format}\", {value}); printf(\"{index} [%s] %d\\n\", t, n); n = printf(\"{format}\", {value}); printf(\" %d\\n\", n); }}"
    );
}

/// A text that is a number, or nearly so.
fn spelling(rng: &mut Rng) -> String {
    let mut text = rng.pick(&["", "", "", " ", "+", "-", "\\t-"]).to_owned();
    let hexadecimal = rng.chance(25);
    match rng.below(20) {
        0 => {
            text += rng.pick(&[
                "inf",
                "INFINITY",
                "infinit",
                "in",
                "nan",
                "nan(12)",
                "nan(0x1f)",
                "nan(-)",
                "nan(",
                "NaN()x",
            ]);
            return text;
        }
        1 => text += "0x",
        2 => text += "0",
        _ if hexadecimal => text += rng.pick(&["0x", "0X", "0x0"]),
        _ => {}
    }
    let digits = if hexadecimal { "0123456789abcDEF" } else { "0123456789" };
    let digit = |rng: &mut Rng| char::from(digits.as_bytes()[rng.below(digits.len())]);
    let few = |rng: &mut Rng| rng.pick(&[0, 1, 1, 2, 5, 17, 20, 40]);
    for _ in 0..few(rng) {
        text.push(digit(rng));
    }
    if rng.chance(60) {
        text.push('.');
        for _ in 0..few(rng) {
            text.push(digit(rng));
        }
    }
    if rng.chance(60) {
        text.push(if hexadecimal { 'p' } else { rng.pick(b"eE").into() });
        text += rng.pick(&["", "+", "-", "-"]);
        let exponent =
            rng.pick(&[0, 1, 10, 37, 38, 45, 46, 126, 150, 300, 307, 308, 309, 323, 324, 1074, 4930, 4950, 16400]);
        if rng.chance(90) {
            let _ = write!(text, "{}", exponent + rng.between(0, 3));
        }
    }
    text + rng.pick(&["", "", "x", "e5", " 7", ".", "\\n"])
}

/// A number read from text.
fn read(rng: &mut Rng, text: &mut String, index: usize) {
    let kind = rng.pick(&[Kind::Double, Kind::Double, Kind::Float, Kind::Long]);
    let shows = kind.shows();
    let spelled = spelling(rng);
    let (function, ty, length) = match kind {
        Kind::Double => ("strtod", "double", "l"),
        Kind::Float => ("strtof", "float", ""),
        Kind::Long => ("strtold", "long double", "L"),
    };
    if rng.chance(60) {
        let _ = writeln!(
            text,
            "    {{ const char *s = \"{spelled}\"; char *e; {ty} x = {function}(s, &e); int r = errno; printf(\"{index} {function} %d \", (int)(e - s)); errno = r; {shows}(s, x); }}"
        );
        return;
    }
    let width = if rng.chance(40) { rng.between(1, 12).to_string() } else { String::new() };
    let conversion = rng.pick(&["f", "e", "g", "a"]);
    let _ = writeln!(
        text,
        "    {{ const char *s = \"{spelled}\"; {ty} x = 7; int n = -1, got = sscanf(s, \"%{width}{length}{conversion}%n\", &x, &n); int r = errno; printf(\"{index} %%{width}{length}{conversion} %d %d \", got, n); errno = r; {shows}(s, x); }}"
    );
}
