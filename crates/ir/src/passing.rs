//! What callers give a function, as the source has it.

use crate::{DebugType, FuncId, Module, Piece, SourceParam, Ty, TypeId};

/// One thing that a caller gives.
#[derive(Clone, Copy, Debug)]
pub struct Given<'m> {
    /// None: a structure by value.
    pub ty: Option<Ty>,
    pub source: Option<&'m SourceParam>,
}

/// A scalar that a caller gives: a parameter, or a member of one that is a structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    pub param: usize,
    /// In the parameter, in bytes.
    pub offset: u64,
    pub ty: TypeId,
}

/// More members than this nobody gives one by one.
const MOST_LEAVES: usize = 64;

impl Module {
    /// What a caller gives, scalar by scalar, as the source declares it. None if that is not known, or a structure has bit-fields or
    /// is a union.
    pub fn leaves(&self, function: FuncId) -> Option<Vec<Leaf>> {
        let mut leaves = Vec::new();
        for (param, given) in self.given(function).into_iter().enumerate() {
            self.add_leaves(Leaf { param, offset: 0, ty: given.source?.ty }, &mut leaves)?;
        }
        Some(leaves)
    }

    /// The scalars of a type, as if it were a parameter. None as there.
    pub fn scalars_of(&self, ty: TypeId) -> Option<Vec<Leaf>> {
        let mut leaves = Vec::new();
        self.add_leaves(Leaf { param: 0, offset: 0, ty }, &mut leaves)?;
        Some(leaves)
    }

    fn add_leaves(&self, whole: Leaf, leaves: &mut Vec<Leaf>) -> Option<()> {
        match &self[self.strip(whole.ty)] {
            DebugType::Record { union: true, .. } => return None,
            DebugType::Record { fields, .. } => {
                for field in fields {
                    let part = Leaf { offset: whole.offset + field.offset, ty: field.ty, ..whole };
                    self.add_leaves(part, leaves).filter(|()| field.bits.is_none())?;
                }
            }
            DebugType::Array { of, count } => {
                let size = self.size_of(*of)?;
                for index in 0..count.unwrap_or(0).min(MOST_LEAVES as u64 + 1) {
                    self.add_leaves(Leaf { offset: whole.offset + index * size, ty: *of, ..whole }, leaves)?;
                }
            }
            _ => leaves.push(whole),
        }
        (leaves.len() <= MOST_LEAVES).then_some(())
    }

    /// What a caller gives, one after the other: the source's parameters, or the ABI's where the source's are not known.
    pub fn given(&self, id: FuncId) -> Vec<Given<'_>> {
        let function = &self[id];
        let as_many = function.params.len() == function.source_params.len();
        let by_source = !function.pieces.is_empty() || as_many && !self.takes_unknown(id);
        if !by_source {
            let of = |param: &crate::Param| Given { ty: Some(function.register(param.reg).ty), source: None };
            return function.params.iter().map(of).collect();
        }
        let passed_by = |number: usize| match function.pieces.is_empty() {
            true => function.params.get(number),
            false => {
                let is_its = |piece: &Piece| matches!(*piece, Piece::Of(source, _) if source as usize == number);
                function.pieces.iter().position(is_its).and_then(|index| function.params.get(index))
            }
        };
        let of = |(number, source)| {
            let source: &SourceParam = source;
            let param = passed_by(number).filter(|_| !self.is_record(source.ty));
            Given { ty: param.map(|param| function.register(param.reg).ty), source: Some(source) }
        };
        function.source_params.iter().enumerate().map(of).collect()
    }

    /// Whether a type is a structure or a union.
    pub fn is_record(&self, ty: TypeId) -> bool {
        matches!(self[self.strip(ty)], DebugType::Record { .. })
    }

    /// Whether a function takes a structure by value, or stores its result where the caller says, in a way that is not known.
    pub fn takes_unknown(&self, function: FuncId) -> bool {
        let function = &self[function];
        let in_memory = function.params.iter().any(|param| param.by_value.is_some() || param.returned_through);
        function.pieces.is_empty() && (in_memory || function.source_params.iter().any(|param| self.is_record(param.ty)))
    }
}
