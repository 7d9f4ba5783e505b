//! Printing of a module's tables.

use super::keyword::Keyword;
use super::lex::is_bare;
use super::print_body::BodyPrinter;
use crate::{
    Address, DebugType, Function, Global, GlobalId, Init, LocId, Location, Module, Param, Piece, PointerSize, Reg,
    SourceParam, TypeId,
};
use std::fmt::Write;

/// Appends formatted text to a `String`, which cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{
        let _ = write!($out, $($arg)*);
    }};
}
pub(super) use put;

/// Column at which source positions stand.
const LOCATION_COLUMN: usize = 56;

/// The module as text; see [`super`] for the format. Prints modules that do not verify, too.
pub fn print(module: &Module) -> String {
    let mut out = String::new();
    if module.pointer == PointerSize::Four {
        out.push_str("pointers of 4 bytes\n");
    }
    for (i, file) in module.files.iter().enumerate() {
        put!(out, "file{i} = {} in {}\n", quoted(&file.path), quoted(&file.directory));
    }
    for (i, ty) in module.types.iter().enumerate() {
        let mut line = format!("T{i} = ");
        debug_type(&mut line, ty);
        if let DebugType::Pointer { .. } | DebugType::Array { .. } | DebugType::Function { .. } = ty {
            pad(&mut line);
            put!(line, "; {}", comment(&c_name(module, TypeId::new(i), 12)));
        }
        put!(out, "{line}\n");
    }
    for (i, value) in module.wide.iter().enumerate() {
        put!(out, "w{i} = {value:#x}\n");
    }
    for (id, item) in module.globals() {
        global(&mut out, module, id, item);
    }
    for (id, function) in module.functions() {
        put!(out, "\nfn {id} ");
        header(&mut out, module, function);
        BodyPrinter { module, function }.blocks(&mut out);
    }
    if !module.locations.is_empty() {
        out.push('\n');
    }
    for (i, location) in module.locations.iter().enumerate() {
        put!(out, "loc !{i} = {}:{}:{} in {}", location.file, location.line, location.column, name(&location.function));
        if let Some(outer) = location.inlined_at {
            put!(out, " at {outer}");
        }
        if location.assembly {
            out.push_str(" asm");
        }
        out.push('\n');
    }
    out
}

/// A name: bare where the lexer reads it back as one word, else quoted.
pub(super) fn name(text: &str) -> String {
    if is_bare(text) { text.to_owned() } else { quoted(text) }
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\0'..='\x1f' | '\x7f' => put!(out, "\\x{:02x}", c as u32),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Text for a comment: without the line breaks that would end it.
fn comment(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

fn pad(line: &mut String) {
    let width = line.chars().count();
    line.extend(std::iter::repeat_n(' ', LOCATION_COLUMN.saturating_sub(width).max(2)));
}

/// Appends a source position, by id and for the reader.
pub(super) fn location_suffix(line: &mut String, module: &Module, location: Option<LocId>) {
    let Some(id) = location else { return };
    pad(line);
    put!(line, "{id}");
    if let Some(Location { file, line: row, column, .. }) = module.locations.get(id.index())
        && let Some(file) = module.files.get(file.index())
    {
        put!(line, "  ; {}:{row}:{column}", comment(&file.path));
    }
}

/// ` -> T`-style lists: the items with commas between.
pub(super) fn list<T>(out: &mut String, items: &[T], mut each: impl FnMut(&mut String, &T)) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        each(out, item);
    }
}

fn debug_type(out: &mut String, ty: &DebugType) {
    match ty {
        DebugType::Void => out.push_str("void"),
        DebugType::Int { name: n, size, kind } => put!(out, "{} {} {size}", kind.word(), name(n)),
        DebugType::Float { name: n, size } => put!(out, "floating {} {size}", name(n)),
        DebugType::Enum { name: n, size, values } => {
            put!(out, "enum {} {size} {{{}", name(n), if values.is_empty() { "" } else { " " });
            list(out, values, |out, (label, value)| put!(out, "{} = {value}", name(label)));
            out.push_str(if values.is_empty() { "}" } else { " }" });
        }
        DebugType::Pointer { to } => put!(out, "ptr {to}"),
        DebugType::Record { name: n, size, union, fields } => {
            let blank = if fields.is_empty() { "" } else { " " };
            put!(out, "{} {} {size} {{{blank}", if *union { "union" } else { "struct" }, name(n));
            list(out, fields, |out, field| {
                put!(out, "{} {}: {}", field.offset, name(&field.name), field.ty);
                if let Some((first, width)) = field.bits {
                    put!(out, " bits {first} + {width}");
                }
            });
            out.push_str(if fields.is_empty() { "}" } else { " }" });
        }
        DebugType::Array { of, count: Some(count) } => put!(out, "{of}[{count}]"),
        DebugType::Array { of, count: None } => put!(out, "{of}[]"),
        DebugType::Function { ret, params, variadic } => {
            out.push_str("fn(");
            list(out, params, |out, p| put!(out, "{p}"));
            put!(out, "{}) -> {ret}", ellipsis(*variadic, params.is_empty()));
        }
        DebugType::Typedef { name: n, to } => put!(out, "typedef {} {to}", name(n)),
        DebugType::Qualified { qualifier, to } => put!(out, "{} {to}", qualifier.word()),
        DebugType::Opaque { name: n } => put!(out, "opaque {}", name(n)),
    }
}

fn ellipsis(variadic: bool, first: bool) -> &'static str {
    match (variadic, first) {
        (false, _) => "",
        (true, true) => "...",
        (true, false) => ", ...",
    }
}

/// The type roughly as C writes it, for people to read; `fuel` levels of it.
pub fn c_name(module: &Module, ty: TypeId, fuel: u32) -> String {
    let deeper = |ty: TypeId| if fuel == 0 { "...".to_owned() } else { c_name(module, ty, fuel - 1) };
    match module.types.get(ty.index()) {
        None => "?".to_owned(),
        Some(DebugType::Void) => "void".to_owned(),
        Some(DebugType::Int { name, .. } | DebugType::Float { name, .. } | DebugType::Typedef { name, .. }) => {
            name.clone()
        }
        Some(DebugType::Enum { name, .. }) => format!("enum {name}"),
        Some(DebugType::Record { name, union, .. }) => format!("{} {name}", if *union { "union" } else { "struct" }),
        Some(DebugType::Opaque { name }) => format!("struct {name}"),
        Some(DebugType::Pointer { to }) => match deeper(*to) {
            to if to.ends_with('*') => format!("{to}*"),
            to => format!("{to} *"),
        },
        Some(DebugType::Array { of, count }) => {
            format!("{} [{}]", deeper(*of), count.map_or(String::new(), |c| c.to_string()))
        }
        Some(DebugType::Function { ret, params, variadic }) => {
            // Functions that take functions would otherwise grow exponentially.
            let inner = |ty: TypeId| if fuel == 0 { "...".to_owned() } else { c_name(module, ty, fuel / 6) };
            let mut names = String::new();
            list(&mut names, params, |out, p| out.push_str(&inner(*p)));
            format!("{} ({names}{})", inner(*ret), ellipsis(*variadic, params.is_empty()))
        }
        Some(DebugType::Qualified { qualifier, to }) => format!("{} {}", qualifier.word(), deeper(*to)),
    }
}

fn global(out: &mut String, module: &Module, id: GlobalId, item: &Global) {
    let mut line = format!("global {id} {}: {} align {}", name(&item.name), item.size, item.align);
    if let Some(ty) = item.ty {
        put!(line, " {ty}");
    }
    for (set, word) in [
        (item.external, "external"),
        (item.constant, "const"),
        (item.thread_local, "thread_local"),
        (item.library, "library"),
        (item.guarded, "guarded"),
    ] {
        if set {
            put!(line, " {word}");
        }
    }
    if let Some(word) = item.space.word() {
        put!(line, " {word}");
    }
    if let Some(own) = item.stands_for {
        put!(line, " for {own}");
        label(&mut line, module.globals.get(own.index()).map(|g| &g.name));
    }
    match &item.init {
        Init::External => line.push_str(" = elsewhere"),
        Init::Zero => line.push_str(" = zero"),
        Init::Data { bytes, addresses } => {
            line.push_str(" = ");
            data(&mut line, bytes);
            if !addresses.is_empty() {
                line.push_str(" { ");
                list(&mut line, addresses, |out, (offset, address)| {
                    put!(out, "{offset}: ");
                    match address {
                        Address::Global(global, plus) => global_address(out, module, *global, *plus),
                        Address::Func(function) => {
                            put!(out, "{function}");
                            label(out, module.functions.get(function.index()).map(|f| &f.name));
                        }
                    }
                });
                line.push_str(" }");
            }
        }
    }
    location_suffix(&mut line, module, item.location);
    put!(out, "{line}\n");
}

/// A string literal for what looks like text, else hexadecimal digits.
fn data(out: &mut String, bytes: &[u8]) {
    let text = bytes.iter().rposition(|b| *b != 0).map_or(&bytes[..0], |last| &bytes[..=last]);
    if text.is_empty() || text.iter().any(|b| !(b.is_ascii_graphic() || matches!(b, b' ' | b'\n' | b'\t'))) {
        out.push_str("hex \"");
        bytes.iter().for_each(|b| put!(out, "{b:02x}"));
    } else {
        out.push_str("text \"");
        for b in bytes {
            match b {
                b'"' | b'\\' => out.extend(['\\', char::from(*b)]),
                b' '..=b'~' => out.push(char::from(*b)),
                _ => put!(out, "\\x{b:02x}"),
            }
        }
    }
    out.push('"');
}

/// The name behind an id.
pub(super) fn label(out: &mut String, text: Option<&String>) {
    if let Some(text) = text {
        put!(out, ":{}", name(text));
    }
}

/// `g0:name`, or `(g0:name + 8)`.
pub(super) fn global_address(out: &mut String, module: &Module, global: GlobalId, plus: i64) {
    if plus != 0 {
        out.push('(');
    }
    put!(out, "{global}");
    label(out, module.globals.get(global.index()).map(|g| &g.name));
    if plus != 0 {
        put!(out, " {} {})", if plus < 0 { '-' } else { '+' }, plus.unsigned_abs());
    }
}

/// `%3 name: ptr(T2)`; the number alone for a register that the function does not have.
pub(super) fn register(out: &mut String, function: &Function, reg: Reg) {
    put!(out, "{reg}");
    let Some(register) = function.registers.get(reg.index()) else { return };
    if let Some(text) = &register.name {
        put!(out, " {}", name(text));
    }
    put!(out, ": {}", register.ty);
    if let Some(ty) = register.points_to {
        put!(out, "({ty})");
    }
}

fn header(out: &mut String, module: &Module, function: &Function) {
    put!(out, "{}(", name(&function.name));
    list(out, &function.params, |out, Param { reg, by_value, returned_through }| {
        register(out, function, *reg);
        if let Some(size) = by_value {
            put!(out, " byval({size})");
        }
        if *returned_through {
            out.push_str(" sret");
        }
    });
    put!(out, "{})", ellipsis(function.variadic, function.params.is_empty()));
    if !function.returns.is_empty() {
        out.push_str(" -> ");
        list(out, &function.returns, |out, ty| put!(out, "{ty}"));
    }
    for (set, word) in [
        (function.external, "external"),
        (function.no_return, "noreturn"),
        (function.address_taken, "address_taken"),
        (function.library, "library"),
        (function.kernel, "kernel"),
    ] {
        if set {
            put!(out, " {word}");
        }
    }
    if let Some(most) = function.most_threads {
        put!(out, " threads({most})");
    }
    for (set, word) in [(function.device, "device"), (function.excess_precision, "excess")] {
        if set {
            put!(out, " {word}");
        }
    }
    if let Some(own) = function.stands_for {
        put!(out, " for {own}");
        label(out, module.functions.get(own.index()).map(|f| &f.name));
    }
    if let Some(file) = function.file {
        put!(out, " {file}");
    }
    if let Some(location) = function.location {
        put!(out, " {location}");
    }
    if !function.source_params.is_empty() || function.return_type.is_some() {
        out.push_str("\n ");
    }
    if let Some(ty) = function.return_type {
        put!(out, " returns {ty}");
    }
    if !function.source_params.is_empty() {
        out.push_str(" source(");
        list(out, &function.source_params, |out, SourceParam { name: n, ty }| put!(out, "{}: {ty}", name(n)));
        out.push(')');
    }
    if !function.pieces.is_empty() {
        out.push_str(" passes(");
        list(out, &function.pieces, |out, piece| match piece {
            Piece::Of(source, byte) => put!(out, "{source} from {byte}"),
            Piece::Result => out.push_str("result"),
        });
        out.push(')');
    }
    let unset = unset_registers(function);
    if !unset.is_empty() {
        out.push_str("\n  unset(");
        list(out, &unset, |out, reg| register(out, function, *reg));
        out.push(')');
    }
}

/// The registers that nothing sets, which no definition prints.
fn unset_registers(function: &Function) -> Vec<Reg> {
    let mut set = vec![false; function.registers.len()];
    let mut mark = |reg: Reg| {
        if let Some(slot) = set.get_mut(reg.index()) {
            *slot = true;
        }
    };
    function.params.iter().for_each(|p| mark(p.reg));
    for block in &function.blocks {
        block.params.iter().for_each(|r| mark(*r));
        block.insts.iter().flat_map(|i| i.op.dests()).for_each(&mut mark);
    }
    set.iter().enumerate().filter(|(_, set)| !**set).map(|(i, _)| Reg::new(i)).collect()
}
