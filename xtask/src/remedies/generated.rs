//! Random libraries of two operations: what raddle says that calls come to with a remedy, against all interleavings of the patched source; and mutants
//! of the patches, of which raddle has to refuse those in which something goes wrong.

use super::apply;
use super::mutants::{added, mutants};
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use testkit::remedied::{Operation, generate, goes_wrong, judge, parse};
use testkit::ui::Report;

/// What libraries came to.
#[derive(Default)]
struct Figures {
    libraries: u64,
    races: u64,
    /// By what raddle says of remedies.
    judged: BTreeMap<String, u64>,
    /// Told in words, or in a form that is not read.
    not_judged: u64,
    /// By what was done.
    mutants: BTreeMap<String, Mutants>,
    wrong: Vec<String>,
}

/// What mutants of a kind came to.
#[derive(Default)]
struct Mutants {
    faulty: u64,
    /// Of these, those that raddle faults as well.
    refused: u64,
    /// In which nothing goes wrong, which raddle says as well.
    harmless: u64,
    /// Of these, those whose calls come to what no order comes to.
    of_no_order: u64,
}

/// Compares so many libraries, from a seed on. False where something differs.
///
/// # Errors
/// When raddle cannot be run.
pub(super) fn run(program: &Path, (count, first): (u64, u64), with_mutants: bool, keep: &Path) -> anyhow::Result<bool> {
    let mut figures = Figures::default();
    for seed in first..first + count {
        let source = generate(seed);
        for difference in
            compare(program, &source, with_mutants, &mut figures).with_context(|| format!("seed {seed}"))?
        {
            std::fs::create_dir_all(keep)?;
            std::fs::write(keep.join(format!("remedied-{seed}.c")), format!("{source}/*\n{difference}\n*/\n"))?;
            eprintln!("seed {seed}: {difference}");
            figures.wrong.push(format!("seed {seed}"));
        }
    }
    println!(
        "{} libraries, of which {} race; remedies by what is said of their results: {:?}, {} not judged; {} differ",
        figures.libraries,
        figures.races,
        figures.judged,
        figures.not_judged,
        figures.wrong.len()
    );
    for (what, mutants) in &figures.mutants {
        let Mutants { faulty, refused, harmless, of_no_order } = mutants;
        println!(
            "  mutants, {what}: {faulty} faulty, of which {refused} refused; {harmless} harmless, of which {of_no_order} are not atomic"
        );
    }
    Ok(figures.wrong.is_empty())
}

fn report(program: &Path, source: &str, more: &[&str]) -> anyhow::Result<Report> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("lib.c"), source)?;
    let mut command = Command::new(program);
    command.args(["races", "lib.c", "--format", "json", "--max-time", "60", "--out", "out"]).args(more);
    let output = command.env("RADDLE_STORE", "off").current_dir(folder.path()).output()?;
    serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

fn compare(program: &Path, source: &str, with_mutants: bool, figures: &mut Figures) -> anyhow::Result<Vec<String>> {
    let report = report(program, source, &[])?;
    let original = parse(source).map_err(|line| anyhow::anyhow!("not read: {line}"))?;
    figures.libraries += 1;
    figures.races += u64::from(!report.findings.is_empty());
    let mut differences = Vec::new();
    for remedy in report.causes.iter().flat_map(|cause| &cause.remedies) {
        let text = remedy.patch.as_ref().map(|patch| applied(source, patch)).transpose()?;
        let (Some(text), Some(patch)) = (text, &remedy.patch) else {
            figures.not_judged += 1;
            continue;
        };
        let Ok(patched) = parse(&text) else {
            figures.not_judged += 1;
            continue;
        };
        if with_mutants && report.causes.len() == 1 {
            differences.extend(mutate(program, (&text, patch), &original, figures)?);
        }
        *figures.judged.entry(remedy.together.clone()).or_default() += 1;
        if let Some(difference) = differs(&original, &patched, &remedy.together) {
            differences.push(format!("{difference}: {}\n{}", remedy.text, remedy.patch.clone().unwrap_or_default()));
        }
    }
    Ok(differences)
}

/// Mutants of a patch that mends all there is: what raddle says of them otherwise than all interleavings.
fn mutate(
    program: &Path,
    (text, patch): (&str, &str),
    original: &[Operation],
    figures: &mut Figures,
) -> anyhow::Result<Vec<String>> {
    let mut differences = Vec::new();
    let with_other = |text: &str| text.replace("(&q->lock)", "(&q->other)");
    let added = added(patch);
    let lines = text.lines().enumerate();
    let lines = lines.map(|(at, line)| if added.contains(&at) { with_other(line) } else { line.to_owned() });
    let all_other = ("another lock in all that is added".to_owned(), lines.collect::<Vec<_>>().join("\n") + "\n");
    let is_other = all_other.1 != text;
    for (what, mutant) in mutants(text, patch).into_iter().chain(is_other.then_some(all_other)) {
        let Ok(operations) = parse(&mutant) else { continue };
        let is_faulty = goes_wrong(&operations);
        let report = report(program, &mutant, &["--no-remedies"])?;
        let is_refused = !report.findings.is_empty() || report.verdict != "safe";
        let kind = what.split(" at line").next().unwrap_or_default();
        let tally = figures.mutants.entry(kind.to_owned()).or_default();
        match is_faulty {
            true => {
                tally.faulty += 1;
                tally.refused += u64::from(is_refused);
            }
            false => {
                tally.harmless += 1;
                tally.of_no_order += u64::from(judge(original, &operations).is_new);
            }
        }
        if is_faulty != is_refused {
            differences.push(format!("{what}: faulty is {is_faulty}, refused is {is_refused}\n{mutant}"));
        }
    }
    Ok(differences)
}

/// What raddle says wrongly.
fn differs(original: &[Operation], patched: &[Operation], said: &str) -> Option<String> {
    let judged = judge(original, patched);
    let is_right = match said {
        "ordered" => !judged.is_new,
        "as_before" => judged.is_new && judged.is_as_before,
        "possible" => judged.is_new,
        "not_compared" => true,
        _ => false,
    };
    (!is_right || judged.is_stuck || judged.is_changed).then(|| format!("said to be `{said}`, and is {judged:?}"))
}

fn applied(source: &str, patch: &str) -> anyhow::Result<String> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("lib.c");
    std::fs::write(&path, source)?;
    apply(patch, folder.path())?;
    Ok(std::fs::read_to_string(&path)?)
}
