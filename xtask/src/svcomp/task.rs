//! Tasks: SV-COMP's task definition format 2.0.

use anyhow::{Context, bail};
use serde::Deserialize;
use sha1::{Digest, Sha1};
use std::path::{Path, PathBuf};

/// A program, and whether it has a property.
pub(super) struct Task {
    /// Of its file, without folders.
    pub(super) name: String,
    pub(super) sources: Vec<PathBuf>,
    pub(super) expected: bool,
    pub(super) data_model: DataModel,
    /// Written for the rules of GNU C89 on `inline`.
    pub(super) is_old: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum DataModel {
    #[serde(rename = "ILP32")]
    Ilp32,
    #[serde(rename = "LP64")]
    Lp64,
}

impl DataModel {
    pub(super) fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ilp32",
            DataModel::Lp64 => "lp64",
        }
    }
}

/// Which tasks are run.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Share {
    /// Three quarters.
    Development,
    /// The others.
    Kept,
    All,
}

impl Share {
    pub(super) fn has(self, name: &str) -> bool {
        let kept = Sha1::digest(name.as_bytes()).last().is_some_and(|last| last % 4 == 0);
        match self {
            Share::Development => !kept,
            Share::Kept => kept,
            Share::All => true,
        }
    }
}

#[derive(Deserialize)]
struct Definition {
    input_files: OneOrMany,
    #[serde(default)]
    properties: Vec<Judged>,
    options: Options,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
struct Judged {
    property_file: String,
    expected_verdict: Option<bool>,
}

#[derive(Deserialize)]
struct Options {
    language: Option<String>,
    data_model: DataModel,
}

/// A file that is no task, and why.
type Unreadable = (PathBuf, anyhow::Error);

/// The tasks in a folder and below that have the property, by name, and the files that are none.
pub(super) fn find(folder: &Path, property: &str) -> anyhow::Result<(Vec<Task>, Vec<Unreadable>)> {
    let (mut tasks, mut unreadable, mut folders) = (Vec::new(), Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "yml") {
                match read(&path, property) {
                    Ok(task) => tasks.extend(task),
                    Err(why) => unreadable.push((path, why)),
                }
            }
        }
    }
    tasks.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((tasks, unreadable))
}

fn read(path: &Path, property: &str) -> anyhow::Result<Option<Task>> {
    let text = std::fs::read_to_string(path)?;
    let definition: Definition = serde_saphyr::from_str(&text)?;
    let is_wanted =
        |judged: &&Judged| Path::new(&judged.property_file).file_stem().is_some_and(|stem| stem == property);
    let Some(judged) = definition.properties.iter().find(is_wanted) else { return Ok(None) };
    let Some(expected) = judged.expected_verdict else { return Ok(None) };
    if definition.options.language.is_some_and(|language| language != "C") {
        return Ok(None);
    }
    let files = match definition.input_files {
        OneOrMany::One(file) => vec![file],
        OneOrMany::Many(files) => files,
    };
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let sources: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    let mut is_old = false;
    for source in &sources {
        let code = std::fs::read(source).with_context(|| source.display().to_string())?;
        is_old |= contains(&code, b"extern __inline") || contains(&code, b"extern inline");
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Some(Task { name, sources, expected, data_model: definition.options.data_model, is_old }))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// The property in SV-COMP's words.
pub(super) fn statement(property: &str) -> anyhow::Result<String> {
    let formulas: &[&str] = match property {
        "no-data-race" => &["G ! data-race"],
        "unreach-call" => &["G ! call(reach_error())"],
        "valid-memsafety" => &["G valid-free", "G valid-deref", "G valid-memtrack"],
        _ => bail!("raddle does not check {property}: no-data-race, unreach-call, valid-memsafety"),
    };
    Ok(formulas.iter().map(|formula| format!("CHECK( init(main()), LTL({formula}) )\n")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_is_kept_back() {
        let names: Vec<String> = (0..400).map(|n| format!("task{n}.yml")).collect();
        let kept = names.iter().filter(|name| Share::Kept.has(name)).count();
        assert!((60..140).contains(&kept), "{kept} of 400");
        assert!(names.iter().all(|name| Share::Kept.has(name) != Share::Development.has(name)));
    }

    #[test]
    fn tasks_are_read_by_property() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it is written");
        write("a.c", "int main(void) { return 0; }\n");
        write(
            "a.yml",
            "format_version: '2.0'\n# a comment\ninput_files: 'a.c'\nproperties:\n  - property_file: ../p/no-data-race.prp\n    \
             expected_verdict: true\noptions:\n  language: C\n  data_model: ILP32\n",
        );
        write("b.yml", "no task\n");
        let (tasks, unreadable) = find(folder.path(), "no-data-race").expect("the folder is read");
        assert_eq!((tasks.len(), tasks[0].name.as_str(), tasks[0].expected, unreadable.len()), (1, "a.yml", true, 1));
        assert_eq!(find(folder.path(), "unreach-call").expect("the folder is read").0.len(), 0);
    }
}
