//! C stubs for what a program calls and nothing models, for the user to fill in.
//!
//! Guarantee: the file stands by itself, and compiles together with the program as it is: types are those of the
//! declarations, without typedefs, and what they need is declared first. No file is overwritten but one of this kind in
//! which nobody has written anything.
//! Not promised: that what a stub returns is what the function returns. It is any value of its type, or null.

use ir::{DebugType, FuncId, Function, Module, Qualifier, Ty, TypeId};
use session::errors::{InputError, UsageError};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// How the file begins.
const FIRST: &str = "// raddle stubs: ";

/// # Errors
/// When `output` is no C file by its name, or holds something else than stubs that are as they were written.
pub(crate) fn check(output: &Path) -> Result<(), UsageError> {
    let refused = |why: &str| Err(UsageError::new("output", format!("--stubs {}: {why}", output.display())));
    if output.extension().is_none_or(|extension| extension != "c") {
        return refused("C is written; give a name that ends in .c");
    }
    match std::fs::read(output) {
        Ok(bytes) if !bytes.starts_with(FIRST.as_bytes()) => {
            refused("the file exists and its first line is not that of stubs; it stays")
        }
        Ok(bytes) if !is_as_written(&bytes) => {
            refused("somebody has written into the file since it was made; it stays: give another name")
        }
        Err(_) if output.exists() => refused("it cannot be read, so it stays"),
        _ => Ok(()),
    }
}

/// What the last line begins with; a hash of all before it follows.
const LAST: &str = "\n// raddle stubs end, as they were written: ";

fn hash(text: &[u8]) -> String {
    blake3::hash(text).to_hex()[..16].to_owned()
}

fn is_as_written(bytes: &[u8]) -> bool {
    let Some(at) = bytes.windows(LAST.len()).rposition(|window| window == LAST.as_bytes()) else { return false };
    let (before, last) = (&bytes[..at], &bytes[at + LAST.len()..]);
    last == format!("{}\n", hash(before)).as_bytes()
}

/// Writes the stubs.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write(output: &Path, text: &str) -> Result<(), InputError> {
    std::fs::write(output, format!("{text}{LAST}{}\n", hash(text.as_bytes())))
        .map_err(|e| InputError::new("output", format!("{} cannot be written: {e}", output.display())).in_file(output))
}

/// The stubs of functions that the module declares; `program`: its sources, as typed.
pub(crate) fn text(module: &Module, functions: &BTreeSet<FuncId>, program: &str) -> String {
    let mut types = Types { module, declared: BTreeMap::new(), definitions: String::new(), names: BTreeMap::new() };
    let mut bodies = String::new();
    for &id in functions {
        body(&mut types, &module[id], &mut bodies);
    }
    let mut text = format!(
        "{FIRST}what {program} calls and raddle has no model of. Each returns any value of its type and does nothing else:\n\
         // write here what matters of it (what it stores, which locks it takes, whether it fails), then\n\
         //     raddle check {program} THIS_FILE\n\
         #include <raddle.h>\n"
    );
    let forward: Vec<&String> = types.declared.values().collect();
    for declaration in forward {
        let _ = write!(text, "\n{declaration};");
    }
    if !types.declared.is_empty() {
        text.push('\n');
    }
    text.push_str(&types.definitions);
    text.push_str(&bodies);
    text
}

fn body(types: &mut Types, function: &Function, out: &mut String) {
    let (result, parameters) = match function.return_type {
        Some(ty) => (Some(ty), parameters(types, function)),
        None => (None, abi_parameters(function)),
    };
    let declarator = format!("{}({parameters})", function.name);
    let head = match (result, function.returns.as_slice()) {
        (Some(ty), _) => types.declare(ty, &declarator),
        (None, []) => format!("void {declarator}"),
        (None, [first, ..]) => format!("{} {declarator}", abi_type(*first)),
    };
    let _ = write!(out, "\n{head}\n{{\n");
    let kind = result.map(|ty| &types.module[types.module.strip(ty)]);
    match (kind, function.returns.as_slice()) {
        (Some(DebugType::Void), _) | (None, []) => {
            out.push_str(if function.no_return {
                "    for (;;)\n        ; /* it does not return */\n"
            } else {
                "    /* nothing */\n"
            });
        }
        (Some(DebugType::Pointer { .. }), _) | (None, [Ty::Ptr, ..]) => {
            out.push_str("    return 0; /* null: what else can it be? */\n");
        }
        (Some(DebugType::Float { size: 9.., .. }), _) | (None, [Ty::F80, ..]) => {
            out.push_str("    return 0; /* long double input is not explored: which values matter? */\n");
        }
        (Some(DebugType::Int { kind: ir::IntKind::Bool, .. }), _) => {
            let _ = write!(
                out,
                "    unsigned char result; /* true or false */\n    raddle_symbolic(&result, sizeof result, \"{}\");\n    return result & 1;\n",
                function.name
            );
        }
        _ => {
            let variable = match result {
                Some(ty) => types.declare(types.module.strip(ty), "result"),
                None => {
                    format!("{} result", function.returns.first().map_or_else(|| "int".to_owned(), |ty| abi_type(*ty)))
                }
            };
            let _ = write!(
                out,
                "    {variable}; /* any value */\n    raddle_symbolic(&result, sizeof result, \"{}\");\n    return result;\n",
                function.name
            );
        }
    }
    out.push_str("}\n");
}

/// As the source declares them.
fn parameters(types: &mut Types, function: &Function) -> String {
    let mut all: Vec<String> = Vec::new();
    for (index, parameter) in function.source_params.iter().enumerate() {
        let name = match parameter.name.as_str() {
            "" => format!("p{}", index + 1),
            name => name.to_owned(),
        };
        all.push(types.declare(parameter.ty, &name));
    }
    match (all.is_empty(), function.variadic) {
        // Declared without a prototype: called with whatever it is called.
        (true, true) => String::new(),
        (true, false) => "void".to_owned(),
        (false, variadic) => {
            all.extend(variadic.then(|| "...".to_owned()));
            all.join(", ")
        }
    }
}

/// Where no declaration is known, as the calls pass them.
fn abi_parameters(function: &Function) -> String {
    let all: Vec<String> = function
        .params
        .iter()
        .enumerate()
        .map(|(index, param)| format!("{} p{}", abi_type(function.registers[param.reg.index()].ty), index + 1))
        .collect();
    if all.is_empty() { "void".to_owned() } else { all.join(", ") }
}

fn abi_type(ty: Ty) -> String {
    match ty {
        Ty::Ptr => "void *",
        Ty::Int(1) => "_Bool",
        Ty::Int(0..=8) => "char",
        Ty::Int(9..=16) => "short",
        Ty::Int(17..=32) => "int",
        Ty::Int(_) => "long",
        Ty::F32 => "float",
        Ty::F64 => "double",
        Ty::F80 => "long double",
    }
    .to_owned()
}

/// The types that the stubs name.
struct Types<'m> {
    module: &'m Module,
    /// Records that are named, by their names.
    declared: BTreeMap<String, String>,
    definitions: String,
    /// Records that are passed by value, as they are called here.
    names: BTreeMap<TypeId, String>,
}

impl Types<'_> {
    /// A declaration of `name` with a type.
    fn declare(&mut self, ty: TypeId, name: &str) -> String {
        let spaced = |text: String| if name.is_empty() { text } else { format!("{text} {name}") };
        match &self.module[ty] {
            DebugType::Void => spaced("void".to_owned()),
            DebugType::Int { name, .. } | DebugType::Float { name, .. } => spaced(name.clone()),
            DebugType::Enum { values, size, .. } => spaced(
                match (size, values.iter().any(|(_, value)| *value < 0)) {
                    (8, _) => "long",
                    (_, true) => "int",
                    (_, false) => "unsigned",
                }
                .to_owned(),
            ),
            DebugType::Typedef { to, .. } => self.declare(*to, name),
            DebugType::Qualified { qualifier: Qualifier::Const, to } => match self.module[self.module.strip(*to)] {
                DebugType::Pointer { .. } => self.declare(*to, &format!("const {name}")),
                _ => format!("const {}", self.declare(*to, name)),
            },
            DebugType::Qualified { to, .. } => self.declare(*to, name),
            DebugType::Pointer { to } => {
                let inner = self.module.strip(*to);
                match &self.module[inner] {
                    DebugType::Function { .. } | DebugType::Array { .. } => self.declare(inner, &format!("(*{name})")),
                    DebugType::Record { name: tag, .. } | DebugType::Opaque { name: tag } if tag.is_empty() => {
                        format!("void *{name}")
                    }
                    _ => self.declare(*to, &format!("*{name}")),
                }
            }
            // As a parameter it is a pointer.
            DebugType::Array { of, count } => {
                let bound = count.map_or_else(String::new, |count| count.to_string());
                self.declare(*of, &format!("{name}[{bound}]"))
            }
            DebugType::Function { ret, params, variadic } => {
                let mut all: Vec<String> = params.iter().map(|&param| self.declare(param, "")).collect();
                all.extend((*variadic && !all.is_empty()).then(|| "...".to_owned()));
                let all = if all.is_empty() && !variadic { "void".to_owned() } else { all.join(", ") };
                self.declare(*ret, &format!("{name}({all})"))
            }
            DebugType::Opaque { name: tag } => {
                let tag = self.tag("struct", tag);
                spaced(tag)
            }
            DebugType::Record { name: tag, union, .. } => {
                let keyword = if *union { "union" } else { "struct" };
                // Behind a pointer its name is enough.
                let tag = if name.starts_with('*') { self.tag(keyword, tag) } else { self.whole(ty) };
                spaced(tag)
            }
        }
    }

    fn tag(&mut self, keyword: &str, name: &str) -> String {
        let tag = format!("{keyword} {name}");
        self.declared.insert(tag.clone(), tag.clone());
        tag
    }

    /// A record that is passed by value.
    fn whole(&mut self, ty: TypeId) -> String {
        if let Some(known) = self.names.get(&ty) {
            return known.clone();
        }
        let DebugType::Record { name, size, union, fields } = &self.module[ty] else { return String::new() };
        let keyword = if *union { "union" } else { "struct" };
        let tag = match name.as_str() {
            "" => format!("{keyword} raddle_record_{}", self.names.len() + 1),
            name => format!("{keyword} {name}"),
        };
        self.names.insert(ty, tag.clone());
        let mut text = format!("\n{tag} {{\n");
        for (index, field) in fields.iter().enumerate() {
            let name = if field.name.is_empty() { format!("unnamed_{index}") } else { field.name.clone() };
            let bits = field.bits.map_or_else(String::new, |(_, width)| format!(" : {width}"));
            let _ = writeln!(text, "    {}{bits};", self.declare(field.ty, &name));
        }
        let _ = write!(text, "}};\n_Static_assert(sizeof({tag}) == {size}, \"as in the program\");\n");
        self.definitions.push_str(&text);
        tag
    }
}
