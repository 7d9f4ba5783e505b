//! Values in registers as lists of scalars: `{ i64, ptr }` is two registers.

use crate::llvm::{Layout, Type};
use ir::Ty;
use llvm_sys::LLVMTypeKind as Kind;

/// More scalars than this in one value are not split.
const LIMIT: usize = 1024;

/// A type as scalars with their byte offsets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Scalars {
    pub(crate) parts: Vec<(u64, Ty)>,
    /// Set when some part has no `Ty`: what it is. That part is a stand-in, which nothing may compute with.
    pub(crate) exotic: Option<String>,
}

impl Scalars {
    pub(crate) fn of<'m>(layout: Layout<'m>, ty: Type<'m>) -> Self {
        let mut scalars = Self::default();
        scalars.append(layout, ty, 0);
        if scalars.parts.len() > LIMIT {
            scalars.parts = vec![(0, Ty::Int(128))];
            scalars.exotic = Some("a value of more than 1024 scalars".to_owned());
        }
        scalars
    }

    pub(crate) fn types(&self) -> impl Iterator<Item = Ty> + '_ {
        self.parts.iter().map(|(_, ty)| *ty)
    }

    fn append<'m>(&mut self, layout: Layout<'m>, ty: Type<'m>, offset: u64) {
        if self.parts.len() > LIMIT {
            return;
        }
        match scalar(ty) {
            Part::Scalar(ty) => self.parts.push((offset, ty)),
            Part::Vector(element) => {
                let bits = element.number_bits().map_or(u64::from(layout.pointer_size()) * 8, u64::from);
                let element_size = (bits / 8).max(1);
                let count = ty.vector_length().min(LIMIT as u64 + 1);
                self.parts.extend((0..count).map(|index| (offset + index * element_size, element)));
            }
            Part::Exotic(what, bits) => {
                self.parts.push((offset, Ty::Int(bits)));
                self.exotic.get_or_insert(what);
            }
            Part::Nothing => {}
            Part::Struct => {
                for (index, field) in ty.fields().into_iter().enumerate() {
                    let index = u32::try_from(index).unwrap_or(u32::MAX);
                    self.append(layout, field, offset + layout.field_offset(ty, index));
                }
            }
            Part::Array => {
                let element = ty.element();
                let size = layout.size(element);
                for index in 0..ty.array_length().min(LIMIT as u64 + 1) {
                    self.append(layout, element, offset + index * size);
                }
            }
        }
    }
}

enum Part {
    Scalar(Ty),
    /// Name, and bits of the stand-in.
    Exotic(String, u16),
    Nothing,
    /// Of these elements, one behind the other.
    Vector(Ty),
    Struct,
    Array,
}

fn scalar(ty: Type<'_>) -> Part {
    match ty.kind() {
        Kind::LLVMIntegerTypeKind => match u16::try_from(ty.integer_bits()) {
            Ok(bits) if bits <= 128 => Part::Scalar(Ty::Int(bits)),
            _ => Part::Exotic(format!("{}-bit integer", ty.integer_bits()), 128),
        },
        Kind::LLVMPointerTypeKind => Part::Scalar(Ty::Ptr),
        Kind::LLVMFloatTypeKind => Part::Scalar(Ty::F32),
        Kind::LLVMDoubleTypeKind => Part::Scalar(Ty::F64),
        Kind::LLVMX86_FP80TypeKind => Part::Scalar(Ty::F80),
        Kind::LLVMHalfTypeKind | Kind::LLVMBFloatTypeKind => Part::Exotic("16-bit floating-point value".to_owned(), 16),
        Kind::LLVMFP128TypeKind | Kind::LLVMPPC_FP128TypeKind => {
            Part::Exotic("128-bit floating-point value".to_owned(), 128)
        }
        Kind::LLVMVectorTypeKind => match single(ty.element()) {
            Some(element) if element != Ty::F80 => Part::Vector(element),
            _ => Part::Exotic(format!("vector `{}`", ty.printed()), 128),
        },
        Kind::LLVMScalableVectorTypeKind => Part::Exotic(format!("vector `{}`", ty.printed()), 128),
        Kind::LLVMStructTypeKind => Part::Struct,
        Kind::LLVMArrayTypeKind => Part::Array,
        Kind::LLVMVoidTypeKind => Part::Nothing,
        _ => Part::Exotic(format!("value of type `{}`", ty.printed()), 128),
    }
}

/// The one scalar that a type is.
pub(crate) fn single(ty: Type<'_>) -> Option<Ty> {
    match scalar(ty) {
        Part::Scalar(ty) => Some(ty),
        _ => None,
    }
}

/// How many scalars lie before the element that `indices` name, and the element's type.
pub(crate) fn skip<'m>(layout: Layout<'m>, mut ty: Type<'m>, indices: &[u32]) -> Option<(usize, Type<'m>)> {
    let mut before = 0;
    for &index in indices {
        match ty.kind() {
            Kind::LLVMStructTypeKind => {
                let fields = ty.fields();
                let index = index as usize;
                before += fields.get(..index)?.iter().map(|f| Scalars::of(layout, *f).parts.len()).sum::<usize>();
                ty = *fields.get(index)?;
            }
            Kind::LLVMArrayTypeKind => {
                let element = ty.element();
                before += index as usize * Scalars::of(layout, element).parts.len();
                ty = element;
            }
            _ => return None,
        }
    }
    Some((before, ty))
}
