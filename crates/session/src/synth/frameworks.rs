//! Test frameworks: raddle's own headers take the place of Check's, Unity's, cmocka's and MinUnit's, whose sources are never run.
//!
//! A test that includes one of theirs gets raddle's before it, with the same guard. It counts test cases and runs the one that is asked for.

use crate::frontend::{Include, cache_directory};
use crate::run::Run;
use ir::{GlobalId, Init, Module};
use memory::{Pointer, Value};
use std::path::{Path, PathBuf};
use synth::Test;
use witness::format::SourceFlags;

/// The headers, and whether they come before others of the same name.
const HEADERS: [(&str, &str, bool); 5] = [
    ("raddle_cases.h", include_str!("../../frameworks/raddle_cases.h"), false),
    ("unity.h", include_str!("../../frameworks/unity.h"), true),
    ("check.h", include_str!("../../frameworks/check.h"), true),
    ("cmocka.h", include_str!("../../frameworks/cmocka.h"), true),
    ("minunit.h", include_str!("../../frameworks/minunit.h"), false),
];

/// The folder in which they lie.
fn folder() -> std::io::Result<PathBuf> {
    let include = Include::create(cache_directory().as_deref())?;
    let folder = match include {
        Include::Kept(path) => path.join("frameworks"),
        Include::Temporary(_) => std::env::temp_dir().join("raddle-frameworks"),
    };
    std::fs::create_dir_all(&folder)?;
    for (name, text, _) in HEADERS {
        let path = folder.join(name);
        if !std::fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            crate::whole::replace(&path, |file| std::io::Write::write_all(file, text.as_bytes()))?;
        }
    }
    Ok(folder)
}

/// Whether a file is one of raddle's headers.
pub(super) fn is_own(path: &Path) -> bool {
    let is_header = path.file_name().is_some_and(|name| HEADERS.iter().any(|(header, ..)| name == *header));
    is_header
        && path.parent().is_some_and(|folder| folder.ends_with("frameworks") || folder.ends_with("raddle-frameworks"))
}

/// Flags that a test is compiled with besides.
pub(super) fn flags(test: &Path) -> std::io::Result<Vec<String>> {
    let folder = folder()?;
    let text = std::fs::read_to_string(test).unwrap_or_default();
    let mut flags = vec!["-idirafter".to_owned(), folder.display().to_string()];
    for (name, _, comes_first) in HEADERS {
        if comes_first && super::source::includes_header(&text, name) {
            flags.extend(["-include".to_owned(), folder.join(name).display().to_string()]);
        }
    }
    Ok(flags)
}

/// Whether a test uses a framework.
pub(super) fn is_used_by(text: &str) -> bool {
    HEADERS.iter().any(|(name, ..)| super::source::includes_header(text, name))
}

/// The flags of a file that is compiled with more than a library's sources, and then theirs.
pub(super) fn own_flags(run: &Run, more: &[String]) -> std::io::Result<Vec<SourceFlags>> {
    let directory = run.start()?.display().to_string();
    let plain = || SourceFlags { directory: directory.clone(), flags: run.clang_flags.clone() };
    let mut library = run.own_flags.clone();
    library.resize_with(run.sources.len(), plain);
    let mut first = library.first().cloned().unwrap_or_else(plain);
    first.flags.extend(more.iter().cloned());
    Ok(std::iter::once(first).chain(library).collect())
}

/// The variable that says which case runs, if the program's tests are a framework's.
pub(super) fn case_number(module: &Module) -> Option<GlobalId> {
    module.globals().find(|(_, global)| global.name == "raddle_case").map(|(id, _)| id)
}

/// Lets one case run.
pub(super) fn choose(module: &mut Module, number: GlobalId, case: u32) {
    module.globals[number.index()].init = Init::Data { bytes: case.to_le_bytes().to_vec(), addresses: Vec::new() };
}

/// How many cases there were.
pub(super) fn cases_run(test: &Test) -> u32 {
    let module = &test.program.module;
    let counter = module.globals().find(|(_, global)| global.name == "raddle_cases").map(|(id, _)| id);
    let memory = &test.trace.memory;
    let value = counter.and_then(|id| memory.peek(Pointer::to(memory.global(id)?), 4));
    match value {
        Some(Value::Int(count)) => count as u32,
        _ => 0,
    }
}
