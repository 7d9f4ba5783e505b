//! The C library, as far as raddle has it in C: its parts, and how a program gets what it needs of them.
//!
//! A part is a C source that this program carries with it. The first comment of each lists the functions and variables
//! that it has for programs. A part is compiled when a program needs something in it, and is kept in the cache.
//!
//! Guarantee: a definition of the program's own wins; of a part only what the program needs, directly or by way of other
//! parts, gets into it, so that one that calls no library function is what it was. What comes from here is marked: in the
//! lowered module it is `library`.
//! Expects: a part shares no `static` variable between its functions, for it may be linked more than once.

use crate::cache::{Cache, Entry, Key};
use crate::driver::{Driver, LIBRARY};
use crate::error::{Failure, Kind};
use crate::llvm::{Context, Module, Value};
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::path::Path;

/// Sections that mark what is the library's. In C, `GUARDED` puts a variable into the second.
pub(crate) const SECTION: &CStr = c"raddle.library";
const GUARDED: &str = "raddle.guarded";

/// What all parts begin with.
const HEADER: &str = include_str!("../libc/library.h");

/// A source of the library.
struct Part {
    name: &'static str,
    text: &'static str,
}

macro_rules! parts {
    ($($name:literal),* $(,)?) => {
        &[$(Part { name: $name, text: include_str!(concat!("../libc/", $name)) }),*]
    };
}

const PARTS: &[Part] = parts![
    "calendar.c",
    "ctype.c",
    "cuda.c",
    "cxx.c",
    "errno.c",
    "file.c",
    "float.c",
    "input.c",
    "math.c",
    "names.c",
    "network.c",
    "pipe.c",
    "process.c",
    "semaphore.c",
    "signals.c",
    "stdio.c",
    "stdlib.c",
    "string.c",
    "system.c",
    "time.c",
    "words.c",
];

impl Part {
    /// The names that the first comment lists behind `Provides:`.
    fn provides(&self) -> impl Iterator<Item = &'static str> {
        let comment = self.text.split("*/").next().unwrap_or_default();
        let list = comment.split_once("Provides:").map_or("", |(_, list)| list);
        list.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|name| !name.is_empty())
    }

    /// The whole source under the name that positions in it get.
    fn source(&self) -> String {
        format!("#line 1 \"raddle/libc/library.h\"\n{HEADER}\n#line 1 \"raddle/libc/{}\"\n{}", self.name, self.text)
    }
}

/// Whether the library has a function of this name.
pub(crate) fn has(function: &str) -> bool {
    PARTS.iter().any(|part| part.provides().any(|name| name == function))
}

/// Whether a definition comes from the library.
pub(crate) fn is_library(definition: Value<'_>) -> bool {
    let section = definition.section();
    section.as_bytes() == SECTION.to_bytes() || section == GUARDED
}

/// Whether it is a variable that the library uses under a lock of its own.
pub(crate) fn is_guarded(definition: Value<'_>) -> bool {
    definition.section() == GUARDED
}

/// Where parts come from.
pub(crate) struct Library<'a> {
    /// The program's compiler; one without flags is looked for where the program needs none.
    pub(crate) driver: Option<&'a Driver>,
    pub(crate) cache: Option<&'a Cache>,
    pub(crate) scratch: &'a Path,
}

impl Library<'_> {
    /// Links what a program needs of the library.
    ///
    /// # Errors
    /// When there is no compiler, or by a mistake in the library.
    pub(crate) fn supply<'c>(&self, context: &'c Context, program: &mut Module<'c>) -> Result<(), Failure> {
        let mut tried: BTreeSet<(usize, String)> = BTreeSet::new();
        loop {
            let missing: BTreeSet<String> =
                program.functions().chain(program.globals()).filter(|v| v.is_declaration()).map(Value::name).collect();
            let wanted = PARTS.iter().enumerate().find_map(|(index, part)| {
                let lacks = |name: &&str| missing.contains(*name) && !tried.contains(&(index, (*name).to_owned()));
                part.provides().any(|name| lacks(&name)).then_some((index, part))
            });
            let Some((index, part)) = wanted else { return Ok(()) };
            tried.extend(missing.into_iter().map(|name| (index, name)));
            let module = self.part(context, part, program.layout().pointer_size() == 4)?;
            program.link(module).map_err(|e| Failure::new(Kind::Link, format!("raddle/libc/{}: {e}", part.name)))?;
        }
    }

    /// A part, compiled for 64 bits or for 32, and marked.
    fn part<'c>(&self, context: &'c Context, part: &Part, short: bool) -> Result<Module<'c>, Failure> {
        let path = self.scratch.join(format!("library.{}.bc", part.name));
        if !path.exists() {
            self.compile(part, short, &path)?;
        }
        let mut module = context.parse(&path).map_err(|e| {
            Failure::new(Kind::Lower, format!("LLVM rejects what clang made of raddle/libc/{}: {e}", part.name))
        })?;
        module.mark_uninitialised(true);
        for definition in module.functions().chain(module.globals()).filter(|v| !v.is_declaration()) {
            if definition.section() != GUARDED {
                definition.set_section(SECTION);
            }
            if definition.is_external() {
                definition.make_optional();
            }
        }
        Ok(module)
    }

    fn compile(&self, part: &Part, short: bool, to: &Path) -> Result<(), Failure> {
        let own = if self.driver.is_none() { Some(Driver::plain()?) } else { None };
        let Some(driver) = self.driver.or(own.as_ref()) else { return Ok(()) };
        let source = part.source();
        let failed = |e: std::io::Error| Failure::new(Kind::Output, format!("{}: {e}", to.display()));
        let mut key = Key::new();
        key.add(driver.identity().as_bytes());
        LIBRARY.iter().for_each(|flag| key.add(flag.as_bytes()));
        key.add(&[u8::from(short)]);
        key.add(source.as_bytes());
        if let Some(entry) = self.cache.and_then(|cache| cache.read(&key)) {
            return std::fs::write(to, entry.module).map_err(failed);
        }
        driver.compile_library(&format!("libc/{}", part.name), &source, short, to)?;
        if let Some(cache) = self.cache {
            // Not to be able to keep it costs time only, and is said where the program's own module is kept.
            let module = std::fs::read(to).map_err(failed)?;
            let _ = cache.write(&key, &Entry { warnings: String::new(), module });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// What is listed is there, once; what is not has a name that no program uses; and no state is private to a part.
    #[test]
    fn parts_are_what_they_say() -> Result<(), Failure> {
        for short in [false, true] {
            check_parts(short)?;
        }
        Ok(())
    }

    fn check_parts(short: bool) -> Result<(), Failure> {
        let scratch = tempfile::tempdir().map_err(|e| Failure::new(Kind::Output, e.to_string()))?;
        let library = Library { driver: None, cache: None, scratch: scratch.path() };
        let mut provided: BTreeMap<&str, &str> = BTreeMap::new();
        for part in PARTS {
            let context = Context::new();
            let module = library.part(&context, part, short)?;
            let defined: Vec<Value> =
                module.functions().chain(module.globals()).filter(|value| !value.is_declaration()).collect();
            for name in part.provides() {
                assert!(defined.iter().any(|value| value.name() == name), "{} does not define {name}", part.name);
                assert_eq!(provided.insert(name, part.name), None, "{name} is defined twice");
            }
            for value in &defined {
                let name = value.name();
                let listed = part.provides().any(|known| known == name);
                // `exit` comes with `atexit` only.
                let own = name.starts_with("__raddle_") || name == "exit";
                assert!(!value.is_external() || listed || own, "{} defines {name}, which is not listed", part.name);
                assert!(is_library(*value), "{name} is not marked");
            }
            for global in module.globals().filter(|global| !global.is_external()) {
                assert!(global.is_global_constant(), "{} keeps state in {}", part.name, global.name());
            }
        }
        Ok(())
    }
}
