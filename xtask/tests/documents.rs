//! What documents name is there: modules, tests, files.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All words between backquotes, with the document and line that they stand in.
fn quoted() -> Vec<(String, String)> {
    let mut documents = vec![root().join("ARCHITECTURE.md"), root().join("CONTRIBUTING.md"), root().join("README.md")];
    let docs = fs::read_dir(root().join("docs")).expect("a folder");
    documents.extend(docs.map(|entry| entry.expect("an entry").path()));
    let mut all = Vec::new();
    for document in documents {
        let text = fs::read_to_string(&document).expect("a text");
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}:{}", document.display(), number + 1);
            all.extend(line.split('`').skip(1).step_by(2).map(|word| (word.to_owned(), place.clone())));
        }
    }
    all
}

/// Whether a path of Rust is a module of one of the crates, or something in one.
fn is_there(path: &str) -> bool {
    let mut parts = path.split("::");
    let Some(package) = parts.next() else { return false };
    let base = root().join("crates").join(package);
    let mut folder = base.join("src");
    for part in parts {
        if folder.join(part).is_dir() {
            folder.push(part);
        } else if folder.join(part).with_extension("rs").is_file() {
            return true;
        } else {
            // An item of the module that the path has come to.
            let file =
                ["mod.rs", "lib.rs", "main.rs"].map(|name| folder.join(name)).into_iter().find(|file| file.is_file());
            let item = part.trim_end_matches("()");
            return file.is_some_and(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(item)));
        }
    }
    base.is_dir()
}

#[test]
fn modules_that_documents_name_are_there() {
    let is_crate = |word: &str| word.split("::").next().is_some_and(|first| root().join("crates").join(first).is_dir());
    let is_path = |word: &str| word.contains("::") && word.chars().all(|c| c.is_alphanumeric() || "_:()".contains(c));
    let mut named = quoted();
    named.retain(|(word, _)| is_path(word) && is_crate(word));
    assert!(named.len() > 100, "only {} modules are named", named.len());
    named.retain(|(word, _)| !is_there(word));
    assert!(named.is_empty(), "{named:#?}");
}

#[test]
fn files_that_documents_name_are_there() {
    let folders = ["tests/", "crates/", "xtask/", "bench/", "examples/", "docs/", "scripts/"];
    let is_file =
        |word: &str| folders.iter().any(|folder| word.starts_with(folder)) && !word.contains(['*', ' ', '<', '{', '#']);
    let mut named = quoted();
    named.retain(|(word, _)| is_file(word));
    assert!(named.len() > 200, "only {} files are named", named.len());
    named.retain(|(word, _)| !root().join(word).exists());
    assert!(named.is_empty(), "{named:#?}");
}
