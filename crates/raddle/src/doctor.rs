//! `raddle doctor`: what is installed, what is missing and how to get it, and what a program calls that nothing models.

use crate::cli;
use crate::database;
use crate::outcome::Document;
use crate::stubs;
use ir::{Callee, FuncId, Function, LocId, Module, Op, Terminator};
use serde::Serialize;
use session::budget::Budget;
use session::clang_flags;
use session::frontend::{self, Version};
use session::sources;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use witness::format::SourceFlags;

/// The major version of LLVM and clang that the lowering is written for.
const LLVM: &str = "22";
/// The kind of what has no body.
const FUNCTION: &str = "function";
/// Places shown of something that occurs often.
const SHOWN: usize = 3;

/// Something that raddle needs.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Component {
    name: &'static str,
    found: bool,
    version: Option<String>,
    path: Option<String>,
    /// What is wrong with it.
    problem: Option<String>,
    /// The command that helps.
    remedy: Option<String>,
    /// Only some commands need it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    optional: bool,
}

/// Something in the program that raddle has no model for.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Unmodelled {
    name: String,
    /// A function without body, or a construct that the IR has no instruction for.
    kind: &'static str,
    count: usize,
    /// `file:line`, the first few.
    places: Vec<String>,
    /// A function that only asks the system or tells it something: findings behind it count unless they depend on what it
    /// returns or writes.
    harmless: bool,
}

/// Functions of one subject that only ask the system or tell it something.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Harmless {
    family: &'static str,
    functions: Vec<&'static str>,
}

#[derive(Serialize)]
struct Body {
    complete: bool,
    components: Vec<Component>,
    unmodelled: Vec<Unmodelled>,
    /// The stubs that were written.
    stubs: Option<String>,
    harmless: Vec<Harmless>,
}

/// # Errors
/// For sources that cannot be read, compiled or lowered.
pub(crate) fn run(arguments: &cli::Doctor, budget: &Budget) -> anyhow::Result<Document> {
    let components = components();
    let able = components.iter().filter(|c| ["raddle-frontend", "clang"].contains(&c.name)).all(|c| c.found);
    let (mut unmodelled, mut stubs) = (Vec::new(), None);
    arguments.stubs.iter().try_for_each(|output| stubs::check(output))?;
    let database::Resolved { sources, flags, own } =
        database::resolve(arguments.database.as_deref(), &arguments.sources, &arguments.clang_flags)?;
    if !sources.is_empty() {
        clang_flags::check(&flags)?;
        own.iter().try_for_each(|own| clang_flags::check(&own.flags))?;
        sources::check(None, &sources, false)?;
        // Without a compiler, what is missing is the answer.
        if able {
            let module = frontend::compile(None, &sources, &flags, &own, budget)?;
            unmodelled = unmodelled_in(&module, machine::is_modelled);
            if let Some(output) = &arguments.stubs {
                write_stubs(output, &sources, &flags, &own, budget)?;
                stubs = Some(output.display().to_string());
            }
        }
    }
    let functions = |found: &Unmodelled| found.kind == FUNCTION;
    let modelled = unmodelled.iter().all(|found| stubs.is_some() && functions(found));
    let complete = components.iter().all(|c| c.found || c.optional) && modelled;
    let harmless = machine::FAMILIES
        .iter()
        .map(|family| Harmless { family: family.name, functions: family.functions().collect() })
        .collect();
    let body = Body { complete, components, unmodelled, stubs, harmless };
    let text = render(&body, sources.is_empty(), able);
    Document::new("doctor", text, body, if complete { 0 } else { 2 })
}

/// Writes stubs for what the sources call and nothing models, and sees that they compile with the sources.
fn write_stubs(
    output: &Path,
    sources: &[PathBuf],
    flags: &[String],
    own: &[SourceFlags],
    budget: &Budget,
) -> anyhow::Result<()> {
    // Stubs of an earlier time are no part of the program.
    let others: Vec<usize> = (0..sources.len()).filter(|&index| sources[index] != output).collect();
    let sources: Vec<PathBuf> = others.iter().map(|&index| sources[index].clone()).collect();
    let mut own: Vec<SourceFlags> = others.iter().filter_map(|&index| own.get(index).cloned()).collect();
    let module = frontend::compile_with_declarations(&sources, flags, &own, budget)?;
    let missing = called(&module).into_iter().filter(|&(id, ..)| is_unknown(&module[id], &machine::is_modelled));
    let missing: BTreeSet<FuncId> = missing.map(|(id, ..)| id).collect();
    let typed: Vec<String> = sources.iter().map(|source| source.display().to_string()).collect();
    stubs::write(output, &stubs::text(&module, &missing, &typed.join(" ")))?;
    let with: Vec<PathBuf> = sources.into_iter().chain([output.to_owned()]).collect();
    if !own.is_empty() {
        own.push(SourceFlags { directory: std::env::current_dir()?.display().to_string(), flags: flags.to_vec() });
    }
    frontend::compile(None, &with, flags, &own, budget)?;
    Ok(())
}

fn found(name: &'static str, version: impl Into<String>, path: Option<&Path>) -> Component {
    let path = path.map(|p| p.display().to_string());
    Component { name, found: true, version: Some(version.into()), path, problem: None, remedy: None, optional: false }
}

fn missing(name: &'static str, problem: impl Into<String>, remedy: impl Into<String>) -> Component {
    let (problem, remedy) = (Some(problem.into()), Some(remedy.into()));
    Component { name, found: false, version: None, path: None, problem, remedy, optional: false }
}

fn components() -> Vec<Component> {
    let mut all = Vec::new();
    let asked = frontend::find().and_then(|path| frontend::version(&path).map(|version| (path, version)));
    let version = match asked {
        Ok((path, version)) => {
            all.push(front_end(&path, &version));
            all.push(llvm(&version));
            Some(version)
        }
        Err(error) => {
            all.push(missing("raddle-frontend", error.to_string(), "make build"));
            None
        }
    };
    all.push(clang(version.as_ref()));
    all.push(thread_sanitizer(version.and_then(|v| v.clang_path).or_else(clang_on_path).as_deref()));
    let (major, minor, build) = smt::Z3::version();
    all.push(found("z3", format!("{major}.{minor}.{build}"), None));
    all.push(cache(frontend::cache_directory().as_deref()));
    all.push(hyperqueue(::cluster::look()));
    all
}

fn front_end(path: &Path, version: &Version) -> Component {
    let own = env!("CARGO_PKG_VERSION");
    if version.raddle_frontend != own || version.ir != ir::binary::VERSION {
        let problem = format!(
            "{} is version {} (IR {}), raddle is {own} (IR {})",
            path.display(),
            version.raddle_frontend,
            version.ir,
            ir::binary::VERSION
        );
        return missing("raddle-frontend", problem, "make build");
    }
    found("raddle-frontend", own, Some(path))
}

fn llvm(version: &Version) -> Component {
    if version.llvm.split('.').next() == Some(LLVM) {
        return found("llvm", &version.llvm, None);
    }
    let problem = format!("raddle-frontend links LLVM {}, not {LLVM}", version.llvm);
    missing("llvm", problem, format!("apt-get install llvm-{LLVM}-dev && make build"))
}

fn clang(version: Option<&Version>) -> Component {
    let install = format!("apt-get install clang-{LLVM}");
    match version {
        Some(Version { clang: Some(line), clang_path: Some(path), .. }) => {
            found("clang", version_number(line), Some(path))
        }
        Some(Version { clang_path: Some(path), .. }) => {
            missing("clang", format!("{} does not run", path.display()), install)
        }
        Some(_) => missing("clang", format!("clang-{LLVM} is not on PATH"), install),
        None => match clang_on_path() {
            Some(path) => found("clang", LLVM, Some(&path)),
            None => missing("clang", format!("clang-{LLVM} is not on PATH"), install),
        },
    }
}

/// `22.1.8` from `Debian clang version 22.1.8 (...)`; the line itself where it looks different.
fn version_number(line: &str) -> &str {
    let words = line.split_whitespace();
    words.skip_while(|word| *word != "version").nth(1).unwrap_or(line)
}

fn clang_on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(format!("clang-{LLVM}"))).find(|file| file.is_file())
}

/// Generated tests are built with `-fsanitize=thread`, whose run-time library is a package of its own.
fn thread_sanitizer(clang: Option<&Path>) -> Component {
    const NAME: &str = "thread-sanitizer";
    let install = format!("apt-get install libclang-rt-{LLVM}-dev");
    let Some(clang) = clang else {
        return missing(NAME, "there is no clang to ask for it", install);
    };
    let output = Command::new(clang).arg("-print-resource-dir").output().ok().filter(|o| o.status.success());
    let Some(output) = output else {
        return missing(NAME, format!("{} does not say where its libraries are", clang.display()), install);
    };
    let resources = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    match runtime_in(&resources.join("lib")) {
        Some(library) => found(NAME, LLVM, Some(&library)),
        None => missing(NAME, format!("no ThreadSanitizer below {}", resources.display()), install),
    }
}

/// The library lies in a directory named after the system or the target.
fn runtime_in(directory: &Path) -> Option<PathBuf> {
    let entries = |path: &Path| {
        let entries = std::fs::read_dir(path).ok().into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let is_runtime = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let stem = name.strip_prefix("libclang_rt.tsan").and_then(|rest| rest.strip_suffix(".a"));
        stem.is_some_and(|target| target.is_empty() || target.strip_prefix('-') == Some(std::env::consts::ARCH))
    };
    entries(directory).iter().flat_map(|below| entries(below)).find(is_runtime)
}

/// What `--cluster hq` needs.
fn hyperqueue(there: ::cluster::Found) -> Component {
    const NAME: &str = "hyperqueue";
    let running = there.server.map(|place| format!("a server: {place}"));
    let version = match (there.program, there.package) {
        (Some(program), _) => format!("{program} (hq)"),
        (None, Some(package)) => format!("{package} (Python package)"),
        (None, None) => {
            let problem = "no `hq` on PATH, no package `hyperqueue` of python3 (for --cluster only)";
            let install = format!("pip install hyperqueue=={}", ::cluster::PINNED);
            return Component { optional: true, ..missing(NAME, problem, install) };
        }
    };
    Component { optional: true, path: running, ..found(NAME, version, None) }
}

/// Not to be able to write it only costs time, but it is what the user should know.
fn cache(directory: Option<&Path>) -> Component {
    const NAME: &str = "cache";
    let Some(directory) = directory else {
        return missing(NAME, "neither XDG_CACHE_HOME nor HOME is set", "export XDG_CACHE_HOME=DIRECTORY");
    };
    let writable = std::fs::create_dir_all(directory).and_then(|()| tempfile::tempfile_in(directory));
    match writable {
        Ok(_) => {
            let path = Some(directory.display().to_string());
            Component { name: NAME, found: true, version: None, path, problem: None, remedy: None, optional: false }
        }
        Err(error) => missing(
            NAME,
            format!("{} cannot be written: {error}", directory.display()),
            "export XDG_CACHE_HOME=DIRECTORY",
        ),
    }
}

/// Functions without a body that are called or whose address is taken, and constructs without an instruction.
fn unmodelled_in(module: &Module, is_modelled: impl Fn(&str) -> bool) -> Vec<Unmodelled> {
    let mut found: BTreeMap<(&'static str, String), Vec<String>> = BTreeMap::new();
    for (id, location, caller) in called(module) {
        if is_unknown(&module[id], &is_modelled) {
            let place = place(module, location, &module[caller].name);
            found.entry((FUNCTION, module[id].name.clone())).or_default().push(place);
        }
    }
    for function in &module.functions {
        let here = |location: Option<LocId>| place(module, location, &function.name);
        for block in &function.blocks {
            for inst in &block.insts {
                if let Op::Unsupported { what, .. } = &inst.op {
                    found.entry(("construct", what.clone())).or_default().push(here(inst.location));
                }
            }
            if let Terminator::Unsupported { what } = &block.terminator {
                let key = ("construct", what.clone());
                found.entry(key).or_default().push(here(block.terminator_location));
            }
        }
    }
    let sorted = found.into_iter().map(|((kind, name), mut places)| {
        let count = places.len();
        places.dedup();
        places.truncate(SHOWN);
        let harmless = kind == FUNCTION && machine::is_harmless(&name);
        Unmodelled { name, kind, count, places, harmless }
    });
    sorted.collect()
}

/// Functions that are called or whose address is taken, where, and in which function.
fn called(module: &Module) -> Vec<(FuncId, Option<LocId>, FuncId)> {
    let mut all = Vec::new();
    for (caller, function) in module.functions() {
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            if let Op::Call { callee: Callee::Direct(callee), .. } = &inst.op {
                all.push((*callee, inst.location, caller));
            }
            inst.op.for_each_operand(|operand| {
                if let ir::Operand::Func(id) = operand {
                    all.push((id, inst.location, caller));
                }
            });
        }
    }
    all
}

fn is_unknown(function: &Function, is_modelled: &impl Fn(&str) -> bool) -> bool {
    function.is_declaration() && !is_modelled(&function.name)
}

fn place(module: &Module, location: Option<LocId>, function: &str) -> String {
    match location {
        Some(location) => format!("{}:{}", module[module[location].file].path, module[location].line),
        None => function.to_owned(),
    }
}

fn render(body: &Body, only_installation: bool, able: bool) -> String {
    let mut text = format!("raddle {}\n", env!("CARGO_PKG_VERSION"));
    let width = body.components.iter().map(|c| c.name.len()).max().unwrap_or(0);
    for component in &body.components {
        let name = format!("{:width$}", component.name);
        let words: Vec<&str> =
            [component.version.as_deref(), component.path.as_deref()].into_iter().flatten().collect();
        match &component.problem {
            None => text.push_str(&format!("  found    {name}  {}\n", words.join("  "))),
            Some(problem) => {
                let state = if component.optional { "none    " } else { "MISSING " };
                text.push_str(&format!("  {state} {name}  {problem}\n"));
                if let Some(remedy) = &component.remedy {
                    text.push_str(&format!("           {:width$}  get it: {remedy}\n", ""));
                }
            }
        }
    }
    if !only_installation && !able {
        text.push_str("\nThe program was not looked at: there is nothing to compile it with.\n");
    } else if !body.unmodelled.is_empty() {
        text.push_str("\nNot modelled; reaching one leaves the verdict inconclusive:\n");
        for unmodelled in &body.unmodelled {
            let Unmodelled { name, kind, count, places, harmless } = unmodelled;
            let more = if *count > places.len() { ", ..." } else { "" };
            let asks = if *harmless { "; only asks the system" } else { "" };
            text.push_str(&format!("  {kind} {name} (used: {count}{asks}): {}{more}\n", places.join(", ")));
        }
        text.push_str(
            "Findings behind what only asks count, unless they depend on its answer; others are not confirmed.\n",
        );
        if let Some(stubs) = &body.stubs {
            text.push_str(&format!("\nStubs to fill in: {stubs}\n"));
        }
    } else if !only_installation {
        text.push_str("\nAll that the program calls is modelled.\n");
    }
    if only_installation {
        text.push_str(
            "\nFunctions without a model that only ask the system or tell it something: findings behind them count\n",
        );
        for Harmless { family, functions } in &body.harmless {
            text.push_str(&format!("  {family}: {}\n", functions.join(" ")));
        }
    }
    let last = match (body.complete, body.components.iter().all(|c| c.found || c.optional)) {
        (true, _) => "complete",
        (false, true) => "incomplete: something is not modelled",
        (false, false) => "incomplete: something is missing (`make setup` installs what raddle needs)",
    };
    text.push_str(&format!("\n{last}\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_numbers_are_taken_out_of_their_sentence() {
        assert_eq!(version_number("Debian clang version 22.1.8 (++x)"), "22.1.8");
        assert_eq!(version_number("clang 22"), "clang 22");
    }

    #[test]
    fn the_runtime_of_this_machine_is_found() -> std::io::Result<()> {
        let directory = tempfile::tempdir()?;
        let linux = directory.path().join("linux");
        std::fs::create_dir(&linux)?;
        for name in ["libclang_rt.tsan-other.a", "libclang_rt.tsan_cxx.a", "libclang_rt.asan.a"] {
            std::fs::write(linux.join(name), "")?;
        }
        assert_eq!(runtime_in(directory.path()), None);
        let library = linux.join(format!("libclang_rt.tsan-{}.a", std::env::consts::ARCH));
        std::fs::write(&library, "")?;
        assert_eq!(runtime_in(directory.path()), Some(library));
        Ok(())
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_missing() -> std::io::Result<()> {
        let directory = tempfile::tempdir()?;
        assert!(cache(Some(&directory.path().join("new"))).found);
        let file = tempfile::NamedTempFile::new()?;
        assert!(!cache(Some(file.path())).found);
        assert!(!cache(None).found);
        Ok(())
    }
}
