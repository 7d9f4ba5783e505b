//! Building the heap and calling the operations, as C.
//!
//! Values are stored by offset, with the C path in a comment: so it builds whatever the fields' types and qualifiers are,
//! and where the program keeps its types to itself. Locks need nothing: with glibc zero bytes are a free one.

use super::plan::{Plan, plain_type, unqualified};
use super::tables::{bytes, string};
use crate::format::{ArgumentValue, CellValue, HeapObject, Number, OperationCall};
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
    if let Some(number) = number {
        return number.to_string();
    }
    match value {
        CellValue::Null => "NULL".to_owned(),
        CellValue::Integer(bits) => bits.to_string(),
        CellValue::Function(name) => name.clone(),
        CellValue::Pointer { object, path, .. } => {
            let name = plan.witness.heap.objects.get(*object as usize).map_or("?", |o| o.name.as_str());
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

/// Whether an object is a stream of the C library, which it alone can make (C11 7.21.3p6), and nobody looks inside.
fn is_stream(object: &HeapObject) -> bool {
    matches!(unqualified(&object.c_type).as_str(), "FILE" | "struct _IO_FILE") && object.cells.is_empty()
}

fn store_cells(plan: &Plan, object: &HeapObject, to: &str, indent: &str, out: &mut String) {
    if let Some(text) = as_string(object).filter(|text| !text.is_empty()) {
        let _ = writeln!(out, "{indent}raddle_copy({to}, {}, {});", bytes(&text), text.len());
        return;
    }
    for cell in &object.cells {
        let at = if cell.offset == 0 { to.to_owned() } else { format!("{to} + {}", cell.offset) };
        let call = match &cell.value {
            CellValue::Integer(bits) => format!("raddle_integer({at}, {}, {bits}u);", cell.size.min(8)),
            other => format!("raddle_pointer({at}, {});", address(plan, other)),
        };
        let comment = format!("{}{} = {}", object.name, cell.path, shown(plan, &cell.value, cell.number()));
        let _ = writeln!(out, "{indent}{call:<44} /* {} */", super::summary::safe(&comment));
    }
}

/// Storage, `raddle_build` and `raddle_fill`.
pub(super) fn build(plan: &Plan) -> String {
    let objects = &plan.witness.heap.objects;
    let mut out = String::from("/* ---- The heap that the threads begin with. ---- */\n\n");
    for object in objects.iter().filter(|o| !(o.global && plan.is_check())) {
        let _ = writeln!(out, "static char *{};", variable(object));
    }
    out.push_str(
        "\nRADDLE_QUIET static void raddle_integer(char *at, unsigned size, uint64_t value) { raddle_copy(at, &value, size); }\n\
         RADDLE_QUIET static void raddle_pointer(char *at, const void *to) { raddle_copy(at, &to, sizeof to); }\n\n\
         RADDLE_QUIET static void raddle_build(void)\n{\n",
    );
    for object in objects.iter().filter(|o| !o.global) {
        let new = match is_stream(object) {
            true => "(char *)fopen(\"/dev/null\", \"r+\")".to_owned(),
            false => format!("calloc(1, {})", object.size.max(1)),
        };
        let c_type = super::summary::safe(&super::summary::type_of(object));
        let _ = writeln!(out, "    {} = {new}; /* {c_type} */", variable(object));
    }
    for object in objects.iter().filter(|o| o.global && !plan.is_check()) {
        let _ = writeln!(out, "    {} = {};", variable(object), location(plan, object));
    }
    let is_made_elsewhere = |object: &HeapObject| object.global && plan.is_check() || is_stream(object);
    for object in objects.iter().filter(|object| !is_made_elsewhere(object)) {
        store_cells(plan, object, &variable(object), "    ", &mut out);
    }
    out.push_str("}\n\n/* For raddle_structure(at, size, name). */\n");
    out.push_str("RADDLE_QUIET static void raddle_fill(char *at, size_t size, const char *name)\n{\n    (void)name;\n");
    out.push_str("    for (size_t i = 0; i < size; i++)\n        ((volatile char *)at)[i] = 0;\n");
    for object in objects.iter().filter(|o| o.global && plan.is_check()) {
        let _ = writeln!(out, "    if (raddle_same_text(name, {})) {{", string(&object.name));
        store_cells(plan, object, "at", "        ", &mut out);
        out.push_str("    }\n");
    }
    out.push_str("}\n");
    out
}

/// An argument as C; `seen`: with the program's declarations at hand.
fn argument(plan: &Plan, arg: &ArgumentValue, seen: bool) -> String {
    let named = unqualified(&arg.c_type);
    if arg.by_value {
        return format!("*({named} *)(void *)({})", address(plan, &arg.value));
    }
    let basic = plain_type(arg.known_type());
    match (basic.as_deref(), &arg.value) {
        (Some("void *"), value) => format!("(void *)({})", address(plan, value)),
        (Some("float" | "double" | "long double") | None, CellValue::Integer(bits)) => {
            let named = basic.filter(|_| !seen).unwrap_or(named);
            format!("RADDLE_VALUE({named}, {bits}u)")
        }
        (_, CellValue::Integer(bits)) => match arg.number() {
            Some(Number::Signed(value)) => value.to_string(),
            _ => format!("{bits}u"),
        },
        (_, value) => format!("(uintptr_t){}", address(plan, value)),
    }
}

/// The statement that makes a call; `name`: of what has to be declared for it, if anything.
fn call(plan: &Plan, operation: &OperationCall, name: &str, out: &mut String) -> String {
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
        let _ = writeln!(out, "extern void {name}({parameters}) __asm__({});", string(&operation.function));
        name.to_owned()
    };
    format!("    {callee}({});\n", args.join(", "))
}

fn thread(plan: &Plan, number: usize, first: &OperationCall, out: &mut String) {
    let mut calls = String::new();
    for (index, operation) in first.calls().enumerate() {
        let behind = if index == 0 { String::new() } else { format!("_{}", index + 1) };
        calls += &call(plan, operation, &format!("raddle_call_{}{behind}", number + 1), out);
    }
    let _ = writeln!(
        out,
        "RADDLE_QUIET static void *raddle_thread_{}(void *unused)\n{{\n    (void)unused;\n{calls}    return NULL;\n}}\n",
        number + 1
    );
}

/// The operations' threads, and the entry.
pub(super) fn main(plan: &Plan) -> String {
    if plan.is_check() {
        return MAIN_OF_CHECK.to_owned();
    }
    let operations = &plan.witness.operations;
    let mut out = String::from("/* ---- The threads. ---- */\n\n");
    let args = plan.witness.calls().flat_map(|call| &call.args);
    if args.into_iter().any(|arg| argument(plan, arg, true).starts_with("RADDLE_VALUE")) {
        out.push_str(VALUE);
    }
    for (number, operation) in operations.iter().enumerate() {
        thread(plan, number, operation, &mut out);
    }
    let runs: Vec<String> = (1..=operations.len()).map(|number| format!("raddle_thread_{number}")).collect();
    let _ = writeln!(out, "static void *(*const raddle_operations[])(void *) = {{{}}};\n", runs.join(", "));
    out.push_str(MAIN_OF_RACES);
    out
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
    raddle_build();
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
    raddle_build();
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
