//! `raddle replay` and `raddle test`.

use super::confirming::UNBOUNDED;
use super::emitted;
use super::label::Label;
use super::present;
use crate::errors::InputError;
use crate::options::{EmittedTest, ReplayOptions, TestOptions, WitnessFile};
use crate::run::Run;
use explore::{FindingKey, Position};
use machine::{Config, Engine, External, Program, Repeats, Weak};
use report::{LedgerLine, Report};
use std::sync::Arc;
use witness::{FormatError, Witness, read_witness};

/// Reads a witness.
pub fn witness_of(file: &WitnessFile) -> anyhow::Result<Witness> {
    Ok(Witness::parse(&file.text).map_err(|e| {
        let line = match &e {
            FormatError::Json(e) => u32::try_from(e.line()).ok().filter(|&line| line > 0),
            FormatError::Schema(_) | FormatError::Damaged(_) => None,
        };
        let name = file.path.display().to_string();
        InputError::new("witness", format!("{name}: {e}")).at(Some(name), line)
    })?)
}

/// What is said of a witness that does not belong to the program as it is now.
fn changed(file: &WitnessFile, why: impl std::fmt::Display) -> InputError {
    InputError::new("program_changed", format!("{}: {why}", file.path.display())).in_file(&file.path)
}

/// The program as the witness knows it.
///
/// # Errors
/// When the witness was made for another program.
fn program_of(witness: &Witness, mut module: ir::Module, file: &WitnessFile) -> anyhow::Result<ir::Module> {
    if witness.command == witness::format::Command::Races {
        machine::add_client_functions(&mut module);
    }
    if witness::program_fingerprint(&module)? == witness.program.fingerprint {
        return Ok(module);
    }
    let why = "the program is not the one that this witness was made for; run `raddle` on it again";
    Err(changed(file, why).into())
}

/// `raddle replay`: runs a witness on the program as it is now. The report has the failure if it shows again.
pub fn replay(module: ir::Module, options: &ReplayOptions, run: &Run) -> anyhow::Result<Report> {
    let witness = witness_of(&options.witness)?;
    let module = program_of(&witness, module, &options.witness)?;
    let (setting, concrete) = read_witness(&module, &witness).map_err(|e| changed(&options.witness, e))?;
    let program = Program::new(module, setting.limits.array).map_err(|e| InputError::new("lower", e.to_string()))?;
    let config = Config {
        unroll: UNBOUNDED,
        spurious: witness.settings.spurious,
        fail_alloc: witness.settings.fail_alloc,
        relaxed_volatile: witness.settings.relaxed_volatile,
        any_indeterminate: witness.settings.any_indeterminate,
        error_location: witness.settings.error_location,
        member_bounds: witness.settings.member_bounds,
        device: witness.settings.device,
        weak: Weak::Accept,
        // No failure is shown behind a call that nothing models, so the schedule says that its thread stops there.
        external: External::Havoc,
        repeats: Repeats::Ignore,
        ..Config::default()
    };
    let budget = run.budget.clone();
    let solver = smt::Solving::set_up(run.solver.setup(run.folder.out())?)?;
    let mut engine = Engine::new(Arc::new(program), solver, config);
    engine.interrupted = Some(Box::new(move || budget.stopped().is_some()));
    engine.visible = witness.visible.iter().map(|&site| concurrency::Site::new(site as usize)).collect();
    let label = Label::of(&options.witness);
    if witness.command == witness::format::Command::Cover {
        return retake(&mut engine, (&setting, &concrete), &witness, &options.witness);
    }
    let goal = goal(&witness).ok_or_else(|| changed(&options.witness, "it names no failure"))?;
    let ran = witness::run(&mut engine, &setting, &concrete, &goal)?;
    let mut report = Report::new("replay", Default::default());
    if ran.failure.is_some() {
        // What is shown is what happened now, not what the file says.
        let confirmed = witness::Confirmed { concrete, ran };
        let spurious = witness.settings.spurious;
        let again = witness::witness(&mut engine, &setting, &confirmed, witness.program.clone(), spurious);
        report.findings.extend(present::finding(&again, label.shape()));
    } else {
        report.ledger.push(LedgerLine {
            kind: machine::LossKind::NotReplayed.name().to_owned(),
            r#where: options.witness.path.display().to_string(),
            count: 1,
            remedy: "the failure did not show".to_owned(),
        });
    }
    report.finish();
    // Not the first of this report but what it was in the one that the witness comes from.
    if let Some(id) = label.id {
        report.rename_only(id);
    }
    Ok(report)
}

/// Replays a test of a suite: the report has the ways that it takes.
fn retake(
    engine: &mut Engine,
    (setting, concrete): (&witness::Setting, &witness::Concrete),
    witness: &Witness,
    file: &WitnessFile,
) -> anyhow::Result<Report> {
    let (_, taken) = witness::retake(engine, setting, concrete)?;
    let (found, all) = super::suite::retaken(witness, &taken);
    let mut report = Report::new("replay", Default::default());
    let numbers = explore::branch_numbers(&engine.program);
    let entry = |way: witness::TakenWay| {
        let site = concurrency::Site::new(way.branch as usize);
        Some(report::BranchEntry {
            outcome: super::cover::outcome(&engine.program, site, way.way)?,
            file: way.file,
            line: way.line,
            column: way.column,
            number: numbers.get(&site).copied(),
            function: way.function,
            degree: Some(way.degree),
            test: Some(file.path.display().to_string()),
            reason: None,
            for_all_k: false,
        })
    };
    report.branches = Some(found.into_iter().filter_map(entry).collect());
    if !all {
        report.ledger.push(LedgerLine {
            kind: machine::LossKind::NotReplayed.name().to_owned(),
            r#where: file.path.display().to_string(),
            count: 1,
            remedy: "a way was not taken".to_owned(),
        });
    }
    report.finish();
    Ok(report)
}

/// The failure that a witness expects.
pub(super) fn goal(witness: &Witness) -> Option<FindingKey> {
    let position =
        |p: &witness::format::SourcePosition| Position { file: p.file.clone(), line: p.line, column: p.column };
    let failure = &witness.failure;
    match failure.kind.as_str() {
        "data_race" | "scope_error" => {
            let mut sides: Vec<_> = failure
                .accesses
                .iter()
                .map(|a| {
                    let kind = match a.access.as_str() {
                        "write" => concurrency::AccessKind::Write,
                        "read_write" => concurrency::AccessKind::ReadWrite,
                        "free" => concurrency::AccessKind::Free,
                        _ => concurrency::AccessKind::Read,
                    };
                    (position(&a.position), kind, a.atomic)
                })
                .collect();
            sides.sort();
            let sides = sides.try_into().ok()?;
            Some(match failure.race {
                Some(race) => FindingKey::GpuRace(race, sides),
                None => FindingKey::Race(sides),
            })
        }
        "deadlock" | "barrier_divergence" if !failure.blocked.is_empty() || failure.kind == "deadlock" => {
            let waits = |b: &&witness::format::BlockedInfo| !b.waits_for.starts_with("the end of thread");
            let mut positions: Vec<Position> =
                failure.blocked.iter().filter(waits).map(|b| position(&b.position)).collect();
            if positions.is_empty() {
                positions = failure.blocked.iter().map(|b| position(&b.position)).collect();
            }
            positions.sort();
            positions.dedup();
            Some(FindingKey::Deadlock(positions))
        }
        name => {
            let kind = machine::FaultKind::named(name)?;
            Some(FindingKey::Fault(kind, position(&failure.location)))
        }
    }
}

/// `raddle test`: a C program that shows the failure, of the program as it is now.
pub fn emit_test(options: &TestOptions, run: &Run) -> anyhow::Result<EmittedTest> {
    let witness = witness_of(&options.witness)?;
    emitted::check(&witness, &options.output)?;
    let module = program_of(&witness, run.module()?, &options.witness)?;
    emitted::emit(&module, &witness, &options.witness.path, &options.output)
}

/// The same of a witness that was found in this very program.
pub(crate) fn emit_test_in(module: &ir::Module, options: &TestOptions) -> anyhow::Result<EmittedTest> {
    let witness = witness_of(&options.witness)?;
    emitted::check(&witness, &options.output)?;
    emitted::emit(module, &witness, &options.witness.path, &options.output)
}
