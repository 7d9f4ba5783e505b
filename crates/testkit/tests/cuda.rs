//! Generated CUDA tests of a handful of kernels: one for each kind of finding, and for each way that a heap is built. `cargo xtask cuda-tests` looks at all.

use serde_json::Value;
use std::path::Path;
use testkit::cuda::{Outcome, ValueCheck, Workshop, Zeros, fatal};
use testkit::ui::{Runner, discover};

/// Cases, and what becomes of the tests of each of their findings: what silences them, and whether zeros do.
const HANDFUL: [(&str, Option<&str>, Zeros); 9] = [
    ("list.cu#racy", Some("a launch of one thread"), Zeros::NothingWritten),
    ("missing_barrier.cu#missing", Some("a launch of one thread"), Zeros::NothingWritten),
    ("divergence_by_input.cu#by_cell", Some("a launch of one thread"), Zeros::Silent),
    ("buffers.cu#inherited", Some("a launch of one thread"), Zeros::NothingWritten),
    ("buffers.cu#behind", Some("a launch of one thread"), Zeros::Silent),
    ("buffers.cu#dynamic", Some("a launch of one thread"), Zeros::NothingWritten),
    ("constants.cu#written_by_host", Some("a launch of one thread"), Zeros::NothingWritten),
    ("cuda_atomic.cu#in_block", Some("a launch of one thread"), Zeros::NothingWritten),
    // Whatever it is given.
    ("alignment.cu#odd", None, Zeros::NothingWritten),
];

#[test]
fn raddle_finds_the_same_in_the_test_of_a_finding_and_not_in_its_twin() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let runner = Runner::from_environment(&workspace, None).expect("a built raddle");
    let workshop = Workshop { raddle: runner.program(), workspace: &workspace, seconds: 60 };
    let cases = discover(&workspace.join("tests/ui/gpu")).expect("readable cases");
    let scratch = tempfile::tempdir().expect("a temporary directory");
    for (name, twin, zeros) in HANDFUL {
        let case = cases.iter().find(|case| case.name.ends_with(name)).unwrap_or_else(|| panic!("no case {name}"));
        let (report, _) = runner.output(case, scratch.path(), &["--format", "json"]).expect("a report");
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let findings = report["findings"].as_array().expect("a list");
        assert!(!findings.is_empty(), "{name}");
        for finding in findings {
            let outcome = workshop.look_at(case, finding, &scratch.path().join("test.cu")).expect("a look");
            let Outcome::Again { twin: silent, zeros: without, value } = outcome else { panic!("{name}: {outcome:?}") };
            assert_eq!((silent, without), (twin, zeros), "{name}");
            assert_ne!(value, ValueCheck::NeverFails, "{name}");
        }
    }
}

#[test]
fn a_finding_that_rests_on_what_no_test_can_choose_has_none() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let runner = Runner::from_environment(&workspace, None).expect("a built raddle");
    let workshop = Workshop { raddle: runner.program(), workspace: &workspace, seconds: 60 };
    let cases = discover(&workspace.join("tests/ui/gpu")).expect("readable cases");
    let scratch = tempfile::tempdir().expect("a temporary directory");
    for (name, why) in [("floating.cu#approximate", "expf"), ("host_add.cu#racy", "from `main`")] {
        let case = cases.iter().find(|case| case.name.ends_with(name)).unwrap_or_else(|| panic!("no case {name}"));
        let (report, _) = runner.output(case, scratch.path(), &["--format", "json"]).expect("a report");
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let outcome = workshop.look_at(case, &report["findings"][0], &scratch.path().join("test.cu")).expect("a look");
        assert!(matches!(&outcome, Outcome::Refused(text) if text.contains(why)), "{name}: {outcome:?}");
        assert!(!scratch.path().join("test.cu").exists(), "{name}");
    }
}

#[test]
fn what_a_function_gives_for_equal_arguments_stays_equal_where_witnesses_are_made_smaller() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let runner = Runner::from_environment(&workspace, None).expect("a built raddle");
    let cases = discover(&workspace.join("tests/ui/gpu")).expect("readable cases");
    let case = cases.iter().find(|case| case.name.ends_with("floating.cu#approximate")).expect("the case");
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let (report, _) = runner.output(case, scratch.path(), &["--format", "json"]).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let witness = report["findings"][0]["witness"].as_str().expect("a witness");
    let witness = std::fs::read_to_string(workspace.join(witness)).expect("a witness");
    let witness: Value = serde_json::from_str(&witness).expect("JSON");
    // Two threads decide otherwise by `expf` of two cells: these cannot hold the same.
    let cells = witness["heap"]["objects"][0]["cells"].as_array().expect("cells");
    assert_eq!(cells.len(), 2, "{witness}");
    assert_ne!(cells[0]["value"], cells[1]["value"], "{witness}");
}

#[test]
fn a_kernels_test_is_a_cu_file_and_is_not_run() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let runner = Runner::from_environment(&workspace, None).expect("a built raddle");
    let cases = discover(&workspace.join("tests/ui/gpu")).expect("readable cases");
    let case = cases.iter().find(|case| case.name.ends_with("list.cu#racy")).expect("the case");
    let scratch = tempfile::tempdir().expect("a temporary directory");
    runner.output(case, scratch.path(), &[]).expect("a report");
    for (words, why) in
        [(&["-o", "t.c"][..], "a name that ends in .cu"), (&["-o", "t.cu", "--run"], "not run by raddle")]
    {
        let mut raddle = std::process::Command::new(runner.program());
        let witness = scratch.path().join("R1.witness.json");
        let ran = raddle.current_dir(scratch.path()).arg("test").arg(witness).args(words).output().expect("raddle");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.code() == Some(1) && said.contains(why), "{words:?}: {said}");
        assert!(!scratch.path().join(words[1]).exists(), "{words:?}");
    }
}

/// What a race leaves is looked at in a kernel of which an update may be lost, and nothing is found there once the update is atomic.
#[test]
fn the_value_of_an_update_that_is_not_lost_is_the_one_that_is_wanted() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let runner = Runner::from_environment(&workspace, None).expect("a built raddle");
    let workshop = Workshop { raddle: runner.program(), workspace: &workspace, seconds: 60 };
    let cases = discover(&workspace.join("tests/ui/gpu")).expect("readable cases");
    let case = cases.iter().find(|case| case.name.ends_with("list.cu#racy")).expect("the case");
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let file = scratch.path().join("test.cu");
    let (report, _) = runner.output(case, scratch.path(), &["--format", "json"]).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let outcome = workshop.look_at(case, &report["findings"][0], &file).expect("a look");
    assert!(matches!(outcome, Outcome::Again { value: ValueCheck::Fails, .. }), "{outcome:?}");
    let test = fatal(&std::fs::read_to_string(&file).expect("a test")).expect("a look at what is left");
    // The same program but for the update.
    std::fs::write(&file, test.replace("racy", "atomic")).expect("a writable directory");
    let ran = std::process::Command::new(runner.program())
        .arg("gpu")
        .arg(&file)
        .arg("--out")
        .arg(scratch.path())
        .args(["--", "-Datomic"])
        .output()
        .expect("raddle");
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stdout));
}
