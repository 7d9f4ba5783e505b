//! Runs the program on sources in a scratch folder, and finds things in the result.

#![allow(dead_code, reason = "each test file uses its own part")]

use ir::{Block, BlockId, Callee, FuncId, Function, Global, GlobalId, Inst, Module, Op, Operand, Terminator};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with sources.
pub(crate) struct Folder(tempfile::TempDir);

/// How a run ended.
pub(crate) struct Ran {
    pub(crate) output: Output,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("scratch folder"));
        for (name, text) in files {
            folder.write(name, text.as_bytes());
        }
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("folder");
        std::fs::write(path, bytes).expect("source");
    }

    /// Runs `raddle-frontend` in the folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle-frontend"));
        let output = command.args(arguments).current_dir(self.0.path()).output().expect("raddle-frontend starts");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Ran { output, stderr }
    }

    /// Runs clang in the folder.
    pub(crate) fn clang(&self, arguments: &[&str]) {
        let status = Command::new("clang-22").args(arguments).current_dir(self.0.path()).status();
        assert!(status.expect("clang-22 starts").success(), "clang-22 {arguments:?}");
    }

    /// Compiles and reads back; the result is verified.
    pub(crate) fn compile(&self, arguments: &[&str]) -> Module {
        let ran = self.run(&[&["compile", "--output", "out.rir"], arguments].concat());
        assert_eq!(ran.output.status.code(), Some(0), "{}", ran.stderr);
        read(&self.path("out.rir"))
    }
}

pub(crate) fn read(path: &Path) -> Module {
    let module = ir::binary::read(&std::fs::read(path).expect("output")).expect("a module");
    if let Err(errors) = ir::verify::verify(&module) {
        panic!("{} errors, first: {}", errors.len(), errors[0]);
    }
    module
}

/// Compiles one C source.
pub(crate) fn compile(text: &str) -> Module {
    Folder::new(&[("t.c", text)]).compile(&["t.c"])
}

/// Lowers one file of LLVM assembly.
pub(crate) fn assemble(text: &str) -> Module {
    Folder::new(&[("t.ll", text)]).compile(&["t.ll"])
}

impl Ran {
    /// The failure on the last line, after exit code 2.
    pub(crate) fn failure(&self) -> serde_json::Value {
        assert_eq!(self.output.status.code(), Some(2), "{}", self.stderr);
        let last = self.stderr.lines().last().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|e| panic!("{e}: {last}"))
    }

    /// Asserts the kind of failure and a part of its message.
    pub(crate) fn fails(&self, kind: &str, part: &str) -> serde_json::Value {
        let failure = self.failure();
        assert_eq!(failure["kind"], kind, "{failure}");
        assert!(failure["message"].as_str().is_some_and(|m| m.contains(part)), "{failure}");
        failure
    }
}

pub(crate) fn function<'m>(module: &'m Module, name: &str) -> &'m Function {
    &module[id(module, name)]
}

pub(crate) fn id(module: &Module, name: &str) -> FuncId {
    module.functions_named(name).next().unwrap_or_else(|| panic!("no function {name}"))
}

pub(crate) fn global<'m>(module: &'m Module, name: &str) -> &'m Global {
    &module[global_id(module, name)]
}

pub(crate) fn global_id(module: &Module, name: &str) -> GlobalId {
    module.globals().find(|(_, g)| g.name == name).unwrap_or_else(|| panic!("no global {name}")).0
}

pub(crate) fn insts(function: &Function) -> impl Iterator<Item = &Inst> {
    function.blocks.iter().flat_map(|b| &b.insts)
}

pub(crate) fn ops(function: &Function) -> impl Iterator<Item = &Op> {
    insts(function).map(|i| &i.op)
}

/// All paths of address computations, in order.
pub(crate) fn paths(function: &Function) -> Vec<&str> {
    ops(function)
        .filter_map(|op| match op {
            Op::Offset { path, .. } => Some(path.as_str()),
            _ => None,
        })
        .collect()
}

/// What the unsupported instructions of a function are.
pub(crate) fn unsupported(function: &Function) -> Vec<&str> {
    let in_blocks = ops(function).filter_map(|op| match op {
        Op::Unsupported { what, .. } => Some(what.as_str()),
        _ => None,
    });
    let at_ends = function.blocks.iter().filter_map(|b| match &b.terminator {
        Terminator::Unsupported { what } => Some(what.as_str()),
        _ => None,
    });
    in_blocks.chain(at_ends).collect()
}

pub(crate) fn block(function: &Function, id: BlockId) -> &Block {
    function.block(id)
}

/// Names of the functions called directly, in order.
pub(crate) fn calls<'m>(module: &'m Module, function: &Function) -> Vec<&'m str> {
    ops(function)
        .filter_map(|op| match op {
            Op::Call { callee: Callee::Direct(id), .. } => Some(module[*id].name.as_str()),
            _ => None,
        })
        .collect()
}

/// Addresses of all loads and stores.
pub(crate) fn accesses(function: &Function) -> Vec<Operand> {
    ops(function)
        .filter_map(|op| match op {
            Op::Load { address, .. } | Op::Store { address, .. } => Some(*address),
            _ => None,
        })
        .collect()
}

/// A type as C writes it, roughly.
pub(crate) fn type_name(module: &Module, ty: ir::TypeId) -> String {
    use ir::DebugType as D;
    match &module[ty] {
        D::Void => "void".to_owned(),
        D::Int { name, .. } | D::Float { name, .. } | D::Typedef { name, .. } => name.clone(),
        D::Enum { name, .. } => format!("enum {name}"),
        D::Pointer { to } => format!("{} *", type_name(module, *to)),
        D::Record { name, union, .. } => format!("{} {name}", if *union { "union" } else { "struct" }),
        D::Array { of, count } => {
            format!("{} [{}]", type_name(module, *of), count.map_or(String::new(), |n| n.to_string()))
        }
        D::Function { ret, .. } => format!("{} ()", type_name(module, *ret)),
        D::Qualified { qualifier, to } => {
            format!("{} {}", format!("{qualifier:?}").to_lowercase(), type_name(module, *to))
        }
        D::Opaque { name } => format!("opaque {name}"),
    }
}
