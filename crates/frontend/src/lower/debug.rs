//! Source files, positions and the variables of debug records.

use crate::llvm::{Metadata, MetadataKind as Kind, Value, VariableRecord};
use ir::{FileId, LocId, Location, Module, SourceFile};
use std::collections::HashMap;

/// Maps debug metadata to the tables of files and positions.
#[derive(Default)]
pub(crate) struct Debug<'m> {
    files: HashMap<(String, String), FileId>,
    locations: HashMap<Metadata<'m>, Option<LocId>>,
    interned: HashMap<Location, LocId>,
    functions: HashMap<Metadata<'m>, String>,
    plain: HashMap<Metadata<'m>, bool>,
}

/// Inlining nests only so deep unless the debug information is cyclic.
const DEPTH: u32 = 256;

impl<'m> Debug<'m> {
    /// Enters a `DIFile`.
    pub(crate) fn file(&mut self, out: &mut Module, file: Option<Metadata<'m>>) -> Option<FileId> {
        let (path, directory) = file?.file_name();
        let key = (path.clone(), directory.clone());
        Some(*self.files.entry(key).or_insert_with(|| {
            out.files.push(SourceFile { path, directory });
            FileId::new(out.files.len() - 1)
        }))
    }

    /// Enters a position of its own, such as a declaration's.
    pub(crate) fn position(
        &mut self,
        out: &mut Module,
        file: Option<Metadata<'m>>,
        line: u32,
        function: String,
    ) -> Option<LocId> {
        let file = self.file(out, file)?;
        Some(self.intern(out, Location { file, line, column: 0, function, inlined_at: None, assembly: false }))
    }

    fn intern(&mut self, out: &mut Module, location: Location) -> LocId {
        *self.interned.entry(location).or_insert_with_key(|location| {
            out.locations.push(location.clone());
            LocId::new(out.locations.len() - 1)
        })
    }

    /// The same position, where inline assembly stands.
    pub(crate) fn assembly(&mut self, out: &mut Module, at: LocId) -> LocId {
        let location = Location { assembly: true, ..out[at].clone() };
        self.intern(out, location)
    }

    /// Enters a `DILocation` and the chain that it is inlined at.
    pub(crate) fn location(&mut self, out: &mut Module, location: Option<Metadata<'m>>) -> Option<LocId> {
        self.location_at(out, location?, DEPTH)
    }

    fn location_at(&mut self, out: &mut Module, location: Metadata<'m>, fuel: u32) -> Option<LocId> {
        if let Some(&id) = self.locations.get(&location) {
            return id;
        }
        if fuel == 0 {
            return None;
        }
        let inlined_at = location.inlined_at().and_then(|at| self.location_at(out, at, fuel - 1));
        let scope = location.location_scope();
        let id = self.file(out, scope.and_then(Metadata::file)).map(|file| {
            let function = scope.map(|s| self.function_of(s)).unwrap_or_default();
            let (line, column) = (location.location_line(), location.location_column());
            self.intern(out, Location { file, line, column, function, inlined_at, assembly: false })
        });
        self.locations.insert(location, id);
        id
    }

    /// C name of the function that a scope lies in; empty outside of functions.
    pub(crate) fn function_of(&mut self, scope: Metadata<'m>) -> String {
        if let Some(name) = self.functions.get(&scope) {
            return name.clone();
        }
        let mut current = Some(scope);
        let mut name = String::new();
        for _ in 0..DEPTH {
            let Some(here) = current else { break };
            current = match here.kind() {
                Kind::LLVMDISubprogramMetadataKind => {
                    name = here.name();
                    None
                }
                Kind::LLVMDILexicalBlockMetadataKind | Kind::LLVMDILexicalBlockFileMetadataKind => here.parent_scope(),
                _ => None,
            };
        }
        self.functions.insert(scope, name.clone());
        name
    }

    /// Whether a record says that the variable is the value (or stands at the address), unmodified.
    pub(crate) fn is_plain(&mut self, record: VariableRecord<'m>) -> bool {
        let Some(expression) = record.expression() else { return false };
        *self.plain.entry(expression).or_insert_with(|| expression.printed().contains("!DIExpression()"))
    }
}

/// What debug records say about a function.
#[derive(Default)]
pub(crate) struct Variables<'m> {
    /// Parameters by number, counted from 1.
    pub(crate) params: Vec<(u32, Metadata<'m>)>,
    /// Variables by their storage.
    pub(crate) storage: HashMap<Value<'m>, Metadata<'m>>,
    /// Variables by their value, in program order.
    pub(crate) values: Vec<(Value<'m>, Metadata<'m>)>,
    /// All of them.
    pub(crate) all: Vec<Metadata<'m>>,
}

impl<'m> Variables<'m> {
    /// Reads all debug records of a function.
    pub(crate) fn of(function: Value<'m>, debug: &mut Debug<'m>) -> Self {
        let subprogram = function.subprogram();
        let mut found = Self::default();
        let mut seen = std::collections::HashSet::new();
        for record in function.blocks().into_iter().flat_map(|b| b.instructions()).flat_map(VariableRecord::before) {
            let Some(variable) = record.variable() else { continue };
            if seen.insert(variable) {
                found.all.push(variable);
                let own = variable.variable_scope().is_some_and(|s| Some(s) == subprogram);
                if let Some(number) = variable.printed_field("arg").and_then(|n| n.parse().ok()).filter(|_| own) {
                    found.params.push((number, variable));
                }
            }
            let Some(value) = record.value().filter(|_| debug.is_plain(record)) else { continue };
            if record.is_declare() {
                found.storage.entry(value).or_insert(variable);
            } else {
                found.values.push((value, variable));
            }
        }
        found.params.sort_by_key(|(number, _)| *number);
        found.params.dedup_by_key(|(number, _)| *number);
        found
    }
}
