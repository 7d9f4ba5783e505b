//! Questions about debug types: sizes, what lies at an offset, how a path to it reads.

use crate::{DebugType, Field, Module, PointerSize, TypeId};
use std::ops::Range;

/// A scalar that a type has at some byte offset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// Byte offset in the outer type.
    pub offset: u64,
    pub size: u64,
    /// Type of the scalar, qualifiers and typedefs included. For bit-fields: the storage byte.
    pub ty: TypeId,
}

/// An array that is a member of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayMember {
    /// Where it begins in the record, in bytes.
    pub offset: u64,
    /// Bytes of one element.
    pub element: u64,
    /// None for a flexible array member.
    pub bytes: Option<u64>,
}

impl Module {
    /// The type below typedefs and qualifiers.
    pub fn strip(&self, mut ty: TypeId) -> TypeId {
        // Debug information could only be cyclic here if it were broken; the bound keeps us from hanging on it.
        for _ in 0..64 {
            match &self[ty] {
                DebugType::Typedef { to, .. } | DebugType::Qualified { to, .. } => ty = *to,
                _ => break,
            }
        }
        ty
    }

    /// Size in bytes; `None` for `void`, functions and incomplete types.
    pub fn size_of(&self, ty: TypeId) -> Option<u64> {
        match &self[self.strip(ty)] {
            DebugType::Int { size, .. }
            | DebugType::Float { size, .. }
            | DebugType::Enum { size, .. }
            | DebugType::Record { size, .. } => Some(*size),
            DebugType::Pointer { .. } => Some(self.pointer.bytes()),
            DebugType::Array { of, count } => Some(self.size_of(*of)? * (*count)?),
            DebugType::Void | DebugType::Function { .. } | DebugType::Opaque { .. } => None,
            DebugType::Typedef { .. } | DebugType::Qualified { .. } => None,
        }
    }

    /// What objects of a type are aligned to where no packing says otherwise (System V ABI: scalars to their size, on 32 bits to at
    /// most four bytes; records to the most that one of their members is). `None` for what has no size.
    pub fn align_of(&self, ty: TypeId) -> Option<u64> {
        let size = self.size_of(ty)?;
        let most = match self.pointer {
            PointerSize::Four => 4,
            PointerSize::Eight => 16,
        };
        let align = match &self[self.strip(ty)] {
            DebugType::Array { of, .. } => return self.align_of(*of),
            DebugType::Record { fields, .. } => {
                let members = fields.iter().filter(|field| field.bits.is_none());
                let aligns: Option<Vec<(u64, u64)>> =
                    members.map(|field| Some((field.offset, self.align_of(field.ty)?))).collect();
                let aligns = aligns?;
                let is_packed = aligns.iter().any(|(offset, align)| offset % align != 0);
                let align = aligns.iter().map(|&(_, align)| align).max().filter(|_| !is_packed).unwrap_or(1);
                if size % align == 0 { align } else { 1 }
            }
            _ if size.is_power_of_two() => size.min(most),
            _ => 1,
        };
        Some(align)
    }

    /// What a pointer type points to.
    pub fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match &self[self.strip(ty)] {
            DebugType::Pointer { to } => Some(*to),
            _ => None,
        }
    }

    /// Whether two types are the same below typedefs and qualifiers. Records are compared by identity first, then by
    /// name and size, since each translation unit brings its own copy.
    pub fn same_type(&self, a: TypeId, b: TypeId) -> bool {
        self.same_type_at(a, b, 8)
    }

    fn same_type_at(&self, a: TypeId, b: TypeId, fuel: u32) -> bool {
        let (a, b) = (self.strip(a), self.strip(b));
        if a == b || fuel == 0 {
            return true;
        }
        match (&self[a], &self[b]) {
            (
                DebugType::Record { name, size, union, .. },
                DebugType::Record { name: name_b, size: size_b, union: union_b, .. },
            ) => !name.is_empty() && name == name_b && size == size_b && union == union_b,
            (DebugType::Pointer { to: x }, DebugType::Pointer { to: y }) => self.same_type_at(*x, *y, fuel - 1),
            (DebugType::Array { of: x, count: n }, DebugType::Array { of: y, count: m }) => {
                n == m && self.same_type_at(*x, *y, fuel - 1)
            }
            (
                DebugType::Record { name, .. } | DebugType::Opaque { name },
                DebugType::Record { name: other, .. } | DebugType::Opaque { name: other },
            ) => !name.is_empty() && name == other,
            (x, y) => x == y,
        }
    }

    /// The members of a record, empty for other types.
    pub fn fields(&self, ty: TypeId) -> &[Field] {
        match &self[self.strip(ty)] {
            DebugType::Record { fields, .. } => fields,
            _ => &[],
        }
    }

    /// The scalar that covers byte `offset` of `ty`. In a union the first member wins. `None` in padding, in bit-fields
    /// (whose storage has no byte-sized scalar), past the end and in incomplete types.
    pub fn scalar_at(&self, ty: TypeId, offset: u64) -> Option<Scalar> {
        let stripped = self.strip(ty);
        match &self[stripped] {
            DebugType::Int { size, .. } | DebugType::Float { size, .. } | DebugType::Enum { size, .. } => {
                (offset < *size).then_some(Scalar { offset: 0, size: *size, ty })
            }
            DebugType::Pointer { .. } => {
                let size = self.pointer.bytes();
                (offset < size).then_some(Scalar { offset: 0, size, ty })
            }
            DebugType::Array { of, count } => {
                let element = self.size_of(*of).filter(|&s| s > 0)?;
                if count.is_some_and(|count| offset / element >= count) {
                    return None;
                }
                let start = offset / element * element;
                let mut scalar = self.scalar_at(*of, offset - start)?;
                scalar.offset += start;
                Some(scalar)
            }
            DebugType::Record { fields, .. } => fields.iter().find_map(|field| {
                if field.bits.is_some() || offset < field.offset {
                    return None;
                }
                let mut scalar = self.scalar_at(field.ty, offset - field.offset)?;
                scalar.offset += field.offset;
                Some(scalar)
            }),
            _ => None,
        }
    }

    /// The array among a record's members, or in one of these, that byte `offset` belongs to; where it would belong to one of unknown
    /// bound, that. None in a union, whose members lie on each other.
    pub fn array_member(&self, record: TypeId, offset: u64) -> Option<ArrayMember> {
        let DebugType::Record { fields, union: false, .. } = &self[self.strip(record)] else { return None };
        fields.iter().rev().filter(|field| field.bits.is_none() && field.offset <= offset).find_map(|field| match self
            [self.strip(field.ty)]
        {
            DebugType::Array { of, count } => {
                let element = self.size_of(of).filter(|&size| size > 0)?;
                let bytes = count.filter(|&count| count > 0).map(|count| count * element);
                let belongs = bytes.is_none_or(|bytes| offset - field.offset < bytes);
                belongs.then_some(ArrayMember { offset: field.offset, element, bytes })
            }
            _ => {
                let inner = self.array_member(field.ty, offset - field.offset)?;
                Some(ArrayMember { offset: inner.offset + field.offset, ..inner })
            }
        })
    }

    /// The array of scalars, of whatever dimensions, that byte `offset` of `ty` belongs to, or the scalar if it is none's, in bytes; of a
    /// union all.
    pub fn scalars_around(&self, ty: TypeId, offset: u64) -> Option<Range<u64>> {
        match &self[self.strip(ty)] {
            DebugType::Array { of, count } => {
                let element = self.size_of(*of).filter(|&size| size > 0)?;
                if !self.holds_records(*of) {
                    return Some(0..count.unwrap_or(0) * element);
                }
                let start = offset / element * element;
                let inner = self.scalars_around(*of, offset - start)?;
                Some(start + inner.start..start + inner.end)
            }
            DebugType::Record { union: true, size, .. } => Some(0..*size),
            DebugType::Record { fields, .. } => fields.iter().find_map(|field| {
                let within =
                    field.bits.is_none() && self.size_of(field.ty).is_some_and(|size| offset < field.offset + size);
                let inner = self.scalars_around(field.ty, offset.checked_sub(field.offset).filter(|_| within)?)?;
                Some(field.offset + inner.start..field.offset + inner.end)
            }),
            DebugType::Void | DebugType::Function { .. } | DebugType::Opaque { .. } => None,
            _ => self.size_of(ty).map(|size| 0..size),
        }
    }

    /// Whether the type is a record, or an array, of whatever dimensions, of records.
    pub fn holds_records(&self, mut ty: TypeId) -> bool {
        loop {
            match &self[self.strip(ty)] {
                DebugType::Array { of, .. } => ty = *of,
                other => return matches!(other, DebugType::Record { .. }),
            }
        }
    }

    /// The byte offsets in `outer` at which an object of type `inner` stands, `outer` itself included (offset 0).
    pub fn offsets_of(&self, outer: TypeId, inner: TypeId) -> Vec<u64> {
        let mut found = Vec::new();
        self.collect_offsets(outer, inner, 0, &mut found, 16);
        found.sort_unstable();
        found.dedup();
        found
    }

    fn collect_offsets(&self, outer: TypeId, inner: TypeId, base: u64, found: &mut Vec<u64>, fuel: u32) {
        if self.same_type(outer, inner) {
            found.push(base);
        }
        if fuel == 0 {
            return;
        }
        match &self[self.strip(outer)] {
            DebugType::Record { fields, .. } => {
                for field in fields.iter().filter(|f| f.bits.is_none()) {
                    self.collect_offsets(field.ty, inner, base + field.offset, found, fuel - 1);
                }
            }
            DebugType::Array { of, count } => {
                let Some(size) = self.size_of(*of) else { return };
                for i in 0..count.unwrap_or(0) {
                    self.collect_offsets(*of, inner, base + i * size, found, fuel - 1);
                }
            }
            _ => {}
        }
    }

    /// The path from an object of type `ty` to its byte `offset`, as C writes it behind the object's name: `.next[0]`.
    /// Bytes in the middle of a scalar add `+n`.
    pub fn path_to(&self, ty: TypeId, offset: u64) -> String {
        let mut path = String::new();
        let rest = self.append_path(ty, offset, &mut path, 32);
        if rest > 0 {
            path.push_str(&format!("+{rest}"));
        }
        path
    }

    fn append_path(&self, ty: TypeId, offset: u64, path: &mut String, fuel: u32) -> u64 {
        if fuel == 0 {
            return offset;
        }
        match &self[self.strip(ty)] {
            DebugType::Array { of, .. } => match self.size_of(*of).filter(|&s| s > 0) {
                Some(size) => {
                    path.push_str(&format!("[{}]", offset / size));
                    self.append_path(*of, offset % size, path, fuel - 1)
                }
                None => offset,
            },
            DebugType::Record { fields, .. } => {
                let field = fields.iter().find(|f| match f.bits {
                    Some((first, width)) => {
                        let start = f.offset + u64::from(first) / 8;
                        let end = f.offset + u64::from(first + width).div_ceil(8);
                        (start..end).contains(&offset)
                    }
                    None => {
                        let size = self.size_of(f.ty).unwrap_or(u64::MAX - f.offset);
                        (f.offset..f.offset.saturating_add(size)).contains(&offset)
                    }
                });
                match field {
                    Some(f) if f.bits.is_some() => {
                        path.push_str(&format!(".{}", f.name));
                        0
                    }
                    Some(f) => {
                        if !f.name.is_empty() {
                            path.push_str(&format!(".{}", f.name));
                        }
                        self.append_path(f.ty, offset - f.offset, path, fuel - 1)
                    }
                    None => offset,
                }
            }
            _ => offset,
        }
    }
}
