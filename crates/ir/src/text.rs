//! The text format: what `raddle ir` prints and what tests are written in.
//!
//! ```text
//! file0 = "list.c" in "/src"
//! T0 = signed int 4
//! T1 = ptr T2                                             ; struct node *
//! T2 = struct node 16 { 0 key: T0, 8 next: T1 }
//! global g0 head: 8 align 8 T1 external = zero
//!
//! fn f0 find(%0 key: i32) -> ptr external file0 !0 {
//! b0:
//!   %1 = load ptr [g0:head]                               !1  ; list.c:5:19
//!   jump b1(%1)
//! b1(%2 p: ptr(T2)):
//!   ...
//! }
//!
//! loc !0 = file0:4:1 in find
//! ```
//!
//! One instruction a line, though the parser does not insist. An instruction names the type that it works on; results
//! have their type behind them only where the instruction leaves it open (`%3: i32 = call ...`) or debug information
//! knows more (`(T2)`: points to a T2). Names behind ids (`f0:find`) and everything from `;` to the end of the line
//! are for reading and carry no meaning. Addresses that are accessed stand in `[ ]`. Negative constants may be written
//! where their width is known. A module for a target with short pointers begins with `pointers of 4 bytes`.
//!
//! Guarantee: [`parse()`] gives back exactly the module that [`print()`] was given, provided that the module's register
//! numbers are in range (which [`crate::verify`] checks); and it answers any text with a module or an error.
//! Not promised: that what parses is a valid module, or that the format stays; use [`crate::binary`] to store modules.

mod keyword;
mod lex;
mod parse;
mod parse_body;
mod parse_tables;
mod print;
mod print_body;

pub use parse::{ParseError, parse};
pub use print::{c_name, print};

use crate::Ty;
use std::fmt;

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Int(bits) => write!(f, "i{bits}"),
            Ty::Ptr => f.write_str("ptr"),
            Ty::F32 => f.write_str("float"),
            Ty::F64 => f.write_str("double"),
            Ty::F80 => f.write_str("fp80"),
        }
    }
}

/// The reading of a type's name; the inverse of its `Display`.
fn type_named(word: &str) -> Option<Ty> {
    Some(match word {
        "ptr" => Ty::Ptr,
        "float" => Ty::F32,
        "double" => Ty::F64,
        "fp80" => Ty::F80,
        _ => Ty::Int(numbered("i", word)?.try_into().ok()?),
    })
}

/// The number of an id written as `<prefix><digits>`.
fn numbered(prefix: &str, word: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    // `parse` alone would accept a sign.
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}
