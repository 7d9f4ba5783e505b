//! Which pointers that clients hold a parameter takes.
//!
//! A pointer goes where C takes it without a cast: its type is the parameter's, or one of both is `void *` (C11 6.3.2.3p1), or the
//! parameter is about the first member of what it leads to (6.7.2.1p15). Characters are bytes, whatever their sign. What an untyped
//! pointer leads to the code tells ([`crate::uses`]): a pointer to one structure does not go where another one is used.

use crate::uses::{self, Uses};
use explore::Root;
use ir::{DebugType, FuncId, Leaf, Module, Qualifier, TypeId};
use machine::Program;
use memory::TypeFacts;

/// What a parameter takes of what is held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Takes {
    /// Pointers to one of these structures. `untyped`: it is declared as `void *`.
    Records { classes: Vec<TypeId>, untyped: bool },
    /// Pointers to numbers, characters or pointers, of this type.
    Scalars(TypeId),
    /// `void *`, and it is used as characters: what is no structure. Who has an object of a library's does not pass it for its bytes.
    Characters,
    /// `void *`, and what it is used as is not known.
    Anything,
}

/// What a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fit {
    /// What nothing is known of: only where nobody makes what is taken, and if there are so many bytes.
    Untyped(u64),
    Typed,
}

impl Takes {
    /// Of a parameter that leads to `to`.
    pub(super) fn of(program: &Program, (function, leaf, to): (FuncId, &Leaf, TypeId)) -> Option<Self> {
        let Program { module, facts, .. } = program;
        Some(match &module[module.strip(to)] {
            DebugType::Record { .. } | DebugType::Opaque { .. } => {
                Takes::Records { classes: vec![facts.canonical(module, to)], untyped: false }
            }
            DebugType::Void => match uses::of_parameter(program, function, (leaf.param, leaf.offset)) {
                uses if uses.are_characters() => Takes::Characters,
                Uses { records, elsewhere: false, .. } if !records.is_empty() => {
                    Takes::Records { classes: records.into_iter().collect(), untyped: true }
                }
                _ => Takes::Anything,
            },
            DebugType::Int { .. } | DebugType::Float { .. } | DebugType::Enum { .. } | DebugType::Pointer { .. } => {
                Takes::Scalars(facts.canonical(module, to))
            }
            DebugType::Function { .. } | DebugType::Array { .. } => return None,
            DebugType::Typedef { .. } | DebugType::Qualified { .. } => return None,
        })
    }

    pub(super) fn classes(&self) -> &[TypeId] {
        match self {
            Takes::Records { classes, .. } => classes,
            _ => &[],
        }
    }

    /// Whether what is held goes there.
    pub(super) fn fit(&self, module: &Module, root: &Root) -> Option<Fit> {
        let is_record = |ty: TypeId| matches!(module[ty], DebugType::Record { .. } | DebugType::Opaque { .. });
        let is_untyped = matches!(module[module.strip(root.named)], DebugType::Void);
        let is_bytes = !is_record(root.ty) && (is_untyped || TypeFacts::is_char(module, root.ty));
        match self {
            Takes::Anything => Some(Fit::Typed),
            Takes::Characters => (!is_record(root.ty)).then_some(Fit::Typed),
            Takes::Scalars(ty) => {
                let characters = [*ty, root.ty].iter().all(|&ty| TypeFacts::is_char(module, ty));
                if characters || module.same_type(*ty, root.ty) {
                    return Some(Fit::Typed);
                }
                let is_unknown = is_untyped && !is_record(root.ty);
                is_unknown.then(|| Fit::Untyped(module.size_of(*ty).unwrap_or(0)))
            }
            Takes::Records { classes, untyped } => {
                let fits = |&&class: &&TypeId| {
                    begins_with(module, root.ty, class)
                        || (*untyped || is_untyped) && is_record(root.ty) && is_prefix(module, root.ty, class)
                };
                if classes.iter().any(|class| fits(&class)) {
                    return Some(Fit::Typed);
                }
                let least = classes.iter().filter_map(|&class| module.size_of(class)).min().unwrap_or(0);
                (is_bytes && (is_untyped || *untyped)).then_some(Fit::Untyped(least))
            }
        }
    }

    /// Whether clients would have to cast what is held: it leads to the first member of what is taken.
    pub(super) fn is_cast(&self, module: &Module, root: &Root) -> bool {
        self.fit(module, root).is_none()
            && module.is_record(root.ty)
            && self.classes().iter().any(|&class| begins_with(module, class, root.ty))
    }
}

/// What a client holds of a pointer that a call gives it, of this declared type. `led`: where it leads, if the declaration does not say it.
pub(super) fn held(program: &Program, ty: TypeId, led: impl Fn() -> Uses) -> Option<Root> {
    let Program { module, facts, .. } = program;
    let to = module.pointee(ty)?;
    let named = unqualified(module, to);
    let declared = facts.canonical(module, named);
    let class = match &module[module.strip(named)] {
        DebugType::Function { .. } | DebugType::Array { .. } => return None,
        DebugType::Void => led().only().unwrap_or(declared),
        _ => declared,
    };
    Some(Root { named, ty: class, ordinal: 0, is_object: false, constant: is_constant(module, to) })
}

/// A type, its first member if that is a structure, and so on.
pub(super) fn bases(module: &Module, ty: TypeId) -> impl Iterator<Item = TypeId> {
    let first = |ty: &TypeId| {
        let is_structure = matches!(module[module.strip(*ty)], DebugType::Record { union: false, .. });
        let field = module.fields(*ty).iter().find(|field| is_structure && field.offset == 0)?;
        module.is_record(field.ty).then_some(field.ty)
    };
    std::iter::successors(Some(ty), first)
}

/// Whether a structure is this one, or its first member is, or begins with it.
fn begins_with(module: &Module, whole: TypeId, part: TypeId) -> bool {
    bases(module, whole).any(|ty| module.same_type(ty, part))
}

/// Whether the members of one structure are the first of the other, whichever way round: a header that is looked at before it is known what it is.
fn is_prefix(module: &Module, one: TypeId, other: TypeId) -> bool {
    if begins_with(module, one, other) || begins_with(module, other, one) {
        return true;
    }
    let (one, other) = (module.fields(one), module.fields(other));
    let alike =
        |(one, other): (&ir::Field, &ir::Field)| one.offset == other.offset && module.same_type(one.ty, other.ty);
    !one.is_empty() && !other.is_empty() && one.len() != other.len() && one.iter().zip(other).all(alike)
}

pub(super) fn is_constant(module: &Module, mut ty: TypeId) -> bool {
    while let DebugType::Qualified { to, qualifier } = &module[ty] {
        if *qualifier == Qualifier::Const {
            return true;
        }
        ty = *to;
    }
    false
}

pub(super) fn unqualified(module: &Module, mut ty: TypeId) -> TypeId {
    while let DebugType::Qualified { to, .. } = &module[ty] {
        ty = *to;
    }
    ty
}
