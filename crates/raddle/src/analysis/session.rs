//! What `check` and `races` share: the engine's set-up, confirming findings, filling in a report.

use super::{Parameters, present};
use crate::errors::InputError;
use crate::run::Run;
use explore::{Budget, Counts, Finding, FindingKey, RootRule};
use machine::{Config, Engine, LedgerEntry, LossKind, Program, Repeats, Weak};
use memory::Limits;
use report::{Assumption, LedgerLine, Report, ShapeBasis, Stats};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;
use witness::{Modes, ProgramRef, Setting, Witness, concretise, confirm, minimise};

/// Instructions that an operation alone may take between two choices.
const QUIET_STEPS: u64 = 200_000;

/// One run of raddle on one program.
pub(super) struct Session {
    pub engine: Engine,
    pub parameters: Parameters,
    pub budget: Budget,
    program_ref: ProgramRef,
    out: PathBuf,
    started: Instant,
    /// Confirmed findings with their witnesses, in the order in which they came.
    confirmed: Vec<(report::Finding, Witness)>,
}

impl Session {
    pub(super) fn new(module: ir::Module, parameters: Parameters, run: &Run) -> anyhow::Result<Self> {
        let fingerprint = witness::program_fingerprint(&module)?;
        let program = Program::new(module).map_err(|e| InputError::new("lower", e.to_string()))?;
        let solver = smt::Solving::z3()?;
        let engine = Engine::new(Rc::new(program), solver, parameters.together());
        Ok(Session {
            engine,
            parameters,
            budget: Budget {
                deadline: run.budget.deadline,
                max_memory: run.budget.max_memory_bytes,
                stop: run.budget.stop.clone(),
            },
            program_ref: ProgramRef {
                sources: run.sources.iter().map(|s| absolute(s)).collect(),
                typed: run.sources.iter().map(|s| s.display().to_string()).collect(),
                directory: std::env::current_dir().map(|d| d.display().to_string()).unwrap_or_default(),
                flags: run.clang_flags.clone(),
                fingerprint,
            },
            out: run.out.clone(),
            started: Instant::now(),
            confirmed: Vec::new(),
        })
    }

    /// Replays findings from a concrete start and makes them small. `pair` is the entry of the matrix that they belong to.
    /// What does not show again is not reported; the ledger says so.
    pub(super) fn confirm(
        &mut self,
        setting: &Setting,
        findings: FxHashMap<FindingKey, Finding>,
        shape: Option<ShapeBasis>,
        pair: Option<usize>,
    ) -> anyhow::Result<()> {
        let modes = Modes { together: self.parameters.together(), alone: self.parameters.alone() };
        let mut sorted: Vec<(FindingKey, Finding)> = findings.into_iter().collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        for (key, finding) in sorted {
            self.engine.visible.clone_from(&finding.visible);
            let concrete = concretise(&mut self.engine, &finding)?;
            let confirmed = match concrete {
                Some(concrete) => confirm(&mut self.engine, setting, &modes, concrete, &key)?,
                None => None,
            };
            let Some(confirmed) = confirmed else {
                self.engine.ledger.note(LedgerEntry {
                    kind: LossKind::NotReplayed,
                    place: place_of(&key),
                    remedy: "please report this program".to_owned(),
                });
                continue;
            };
            let small = if self.budget.exhausted().is_none() {
                minimise(&mut self.engine, setting, &modes, confirmed, &key)?
            } else {
                confirmed
            };
            let witness =
                witness::witness(&mut self.engine, setting, &small, self.program_ref.clone(), self.parameters.spurious);
            if let Some(mut finding) = present::finding(&witness, shape) {
                finding.pairs.extend(pair);
                self.add(finding, witness);
            }
        }
        Ok(())
    }

    /// Adds a finding unless it is known already, from another pair of operations.
    fn add(&mut self, finding: report::Finding, witness: Witness) {
        let same = |known: &report::Finding| {
            let sides = |f: &report::Finding| {
                let mut sides: Vec<_> = f.accesses.iter().map(|a| (position(&a.location), a.access)).collect();
                sides.sort();
                sides
            };
            known.kind == finding.kind
                && sides(known) == sides(&finding)
                && (!finding.accesses.is_empty() || position(&known.location) == position(&finding.location))
                && blocked_at(known) == blocked_at(&finding)
        };
        match self.confirmed.iter_mut().find(|(known, _)| same(known)) {
            Some((known, _)) => known.pairs.extend(finding.pairs),
            None => self.confirmed.push((finding, witness)),
        }
    }

    /// Completes the report: ledger, statistics, verdict, numbers, witness files.
    pub(super) fn finish(mut self, mut report: Report, counts: &Counts) -> anyhow::Result<Report> {
        for (entry, count) in self.engine.ledger.entries() {
            report.ledger.push(LedgerLine {
                kind: entry.kind.name().to_owned(),
                r#where: entry.place.clone(),
                count,
                remedy: entry.remedy.clone(),
            });
        }
        report.assumptions.extend(environment(&self.parameters));
        report.findings = self.confirmed.iter().map(|(finding, _)| finding.clone()).collect();
        report.stats = self.statistics(counts);
        let order = report.finish();
        for (finding, from) in report.findings.iter_mut().zip(order) {
            let path = self.out.join(format!("{}.witness.json", finding.id));
            std::fs::create_dir_all(&self.out)
                .and_then(|()| {
                    let text = self.confirmed[from].1.to_json().map_err(std::io::Error::other)?;
                    std::fs::write(&path, text)
                })
                .map_err(|e| InputError::new("output", format!("cannot write {}: {e}", path.display())))?;
            finding.witness = Some(path.display().to_string());
        }
        self.confirmed.clear();
        Ok(report)
    }

    fn statistics(&self, counts: &Counts) -> Stats {
        let machine = self.engine.statistics;
        let solver = self.engine.solver.stats();
        Stats {
            paths: counts.paths.len() as u64,
            executions: counts.executions,
            redundant: counts.redundant,
            shapes: counts.shapes.len() as u64,
            instructions: machine.instructions,
            branches: machine.branches,
            branches_solver: machine.branches_solver,
            solver_queries: solver.queries,
            solver_time_s: solver.time.as_secs_f64(),
            wall_time_s: self.started.elapsed().as_secs_f64(),
            peak_memory_bytes: peak_memory(),
        }
    }
}

fn position(location: &report::Location) -> (String, u32, u32) {
    (location.file.clone(), location.line, location.column)
}

fn blocked_at(finding: &report::Finding) -> Vec<(String, u32, u32)> {
    let mut all: Vec<_> = finding.blocked.iter().map(|b| position(&b.location)).collect();
    all.sort();
    all
}

fn place_of(key: &FindingKey) -> String {
    let text = |p: &explore::Position| format!("{}:{}", p.file, p.line);
    match key {
        FindingKey::Race(sides) => format!("{} and {}", text(&sides[0].0), text(&sides[1].0)),
        FindingKey::Fault(_, position) => text(position),
        FindingKey::Deadlock(positions) => positions.first().map(text).unwrap_or_default(),
    }
}

/// What every claim rests on.
fn environment(parameters: &Parameters) -> Vec<Assumption> {
    let assumption = |kind: &str, detail: String| Assumption { kind: kind.to_owned(), detail, ..Assumption::default() };
    vec![
        assumption("allocation", "allocation and thread creation succeed".to_owned()),
        assumption(
            "spurious",
            match parameters.spurious {
                0 => "condition waits wake only when signalled".to_owned(),
                n => format!("up to {n} spurious wake-ups, and failures of weak exchanges, per thread and place"),
            },
        ),
    ]
}

/// The file's absolute path, for commands that are run elsewhere.
fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// Peak resident memory in bytes, from `/proc`.
fn peak_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib: Option<u64> = line.and_then(|l| l.trim().trim_end_matches(" kB").trim().parse().ok());
    kib.unwrap_or(0) * 1024
}

impl Parameters {
    pub(super) fn limits(&self) -> Limits {
        Limits { depth: self.depth, array: self.array, share_owners: self.share_owners }
    }

    pub(super) fn roots(&self) -> RootRule {
        if self.roots_any { RootRule::Any } else { RootRule::Same }
    }

    /// For threads that run together.
    pub(super) fn together(&self) -> Config {
        Config {
            unroll: self.unroll,
            spurious: self.spurious,
            weak: if self.memory_sc { Weak::Accept } else { Weak::Note },
            repeats: Repeats::Exact,
            quiet_steps: None,
            ..Config::default()
        }
    }

    /// For operations that run alone.
    pub(super) fn alone(&self) -> Config {
        Config { repeats: Repeats::Control, quiet_steps: Some(QUIET_STEPS), ..self.together() }
    }
}
