//! What a statement can name: variables, and the places inside them that hold an integer.

use super::expr::{Expr, TYPES, Type};
use crate::rng::Rng;

/// A member of a structure.
#[derive(Clone, Debug)]
pub(super) enum Field {
    Scalar(Type),
    Bits {
        signed: bool,
        width: u32,
    },
    Array(Type, u32),
    /// Another structure, by its number; an earlier one.
    Nested(usize),
}

/// A structure type. Member i is called `f{i}`.
#[derive(Clone, Debug)]
pub(super) struct Struct {
    pub(super) fields: Vec<Field>,
}

/// A named object. Lengths are powers of two, so that masks keep indices inside.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Scalar {
        name: String,
        ty: Type,
        writable: bool,
    },
    Array {
        name: String,
        ty: Type,
        len: u32,
        writable: bool,
    },
    Matrix {
        name: String,
        ty: Type,
        rows: u32,
        columns: u32,
    },
    /// Always points to the first of at least `len` elements.
    Pointer {
        name: String,
        ty: Type,
        len: u32,
    },
    PointerPointer {
        name: String,
        ty: Type,
        len: u32,
    },
    /// `access` is the name with what selects a member: `s.` or `p->`.
    Struct {
        name: String,
        access: String,
        def: usize,
    },
    /// `union { uint64_t w; uint8_t b[8]; int16_t h[4]; struct { int32_t low; uint32_t high; } d; }`, wholly set.
    Union {
        name: String,
    },
}

/// A place that holds an integer: its value as an expression, and whether it may be written.
pub(super) struct Place {
    pub(super) value: Expr,
    pub(super) writable: bool,
}

fn writable(value: Expr) -> Place {
    Place { value, writable: true }
}

/// Some integer inside `item`. `index` gives the text of an index below its argument.
pub(super) fn place(
    rng: &mut Rng,
    defs: &[Struct],
    item: &Item,
    index: &mut dyn FnMut(&mut Rng, u32) -> String,
) -> Place {
    match item {
        Item::Scalar { name, ty, writable } => Place { value: Expr::any(name, *ty), writable: *writable },
        Item::Array { name, ty, len, writable } => {
            let at = index(rng, *len);
            Place { value: Expr::any(format!("{name}[{at}]"), *ty), writable: *writable }
        }
        Item::Matrix { name, ty, rows, columns } => {
            let (row, column) = (index(rng, *rows), index(rng, *columns));
            writable(Expr::any(format!("{name}[{row}][{column}]"), *ty))
        }
        Item::Pointer { name, ty, len } => {
            let at = index(rng, *len);
            let text = match rng.below(3) {
                0 => format!("(*{name})"),
                1 => format!("{name}[{at}]"),
                _ => format!("(*({name} + ({at})))"),
            };
            writable(Expr::any(text, *ty))
        }
        Item::PointerPointer { name, ty, len } => {
            let at = index(rng, *len);
            let text = if rng.chance(50) { format!("(**{name})") } else { format!("(*{name})[{at}]") };
            writable(Expr::any(text, *ty))
        }
        Item::Struct { access, def, .. } => member(rng, defs, access, *def, index),
        Item::Union { name } => {
            let at = index(rng, 8);
            let (text, ty) = match rng.below(5) {
                0 => (format!("{name}.w"), Type::U64),
                1 => (format!("{name}.b[{at}]"), Type::U8),
                2 => (format!("{name}.h[{}]", index(rng, 4)), Type::I16),
                3 => (format!("{name}.d.low"), Type::I32),
                _ => (format!("{name}.d.high"), Type::U32),
            };
            writable(Expr::any(text, ty))
        }
    }
}

fn member(
    rng: &mut Rng,
    defs: &[Struct],
    access: &str,
    def: usize,
    index: &mut dyn FnMut(&mut Rng, u32) -> String,
) -> Place {
    let number = rng.below(defs[def].fields.len());
    let name = format!("{access}f{number}");
    match &defs[def].fields[number] {
        Field::Scalar(ty) => writable(Expr::any(name, *ty)),
        // C11 6.3.1.1p2: narrower than int, so it becomes an int, signed or not.
        Field::Bits { signed: true, width } => {
            writable(Expr::between(name, Type::I32, -(1 << (width - 1)), (1 << (width - 1)) - 1))
        }
        Field::Bits { signed: false, width } => writable(Expr::between(name, Type::I32, 0, (1 << width) - 1)),
        Field::Array(ty, len) => {
            let at = index(rng, *len);
            writable(Expr::any(format!("{name}[{at}]"), *ty))
        }
        Field::Nested(inner) => member(rng, defs, &format!("{name}."), *inner, index),
    }
}

/// A structure that may contain those before it.
pub(super) fn draw_struct(rng: &mut Rng, earlier: usize) -> Struct {
    let count = rng.between(2, 5);
    let fields = (0..count).map(|_| match rng.below(8) {
        0..3 => Field::Scalar(rng.pick(&TYPES)),
        3..6 => Field::Bits { signed: rng.chance(50), width: rng.between(2, 31) as u32 },
        6 => Field::Array(rng.pick(&TYPES[1..]), 1 << rng.between(1, 2)),
        _ if earlier > 0 => Field::Nested(rng.below(earlier)),
        _ => Field::Scalar(rng.pick(&TYPES)),
    });
    Struct { fields: fields.collect() }
}

/// The declaration of member `number`.
pub(super) fn declare_field(field: &Field, number: usize) -> String {
    match field {
        Field::Scalar(ty) => format!("{} f{number};", ty.name()),
        Field::Bits { signed, width } => {
            format!("{} f{number} : {width};", if *signed { "signed" } else { "unsigned" })
        }
        Field::Array(ty, len) => format!("{} f{number}[{len}];", ty.name()),
        Field::Nested(def) => format!("struct s{def} f{number};"),
    }
}
