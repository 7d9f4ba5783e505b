//! Functions of a client's ([`machine::add_client_functions`]), as tests and clients' programs define them.
//!
//! What one reads it is told to read by its name, and is read at the place of the call: a test tells ThreadSanitizer that the caller reads it, a
//! client's program leaves it to raddle's model.

use machine::{Given, client_function_result, given_to_client_function};

/// What a function of a client's returns, as C has it. None for other functions.
fn result(name: &str) -> Option<&'static str> {
    Some(match client_function_result(name)? {
        "nothing" => "void",
        "null" => "void *",
        "bool" => "_Bool",
        "int8" => "int8_t",
        "int16" => "int16_t",
        "int32" => "int32_t",
        "int64" => "int64_t",
        "float" => "float",
        "double" => "double",
        _ => return None,
    })
}

/// The parameters as C has them, and by number how many bytes are read of what they lead to.
fn parameters(name: &str) -> (String, Vec<(usize, u64)>) {
    let given = given_to_client_function(name);
    let words = given.iter().enumerate().map(|(index, given)| match given {
        Given::Floating => format!("double given{index}"),
        Given::Read(0) => format!("long given{index}"),
        Given::Read(_) => format!("const void *given{index}"),
    });
    let words: Vec<String> = words.collect();
    let list = if words.is_empty() { "void".to_owned() } else { words.join(", ") };
    let read = given.into_iter().enumerate().filter_map(|(index, given)| match given {
        Given::Read(bytes @ 1..) => Some((index, bytes)),
        _ => None,
    });
    (list, read.collect())
}

/// The definition in a test: results are the witness's.
pub(super) fn in_test(name: &str) -> Option<String> {
    let (parameters, read) = parameters(name);
    let result = result(name)?;
    let reads: String = read
        .iter()
        .map(|(index, bytes)| format!("    raddle_reads_given(given{index}, {bytes}, RADDLE_CALLER);\n"))
        .collect();
    let waits = if read.is_empty() { "" } else { "    raddle_action(RADDLE_READ, 0, RADDLE_CALLER);\n" };
    let returned = match result {
        "void" => String::new(),
        "void *" => "    return NULL;\n".to_owned(),
        number => {
            format!("    {number} value;\n    raddle_input(&value, sizeof value, \"returned\");\n    return value;\n")
        }
    };
    Some(format!("RADDLE_CALLBACK {result} {name}({parameters})\n{{\n{waits}{reads}{returned}}}\n"))
}

/// A test has one of its own, which keeps to its schedule.
const WEAK: &str = "__attribute__((weak)) ";

/// The definition in a client's program.
pub(super) fn in_client(name: &str) -> Option<String> {
    let (parameters, read) = parameters(name);
    let about = "// A function of the client's. What it returns is up to the client; raddle looks at all numbers.\n";
    let result = result(name)?;
    let reads: String = read.iter().map(|(index, bytes)| reading(*index, *bytes)).collect();
    Some(match result {
        "void" => format!("// A function of the client's.\n{WEAK}void {name}({parameters})\n{{\n{reads}}}\n\n"),
        "void *" => {
            format!(
                "// A function of the client's.\n{WEAK}void *{name}({parameters})\n{{\n{reads}    return NULL;\n}}\n\n"
            )
        }
        number => format!("{about}{WEAK}{number} {name}({parameters})\n{{\n{reads}    return 1;\n}}\n\n"),
    })
}

fn reading(index: usize, bytes: u64) -> String {
    format!(
        "    for (int i = 0; given{index} && i < {bytes}; i++)\n        (void)((const volatile char *)given{index})[i];\n"
    )
}
