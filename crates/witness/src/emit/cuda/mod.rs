//! Findings of kernels as CUDA tests.
//!
//! A test includes the kernel's source, builds the inputs and the heap of the witness in managed memory, launches the kernel as the witness says,
//! and waits for its end. Which tool of the CUDA toolkit looks at what is said in the test (Compute Sanitizer User Manual: `memcheck`, `racecheck`,
//! `synccheck`).
//!
//! Guarantee: heap, arguments and launch are those of the witness; what cannot be built from outside is refused in words ([`refusal`]).
//! Not promised: the order of the threads. Nothing holds the threads of a device to a schedule, so that a test shows the failure if the device happens
//! to run them so, or if a tool sees it in any order; the test says which.
//! Relies on the source compiling for both sides, and on kernels and variables having names that can be written behind its end: whoever
//! writes the test down compiles it.

mod build;
mod heap;
mod story;

use super::EmittedTest;
use crate::format::{ArgumentValue, CellValue, HeapObject, InputValue, Left, Number, OperationCall, Witness};
use ir::{Callee, Init, Module, Op, Space};
use std::path::{Path, PathBuf};

/// What a kernel's test is made of.
pub(super) struct Plan<'a> {
    pub(super) witness: &'a Witness,
    pub(super) kernel: &'a OperationCall,
    pub(super) launch: machine::Launch,
    /// The source that has the kernel: it becomes part of the test.
    pub(super) included: &'a str,
    /// All others, for the command line.
    pub(super) separate: Vec<&'a str>,
    pub(super) program: OfProgram,
}

/// What the witness does not say of the program.
#[derive(Clone, Copy, Default)]
pub(super) struct OfProgram {
    /// Threads of different blocks meet, for which there is a launch of its own (CUDA C++ Programming Guide, 'Grid Synchronization').
    pub(super) cooperative: bool,
    /// Bytes that `extern __shared__` arrays are declared with. A kernel alone has as many; a launch has to ask for them.
    pub(super) dynamic: u64,
}

impl OfProgram {
    fn of(module: &Module) -> Self {
        let insts = module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.insts);
        let mut callees = insts.filter_map(|inst| match &inst.op {
            Op::Call { callee: Callee::Direct(function), .. } => Some(*function),
            _ => None,
        });
        let cooperative = callees.any(|function| module[function].name == "__raddle_gpu_grid_barrier");
        let is_dynamic = |global: &&ir::Global| global.space == Space::Shared && global.init == Init::External;
        let dynamic = module.globals.iter().filter(is_dynamic).map(|global| global.size).max().unwrap_or(0);
        OfProgram { cooperative, dynamic }
    }
}

impl<'a> Plan<'a> {
    /// # Errors
    /// Why there is no test, as a sentence.
    fn new(witness: &'a Witness, program: OfProgram) -> Result<Self, String> {
        if witness.settings.device.is_some() {
            return Err(
                "this finding is of a program from `main`, which is its own test: build it with nvcc and run it under \
                        compute-sanitizer; `raddle replay` shows the failure"
                    .to_owned(),
            );
        }
        let damaged = |what: &str| format!("the witness has no {what}");
        let kernel = witness.operations.first().ok_or_else(|| damaged("kernel"))?;
        let mut launch = witness.launch.ok_or_else(|| damaged("launch"))?;
        launch.shared = launch.shared.max(program.dynamic);
        let sources = || witness.program.sources.iter().map(String::as_str);
        if let Some(other) = sources().find(|source| !source.ends_with(".cu")) {
            return Err(format!(
                "{other}: a CUDA test includes the kernel's source, and this is none; give raddle the .cu file"
            ));
        }
        let file = kernel.file.trim_start_matches("./");
        let is_named =
            |source: &&str| *source == file || source.strip_suffix(file).is_some_and(|head| head.ends_with('/'));
        let included = sources().find(is_named).or_else(|| sources().next()).ok_or_else(|| damaged("source"))?;
        let separate = sources().filter(|source| *source != included).collect();
        Ok(Plan { witness, kernel, launch, included, separate, program })
    }

    /// # Errors
    /// Why a host cannot build this heap, as a sentence.
    fn check_heap(&self) -> Result<(), String> {
        let replay = "`raddle replay` shows the failure";
        // What a clock shows is the device's own; anything else a test would have to choose.
        let is_chosen = |input: &&InputValue| base_name(&input.name) != "clock";
        if let Some(input) = self.witness.inputs.iter().find(is_chosen) {
            let name = &input.name;
            return Err(format!(
                "the finding rests on what `{name}` gives, which devices compute to so many places, or which nobody gives them: a test cannot \
                 choose it; {replay}"
            ));
        }
        if let Some(path) = self.unplaced() {
            return Err(format!(
                "the heap has the pointer `{path}`, of which the witness does not say where it stands; {replay}"
            ));
        }
        let of_heap = self.witness.heap.objects.iter().flat_map(|object| &object.cells).map(|cell| &cell.value);
        let given = self.kernel.args.iter().map(|argument| &argument.value);
        for value in of_heap.chain(given) {
            if let CellValue::Function(name) = value {
                return Err(format!(
                    "the heap leads to the device's function `{name}`, whose address no host can take; {replay}"
                ));
            }
        }
        let is_nameless = |object: &&HeapObject| {
            let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            object.global && (object.name.starts_with("_Z") || !object.name.split("::").all(is_word))
        };
        if let Some(object) = self.witness.heap.objects.iter().find(is_nameless) {
            let name = &object.name;
            return Err(format!(
                "the heap has the variable `{name}`, which has no name outside of its function; {replay}"
            ));
        }
        Ok(())
    }

    /// What the test looks at behind the launch.
    pub(super) fn looks_at(&self) -> Option<Left> {
        let failure = &self.witness.failure;
        let is_of_heap =
            |object: u32| self.witness.heap.objects.get(object as usize).is_some_and(|object| !object.global);
        let is_reached = failure.accesses.first()?.object.is_some_and(|(object, _)| is_of_heap(object));
        failure.left.filter(|left| is_reached && matches!(left.size, 1 | 2 | 4 | 8))
    }

    /// Bits of what is left there as a number of its type, as far as that is known.
    pub(super) fn left_as_number(&self, size: u64, bits: u64) -> String {
        let place = self.witness.failure.accesses.first().and_then(|access| access.object);
        let object = place.and_then(|(object, _)| self.witness.heap.objects.get(object as usize));
        let cell =
            object.zip(place).and_then(|(object, (_, offset))| object.cells.iter().find(|cell| cell.offset == offset));
        Number::of(cell.map_or("", |cell| cell.basic_type.as_str()), size, bits).to_string()
    }

    /// Where a pointer leads that stands in a structure by value: such are roots of the heap.
    pub(super) fn in_structure(&self, argument: &ArgumentValue, path: &str) -> Option<&'a CellValue> {
        let root = format!("{}{path}", argument.name);
        self.witness.roots.iter().find(|(name, _)| *name == root).map(|(_, value)| value)
    }

    /// The argument that an object is, if it is a structure by value.
    pub(super) fn passed(&self, object: usize) -> Option<&'a ArgumentValue> {
        let is_it =
            |value: &CellValue| matches!(value, CellValue::Pointer { object: to, .. } if *to as usize == object);
        self.kernel.args.iter().find(|argument| argument.by_value && is_it(&argument.value))
    }

    /// A root that is neither an argument nor a member of one.
    fn unplaced(&self) -> Option<&'a str> {
        let objects = self.witness.heap.objects.iter().enumerate();
        let members: Vec<String> = objects
            .filter_map(|(index, object)| Some((self.passed(index)?, object)))
            .flat_map(|(argument, object)| object.cells.iter().map(|cell| format!("{}{}", argument.name, cell.path)))
            .collect();
        let is_argument = |(name, value): &(String, CellValue)| {
            self.kernel
                .args
                .iter()
                .any(|argument| argument.name == *name || argument.by_value && argument.value == *value)
        };
        let mut roots = self.witness.roots.iter();
        let unplaced = roots.find(|root| root.1 != CellValue::Null && !is_argument(root) && !members.contains(&root.0));
        unplaced.map(|(name, _)| name.as_str())
    }

    /// What objects of the heap are called in the test.
    fn variable(object: &HeapObject) -> String {
        if object.global { format!("at_{}", object.name.replace("::", "_")) } else { object.name.clone() }
    }
}

/// An input's name without its thread's and its number: `block 0 thread 1:clock#2`.
fn base_name(name: &str) -> &str {
    let own = name.rsplit_once(':').map_or(name, |(_, own)| own);
    own.split('#').next().unwrap_or(own)
}

/// Why there can be no test of a kernel's witness, as a sentence.
pub fn refusal(witness: &Witness) -> Option<String> {
    Plan::new(witness, OfProgram::default()).and_then(|plan| plan.check_heap()).err()
}

/// Makes a CUDA test of a kernel's witness, to be stored at `output`. `module` is the program that the witness was found in; `includes`: where headers are
/// looked for, as `raddle.h`.
///
/// # Errors
/// Why there is none, as in [`refusal`].
pub fn emit(module: &Module, witness: &Witness, output: &Path, includes: &[PathBuf]) -> Result<EmittedTest, String> {
    let plan = Plan::new(witness, OfProgram::of(module))?;
    plan.check_heap()?;
    let output = std::path::absolute(output).unwrap_or_else(|_| output.to_owned());
    let commands = build::Commands::new(&plan, &output, includes);
    let parts = [
        format!("// build: {}\n// or:    {}\n", commands.clang, commands.nvcc),
        story::comment(&plan, &commands),
        build::guards(&plan),
        build::inclusion(&plan, &output),
        heap::helpers(&plan),
        heap::main(&plan),
    ];
    Ok(EmittedTest { source: parts.concat(), build: commands.clang })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Of `k(struct node *first, int n)` on a list of one node, and a variable.
    const WITNESS: &str = r#"{
     "schema": "raddle-witness/1", "raddle": "0.1.0", "command": "gpu",
     "program": { "sources": ["/p/src/k.cu"], "typed": ["k.cu"], "directory": "/p/src", "flags": ["-DN=2"], "fingerprint": "00" },
     "failure": { "kind": "data_race", "detail": "data race on N1.count", "location": { "file": "k.cu", "line": 3, "column": 2,
       "function": "k", "stack": [] }, "blocked": [], "left": { "size": 4, "one_by_one": 2, "interleaved": 1 },
       "accesses": [ { "thread": 0, "thread_name": "block 0 thread 0", "access": "write", "atomic": false, "size": 4, "place": "N1.count",
         "object": [0, 0], "locks": [], "step": 0, "gpu": { "block": [0,0,0], "thread": [0,0,0], "warp": 0, "lane": 0, "space": "global" },
         "position": { "file": "k.cu", "line": 3, "column": 2, "function": "k", "stack": ["k k.cu:3:2"] } } ] },
     "launch": { "grid": [2,1,1], "block": [1,1,1], "warp": 32, "shared": 0, "sched": "independent" },
     "operations": [ { "name": "k", "function": "k", "file": "k.cu", "is_static": false, "return_type": "void", "args": [
       { "name": "first", "c_type": "struct node *", "basic_type": "void *", "value": { "pointer": { "object": 0, "offset": 0, "path": "" } } },
       { "name": "n", "c_type": "int", "basic_type": "int", "value": { "integer": 4294967295 } } ] } ],
     "heap": { "objects": [
       { "name": "N1", "global": false, "is_static": false, "c_type": "struct node", "count": 1, "size": 16, "locks": [], "cells": [
         { "offset": 0, "size": 4, "path": ".count", "basic_type": "unsigned int", "value": { "integer": 0 } },
         { "offset": 8, "size": 8, "path": ".next", "basic_type": "void *", "value": { "pointer": { "object": 0, "offset": 0, "path": "" } } } ] },
       { "name": "limit", "global": true, "is_static": false, "c_type": "int", "count": 1, "size": 4, "locks": [], "cells": [
         { "offset": 0, "size": 4, "path": "", "basic_type": "int", "value": { "integer": 7 } } ] } ] },
     "roots": [["first", { "pointer": { "object": 0, "offset": 0, "path": "" } }]],
     "inputs": [], "schedule": [], "visible": [],
     "settings": { "depth": 3, "array": 2, "share_owners": false, "globals_symbolic": true, "roots_any": false, "spurious": 0 } }"#;

    fn emitted(text: &str) -> Result<String, String> {
        let witness = Witness::parse(text).map_err(|error| error.to_string())?;
        emit(&Module::default(), &witness, Path::new("/p/tests/r1.cu"), &[]).map(|test| test.source)
    }

    #[test]
    fn a_test_builds_the_heap_and_makes_the_launch() {
        let test = emitted(WITNESS).expect("a test");
        for part in [
            "// build: clang-22 -x cuda",
            "// or:    nvcc -g -G",
            "#if !defined N || N != 2\n#error",
            "#include \"../src/k.cu\"",
            "unsigned char *const N1 = raddle_object(16); // struct node",
            "raddle_store(N1 + 8, static_cast<void *>(N1)); // .next = N1",
            "raddle_set(limit, 0, uint32_t(7u));",
            "const dim3 raddle_grid(2, 1, 1), raddle_block(1, 1, 1);",
            "k<<<raddle_grid, raddle_block, 0>>>(raddle_pointer{N1}, -1); // first, n",
            "if (raddle_left != 2u)",
            "one after the other leave 2",
            "raddle looks at this program by: raddle gpu /p/tests/r1.cu -- -DN=2",
        ] {
            assert!(test.contains(part), "no {part} in\n{test}");
        }
        assert!(!test.contains("raddle_structure"), "only what is used");
    }

    #[test]
    fn what_cannot_be_built_is_refused_in_words() {
        for (whole, other, why) in [
            ("{ \"integer\": 7 }", "{ \"function\": \"twice\" }", "the device's function `twice`"),
            ("\"name\": \"limit\"", "\"name\": \"k.limit\"", "the variable `k.limit`"),
            ("/p/src/k.cu", "/p/src/k.bc", "k.bc: a CUDA test includes the kernel's source"),
            ("\"roots\": [[\"first\"", "\"roots\": [[\"first.next\"", "the pointer `first.next`"),
            (
                "\"inputs\": []",
                "\"inputs\": [{\"name\":\"block 0 thread 1:expf#2\",\"size\":4,\"bytes\":[0,0,0,0],\"thread\":1}]",
                "expf#2",
            ),
        ] {
            let refused = emitted(&WITNESS.replace(whole, other)).err().unwrap_or_default();
            assert!(refused.contains(why), "{other}: {refused}");
        }
        // What a clock shows is the device's own.
        let clock = r#""inputs": [{"name":"clock","size":8,"bytes":[0,0,0,0,0,0,0,0],"thread":0}]"#;
        assert!(
            emitted(&WITNESS.replace("\"inputs\": []", clock))
                .is_ok_and(|test| test.contains("the device answers itself (clock)"))
        );
    }
}
