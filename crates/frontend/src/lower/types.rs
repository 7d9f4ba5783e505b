//! Debug types to `ir`'s table.
//!
//! Each translation unit brings its own copy of a header's types; copies of one declaration (same place, name, size and
//! members) get one id. Records are entered at once and filled from a worklist, since they may contain pointers to themselves.
//!
//! Guarantee: every id handed out is in the table; after [`Types::finish`] no entry is unfinished.

use crate::llvm::{Metadata, MetadataKind as Kind};
use ir::{DebugType, Field, IntKind, Module, Qualifier, TypeId};
use std::collections::HashMap;

/// DWARF 5, table 7.3.
mod tag {
    pub(super) const ARRAY: u16 = 0x01;
    pub(super) const CLASS: u16 = 0x02;
    pub(super) const ENUMERATION: u16 = 0x04;
    pub(super) const MEMBER: u16 = 0x0d;
    pub(super) const POINTER: u16 = 0x0f;
    pub(super) const REFERENCE: u16 = 0x10;
    pub(super) const STRUCTURE: u16 = 0x13;
    pub(super) const TYPEDEF: u16 = 0x16;
    pub(super) const UNION: u16 = 0x17;
    pub(super) const CONST: u16 = 0x26;
    pub(super) const VOLATILE: u16 = 0x35;
    pub(super) const INHERITANCE: u16 = 0x1c;
    pub(super) const RESTRICT: u16 = 0x37;
    pub(super) const UNSPECIFIED: u16 = 0x3b;
    pub(super) const RVALUE_REFERENCE: u16 = 0x42;
    pub(super) const ATOMIC: u16 = 0x47;
}

/// What makes two types one.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Scalar {
        name: String,
        size: u64,
        kind: &'static str,
    },
    Derived {
        tag: u16,
        to: TypeId,
        name: String,
    },
    Array {
        of: TypeId,
        count: Option<u64>,
    },
    Function {
        ret: TypeId,
        params: Vec<TypeId>,
        variadic: bool,
    },
    /// `text` holds the place and the members.
    Declared {
        tag: u16,
        name: String,
        size: u64,
        text: String,
    },
    Opaque {
        tag: u16,
        name: String,
    },
}

/// Maps debug metadata to type ids.
pub(crate) struct Types<'m> {
    ids: HashMap<Metadata<'m>, TypeId>,
    interned: HashMap<Key, TypeId>,
    unfilled: Vec<(Metadata<'m>, TypeId)>,
    /// Definitions of records by tag name, and by the typedef of a nameless one.
    records: HashMap<String, Vec<TypeId>>,
    opaque: Vec<(TypeId, bool, String)>,
}

/// Types nest only so deep unless the debug information is cyclic.
const DEPTH: u32 = 256;

impl<'m> Types<'m> {
    /// Enters `void` as the first type.
    pub(crate) fn new(out: &mut Module) -> Self {
        out.types.push(DebugType::Void);
        Self {
            ids: HashMap::new(),
            interned: HashMap::new(),
            unfilled: Vec::new(),
            records: HashMap::new(),
            opaque: Vec::new(),
        }
    }

    pub(crate) fn void() -> TypeId {
        TypeId::new(0)
    }

    /// The id of a type; absent metadata is `void`.
    pub(crate) fn id(&mut self, out: &mut Module, ty: Option<Metadata<'m>>) -> TypeId {
        let id = self.id_at(out, ty, DEPTH);
        self.fill(out);
        id
    }

    /// Records that LLVM's struct name (`struct.node.3`, `union.u`) may stand for.
    pub(crate) fn records_named(&self, llvm_name: &str) -> &[TypeId] {
        let Some(name) = llvm_name.strip_prefix("struct.").or_else(|| llvm_name.strip_prefix("union.")) else {
            return &[];
        };
        if let Some(found) = self.records.get(name) {
            return found;
        }
        // LLVM appends a number to keep names apart.
        let base = name.rsplit_once('.').filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit())).map(|(base, _)| base);
        base.and_then(|b| self.records.get(b)).map_or(&[], Vec::as_slice)
    }

    /// Resolves forward declarations whose definition stands elsewhere in the program.
    pub(crate) fn finish(&mut self, out: &mut Module) {
        for (id, is_union, name) in std::mem::take(&mut self.opaque) {
            let found: Vec<TypeId> = self
                .records
                .get(&name)
                .into_iter()
                .flatten()
                .copied()
                .filter(|r| matches!(&out[*r], DebugType::Record { union, name: n, .. } if *union == is_union && *n == name))
                .collect();
            if let Some((&first, rest)) = found.split_first()
                && rest.iter().all(|other| out.size_of(*other) == out.size_of(first))
            {
                out.types[id.index()] = out[first].clone();
            }
        }
    }

    fn intern(&mut self, out: &mut Module, key: Key, make: impl FnOnce() -> DebugType) -> (TypeId, bool) {
        if let Some(&id) = self.interned.get(&key) {
            return (id, false);
        }
        let id = TypeId::new(out.types.len());
        out.types.push(make());
        self.interned.insert(key, id);
        (id, true)
    }

    fn id_at(&mut self, out: &mut Module, ty: Option<Metadata<'m>>, fuel: u32) -> TypeId {
        let Some(ty) = ty.filter(|t| t.is_type() && fuel > 0) else { return Self::void() };
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = match ty.kind() {
            Kind::LLVMDIBasicTypeMetadataKind => self.basic(out, ty),
            Kind::LLVMDIDerivedTypeMetadataKind => self.derived(out, ty, fuel),
            Kind::LLVMDICompositeTypeMetadataKind => self.composite(out, ty, fuel),
            Kind::LLVMDISubroutineTypeMetadataKind => self.function(out, ty, fuel),
            _ => Self::void(),
        };
        self.ids.insert(ty, id);
        id
    }

    fn basic(&mut self, out: &mut Module, ty: Metadata<'m>) -> TypeId {
        let (name, size) = (ty.name(), ty.size_bits() / 8);
        if ty.tag() == tag::UNSPECIFIED {
            // C23's `nullptr_t`.
            let to = Self::void();
            let key = Key::Derived { tag: tag::POINTER, to, name: String::new() };
            return self.intern(out, key, || DebugType::Pointer { to }).0;
        }
        let encoding = ty.printed_field("encoding").unwrap_or_default();
        let (kind, text) = match encoding.as_str() {
            "DW_ATE_boolean" => (Some(IntKind::Bool), "bool"),
            "DW_ATE_signed_char" | "DW_ATE_unsigned_char" => (Some(IntKind::Char), "char"),
            "DW_ATE_signed" => (Some(IntKind::Signed), "signed"),
            "DW_ATE_unsigned" | "DW_ATE_UTF" => (Some(IntKind::Unsigned), "unsigned"),
            _ => (None, "float"),
        };
        let key = Key::Scalar { name: name.clone(), size, kind: text };
        let make = || match kind {
            Some(kind) => DebugType::Int { name, size, kind },
            None => DebugType::Float { name, size },
        };
        self.intern(out, key, make).0
    }

    fn derived(&mut self, out: &mut Module, ty: Metadata<'m>, fuel: u32) -> TypeId {
        let to = self.id_at(out, ty.base_type(), fuel - 1);
        let name = ty.name();
        let made = match ty.tag() {
            tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => DebugType::Pointer { to },
            tag::TYPEDEF => DebugType::Typedef { name: name.clone(), to },
            tag::CONST => DebugType::Qualified { qualifier: Qualifier::Const, to },
            tag::VOLATILE => DebugType::Qualified { qualifier: Qualifier::Volatile, to },
            tag::RESTRICT => DebugType::Qualified { qualifier: Qualifier::Restrict, to },
            tag::ATOMIC => DebugType::Qualified { qualifier: Qualifier::Atomic, to },
            _ => return to,
        };
        let is_typedef = matches!(made, DebugType::Typedef { .. });
        let (id, new) = self.intern(out, Key::Derived { tag: ty.tag(), to, name: name.clone() }, || made);
        // A nameless record is known to LLVM by its typedef.
        if new && is_typedef && ty.base_type().is_some_and(|b| is_record(b) && b.name().is_empty() && !b.is_forward()) {
            self.records.entry(name).or_default().push(to);
        }
        id
    }

    fn composite(&mut self, out: &mut Module, ty: Metadata<'m>, fuel: u32) -> TypeId {
        let name = ty.name();
        match ty.tag() {
            tag::ARRAY => self.array(out, ty, fuel),
            tag::ENUMERATION if ty.is_forward() => self.opaque(out, ty, name),
            tag::ENUMERATION => {
                let size = ty.size_bits() / 8;
                let values: Vec<(String, i64)> = ty.elements().into_iter().flatten().map(enumerator).collect();
                let key =
                    Key::Declared { tag: ty.tag(), name: name.clone(), size, text: place(ty) + &format!("{values:?}") };
                self.intern(out, key, || DebugType::Enum { name, size, values }).0
            }
            tag::STRUCTURE | tag::UNION | tag::CLASS if ty.is_forward() => self.opaque(out, ty, name),
            tag::STRUCTURE | tag::UNION | tag::CLASS => {
                let size = ty.size_bits() / 8;
                let mut text = place(ty);
                for member in members(ty) {
                    text.push_str(&format!(" {}@{}", member.name(), member.offset_bits()));
                }
                let key = Key::Declared { tag: ty.tag(), name: name.clone(), size, text };
                let union = ty.tag() == tag::UNION;
                let record_name = name.clone();
                let make = || DebugType::Record { name: record_name, size, union, fields: Vec::new() };
                let (id, new) = self.intern(out, key, make);
                if new {
                    self.unfilled.push((ty, id));
                    if !name.is_empty() {
                        self.records.entry(name).or_default().push(id);
                    }
                }
                id
            }
            _ => Self::void(),
        }
    }

    fn opaque(&mut self, out: &mut Module, ty: Metadata<'m>, name: String) -> TypeId {
        let key = Key::Opaque { tag: ty.tag(), name: name.clone() };
        let (id, new) = self.intern(out, key, || DebugType::Opaque { name: name.clone() });
        if new {
            self.opaque.push((id, ty.tag() == tag::UNION, name));
        }
        id
    }

    /// One entry per dimension, the last one innermost.
    fn array(&mut self, out: &mut Module, ty: Metadata<'m>, fuel: u32) -> TypeId {
        let mut of = self.id_at(out, ty.base_type(), fuel - 1);
        for dimension in ty.elements().into_iter().flatten().collect::<Vec<_>>().into_iter().rev() {
            // A missing or negative count is an unknown bound; a variable one (C11 6.7.6.2p4) is no constant.
            let count = dimension.integer(0).and_then(|n| u64::try_from(n).ok());
            of = self.intern(out, Key::Array { of, count }, || DebugType::Array { of, count }).0;
        }
        of
    }

    fn function(&mut self, out: &mut Module, ty: Metadata<'m>, fuel: u32) -> TypeId {
        let mut types = ty.base_type().map(Metadata::operands).unwrap_or_default().into_iter();
        let ret = types.next().flatten();
        let ret = self.id_at(out, ret, fuel - 1);
        let mut params: Vec<Option<Metadata<'m>>> = types.collect();
        // A final absent type stands for `...`.
        let variadic = params.last().is_some_and(Option::is_none);
        if variadic {
            params.pop();
        }
        let params: Vec<TypeId> = params.into_iter().map(|p| self.id_at(out, p, fuel - 1)).collect();
        let key = Key::Function { ret, params: params.clone(), variadic };
        self.intern(out, key, || DebugType::Function { ret, params, variadic }).0
    }

    fn fill(&mut self, out: &mut Module) {
        while let Some((ty, id)) = self.unfilled.pop() {
            let mut filled = Vec::new();
            for member in members(ty) {
                let field_type = self.id_at(out, member.base_type(), DEPTH);
                let first = member.offset_bits();
                let bits = member.is_bit_field();
                let unit = if bits { member.storage_offset_bits().unwrap_or(first / 8 * 8) } else { first };
                let narrow = |v: u64| u32::try_from(v).unwrap_or(u32::MAX);
                filled.push(Field {
                    name: member.name(),
                    ty: field_type,
                    offset: unit / 8,
                    bits: bits.then(|| (narrow(first.saturating_sub(unit)), narrow(member.size_bits()))),
                });
            }
            if let DebugType::Record { fields, .. } = &mut out.types[id.index()] {
                *fields = filled;
            }
        }
    }
}

fn is_record(ty: Metadata<'_>) -> bool {
    matches!(ty.kind(), Kind::LLVMDICompositeTypeMetadataKind)
        && matches!(ty.tag(), tag::STRUCTURE | tag::UNION | tag::CLASS)
}

/// Members, and what a class inherits from as members without names. Where a virtual base is depends on the object, and one without members
/// takes no room of its own.
fn members<'m>(ty: Metadata<'m>) -> impl Iterator<Item = Metadata<'m>> {
    let is_member = |e: &Metadata<'m>| {
        matches!(e.kind(), Kind::LLVMDIDerivedTypeMetadataKind)
            && (e.tag() == tag::MEMBER
                || e.tag() == tag::INHERITANCE && !e.is_virtual() && e.base_type().is_some_and(has_members))
    };
    ty.elements().into_iter().flatten().filter(is_member)
}

fn has_members(ty: Metadata<'_>) -> bool {
    is_record(ty) && ty.elements().into_iter().flatten().any(|e| matches!(e.tag(), tag::MEMBER | tag::INHERITANCE))
}

fn enumerator(element: Metadata<'_>) -> (String, i64) {
    let value = element.printed_field("value").unwrap_or_default();
    // Unsigned enumerators above the signed range keep their bits.
    let value = value.parse::<i64>().or_else(|_| value.parse::<u64>().map(u64::cast_signed)).unwrap_or_default();
    (element.string(0), value)
}

fn place(ty: Metadata<'_>) -> String {
    let (path, directory) = ty.file().map(Metadata::file_name).unwrap_or_default();
    format!("{directory}|{path}:{}", ty.type_line())
}
