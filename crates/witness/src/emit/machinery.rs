//! What holds a program to a schedule, in C: the same words in each test, of which it has those that its program needs.
//!
//! The files of `machinery/` are cut into sections. A line that begins with `//:` begins one, and says when a test has it:
//!
//! - `core`: always; so is what stands before the first such line;
//! - `wrap NAME...`: where the program asks for one of these functions of the C library, or of ThreadSanitizer's. The linker is told to
//!   send calls of all of them to the section's hooks;
//! - `define NAME...`: where the program asks for one of these functions, which nobody else defines;
//! - `part NAME`: where another section needs it; `unless NAME`: where none does;
//! - `each`: every line is a section of the one function that it wraps, with the comment before it.
//!
//! Behind `needs` stand the parts and functions without which a section does not build or does nothing.

use ir::{Address, Callee, Init, Module, Op, Operand, RmwOp};
use std::collections::BTreeSet;

/// In the order in which they stand in a test; the witness's tables come behind the first.
const FILES: [&str; 22] = [
    include_str!("machinery/turns.c"),
    include_str!("machinery/actions.c"),
    include_str!("machinery/threads.c"),
    include_str!("machinery/ends.c"),
    include_str!("machinery/accesses.c"),
    include_str!("machinery/strings.c"),
    include_str!("machinery/allocations.c"),
    include_str!("machinery/locks.c"),
    include_str!("machinery/conditions.c"),
    include_str!("machinery/creation.c"),
    include_str!("machinery/c11.c"),
    include_str!("machinery/spin.c"),
    include_str!("machinery/limits.c"),
    include_str!("machinery/semaphores.c"),
    include_str!("machinery/barriers.c"),
    include_str!("machinery/joins.c"),
    include_str!("machinery/specific.c"),
    include_str!("machinery/sections.c"),
    include_str!("machinery/symbols.c"),
    include_str!("machinery/inputs.c"),
    include_str!("machinery/environment.c"),
    include_str!("machinery/system.c"),
];
const GUARDS: &str = include_str!("machinery/guards.c");
const TYPES: &str = include_str!("machinery/types.c");
const TABLES: &str = include_str!("machinery/tables.c");
const ATOMICS: &str = include_str!("machinery/atomics.c");

/// What ThreadSanitizer is asked about atomic operations, of each size; and how a hook of it is made.
const ATOMIC: [(&str, &str); 10] = [
    ("load", "RADDLE_ON_LOAD"),
    ("store", "RADDLE_ON_STORE"),
    ("exchange", "RADDLE_ON_UPDATE"),
    ("fetch_add", "RADDLE_ON_UPDATE"),
    ("fetch_sub", "RADDLE_ON_UPDATE"),
    ("fetch_and", "RADDLE_ON_UPDATE"),
    ("fetch_or", "RADDLE_ON_UPDATE"),
    ("fetch_xor", "RADDLE_ON_UPDATE"),
    ("fetch_nand", "RADDLE_ON_UPDATE"),
    ("compare_exchange_val", "RADDLE_ON_EXCHANGE"),
];

/// The functions that a program asks for and does not define, with those of ThreadSanitizer's that its atomic operations become.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Occurring(BTreeSet<String>);

impl Occurring {
    #[cfg(test)]
    pub(super) fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Occurring(names.into_iter().map(str::to_owned).collect())
    }

    /// Those of a module. raddle's C library is no part of a native program.
    pub fn of(module: &Module) -> Self {
        let mut named = BTreeSet::new();
        for function in module.functions.iter().filter(|function| !function.library) {
            for inst in function.blocks.iter().flat_map(|block| &block.insts) {
                if let Op::Call { callee: Callee::Direct(callee), .. } = &inst.op {
                    named.insert(*callee);
                }
                inst.op.for_each_operand(|operand| {
                    if let Operand::Func(function) = operand {
                        named.insert(function);
                    }
                });
            }
            for block in &function.blocks {
                block.terminator.for_each_operand(|operand| {
                    if let Operand::Func(function) = operand {
                        named.insert(function);
                    }
                });
            }
        }
        for global in module.globals.iter().filter(|global| !global.library) {
            if let Init::Data { addresses, .. } = &global.init {
                named.extend(addresses.iter().filter_map(|(_, address)| match address {
                    Address::Func(function) => Some(*function),
                    Address::Global(..) => None,
                }));
            }
        }
        let own = |function: &ir::Function| !function.library && !function.is_declaration();
        let named = named.into_iter().map(|id| &module[id]).filter(|function| !own(function));
        let atomics = module.functions.iter().filter(|function| !function.library).flat_map(|f| &f.blocks);
        let atomics = atomics.flat_map(|block| &block.insts).filter_map(|inst| atomic(module, &inst.op));
        Occurring(named.map(|function| function.name.clone()).chain(atomics).collect())
    }
}

/// What ThreadSanitizer makes of an atomic operation.
fn atomic(module: &Module, op: &Op) -> Option<String> {
    let (ty, name) = match op {
        Op::Load { ty, order: Some(_), .. } => (ty, "load"),
        Op::Store { ty, order: Some(_), .. } => (ty, "store"),
        Op::CompareExchange { ty, .. } => (ty, "compare_exchange_val"),
        Op::AtomicRmw { ty, op, .. } => (
            ty,
            match op {
                RmwOp::Exchange => "exchange",
                RmwOp::Add => "fetch_add",
                RmwOp::Sub => "fetch_sub",
                RmwOp::And => "fetch_and",
                RmwOp::Nand => "fetch_nand",
                RmwOp::Or => "fetch_or",
                RmwOp::Xor => "fetch_xor",
                // Which it leaves to the compiler, unwatched.
                RmwOp::Max | RmwOp::Min | RmwOp::UMax | RmwOp::UMin => return None,
                RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin => return None,
            },
        ),
        _ => return None,
    };
    Some(format!("__tsan_atomic{}_{name}", 8 * ty.store_size(module.pointer)))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    Always,
    /// The program asks for one of its functions, or another section needs one.
    Asked {
        wraps: bool,
    },
    /// Another section needs the part, or none does.
    Part {
        needed: bool,
    },
}

/// A piece of text that a test has, or has not.
#[derive(Debug)]
struct Section {
    when: When,
    names: Vec<&'static str>,
    needs: Vec<&'static str>,
    text: String,
}

impl Section {
    fn is_in(&self, wanted: &BTreeSet<&str>) -> bool {
        let any = self.names.iter().any(|name| wanted.contains(name));
        match self.when {
            When::Always => true,
            When::Asked { .. } => any,
            When::Part { needed } => any == needed,
        }
    }
}

/// The sections of a file.
fn sections(file: &'static str) -> Vec<Section> {
    let core = || Section { when: When::Always, names: Vec::new(), needs: Vec::new(), text: String::new() };
    let mut found = vec![core()];
    // Within `each`: what its sections need, and the comment before the next one.
    let mut each: Option<(Vec<&'static str>, String)> = None;
    for line in file.lines() {
        if let Some(rule) = line.strip_prefix("//: ") {
            let (what, needs) = rule.split_once(" needs ").unwrap_or((rule, ""));
            let needs: Vec<&str> = needs.split_whitespace().collect();
            let mut words = what.split_whitespace();
            let when = match words.next() {
                Some("wrap") => When::Asked { wraps: true },
                Some("define") => When::Asked { wraps: false },
                Some("part") => When::Part { needed: true },
                Some("unless") => When::Part { needed: false },
                _ => When::Always,
            };
            each = (what == "each").then(|| (needs.clone(), String::new()));
            if each.is_none() {
                found.push(Section { when, names: words.collect(), needs, text: String::new() });
            }
            continue;
        }
        let Some((needs, comment)) = &mut each else {
            if let Some(section) = found.last_mut() {
                section.text.push_str(line);
                section.text.push('\n');
            }
            continue;
        };
        match hooked(line) {
            Some(name) => {
                let text = format!("{comment}{line}\n");
                comment.clear();
                let when = When::Asked { wraps: true };
                found.push(Section { when, names: vec![name], needs: needs.clone(), text });
            }
            None if line.is_empty() => {}
            None => {
                comment.push_str(line);
                comment.push('\n');
            }
        }
    }
    found
}

/// The function that a line wraps, which is a macro's use: `RADDLE_HOOK(int, strcmp, ...)`, `RADDLE_ON_LOCK(pthread_mutex_lock)`.
fn hooked(line: &'static str) -> Option<&'static str> {
    let (head, arguments) = line.split_once('(').filter(|(head, _)| head.starts_with("RADDLE_"))?;
    let mut arguments = arguments.split([',', ')']).map(str::trim);
    // Where there is a result, it comes first.
    let place = usize::from(matches!(head, "RADDLE_HOOK" | "RADDLE_ON_ALLOCATION"));
    arguments.nth(place)
}

/// All functions of which there is a section.
#[cfg(test)]
pub(super) fn all_names() -> Vec<&'static str> {
    let sections = FILES.into_iter().flat_map(sections);
    sections.filter(|section| matches!(section.when, When::Asked { .. })).flat_map(|section| section.names).collect()
}

/// Names of all functions that some section wraps.
fn all_wrapped() -> BTreeSet<&'static str> {
    let sections = FILES.into_iter().flat_map(sections);
    sections.filter(|section| section.when == When::Asked { wraps: true }).flat_map(|section| section.names).collect()
}

/// Whether a function of the C library comes by a hook.
pub(super) fn has_hook(function: &str) -> bool {
    ALWAYS.contains(&function) || all_wrapped().contains(function)
}

/// What every program is watched by: which of them it comes to is the compiler's choice. And what the machinery itself needs.
const ALWAYS: [&str; 22] = [
    "main",
    "__tsan_read1",
    "__tsan_read2",
    "__tsan_read4",
    "__tsan_read8",
    "__tsan_read16",
    "__tsan_write1",
    "__tsan_write2",
    "__tsan_write4",
    "__tsan_write8",
    "__tsan_write16",
    "__tsan_unaligned_read2",
    "__tsan_unaligned_read4",
    "__tsan_unaligned_read8",
    "__tsan_unaligned_read16",
    "__tsan_unaligned_write2",
    "__tsan_unaligned_write4",
    "__tsan_unaligned_write8",
    "__tsan_unaligned_write16",
    "__tsan_memcpy",
    "__tsan_memmove",
    "__tsan_memset",
];

/// The machinery of one test.
#[derive(Debug)]
pub(super) struct Machinery {
    /// What it is, by the name of its sections.
    names: BTreeSet<String>,
    /// What the linker sends to the hooks.
    pub(super) wrapped: Vec<String>,
    /// What refuses to be built otherwise, and the types of the tables.
    pub(super) types: String,
    pub(super) hooks: String,
}

impl Machinery {
    /// `program`: what it asks for, or all there is where that is not known. `more`: what the test itself needs. `left_out`: what is not
    /// hooked, whoever asks.
    pub(super) fn new(
        program: Option<&Occurring>,
        atomic_sizes: &BTreeSet<u64>,
        more: &[&'static str],
        left_out: &[&str],
    ) -> Self {
        let types = sections(TYPES);
        let rest: Vec<Section> = FILES.into_iter().flat_map(sections).collect();
        let asked = |name: &&str| program.is_none_or(|program| program.0.contains(*name)) && !left_out.contains(name);
        let functions = rest.iter().filter(|section| matches!(section.when, When::Asked { .. }));
        let mut wanted: BTreeSet<&str> = functions.flat_map(|section| &section.names).copied().filter(asked).collect();
        wanted.extend(more);
        wanted.extend(["pthread_create", "pthread_join"]);
        loop {
            let needed = rest.iter().filter(|section| section.is_in(&wanted)).flat_map(|section| &section.needs);
            let missing: Vec<&str> = needed.copied().filter(|name| !wanted.contains(name)).collect();
            if missing.is_empty() {
                break;
            }
            wanted.extend(missing);
        }
        let in_test = |sections: &[Section]| -> String {
            sections.iter().filter(|section| section.is_in(&wanted)).map(|section| section.text.as_str()).collect()
        };
        let hooks = in_test(&rest);
        let wrapping = rest.iter().filter(|s| s.when == When::Asked { wraps: true } && s.is_in(&wanted));
        let mut wrapped: Vec<String> = ALWAYS.iter().map(|name| (*name).to_owned()).collect();
        wrapped.extend(wrapping.flat_map(|section| &section.names).map(|name| (*name).to_owned()));
        let (atomic_hooks, atomic_names) = atomics(program, atomic_sizes);
        wrapped.extend(atomic_names);
        let names = wanted.iter().map(|name| (*name).to_owned()).collect();
        Machinery {
            names,
            wrapped,
            types: format!("{GUARDS}\n{}\n{TABLES}", in_test(&types)),
            hooks: hooks + &atomic_hooks,
        }
    }

    /// Whether there is a section of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}

/// Hooks for the atomic operations that occur, and what they wrap.
fn atomics(program: Option<&Occurring>, sizes: &BTreeSet<u64>) -> (String, Vec<String>) {
    let (mut text, mut names) = (String::new(), Vec::new());
    for &size in sizes {
        let bits = 8 * size;
        let ty = if size == 16 { "unsigned __int128".to_owned() } else { format!("uint{bits}_t") };
        for (operation, hook) in ATOMIC {
            let name = format!("__tsan_atomic{bits}_{operation}");
            if program.is_none_or(|program| program.0.contains(&name)) {
                text.push_str(&format!("{hook}({bits}_{operation}, {ty}, {size})\n"));
                names.push(name);
            }
        }
    }
    if text.is_empty() {
        return (text, names);
    }
    (format!("\n{ATOMICS}{text}"), names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of it, so that what is defined twice, or needed and not there, shows.
    fn all() -> Vec<Section> {
        [TYPES].into_iter().chain(FILES).flat_map(sections).collect()
    }

    /// What a section wraps has a hook in it, and what has a hook is wrapped.
    #[test]
    fn each_hook_is_wrapped() {
        for section in all() {
            let wraps = section.when == When::Asked { wraps: true };
            let hooks = section.text.matches("__wrap_").count() - section.text.matches("__wrap_##").count();
            let named = section.names.iter().filter(|name| section.text.contains(**name)).count();
            if wraps {
                assert_eq!(named, section.names.len(), "{:?}: {}", section.names, section.text);
            } else {
                assert!(hooks == 0 || section.text.contains("__wrap_NAME"), "{:?}: {}", section.names, section.text);
            }
        }
    }

    /// Each name behind `needs` is that of a section.
    #[test]
    fn what_is_needed_is_there() {
        let sections = all();
        let names: BTreeSet<&str> = sections.iter().flat_map(|section| &section.names).copied().collect();
        for section in &sections {
            for need in &section.needs {
                assert!(names.contains(need), "{:?} needs {need}", section.names);
            }
        }
    }

    /// A test has exactly what its program asks for, and what that needs.
    #[test]
    fn a_test_has_what_its_program_asks_for() {
        let made = |names: &[&str]| {
            let program = Occurring(names.iter().map(|name| (*name).to_owned()).collect());
            Machinery::new(Some(&program), &[4, 8].into(), &[], &[])
        };
        let few = made(&["pthread_mutex_lock", "__tsan_atomic32_load"]);
        let wraps = |machinery: &Machinery, name: &str| machinery.wrapped.iter().any(|known| known == name);
        assert!(wraps(&few, "pthread_mutex_lock") && wraps(&few, "__tsan_atomic32_load") && wraps(&few, "main"));
        assert!(!wraps(&few, "pthread_mutex_unlock") && !wraps(&few, "__tsan_atomic64_load") && !wraps(&few, "strcmp"));
        assert!(!few.hooks.contains("pthread_mutex_unlock") && !few.hooks.contains("raddle_find_input"));
        // A wait gives its mutex back and takes it again.
        let waits = made(&["cnd_wait"]);
        assert!(
            ["cnd_wait", "pthread_cond_wait", "pthread_mutex_lock", "pthread_mutex_unlock"]
                .iter()
                .all(|n| wraps(&waits, n))
        );
        let all = Machinery::new(None, &[4].into(), &[], &[]);
        assert!(
            wraps(&all, "strcmp") && wraps(&all, "__tsan_atomic32_fetch_nand") && !wraps(&all, "__tsan_atomic64_load")
        );
    }
}
