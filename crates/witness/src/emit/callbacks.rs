//! Functions of a client's ([`machine::add_client_functions`]), as tests and clients' programs define them.
//!
//! They touch nothing, so it does not matter with which arguments they are called: one without parameters does.

use machine::CLIENT_FUNCTION;

/// What a function of a client's returns, as C has it. None for other functions.
fn result(name: &str) -> Option<&'static str> {
    Some(match name.strip_prefix(CLIENT_FUNCTION)?.split('_').next()? {
        "nothing" => "void",
        "null" => "void *",
        "bool" => "_Bool",
        "int8" => "int8_t",
        "int16" => "int16_t",
        "int32" => "int32_t",
        "int64" => "int64_t",
        _ => return None,
    })
}

/// The definition in a test: results are the witness's.
pub(super) fn in_test(name: &str) -> Option<String> {
    Some(match result(name)? {
        "void" => format!("RADDLE_CALLBACK void {name}(void) {{}}\n"),
        "void *" => format!("RADDLE_CALLBACK void *{name}(void) {{ return NULL; }}\n"),
        number => format!("RADDLE_RETURNS({name}, {number})\n"),
    })
}

/// The definition in a client's program.
pub(super) fn in_client(name: &str) -> Option<String> {
    let about = "// A function of the client's. What it returns is up to the client; raddle looks at all numbers.\n";
    Some(match result(name)? {
        "void" => format!("// A function of the client's.\nvoid {name}(void)\n{{\n}}\n\n"),
        "void *" => format!("// A function of the client's.\nvoid *{name}(void)\n{{\n    return NULL;\n}}\n\n"),
        number => format!("{about}{number} {name}(void)\n{{\n    return 1;\n}}\n\n"),
    })
}
