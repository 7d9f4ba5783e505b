//! `--cluster hq` against one process: equal reports, faults, what sharing costs, and how it would go with a thousand workers.
//!
//! HyperQueue has to be there: `hq` on PATH, or python3 with the package (`scripts/setup-hq`, and PYTHONPATH).

mod equal;
mod faults;
mod machines;
mod many;
mod scale;
mod simulate;

use clap::{Args, Subcommand};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Args)]
pub(crate) struct ClusterOptions {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The tests of tests/ui, and bench/ssrd if asked: the report has to be that of one process, byte for byte but for times
    Equal(equal::EqualOptions),
    /// One search while workers and servers end, disks are full, parts are damaged and programs differ
    Faults(faults::FaultsOptions),
    /// One search by one process and by workers of this machine: time, and what is shipped
    Scale(scale::ScaleOptions),
    /// A million parts: memory of HyperQueue's server that has them all, and of raddle
    Many(many::ManyOptions),
    /// Recorded searches (RADDLE_SHIPPING_LOG) with up to a thousand workers
    Simulate(simulate::SimulateOptions),
}

/// A search: a command of raddle's, such as `check a.c --strategy dpor -- -DK=4`.
#[derive(Args)]
struct Search {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    words: Vec<String>,
}

pub(crate) fn run(options: &ClusterOptions) -> anyhow::Result<bool> {
    if !matches!(options.what, What::Simulate(_)) {
        ensure_engine()?;
    }
    match &options.what {
        What::Equal(options) => equal::run(options),
        What::Faults(options) => faults::run(options),
        What::Scale(options) => scale::run(options),
        What::Many(options) => many::run(options),
        What::Simulate(options) => simulate::run(options),
    }
}

impl Search {
    /// A run of raddle on it, with flags of raddle's in the right place.
    fn command(&self, raddle: &Path, flags: &[&str], out: &Path) -> Command {
        let end = self.words.iter().position(|word| word == "--").unwrap_or(self.words.len());
        let mut command = Command::new(raddle);
        command.args(&self.words[..end]).args(flags).arg("--out").arg(out).args(["--format", "json"]);
        command.args(&self.words[end..]).env("RADDLE_STORE", "off");
        command
    }
}

/// The program that is tried.
fn raddle() -> anyhow::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("raddle").canonicalize()?)
}

/// Without HyperQueue nothing of this can be measured.
fn ensure_engine() -> anyhow::Result<()> {
    let found = ::cluster::look();
    anyhow::ensure!(
        found.program.is_some() || found.package.is_some(),
        "HyperQueue is not there: `scripts/setup-hq` installs it, and PYTHONPATH=.deps/hq has python3 find it"
    );
    Ok(())
}

/// A report, and the exit code.
struct Ran {
    code: i32,
    report: Value,
    said: String,
}

fn ran(command: &mut Command) -> anyhow::Result<Ran> {
    let output = command.output()?;
    Ok(Ran {
        code: output.status.code().unwrap_or(-1),
        report: serde_json::from_slice(&output.stdout).unwrap_or_default(),
        said: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// The report without times, memory, and where witnesses are.
fn timeless(report: &Value, out: &Path) -> Value {
    match report {
        Value::Object(fields) => {
            let rest = fields.iter().filter(|(name, _)| !name.ends_with("_s") && !name.ends_with("_bytes"));
            Value::Object(rest.map(|(name, value)| (name.clone(), timeless(value, out))).collect())
        }
        Value::Array(all) => Value::Array(all.iter().map(|one| timeless(one, out)).collect()),
        Value::String(text) => Value::String(text.replace(&*out.to_string_lossy(), "OUT")),
        other => other.clone(),
    }
}
