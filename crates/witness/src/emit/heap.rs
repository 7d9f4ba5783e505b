//! Building the heap and calling the operations, as C that people read.
//!
//! Values are stored by offset, with the C path in a comment: so it builds whatever the fields' types and qualifiers are,
//! and where the program keeps its types to itself. Locks need nothing: with glibc zero bytes are a free one.

use super::plan::{Plan, plain_type, unqualified};
use super::tables::{bytes, string};
use crate::format::{ArgumentValue, CellValue, Heap, HeapObject, Number, OperationCall};
use std::fmt::Write;

/// What a C variable for an object of the heap is called.
fn variable(object: &HeapObject) -> String {
    let name: String = object.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if object.global { format!("at_{name}") } else { name }
}

/// Where an object lies that the test did not allocate.
fn location(plan: &Plan, object: &HeapObject) -> String {
    if plan.is_check() { "at".to_owned() } else { format!("raddle_symbol({})", string(&object.name)) }
}

/// An address as a C expression.
fn pointer(plan: &Plan, object: u32, offset: u64) -> String {
    match plan.witness.heap.objects.get(object as usize) {
        Some(target) if target.global && plan.is_check() => "NULL".to_owned(),
        Some(target) if offset == 0 => variable(target),
        Some(target) => format!("{} + {offset}", variable(target)),
        None => "NULL".to_owned(),
    }
}

fn address(plan: &Plan, value: &CellValue) -> String {
    match value {
        CellValue::Null => "NULL".to_owned(),
        CellValue::Integer(bits) => format!("(void *)(uintptr_t){bits}u"),
        CellValue::Pointer { object, offset, .. } => pointer(plan, *object, *offset),
        CellValue::Function(name) => format!("raddle_symbol({})", string(name)),
    }
}

/// A value as reports show it; `number`: what it is as one.
pub(super) fn shown(plan: &Plan, value: &CellValue, number: Option<Number>) -> String {
    shown_in(&plan.witness.heap, value, number)
}

/// The same of a value in this heap.
pub(super) fn shown_in(heap: &Heap, value: &CellValue, number: Option<Number>) -> String {
    if let Some(number) = number {
        return number.to_string();
    }
    match value {
        CellValue::Null => "NULL".to_owned(),
        CellValue::Integer(bits) => bits.to_string(),
        CellValue::Function(name) => name.clone(),
        CellValue::Pointer { object, path, .. } => {
            let name = heap.objects.get(*object as usize).map_or("?", |o| o.name.as_str());
            if path.is_empty() { name.to_owned() } else { format!("&{name}{path}") }
        }
    }
}

/// The bytes of an array of characters, if that is what an object is.
pub(super) fn as_string(object: &HeapObject) -> Option<Vec<u8>> {
    let characters = matches!(unqualified(&object.c_type).as_str(), "char" | "unsigned char" | "signed char");
    let byte = |cell: &crate::format::HeapCell| match cell.value {
        CellValue::Integer(bits) if cell.size == 1 && cell.offset < object.size => Some((cell.offset, bits as u8)),
        _ => None,
    };
    if !characters || object.size > 4096 {
        return None;
    }
    let mut text = vec![0; object.size as usize];
    for cell in &object.cells {
        let (offset, value) = byte(cell)?;
        text[offset as usize] = value;
    }
    Some(text)
}

/// Whether objects of a type are streams, which the C library alone can make (C11 7.21.3p6).
pub(super) fn is_stream_type(c_type: &str) -> bool {
    matches!(unqualified(c_type).as_str(), "FILE" | "struct _IO_FILE")
}

/// Whether an object is a stream, and nobody looks inside.
fn is_stream(object: &HeapObject) -> bool {
    is_stream_type(&object.c_type) && object.cells.is_empty()
}

fn store_cells(plan: &Plan, object: &HeapObject, to: &str, out: &mut String) {
    if let Some(text) = as_string(object).filter(|text| !text.is_empty()) {
        let _ = writeln!(out, "    raddle_copy({to}, {}, {});", bytes(&text), text.len());
        return;
    }
    for cell in &object.cells {
        let at = if cell.offset == 0 { to.to_owned() } else { format!("({to} + {})", cell.offset) };
        let store = match (&cell.value, cell.size) {
            (CellValue::Integer(bits), 1 | 2 | 4 | 8) => format!("*(uint{}_t *){at} = {bits}u;", 8 * cell.size),
            (CellValue::Integer(bits), size) => {
                format!("raddle_copy({at}, (uint64_t[]){{{bits}u}}, {});", size.min(8))
            }
            (other, _) => format!("*(void **){at} = {};", address(plan, other)),
        };
        let comment = format!("{}{} = {}", object.name, cell.path, shown(plan, &cell.value, cell.number()));
        let _ = writeln!(out, "    {store:<40} /* {} */", super::summary::safe(&comment));
    }
}

/// Storage and `raddle_build`, and `raddle_fill` where the program asks for structures by name.
pub(super) fn build(plan: &Plan, fills: bool) -> String {
    let objects = &plan.witness.heap.objects;
    let own: Vec<&HeapObject> = objects.iter().filter(|o| !(o.global && plan.is_check())).collect();
    let mut out = String::new();
    if !own.is_empty() {
        let names: Vec<String> = own.iter().map(|object| format!("*{}", variable(object))).collect();
        let _ = writeln!(
            out,
            "/* The heap that the threads begin with. All else is 0. */\nstatic char {};",
            names.join(", ")
        );
        out.push_str("RADDLE_QUIET static void raddle_build(void)\n{\n");
        for object in &own {
            let new = match () {
                () if object.global => location(plan, object),
                () if is_stream(object) => "(char *)fopen(\"/dev/null\", \"r+\")".to_owned(),
                () => format!("calloc(1, {})", object.size.max(1)),
            };
            let made = format!("{} = {new};", variable(object));
            let locks: Vec<String> =
                object.locks.iter().map(|(path, ty)| format!("; {}{path} is a free {ty}", object.name)).collect();
            let what = format!("{}{}", super::summary::type_of(object), locks.concat());
            let _ = writeln!(out, "    {made:<40} /* {} */", super::summary::safe(&what));
        }
        for object in own.iter().filter(|object| !is_stream(object)) {
            store_cells(plan, object, &variable(object), &mut out);
        }
        out.push_str("}\n\n");
    }
    if fills {
        out.push_str(
            "/* What raddle_structure(at, size, name) gives the program. */\n\
             RADDLE_QUIET static void raddle_fill(char *at, size_t size, const char *name)\n{\n    raddle_clear(at, size);\n",
        );
        for object in objects.iter().filter(|o| o.global && plan.is_check()) {
            let _ = writeln!(
                out,
                "    if (!raddle_same_text(name, {}))\n        goto after_{};",
                string(&object.name),
                variable(object)
            );
            store_cells(plan, object, "at", &mut out);
            let _ = writeln!(out, "after_{}:;", variable(object));
        }
        out.push_str("}\n\n");
    }
    out
}

/// Declarations of what stands behind, as far as [`build`] and the calls need it.
pub(super) fn helpers(text: &str) -> String {
    let known = [
        ("raddle_copy(", "static void raddle_copy(void *to, const void *from, size_t size);\n"),
        ("raddle_clear(", "static void raddle_clear(char *at, size_t size);\n"),
        ("raddle_same_text(", "static int raddle_same_text(const char *a, const char *b);\n"),
        ("raddle_symbol(", "static char *raddle_symbol(const char *name); /* that of the program, static or not */\n"),
        ("RADDLE_VALUE(", VALUE),
        ("fopen(", "#include <stdio.h>\n"),
    ];
    known.iter().filter(|(use_of, _)| text.contains(use_of)).map(|(_, declared)| *declared).collect()
}

/// An argument as C; `seen`: with the program's declarations at hand.
fn argument(plan: &Plan, arg: &ArgumentValue, seen: bool) -> String {
    let named = unqualified(&arg.c_type);
    if arg.by_value {
        return format!("*({named} *)(void *)({})", address(plan, &arg.value));
    }
    let basic = plain_type(arg.known_type());
    match (basic.as_deref(), &arg.value, arg.number()) {
        (Some("void *"), CellValue::Integer(_), _) => format!("(void *)({})", address(plan, &arg.value)),
        // Where the program is seen, it is passed to a pointer of another type than `char *`.
        (Some("void *"), value, _) => format!("(void *){}", parenthesised(address(plan, value))),
        (_, CellValue::Integer(_), Some(Number::Double(bits))) if f64::from_bits(bits).is_finite() => {
            format!("{:?}", f64::from_bits(bits))
        }
        (_, CellValue::Integer(_), Some(Number::Single(bits))) if f32::from_bits(bits).is_finite() => {
            format!("{:?}f", f32::from_bits(bits))
        }
        (Some("float" | "double" | "long double") | None, CellValue::Integer(bits), _) => {
            let named = basic.filter(|_| !seen).unwrap_or(named);
            format!("RADDLE_VALUE({named}, {bits}u)")
        }
        (_, CellValue::Integer(_), Some(Number::Signed(value))) => value.to_string(),
        (_, CellValue::Integer(bits), _) => format!("{bits}u"),
        (_, value, _) => format!("(uintptr_t){}", parenthesised(address(plan, value))),
    }
}

/// An expression that a cast can stand before.
fn parenthesised(expression: String) -> String {
    if expression.contains(" + ") { format!("({expression})") } else { expression }
}

/// The statement that makes a call; `declared`: what had to be declared so far, with the names that stand for it.
fn call(plan: &Plan, operation: &OperationCall, declared: &mut Vec<(String, String)>) -> String {
    let seen = plan.sees(operation);
    let args: Vec<String> = operation.args.iter().map(|arg| argument(plan, arg, seen)).collect();
    let callee = if seen {
        // Among several files with a static function of this name the lowering adds a number.
        let numbered = |(_, n): &(&str, &str)| operation.is_static && n.bytes().all(|b| b.is_ascii_digit());
        operation
            .function
            .rsplit_once('.')
            .filter(numbered)
            .map_or(operation.function.as_str(), |(name, _)| name)
            .to_owned()
    } else {
        let parameters: Vec<String> = operation
            .args
            .iter()
            .map(|arg| plain_type(arg.known_type()).unwrap_or_else(|| "unsigned long".to_owned()))
            .collect();
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        // A name of its own: the function's may be one of the C library's headers.
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut name = format!("call_{}", operation.function.chars().map(plain).collect::<String>());
        let declaration =
            |name: &str| format!("extern void {name}({parameters}) __asm__({});\n", string(&operation.function));
        while declared.iter().any(|(known, text)| *known == name && *text != declaration(&name)) {
            name.push('_');
        }
        if !declared.iter().any(|(known, _)| *known == name) {
            declared.push((name.clone(), declaration(&name)));
        }
        name
    };
    let names: Vec<&str> = operation.args.iter().map(|arg| arg.name.as_str()).collect();
    let comment = super::summary::safe(&names.join(", "));
    let comment = if names.is_empty() { String::new() } else { format!(" /* {comment} */") };
    format!("    {callee}({});{comment}\n", args.join(", "))
}

/// The operations' threads.
pub(super) fn threads(plan: &Plan) -> String {
    if plan.is_check() {
        return String::new();
    }
    let (mut declared, mut defined) = (Vec::new(), String::new());
    for (number, first) in (1..).zip(&plan.witness.operations) {
        let calls: String = first.calls().map(|operation| call(plan, operation, &mut declared)).collect();
        let _ = writeln!(
            defined,
            "RADDLE_QUIET static void *raddle_thread_{number}(void *unused)\n{{\n{calls}    return unused;\n}}\n"
        );
    }
    let declared: String = declared.into_iter().map(|(_, text)| text).collect();
    format!("/* What each thread does. */\n{declared}{defined}")
}

/// What the entry is told: whether there is a heap to be built, and what the threads run.
pub(super) fn operations(plan: &Plan, builds: bool) -> String {
    let build = if builds { "raddle_build()" } else { "(void)0" };
    let build = format!("#define RADDLE_BUILD() {build}\n");
    if plan.is_check() {
        return build;
    }
    let runs: Vec<String> =
        (1..=plan.witness.operations.len()).map(|number| format!("raddle_thread_{number}")).collect();
    format!("{build}static void *(*const raddle_operations[])(void *) = {{{}}};\n\n", runs.join(", "))
}

/// The entry.
pub(super) fn main(plan: &Plan) -> &'static str {
    if plan.is_check() { MAIN_OF_CHECK } else { MAIN_OF_RACES }
}

/// A value of a type of any kind, by its bits.
const VALUE: &str = "#define RADDLE_VALUE(type, bits) \\
    __extension__({ \\
        type raddle_value; \\
        unsigned long raddle_bits[sizeof(type) / 8 + 1] = {bits}; \\
        __builtin_memcpy(&raddle_value, raddle_bits, sizeof raddle_value); \\
        raddle_value; \\
    })
";

const MAIN_OF_CHECK: &str = "/* ---- The program's main, under the name that the linker gives it. ---- */

extern int __real_main(int argc, char **argv, char **environment);

RADDLE_QUIET int __wrap_main(void)
{
    static char name[] = \"program\", *arguments[] = {name, NULL}, *environment[] = {NULL};
    raddle_begin();
    RADDLE_BUILD();
    raddle_become(raddle_new_thread(NULL, \"main\"));
    raddle_turn = 0;
    raddle_start_watch();
    exit(__real_main(1, arguments, environment));
}
";

const MAIN_OF_RACES: &str = "/* Runs instead of a main that the program may have. */
RADDLE_QUIET int __wrap_main(void)
{
    raddle_begin();
    RADDLE_BUILD();
    for (int i = 0; i < RADDLE_COUNT(raddle_operations); i++)
        raddle_new_thread(NULL, raddle_names[i])->run = raddle_operations[i];
    struct raddle_thread *t, *end = raddle_threads + raddle_thread_count;
    for (t = raddle_threads; t < end; t++)
        if (__real_pthread_create(&t->handle, NULL, raddle_run, t) != 0)
            raddle_lost(\"no thread could be created\");
    raddle_start_watch();
    raddle_next();
    for (t = raddle_threads; t < end; t++)
        __real_pthread_join(t->handle, NULL);
    raddle_finish();
    return 0;
}
";
