//! Inline functions without an external definition (C11 6.7.4p7): which of them a call comes to is unspecified where there
//! are both, and where there is only the inline definition, as in old code that means `static inline`, it is that one.
//!
//! At `-O0` clang emits no such definition, so a source that has one that is missing is compiled once more.

use crate::driver::Driver;
use crate::error::{Failure, Kind};
use crate::link::Input;
use std::collections::BTreeSet;
use std::path::Path;

/// Compiles a source again if it has an inline definition of a function in `missing`, and takes that instead.
///
/// # Errors
/// When it cannot be preprocessed or compiled.
pub(crate) fn supply(
    input: &mut Input,
    source: &Path,
    driver: &Driver,
    missing: &BTreeSet<String>,
    to: &Path,
) -> Result<(), Failure> {
    let text = driver.preprocess(source)?;
    if defines_inline(&String::from_utf8_lossy(&text), missing) {
        driver.compile_with_inline(source, to)?;
        if !to.exists() {
            return Err(Failure::new(Kind::Compile, "clang wrote nothing").in_file(source.to_string_lossy()));
        }
        to.clone_into(&mut input.read_from);
    }
    Ok(())
}

/// Whether a preprocessed source may have an inline definition of one of these functions. Where it only seems so, it is
/// compiled for nothing.
fn defines_inline(text: &str, names: &BTreeSet<String>) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(at) = rest.find("inline") {
        rest = &rest[at + "inline".len()..];
        let head = &rest[..rest.find(['{', ';']).unwrap_or(rest.len())];
        let is_definition = rest[head.len()..].starts_with('{');
        let mut words = head.split(|c: char| !is_part(c));
        if is_definition && words.any(|word| names.contains(word)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_definitions_are_found() {
        let names = BTreeSet::from(["f".to_owned()]);
        for (text, is_one) in [
            ("inline int f(int x) { return x; }", true),
            ("__inline__ static int\nf (void)\n{", true),
            ("inline int f(int x); int g(void) { return f(1); }", false),
            ("inline int ff(int x) { return f(x); }", false),
            ("int f(int x) { return x; }", false),
        ] {
            assert_eq!(defines_inline(text, &names), is_one, "{text}");
        }
    }
}
