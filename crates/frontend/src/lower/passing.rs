//! How structures are passed by value: which bytes of them each ABI parameter holds.
//!
//! System V ABI, AMD64 3.2.3: a structure of up to 16 bytes goes in up to two registers, one for each eightbyte that has members; where
//! none are left, and where it is larger, its copy in memory is passed. i386: always in memory.

use super::scalars::Scalars;
use ir::{DebugType, Module, Piece, PointerSize, SourceParam, TypeId};

/// An LLVM parameter.
pub(super) struct Passed {
    pub(super) scalars: Scalars,
    /// LLVM's `byval`, in bytes.
    pub(super) by_value: Option<u64>,
    pub(super) returned_through: bool,
}

/// What each scalar of the parameters passes; none where nothing is passed by value, or how is not known.
pub(super) fn pieces(module: &Module, passed: &[Passed], sources: &[SourceParam]) -> Vec<Piece> {
    let by_value = passed.iter().any(|param| param.by_value.is_some() || param.returned_through);
    if !by_value && !sources.iter().any(|source| module.is_record(source.ty)) {
        return Vec::new();
    }
    matched(module, passed, sources).unwrap_or_default()
}

fn matched(module: &Module, passed: &[Passed], sources: &[SourceParam]) -> Option<Vec<Piece>> {
    let mut passed = passed.iter().peekable();
    let mut pieces = Vec::new();
    if passed.next_if(|param| param.returned_through).is_some() {
        pieces.push(Piece::Result);
    }
    for (number, source) in (0..).zip(sources) {
        let size = module.size_of(source.ty)?;
        if !module.is_record(source.ty) {
            let param = passed.next().filter(|param| param.by_value.is_none() && !param.returned_through)?;
            let is_one = param.scalars.parts.len() == 1 && param.scalars.exotic.is_none();
            pieces.push(Some(Piece::Of(number, 0)).filter(|_| is_one)?);
        } else if passed.next_if(|param| param.by_value == Some(size)).is_some() {
            pieces.push(Piece::Of(number, 0));
        } else {
            if module.pointer != PointerSize::Eight || size > 16 {
                return None;
            }
            for start in [0, 8].into_iter().filter(|&start| has_member(module, source.ty, start, start + 8)) {
                let param = passed.next().filter(|param| param.by_value.is_none() && !param.returned_through)?;
                let whole = (param.scalars.exotic.is_none()).then_some(&param.scalars.parts)?;
                pieces.extend(whole.iter().map(|(at, _)| Piece::Of(number, start + at)));
            }
        }
    }
    passed.next().is_none().then_some(pieces)
}

/// Whether some member, however deep, has bytes between `from` and `to`.
fn has_member(module: &Module, ty: TypeId, from: u64, to: u64) -> bool {
    let size = module.size_of(ty).unwrap_or(0);
    if size <= from || to == 0 {
        return false;
    }
    match &module[module.strip(ty)] {
        DebugType::Record { fields, .. } => fields.iter().any(|field| match field.bits {
            Some((first, width)) => {
                let start = field.offset + u64::from(first / 8);
                let end = field.offset + u64::from((first + width).div_ceil(8));
                width > 0 && start < to && end > from
            }
            None => {
                field.offset < to && has_member(module, field.ty, from.saturating_sub(field.offset), to - field.offset)
            }
        }),
        DebugType::Array { of, count } => {
            let element = module.size_of(*of).unwrap_or(0);
            let mut starts = (0..count.unwrap_or(0)).map(|index| index * element).take_while(|&start| start < to);
            starts.any(|start| has_member(module, *of, from.saturating_sub(start), to - start))
        }
        _ => true,
    }
}
