//! Tests of races: each client that shows one becomes a file, beside the schedules that it is held to.

use super::attempt::{Explored, Explorer, Reach};
use super::batch::Batched;
use super::race::Race;
use super::source::NO_BUILD;
use crate::analysis;
use crate::folder::{Built, Contents, Suite, TestFolder};
use crate::options::{TestOptions, WitnessFile};
use report::{Finding, RaceEffect};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use synth::client::Client;

/// Flags of the linker that all tests share, which would make their first lines unreadable.
const FLAGS: &str = "hold.flags";

/// A folder of racy tests.
pub(super) const CONTENTS: Contents =
    Contents { flag: "-o", is_own: |name| name == FLAGS || name.starts_with("race_") };

/// Their Makefile.
pub(super) const SUITE: Suite = Suite {
    project: "races",
    ends: "Each test ends with 66 when ThreadSanitizer reports its race.",
    judges: "if [ $$? -eq 66 ]; then echo \"$$test: race\"; else echo \"$$test: nothing\"; fi",
    more: "",
    made: "",
};

/// Writes tests.
pub(super) struct Workshop<'e> {
    pub explorer: &'e Explorer,
    pub folder: TestFolder,
    /// Files of flags for the linker, by what is in them.
    flags: BTreeMap<String, String>,
    /// Clients that have a file.
    written: usize,
    pub built: Vec<Built>,
}

/// A client in its file, without its tests.
pub(super) struct Made {
    name: String,
    explored: Explored,
    effect: RaceEffect,
}

/// A client that was written.
pub(super) struct Written {
    pub file: String,
    /// By race: the finding, and the name of the program that shows it.
    pub races: Vec<(Finding, String)>,
    pub executions: u64,
    /// What the races do.
    pub effect: RaceEffect,
}

impl<'e> Workshop<'e> {
    pub(super) fn new(explorer: &'e Explorer, folder: TestFolder) -> Self {
        Workshop { explorer, folder, flags: BTreeMap::new(), written: 0, built: Vec::new() }
    }

    /// The number of the next client.
    pub(super) fn claim(&mut self) -> usize {
        self.written += 1;
        self.written
    }

    /// Makes a client small as long as it shows the wanted races, and writes it. None if it does not show them where it is written.
    pub(super) fn make(
        &self,
        number: usize,
        (client, batched, reach): (&Client, &Batched, Reach),
        (title, wanted): (&str, &BTreeSet<Race>),
    ) -> anyhow::Result<Option<Made>> {
        let name = format!("race_{number:02}");
        let path = self.folder.path.join(format!("{name}.c"));
        let (least, left_out) = self.explorer.smallest((client, batched, reach), wanted)?;
        let is_wanted = |(finding, _): &(Finding, String)| wanted.contains(&Race::reported(finding));
        // What is left out may be left out of another program; so it is tried with all, too.
        for (client, left_out, is_last) in [(&least, &left_out, false), (client, &BTreeSet::new(), true)] {
            if let Ok(mut explored) = self.explorer.explore(client, title, (&path, reach.again()))? {
                explored.races.retain(is_wanted);
                // Not all that is seen can be shown.
                if explored.races.len() >= wanted.len() || is_last && !explored.races.is_empty() {
                    let effect = self.explorer.effect(batched, left_out)?;
                    return Ok(Some(Made { name, explored, effect }));
                }
            }
        }
        self.folder.remove(&format!("{name}.c"));
        Ok(None)
    }

    /// Writes tests of the races of a client.
    pub(super) fn write(&mut self, Made { name, explored, effect }: Made) -> anyhow::Result<Written> {
        let file = format!("{name}.c");
        let path = self.folder.path.join(&file);
        let mut races = Vec::new();
        for (number, (finding, witness)) in (1..).zip(explored.races) {
            let program = if number == 1 { name.clone() } else { format!("{name}_{number}") };
            let build = self.write_schedule(&explored.module, &program, &witness)?;
            if number == 1 {
                let text = std::fs::read_to_string(&path)?;
                self.folder.write(&file, &text.replacen(NO_BUILD, &format!("// build: {build}"), 1))?;
            }
            self.built.push(Built { program: program.clone(), build });
            races.push((finding, program));
        }
        Ok(Written { file, races, executions: explored.executions, effect })
    }

    /// Writes the schedule of a witness in a client, and the witness. The command that builds both.
    fn write_schedule(&mut self, module: &ir::Module, program: &str, witness: &str) -> anyhow::Result<String> {
        let file = format!("{program}.witness.json");
        self.folder.write(&file, witness)?;
        let schedule = format!("{program}_schedule.c");
        let options = TestOptions {
            witness: WitnessFile { path: self.folder.path.join(file), text: witness.to_owned() },
            output: self.folder.path.join(&schedule),
        };
        let test = analysis::emit_test_in(module, &options)?;
        let build = self.short(&test.build, &self.folder.path.join(program))?;
        let body = test.text.split_once('\n').map_or("", |(_, body)| body);
        self.folder.write(&schedule, &format!("// build: {build}\n{body}"))?;
        Ok(build)
    }

    /// A command that builds this program, with the linker's flags in a file.
    fn short(&mut self, build: &str, program: &Path) -> anyhow::Result<String> {
        let mut words = Vec::new();
        for word in build.split(' ') {
            let Some(flags) = word.strip_prefix("-Wl,").filter(|flags| flags.starts_with("--wrap=")) else {
                words.push(word.to_owned());
                continue;
            };
            let count = self.flags.len();
            let is_new = !self.flags.contains_key(flags);
            let name = self.flags.entry(flags.to_owned()).or_insert_with(|| match count {
                0 => FLAGS.to_owned(),
                count => format!("race_{}_{FLAGS}", count + 1),
            });
            if is_new {
                let text: String = flags.split(',').map(|flag| format!("{flag}\n")).collect();
                self.folder.write(name, &text)?;
            }
            words.push(format!("-Wl,@{}", self.folder.path.join(&*name).display()));
        }
        let command = words.join(" ");
        let command = command.rsplit_once(" -o ").map_or(command.as_str(), |(command, _)| command);
        Ok(format!("{command} -o {}", program.display()))
    }

    /// Builds the tests and runs each once. By program: whether ThreadSanitizer has reported; those that could not be built or had no time
    /// are not among them.
    pub(super) fn run_natively(&self, workers: usize, is_over: impl Fn() -> bool + Sync) -> BTreeMap<String, bool> {
        let shown = super::in_parallel(workers, self.built.len(), |number| {
            let Built { program, build } = &self.built[number];
            let test = self.folder.path.join(format!("{program}.c"));
            let runs = (!is_over()).then(|| analysis::try_out(&test, build, 1, &is_over).ok()).flatten()?;
            Some((program.clone(), runs.reported == 1))
        });
        shown.into_iter().flatten().collect()
    }
}
