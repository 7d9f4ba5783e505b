//! Candidates as changes of the source.
//!
//! A section becomes the statements of one block from the first to the last that has an access of it; every way out of them gives the lock back.
//! To be tried, the changed text is compiled in the place of the file with each line at its number, so that all else stands where it stood.
//!
//! Guarantee: a patch is one that was compiled and explored. None where the source is not plain: where it jumps, where a lock cannot be named,
//! or where macros hide what there is.

mod atomic;
mod moved;
mod place;

use super::super::racing::absolute;
use super::super::session::Session;
use super::candidates::Candidate;
use super::source::Source;
use crate::frontend;
use machine::{Change, Program};
use report::RemedyKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use witness::format::SourceFlags;

/// Changes of some files.
pub(super) struct Patch {
    files: Vec<Edited>,
}

struct Edited {
    source: Source,
    /// In the order of the text, none in another.
    edits: Vec<Edit>,
}

/// A text in the place of another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Edit {
    begin: usize,
    end: usize,
    text: String,
}

impl Edit {
    fn insert(at: usize, text: String) -> Self {
        Edit { begin: at, end: at, text }
    }
}

/// What a candidate is in the source, if that is plain.
pub(super) fn of(session: &Session, candidate: &Candidate) -> Option<Patch> {
    let program = &session.engine.program;
    let mut files: Vec<Edited> = Vec::new();
    for change in &candidate.changes {
        for function in functions(program, change) {
            let at = program.module[function].location.map(|at| &program.module[at])?;
            let file = &program.module[at.file].path;
            let index = match files.iter().position(|known| known.source.file == *file) {
                Some(index) => index,
                None => {
                    let source = Source::read(file, absolute(&program.module, file)?)?;
                    files.push(Edited { source, edits: Vec::new() });
                    files.len() - 1
                }
            };
            let edits = match change {
                Change::Hold(section) => {
                    place::edits(program, section, &files[index].source, candidate.kind == RemedyKind::Operations)?
                }
                Change::Atomic { sites, order } => {
                    atomic::edits(program, (sites, *order), function, &files[index].source)?
                }
                _ => moved::edits(program, (change, function), &files[index].source)?,
            };
            files[index].edits.extend(edits);
        }
    }
    for file in &mut files {
        file.edits = merged(std::mem::take(&mut file.edits));
        if file.edits.windows(2).any(|pair| pair[0].end > pair[1].begin || pair[0].begin == pair[1].begin) {
            return None;
        }
    }
    Some(Patch { files })
}

/// The functions that a change is made in, each once.
fn functions(program: &Program, change: &Change) -> Vec<ir::FuncId> {
    let mut functions = program.changed_by(change);
    functions.sort_unstable();
    functions.dedup();
    functions
}

impl Patch {
    /// As a unified difference, with the names that reports have for files.
    pub(super) fn difference(&self) -> String {
        let one = |file: &Edited| {
            let new = file.text(|_| String::new());
            let name = &file.source.file;
            similar::TextDiff::from_lines(&file.source.text, &new).unified_diff().header(name, name).to_string()
        };
        self.files.iter().map(one).collect()
    }
}

impl Edited {
    /// The changed text; `behind`: what is written behind each change.
    fn text(&self, behind: impl Fn(usize) -> String) -> String {
        let (mut text, mut from) = (String::new(), 0);
        for edit in &self.edits {
            text.push_str(&self.source.text[from..edit.begin]);
            text.push_str(&edit.text);
            text.push_str(&behind(edit.end));
            from = edit.end;
        }
        text + &self.source.text[from..]
    }

    /// The changed text with all that is left of the old one at its line and column.
    fn in_place(&self) -> String {
        self.text(|end| {
            let (line, column) = self.source.place(end);
            // A tab is one column for compilers.
            format!("\n#line {line}\n{}", " ".repeat(column))
        })
    }
}

impl Session {
    /// The program with a patch. None where it does not compile, or has other functions.
    pub(super) fn compiled_with(&self, patch: &Patch) -> Option<Arc<Program>> {
        let folder = tempfile::Builder::new().prefix("raddle-").tempdir().ok()?;
        let overlay = overlay(patch, folder.path())?;
        let flags = ["-ivfsoverlay".to_owned(), overlay.display().to_string()];
        let program = &self.files.program_ref;
        let sources: Vec<PathBuf> = program.typed.iter().map(PathBuf::from).collect();
        let with = |known: &[String]| known.iter().cloned().chain(flags.clone()).collect::<Vec<_>>();
        let own = |own: &SourceFlags| SourceFlags { flags: with(&own.flags), ..own.clone() };
        let own: Vec<SourceFlags> = program.own.iter().map(own).collect();
        let directory = Path::new(&program.directory);
        let limits = &self.time.limits;
        let mut module = frontend::compile(Some(directory), &sources, &with(&program.flags), &own, limits).ok()?;
        let old = &self.engine.program.module;
        let has_clients = old.functions.iter().any(machine::is_client_function);
        if has_clients {
            machine::add_client_functions(&mut module);
        }
        let names = |module: &ir::Module| module.functions.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
        let (mut known, mut now) = (names(old), names(&module));
        if now != known {
            // Where they come in another order, names tell them apart.
            known.sort_unstable();
            now.sort_unstable();
            if now != known || now.windows(2).any(|pair| pair[0] == pair[1]) {
                return None;
            }
        }
        Program::new(module, self.parameters.bounds.array).ok().map(Arc::new)
    }
}

/// Writes the changed files, and what has clang take them for those that they change.
fn overlay(patch: &Patch, folder: &Path) -> Option<PathBuf> {
    let mut roots = Vec::new();
    for (number, file) in patch.files.iter().enumerate() {
        let content = folder.join(format!("{number}.c"));
        std::fs::write(&content, file.in_place()).ok()?;
        let name = std::path::absolute(&file.source.path).ok()?;
        roots.push(serde_json::json!({ "name": name, "type": "file", "external-contents": content }));
    }
    let overlay = folder.join("overlay.yaml");
    // JSON is YAML.
    let text = serde_json::json!({ "version": 0, "use-external-names": false, "roots": roots }).to_string();
    std::fs::write(&overlay, text).ok()?;
    Some(overlay)
}

/// Changes at one place as one: what is taken away there comes last.
fn merged(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.begin, edit.end));
    let mut all: Vec<Edit> = Vec::new();
    for edit in edits {
        match all.last_mut() {
            Some(last) if last.begin == edit.begin || last.end == edit.begin && last.begin == last.end => {
                last.end = last.end.max(edit.end);
                last.text.push_str(&edit.text);
            }
            _ => all.push(edit),
        }
    }
    all
}
