//! Names, numbers and pointers as C writes them.

use super::{Part, Template};
use ir::{DebugType, IntKind, Module, TypeId};

/// What a place's address leads to.
pub(super) fn read_through(mut address: Template) -> Template {
    match address.0.first_mut() {
        Some(Part::Text(text)) if text.starts_with('&') => {
            text.remove(0);
            address
        }
        _ => address.around("*(void **)(", ")"),
    }
}

/// A pointer that leads some bytes further.
pub(super) fn moved(pointer: Template, bytes: i64) -> Template {
    match bytes {
        0 => pointer,
        _ => pointer.around("(void *)((char *)", &format!(" + {bytes})")),
    }
}

/// A byte in a string.
pub(super) fn escaped(byte: u8) -> String {
    match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b'\n' => "\\n".to_owned(),
        0x20..0x7f => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

/// A type in front of a name.
pub(super) fn spaced(named: &str) -> String {
    if named.ends_with('*') { named.to_owned() } else { format!("{named} ") }
}

pub(super) fn is_identifier(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a function that returns this returns something, by a type that can be written.
pub(super) fn is_value(named: &str) -> bool {
    !matches!(named, "" | "void")
}

/// What a variable of a type is called.
pub(super) fn name_of(named: &str) -> String {
    let mut words = named.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let word = words.rfind(|word| !matches!(*word, "" | "struct" | "union" | "enum" | "const" | "unsigned"));
    let word = word.unwrap_or("value");
    let word = word.strip_suffix("_t").unwrap_or(word).to_ascii_lowercase();
    match word.as_str() {
        "void" => "pointer".to_owned(),
        "int" | "char" | "long" | "short" | "float" | "double" | "bool" | "_Bool" => format!("{word}_value"),
        _ => word,
    }
}

/// A number as C writes it.
pub(super) fn number(module: &Module, ty: Option<TypeId>, bits: u64) -> String {
    let Some(ty) = ty else { return (bits as i64).to_string() };
    match &module[module.strip(ty)] {
        DebugType::Int { size, kind: IntKind::Signed | IntKind::Char, .. } if *size <= 8 => {
            let shift = 64 - 8 * *size as u32;
            match ((bits << shift) as i64) >> shift {
                i64::MIN => "(-9223372036854775807 - 1)".to_owned(),
                value if value == i64::from(i32::MIN) => "(-2147483647 - 1)".to_owned(),
                value => value.to_string(),
            }
        }
        DebugType::Enum { values, .. } => {
            let value = i64::from(bits as u32 as i32);
            let named = values.iter().find(|(_, number)| *number == value);
            named.map_or_else(|| value.to_string(), |(name, _)| name.clone())
        }
        DebugType::Float { size: 4, .. } => format!("{:?}f", f32::from_bits(bits as u32)),
        DebugType::Float { size: 8, .. } => format!("{:?}", f64::from_bits(bits)),
        _ if bits > i64::MAX as u64 => format!("{bits}u"),
        _ => bits.to_string(),
    }
}
