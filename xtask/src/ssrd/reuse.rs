//! What summaries and a second run save (SSRD, tables 4 and 5): without summaries, with them, when nothing has changed, and after
//! one function was touched.
//!
//! The paper counts what function summaries save within a run. raddle also keeps what it found out about each pair of
//! operations, by the content of all that they can come to, from one run to the next; both are counted here, with what
//! building summaries and filling the store costs apart.

use super::revisions::Revision;
use anyhow::{Context, ensure};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What one run took.
#[derive(Serialize, Default, Clone, Copy)]
struct Cost {
    seconds: f64,
    solver_seconds: f64,
    /// Questions about path conditions, whatever answered them.
    queries: u64,
    reads: u64,
    writes: u64,
    /// Building summaries.
    building_seconds: f64,
    /// Calls for which one was invoked.
    invoked: u64,
    /// Entries of the matrix that were not explored anew, of all.
    reused: u64,
    entries: u64,
}

/// One structure, in several runs.
#[derive(Serialize)]
pub(crate) struct Reuse {
    structure: String,
    /// Without summaries and without a store.
    without: Cost,
    /// Without a store.
    cold: Cost,
    /// With an empty one, which is filled.
    filling: Cost,
    unchanged: Cost,
    touched: Vec<Touched>,
}

/// After this function was touched.
#[derive(Serialize)]
struct Touched {
    function: String,
    #[serde(flatten)]
    cost: Cost,
}

/// What stands behind a function's opening brace then: it changes the code, and nothing of what it does.
const TOUCH: &str = " volatile int touched_ = 0; (void)touched_;";

/// Runs on a structure without a mistake.
///
/// # Errors
/// When raddle does not run, or two runs do not say the same.
pub(crate) fn reuse(revision: &Revision) -> anyhow::Result<Reuse> {
    let text = std::fs::read_to_string(&revision.case.path)?;
    let scratch = tempfile::tempdir()?;
    let place =
        Place { directory: scratch.path(), revision, raddle: std::env::current_exe()?.with_file_name("raddle") };
    let (without, plainly) = place.races(&text, &["--no-store", "--summaries", "never"])?;
    let (cold, said) = place.races(&text, &["--no-store"])?;
    ensure!(plainly == said, "{}: with summaries, raddle says something else", revision.structure);
    let (filling, _) = place.races(&text, &["--store", "store"])?;
    let (unchanged, again) = place.races(&text, &["--store", "store"])?;
    ensure!(said == again, "{}: with what was kept, raddle says something else", revision.structure);
    let mut touched = Vec::new();
    for (function, line) in place.functions(&text)? {
        let Some(edited) = touch(&text, line) else { continue };
        let (cost, said) = place.races(&edited, &["--store", "store"])?;
        let (_, anew) = place.races(&edited, &["--no-store"])?;
        ensure!(
            said == anew,
            "{}: {function} touched: with what was kept, raddle says something else",
            revision.structure
        );
        touched.push(Touched { function, cost });
    }
    Ok(Reuse { structure: revision.structure.clone(), without, cold, filling, unchanged, touched })
}

struct Place<'a> {
    directory: &'a Path,
    revision: &'a Revision,
    raddle: PathBuf,
}

impl Place<'_> {
    fn run(&self, text: &str, command: &[&str]) -> anyhow::Result<Value> {
        std::fs::write(self.directory.join(self.revision.file()), text)?;
        let output = Command::new(&self.raddle)
            .current_dir(self.directory)
            .args(command)
            .args(["--format", "json", "--"])
            .args(&self.revision.case.clang_flags)
            .output()?;
        let said: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        ensure!(said["error"].is_null(), "raddle {}: {}", command.join(" "), said["error"]);
        Ok(said)
    }

    /// What a run costs, and what it says.
    fn races(&self, text: &str, store: &[&str]) -> anyhow::Result<(Cost, Value)> {
        let file = self.revision.file();
        let own = self.revision.case.arguments.iter().map(String::as_str).skip_while(|word| !word.starts_with('-'));
        let mut command = vec!["races", &file, "--client-calls", "0"];
        command.extend(own);
        command.extend(store);
        let begun = Instant::now();
        let report = self.run(text, &command)?;
        let seconds = begun.elapsed().as_secs_f64();
        let stats = &report["stats"];
        let count = |value: &Value| value.as_u64().unwrap_or_default();
        let stages = stats["solver_stages"].as_object().into_iter().flat_map(|stages| stages.values());
        let cost = Cost {
            seconds,
            solver_seconds: stats["solver_time_s"].as_f64().unwrap_or_default(),
            queries: stages.map(count).sum(),
            reads: count(&stats["memory_reads"]),
            writes: count(&stats["memory_writes"]),
            building_seconds: stats["summaries"]["building_time_s"].as_f64().unwrap_or_default(),
            invoked: count(&stats["summaries"]["invoked"]),
            reused: count(&stats["store"]["reused"]),
            entries: count(&stats["store"]["entries"]),
        };
        let mut matrix = report["matrix"].clone();
        for entry in matrix.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            entry.remove("reused");
        }
        let said = ["verdict", "findings", "ledger"].map(|part| report[part].clone());
        Ok((cost, Value::Array(said.into_iter().chain([matrix]).collect())))
    }

    /// The functions of the structure, with the lines on which they begin.
    fn functions(&self, text: &str) -> anyhow::Result<Vec<(String, usize)>> {
        let document = self.run(text, &["summarize", &self.revision.file()])?;
        let all = document["functions"].as_array().context("no functions")?;
        let of = |function: &Value| {
            let line = usize::try_from(function["location"]["line"].as_u64()?).ok()?;
            Some((function["function"].as_str()?.to_owned(), line))
        };
        Ok(all.iter().filter_map(of).collect())
    }
}

/// The text with a function touched that begins on this line.
fn touch(text: &str, line: usize) -> Option<String> {
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let brace = start + text.get(start..)?.find('{')? + 1;
    Some(format!("{}{TOUCH}{}", &text[..brace], &text[brace..]))
}

impl Cost {
    fn add(&mut self, other: &Cost) {
        self.seconds += other.seconds;
        self.solver_seconds += other.solver_seconds;
        self.queries += other.queries;
        self.reads += other.reads;
        self.writes += other.writes;
        self.building_seconds += other.building_seconds;
        self.invoked += other.invoked;
        self.reused += other.reused;
        self.entries += other.entries;
    }

    /// The mean of several.
    fn mean(all: &[Touched]) -> Cost {
        let mut sum = Cost::default();
        all.iter().for_each(|touched| sum.add(&touched.cost));
        let count = all.len().max(1);
        let each = |total: u64| total / count as u64;
        Cost {
            seconds: sum.seconds / count as f64,
            solver_seconds: sum.solver_seconds / count as f64,
            queries: each(sum.queries),
            reads: each(sum.reads),
            writes: each(sum.writes),
            building_seconds: sum.building_seconds / count as f64,
            invoked: each(sum.invoked),
            reused: sum.reused,
            entries: sum.entries,
        }
    }
}

/// In percent: what became of `before`.
fn change(before: f64, after: f64) -> String {
    if before > 0.0 { format!("{:+.1} %", 100.0 * (after - before) / before) } else { String::new() }
}

/// Both tables.
pub(crate) fn text(all: &[Reuse]) -> String {
    let mut times =
        grid(&["structure", "run", "s", "", "solver s", "queries", "", "invoked", "building s", "entries reused"]);
    let mut accesses = grid(&["structure", "run", "reads", "", "writes", ""]);
    for reuse in all {
        let mean = Cost::mean(&reuse.touched);
        let worst = reuse.touched.iter().max_by(|a, b| a.cost.seconds.total_cmp(&b.cost.seconds));
        let worst_name = worst.map(|touched| format!("{} touched (slowest)", touched.function)).unwrap_or_default();
        let mean_name = format!("one of {} touched (mean)", reuse.touched.len());
        let runs = [
            ("without summaries", reuse.without),
            ("cold", reuse.cold),
            ("cold, store filled", reuse.filling),
            ("unchanged", reuse.unchanged),
        ];
        let touched = [(mean_name.as_str(), Some(mean)), (worst_name.as_str(), worst.map(|touched| touched.cost))];
        let touched = touched.into_iter().filter_map(|(name, cost)| Some((name, cost?)));
        for (name, cost) in runs.into_iter().chain(touched) {
            // What summaries change, and what else changes beside that.
            let before = if name == "cold" { &reuse.without } else { &reuse.cold };
            let change = |before: f64, after: f64| match name == "without summaries" {
                true => String::new(),
                false => change(before, after),
            };
            times.add_row([
                reuse.structure.clone(),
                name.to_owned(),
                format!("{:.2}", cost.seconds),
                change(before.seconds, cost.seconds),
                format!("{:.2}", cost.solver_seconds),
                cost.queries.to_string(),
                change(before.queries as f64, cost.queries as f64),
                cost.invoked.to_string(),
                format!("{:.2}", cost.building_seconds),
                format!("{} of {}", cost.reused, cost.entries),
            ]);
            accesses.add_row([
                reuse.structure.clone(),
                name.to_owned(),
                cost.reads.to_string(),
                change(before.reads as f64, cost.reads as f64),
                cost.writes.to_string(),
                change(before.writes as f64, cost.writes as f64),
            ]);
        }
    }
    let sum = |of: fn(&Reuse) -> f64| all.iter().map(of).sum::<f64>();
    let worst = sum(|reuse| reuse.touched.iter().map(|touched| touched.cost.seconds).fold(0.0, f64::max));
    format!(
        "SSRD table 4: what a run costs, without and with summaries, and with the results of an earlier one\n{times}\n\
         all structures: without summaries {:.2} s, cold {:.2} s, unchanged {:.2} s, the slowest function of each touched {worst:.2} s\n\n\
         SSRD table 5: reads and writes of memory\n{accesses}",
        sum(|reuse| reuse.without.seconds),
        sum(|reuse| reuse.cold.seconds),
        sum(|reuse| reuse.unchanged.seconds),
    )
}

fn grid(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(head);
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touched_function_has_one_more_statement() {
        let text = "int x;\nstatic int f(void)\n{ return x; }\nint g(void) { return 1; }\n";
        assert_eq!(touch(text, 2).as_deref(), Some(&*text.replacen("{ return x", &format!("{{{TOUCH} return x"), 1)));
        assert_eq!(touch(text, 4).as_deref(), Some(&*text.replacen("{ return 1", &format!("{{{TOUCH} return 1"), 1)));
        assert_eq!(touch(text, 5), None);
        assert_eq!(touch(text, 0), None);
    }
}
