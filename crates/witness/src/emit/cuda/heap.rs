//! What a kernel's test runs: the heap is built, the kernel launched, its end waited for.
//!
//! As in C tests values are stored by offset, with the path in a comment, so that it builds whatever the members' types are; what the
//! kernel is given takes the type of its parameter by itself.

use super::super::heap::shown_in;
use super::super::summary::{safe, type_of};
use super::Plan;
use crate::format::{ArgumentValue, CellValue, HeapCell, HeapObject, Number};
use std::fmt::Write;

/// What every test needs.
const ALWAYS: &str = r#"// Ends the test where it does not come to the launch.
static inline void raddle_need(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "raddle: not launched: %s: %s\n", what, cudaGetErrorString(error));
        exit(3);
    }
}
"#;

const OBJECT: &str = r#"
// Memory of both sides, all zeros.
static inline unsigned char *raddle_object(size_t bytes)
{
    unsigned char *object = nullptr;
    raddle_need(cudaMallocManaged(&object, bytes), "cudaMallocManaged");
    memset(object, 0, bytes);
    return object;
}
"#;

const STORE: &str = r#"
template <class raddle_type> static inline void raddle_store(unsigned char *to, raddle_type value)
{
    memcpy(to, &value, sizeof value);
}
"#;

const SYMBOL: &str = r#"
// Where a variable of the device is.
template <class raddle_type> static inline unsigned char *raddle_address(const raddle_type &variable)
{
    void *address = nullptr;
    raddle_need(cudaGetSymbolAddress(&address, variable), "cudaGetSymbolAddress");
    return static_cast<unsigned char *>(address);
}
"#;

const SET: &str = r#"
// Writes a part of a variable of the device.
template <class raddle_variable, class raddle_type>
static inline void raddle_set(const raddle_variable &variable, size_t offset, raddle_type value)
{
    raddle_need(cudaMemcpyToSymbol(variable, &value, sizeof value, offset), "cudaMemcpyToSymbol");
}
"#;

const POINTER: &str = r#"
// A pointer of the type that the kernel's parameter has.
struct raddle_pointer {
    void *address;
    template <class raddle_type> operator raddle_type *() const { return static_cast<raddle_type *>(address); }
};
"#;

const NUMBER: &str = r#"
// A number of the type that the kernel's parameter has.
struct raddle_number {
    unsigned long long bits;
    template <class raddle_type> operator raddle_type() const
    {
        raddle_type value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
};
"#;

const COPY: &str = r#"
// A structure by value, of the type that the kernel's parameter has.
struct raddle_structure {
    const void *address;
    template <class raddle_type> operator raddle_type() const
    {
        alignas(raddle_type) unsigned char bytes[sizeof(raddle_type)];
        memcpy(bytes, address, sizeof bytes);
        return *reinterpret_cast<raddle_type *>(bytes);
    }
};
"#;

const COOPERATIVE: &str = r#"
// Threads of all blocks meet: a launch of its own.
template <class raddle_type> struct raddle_same {
    typedef raddle_type type;
};
template <class... raddle_types>
static inline void raddle_launch(void (*kernel)(raddle_types...), dim3 grid, dim3 block, size_t shared,
                                 typename raddle_same<raddle_types>::type... given)
{
    void *arguments[] = {static_cast<void *>(&given)..., nullptr};
    const void *function = reinterpret_cast<const void *>(kernel);
    raddle_need(cudaLaunchCooperativeKernel(function, grid, block, arguments, shared, 0), "the launch");
}
"#;

/// What is not over by then does not end.
const WATCH: &str = r#"
#ifndef RADDLE_CUDA_H
static void raddle_late(int)
{
    static const char text[] = "raddle: the launch has not ended within 10 seconds\n";
    (void)!write(2, text, sizeof text - 1);
    _exit(@LATE@);
}
#endif
"#;

/// The functions that the rest calls.
pub(super) fn helpers(plan: &Plan) -> String {
    let rest = main(plan);
    let mut text = ALWAYS.to_owned();
    let uses = [
        ("raddle_object(", OBJECT),
        ("raddle_store(", STORE),
        ("raddle_address(", SYMBOL),
        ("raddle_set(", SET),
        ("raddle_pointer{", POINTER),
        ("raddle_number{", NUMBER),
        ("raddle_structure{", COPY),
        ("raddle_launch(", COOPERATIVE),
    ];
    for (name, helper) in uses {
        if rest.contains(name) && !text.contains(helper) {
            text += helper;
        }
    }
    let never_ends = ["barrier_divergence", "deadlock"].contains(&plan.witness.failure.kind.as_str());
    text + &WATCH.replace("@LATE@", if never_ends { "66" } else { "3" }) + "\n"
}

/// An address in the heap as an expression.
fn address(plan: &Plan, value: &CellValue) -> String {
    match value {
        CellValue::Null | CellValue::Function(_) => "nullptr".to_owned(),
        CellValue::Integer(bits) => format!("reinterpret_cast<void *>({bits}u)"),
        CellValue::Pointer { object, offset, .. } => {
            let name = plan.witness.heap.objects.get(*object as usize).map(Plan::variable);
            let name = name.unwrap_or_else(|| "nullptr".to_owned());
            if *offset == 0 { name } else { format!("{name} + {offset}") }
        }
    }
}

/// How a cell's value is stored; None for what is there without that.
fn cell_value(plan: &Plan, cell: &HeapCell) -> Option<String> {
    match &cell.value {
        CellValue::Null | CellValue::Function(_) | CellValue::Integer(0) => None,
        CellValue::Integer(bits) => {
            let bits_of_size = 8 * cell.size.clamp(1, 8);
            Some(format!("uint{bits_of_size}_t({bits}u)"))
        }
        pointer @ CellValue::Pointer { .. } => Some(format!("static_cast<void *>({})", address(plan, pointer))),
    }
}

fn path_and_value(plan: &Plan, cell: &HeapCell) -> String {
    let path = if cell.path.is_empty() { "value" } else { &cell.path };
    safe(&format!("{path} = {}", shown_in(&plan.witness.heap, &cell.value, cell.number())))
}

fn store_cells(plan: &Plan, (index, object): (usize, &HeapObject), out: &mut String) {
    let name = Plan::variable(object);
    for cell in &object.cells {
        let in_structure = plan.passed(index).and_then(|argument| plan.in_structure(argument, &cell.path));
        let cell = HeapCell { value: in_structure.unwrap_or(&cell.value).clone(), ..cell.clone() };
        let Some(value) = cell_value(plan, &cell) else { continue };
        let to = if cell.offset == 0 { name.clone() } else { format!("{name} + {}", cell.offset) };
        let _ = writeln!(out, "    raddle_store({to}, {value}); // {}", path_and_value(plan, &cell));
    }
}

/// A variable holds what the source gives it until it is written.
fn set_cells(plan: &Plan, object: &HeapObject, out: &mut String) {
    for cell in &object.cells {
        let value = cell_value(plan, cell).unwrap_or_else(|| match cell.value {
            CellValue::Integer(_) => format!("uint{}_t(0)", 8 * cell.size.clamp(1, 8)),
            _ => "static_cast<void *>(nullptr)".to_owned(),
        });
        let _ = writeln!(
            out,
            "    raddle_set({}, {}, {value}); // {}",
            object.name,
            cell.offset,
            path_and_value(plan, cell)
        );
    }
}

/// Makes and fills the objects of the heap.
fn build(plan: &Plan) -> String {
    let mut out = String::new();
    let objects = &plan.witness.heap.objects;
    let cells = objects.iter().flat_map(|object| &object.cells).map(|cell| &cell.value);
    let values: Vec<&CellValue> = cells
        .chain(plan.witness.roots.iter().map(|(_, value)| value))
        .chain(plan.kernel.args.iter().map(|argument| &argument.value))
        .collect();
    let is_led_to = |index: usize| {
        values.iter().any(|value| matches!(value, CellValue::Pointer { object, .. } if *object as usize == index))
    };
    for (index, object) in objects.iter().enumerate() {
        let (name, is) = (Plan::variable(object), safe(&type_of(object)));
        if !object.global {
            let _ = writeln!(out, "    unsigned char *const {name} = raddle_object({}); // {is}", object.size.max(1));
        } else if is_led_to(index) {
            let _ = writeln!(out, "    unsigned char *const {name} = raddle_address({});", object.name);
        }
    }
    for (index, object) in objects.iter().enumerate() {
        match object.global {
            true => set_cells(plan, object, &mut out),
            false => store_cells(plan, (index, object), &mut out),
        }
    }
    out
}

/// A number as the host's compiler reads it; None where its type has no plain literals.
fn literal(argument: &ArgumentValue) -> Option<String> {
    const WORDS: [&str; 6] = ["char", "short", "int", "long", "unsigned", "signed"];
    let basic = argument.known_type();
    let plain = basic.split(' ').all(|word| WORDS.contains(&word));
    match argument.number()? {
        Number::Single(bits) if basic == "float" => {
            Some(format!("{:?}f", f32::from_bits(bits))).filter(|_| f32::from_bits(bits).is_finite())
        }
        Number::Double(bits) if basic == "double" => {
            Some(format!("{:?}", f64::from_bits(bits))).filter(|_| f64::from_bits(bits).is_finite())
        }
        Number::Unsigned(value) if matches!(basic, "bool" | "_Bool") && value < 2 => Some((value == 1).to_string()),
        Number::Unsigned(value) if plain => Some(format!("{value}u")),
        Number::Signed(value) if plain && value > i64::from(i32::MIN) => Some(value.to_string()),
        _ => None,
    }
}

/// What the kernel is given for a parameter.
fn given(plan: &Plan, argument: &ArgumentValue) -> String {
    let value = &argument.value;
    if argument.by_value {
        return match value {
            CellValue::Pointer { .. } => format!("raddle_structure{{{}}}", address(plan, value)),
            // Nothing of it matters.
            _ => "{}".to_owned(),
        };
    }
    let is_pointer = argument.c_type.ends_with('*') || argument.basic_type.ends_with('*');
    match value {
        CellValue::Null | CellValue::Function(_) => "nullptr".to_owned(),
        CellValue::Integer(bits) if !is_pointer => {
            literal(argument).unwrap_or_else(|| format!("raddle_number{{{bits}u}}"))
        }
        CellValue::Integer(_) | CellValue::Pointer { .. } => format!("raddle_pointer{{{}}}", address(plan, value)),
    }
}

/// A look at what the race leaves, where that tells something.
fn left(plan: &Plan) -> String {
    let (Some(left), Some(access)) = (plan.looks_at(), plan.witness.failure.accesses.first()) else {
        return String::new();
    };
    let Some((object, offset)) = access.object else { return String::new() };
    let bits = 8 * left.size;
    let from = address(plan, &CellValue::Pointer { object, offset, path: String::new() });
    format!(
        "    uint{bits}_t raddle_left;\n    memcpy(&raddle_left, {from}, sizeof raddle_left); // {}\n\
         \x20   if (raddle_left != {}u) {{\n        fprintf(stderr, \"raddle: %llu is left, which threads do not leave that run one after the other\\n\", \
         static_cast<unsigned long long>(raddle_left));\n        return 66;\n    }}\n",
        safe(&access.place),
        left.one_by_one
    )
}

/// The entry.
pub(super) fn main(plan: &Plan) -> String {
    let launch = &plan.launch;
    let size = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
    let arguments: Vec<String> = plan.kernel.args.iter().map(|argument| given(plan, argument)).collect();
    let names: Vec<&str> = plan.kernel.args.iter().map(|argument| argument.name.as_str()).collect();
    let names = if names.is_empty() { String::new() } else { format!(" // {}", safe(&names.join(", "))) };
    let (kernel, given) = (&plan.kernel.function, arguments.join(", "));
    let heap = build(plan);
    let launched = if plan.program.cooperative {
        let given: String = arguments.iter().map(|argument| format!(", {argument}")).collect();
        format!("    raddle_launch({kernel}, raddle_grid, raddle_block, {}{given});{names}\n", launch.shared)
    } else {
        format!(
            "    {kernel}<<<raddle_grid, raddle_block, {}>>>({given});{names}\n    raddle_need(cudaGetLastError(), \"the launch\");\n",
            launch.shared
        )
    };
    let (grid, block) = (size(launch.grid), size(launch.block));
    let look = left(plan);
    format!(
        "int main()\n{{\n#ifndef RADDLE_CUDA_H\n    signal(SIGALRM, raddle_late);\n    alarm(10);\n#endif\n{heap}\
         \x20   const dim3 raddle_grid{grid}, raddle_block{block};\n{launched}{END}{look}{NOTHING}"
    )
}

const END: &str = r#"    const cudaError_t raddle_error = cudaDeviceSynchronize();
    if (raddle_error != cudaSuccess) {
        fprintf(stderr, "raddle: the kernel failed: %s\n", cudaGetErrorString(raddle_error));
        return 66;
    }
"#;

const NOTHING: &str = r#"    puts("raddle: the launch has ended, and the device reports nothing");
    return 0;
}
"#;
