//! `raddle explain`: one finding of an earlier run, from its witness, without running anything.

use super::label::Label;
use super::present;
use super::replay::witness_of;
use crate::errors::InputError;
use crate::options::WitnessFile;
use crate::out;
use report::Finding;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use witness::ProgramRef;

/// A finding, and the program that it is about.
#[derive(Debug)]
pub struct Explained {
    pub finding: Finding,
    pub program: ProgramRef,
}

/// The finding that a witness shows.
///
/// # Errors
/// When the file is no witness.
pub fn explain(file: &WitnessFile) -> anyhow::Result<Explained> {
    let witness = witness_of(file)?;
    let label = Label::of(file);
    let name = file.path.display().to_string();
    let Some(mut finding) = present::finding(&witness, label.shape()) else {
        let message = match witness.takes.len() {
            0 => format!("{name}: `{}` is no kind of finding", witness.failure.kind),
            _ => format!("{name}: a test of branches, where nothing is wrong; raddle replay shows what it takes"),
        };
        return Err(InputError::new("witness", message).in_file(&file.path).into());
    };
    finding.id = label.id.unwrap_or_default();
    (finding.cause, finding.root) = (label.cause, label.root);
    (finding.unreached, finding.client) = (label.unreached, label.client);
    finding.witness = Some(name);
    Ok(Explained { finding, program: witness.program })
}

/// Whether something is the id of a finding, of a cause or of a test of branches: `R7`, `C2`, `T3`.
pub fn is_id(text: &str) -> bool {
    let number = text.strip_prefix(['R', 'C', 'T']).unwrap_or_default();
    !number.is_empty() && !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The witness of a finding of the latest run in `folder`, by its id, or of the finding that shows a cause best.
///
/// # Errors
/// When there is no such folder, no run with findings in it, or no such finding.
pub fn witness_named(folder: &Path, id: &str) -> Result<PathBuf, InputError> {
    let place = folder.display();
    let entries = std::fs::read_dir(folder).map_err(|e| {
        let message = match e.kind() {
            ErrorKind::NotFound => {
                format!("{place}: no such directory, where `{id}` of the last run would be; --out names another one")
            }
            _ => format!("{place} cannot be read: {e}"),
        };
        InputError::new("missing_file", message).in_file(folder)
    })?;
    let names = entries.filter_map(|entry| Some(PathBuf::from(entry.ok()?.file_name())));
    let mut known: Vec<(u64, String)> = names
        .filter_map(|name| {
            let id = out::id_of(&name)?.to_owned();
            Some((id[1..].parse().ok()?, id))
        })
        .collect();
    known.sort_unstable();
    let path = |id: &str| folder.join(out::witness_name(id));
    if id.starts_with(['R', 'T']) && known.iter().any(|(_, known)| known == id) {
        return Ok(path(id));
    }
    let labels: Vec<(PathBuf, Label)> = known.iter().filter_map(|(_, id)| labelled(&path(id))).collect();
    let shows = |label: &Label| label.represents_cause && label.cause.as_deref() == Some(id);
    if let Some((path, _)) = labels.iter().find(|(_, label)| shows(label)) {
        return Ok(path.clone());
    }
    let of = |letter: char, what: &str| {
        let all: Vec<&str> = known.iter().map(|(_, id)| id.as_str()).filter(|id| id.starts_with(letter)).collect();
        all.first().zip(all.last()).map(|(first, last)| format!("{what} {}", range(first, last)))
    };
    let causes = labels.iter().filter(|(_, label)| label.represents_cause).count();
    let causes = (causes > 0).then(|| format!("causes {}", range("C1", &format!("C{causes}"))));
    let there: Vec<String> = [of('R', "findings"), causes, of('T', "tests")].into_iter().flatten().collect();
    let message = match there.as_slice() {
        [] => format!("{place}: the last run there has no findings, and no `{id}`"),
        there => format!("{place}: the last run has no `{id}`; there are {}", there.join(", and ")),
    };
    Err(InputError::new("unknown_finding", message).in_file(folder))
}

fn labelled(path: &Path) -> Option<(PathBuf, Label)> {
    let text = std::fs::read_to_string(path).ok()?;
    Some((path.to_owned(), Label::of(&WitnessFile { path: path.to_owned(), text })))
}

/// `R1 to R18`.
fn range(first: &str, last: &str) -> String {
    if first == last { first.to_owned() } else { format!("{first} to {last}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(folder: &Path, id: &str) -> String {
        witness_named(folder, id).map_or_else(|e| e.to_string(), |path| path.display().to_string())
    }

    #[test]
    fn findings_are_found_by_their_ids_and_causes() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        assert!(message(folder.path(), "R1").ends_with("has no findings, and no `R1`"));
        for (id, label) in [("R2", "\"cause\": \"C1\""), ("R10", "\"cause\": \"C1\", \"represents_cause\": true")] {
            std::fs::write(folder.path().join(out::witness_name(id)), format!("{{\"id\": \"{id}\", {label}}}"))?;
        }
        assert!(message(folder.path(), "R2").ends_with("R2.witness.json"));
        assert!(message(folder.path(), "C1").ends_with("R10.witness.json"));
        for id in ["R3", "C2"] {
            let expected = format!("the last run has no `{id}`; there are findings R2 to R10, and causes C1");
            assert!(message(folder.path(), id).ends_with(&expected), "{}", message(folder.path(), id));
        }
        assert!(message(&folder.path().join("x"), "R1").contains("no such directory"));
        Ok(())
    }

    #[test]
    fn ids_are_no_files() {
        for id in ["R1", "C12", "T3"] {
            assert!(is_id(id), "{id}");
        }
        for other in ["R", "R0", "R01", "r1", "R1.witness.json", "C1/x", ""] {
            assert!(!is_id(other), "{other}");
        }
    }
}
