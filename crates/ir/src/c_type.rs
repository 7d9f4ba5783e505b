//! Types as C declares them, for code that is written and for reports.

use crate::{DebugType, Module, Qualifier, TypeId};

/// A type as C writes it in front of a name; empty where the source gives it no name.
pub fn c_type(module: &Module, ty: TypeId) -> String {
    c_type_at(module, ty, 16)
}

/// The C name of a scalar type without typedefs and qualifiers; empty for other types.
pub fn basic_type(module: &Module, ty: TypeId) -> String {
    let ty = module.strip(ty);
    match &module[ty] {
        DebugType::Int { .. } | DebugType::Float { .. } | DebugType::Enum { .. } => c_type(module, ty),
        // What it points to does not matter.
        DebugType::Pointer { .. } => "void *".to_owned(),
        _ => String::new(),
    }
}

fn c_type_at(module: &Module, ty: TypeId, fuel: u32) -> String {
    if fuel == 0 {
        return String::new();
    }
    let inner = |ty| c_type_at(module, ty, fuel - 1);
    match &module[ty] {
        DebugType::Void => "void".to_owned(),
        DebugType::Int { name, .. } | DebugType::Float { name, .. } | DebugType::Typedef { name, .. } => name.clone(),
        DebugType::Enum { name, .. } if name.is_empty() => "int".to_owned(),
        DebugType::Enum { name, .. } => format!("enum {name}"),
        DebugType::Pointer { to } => match &module[module.strip(*to)] {
            DebugType::Function { .. } if !matches!(module[*to], DebugType::Typedef { .. }) => String::new(),
            _ => match inner(*to) {
                name if name.is_empty() => name,
                name => format!("{name} *"),
            },
        },
        DebugType::Record { name, .. } | DebugType::Opaque { name } if name.is_empty() => String::new(),
        DebugType::Record { name, union: true, .. } => format!("union {name}"),
        DebugType::Record { name, .. } | DebugType::Opaque { name } => format!("struct {name}"),
        DebugType::Array { .. } | DebugType::Function { .. } => String::new(),
        DebugType::Qualified { qualifier, to } => match (qualifier, inner(*to)) {
            (_, name) if name.is_empty() => name,
            (Qualifier::Const, name) if name.ends_with('*') => format!("{name}const"),
            (Qualifier::Const, name) => format!("const {name}"),
            (Qualifier::Atomic, name) => format!("_Atomic({name})"),
            (Qualifier::Volatile | Qualifier::Restrict, name) => name,
        },
    }
}
