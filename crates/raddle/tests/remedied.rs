//! What raddle says that calls come to with a remedy, against all interleavings of the patched source; `cargo xtask remedies --generated` has more.

use std::path::Path;
use std::process::Command;
use testkit::remedied::{generate, judge, parse};

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new(program);
    command.args(arguments).env("RADDLE_STORE", "off").current_dir(folder).output().expect("it runs").stdout
}

#[test]
fn results_with_remedies_are_what_interleavings_come_to() {
    let mut said = [0; 2];
    for seed in 0..12 {
        let source = generate(seed);
        let folder = tempfile::tempdir().expect("a temporary directory");
        let folder = folder.path();
        std::fs::write(folder.join("lib.c"), &source).expect("writable");
        let output = run(folder, env!("CARGO_BIN_EXE_raddle"), &["races", "lib.c", "--format", "json"]);
        let report: serde_json::Value = serde_json::from_slice(&output).expect("a document");
        let remedies = report["causes"].as_array().into_iter().flatten().flat_map(|cause| cause["remedies"].as_array());
        for remedy in remedies.flatten() {
            let Some(patch) = remedy["patch"].as_str() else { continue };
            std::fs::write(folder.join("lib.c"), &source).expect("writable");
            std::fs::write(folder.join("change.patch"), patch).expect("writable");
            run(folder, "patch", &["-s", "-p0", "-i", "change.patch"]);
            let patched = std::fs::read_to_string(folder.join("lib.c")).expect("it is there");
            let Ok(patched) = parse(&patched) else { continue };
            let judged = judge(&parse(&source).expect("it was generated"), &patched);
            assert!(!judged.is_stuck && !judged.is_changed, "seed {seed}: {judged:?}\n{patch}");
            match remedy["together"].as_str() {
                Some("ordered") => said[0] += usize::from(!judged.is_new),
                Some("possible" | "as_before") => said[1] += usize::from(judged.is_new),
                _ => continue,
            }
            let is_new = remedy["together"] != "ordered";
            assert_eq!(is_new, judged.is_new, "seed {seed}: {}\n{patch}", remedy["text"]);
        }
    }
    assert!(said[0] > 0, "some remedy makes calls atomic: {said:?}");
}
