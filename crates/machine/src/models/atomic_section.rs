//! `__VERIFIER_atomic_begin` and `__VERIFIER_atomic_end` of SV-COMP.

use super::{Model, succeeds};
use crate::step::{begin_atomic_section, end_atomic_section};

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "__VERIFIER_atomic_begin" => |cx, call| {
            begin_atomic_section(cx)?;
            succeeds(cx, call)
        },
        "__VERIFIER_atomic_end" => |cx, call| {
            end_atomic_section(cx);
            succeeds(cx, call)
        },
        _ => return None,
    })
}
