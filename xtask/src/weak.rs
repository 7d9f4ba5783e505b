//! Random programs of atomics of all orders, against all executions that RC11 allows, by brute force: which race, which have executions that no
//! interleaving shows, and what the others come to. Of stronger orders that are said to help: whether they do, and whether weaker ones would.

use crate::engine::{check_with, engine, engine_of, lower, race};
use anyhow::Context;
use explore::{FindingKey, JointOptions, SHARES, stronger_orders};
use ir::Order as OrderOfCode;
use machine::{Engine, Ledger, LossKind, Program as Lowered, Stronger, Weak, stronger_than};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use testkit::rc11::{Order, Program, Verdict};
use testkit::rng::Rng;

/// Executions of one program, those that are not over among them.
const MOST: usize = 5_000;

/// What the campaign saw.
#[derive(Default)]
struct Figures {
    too_large: u64,
    racy: u64,
    robust: u64,
    executions: u64,
    outcomes: usize,
    /// For which stronger orders, or fences, were found, and how many.
    helped: u64,
    orders: u64,
    different: u64,
}

/// Compares `count` programs. False when any differed.
pub fn run(count: u64, first: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let started = Instant::now();
    let mut figures = Figures::default();
    for seed in first..first + count {
        let program = Program::random(&mut Rng::new(seed));
        if let Some(difference) = compared(&program, scratch.path(), &mut figures)? {
            figures.different += 1;
            std::fs::create_dir_all(keep)?;
            std::fs::write(keep.join(format!("weak{seed}.c")), program.source())?;
            eprintln!("seed {seed}: {difference}");
        }
    }
    println!(
        "{count} programs, seeds {first} to {}: {} differ, {} too large; {} race, {} robust ({} outcomes), {} of the others helped by {} ways; {} executions; {:.1} s",
        first + count - 1,
        figures.different,
        figures.too_large,
        figures.racy,
        figures.robust,
        figures.outcomes,
        figures.helped,
        figures.orders,
        figures.executions,
        started.elapsed().as_secs_f64()
    );
    Ok(figures.different == 0)
}

/// What differs, if anything does.
fn compared(program: &Program, scratch: &Path, figures: &mut Figures) -> anyhow::Result<Option<String>> {
    let Some(expected) = program.verdict(MOST) else {
        figures.too_large += 1;
        return Ok(None);
    };
    let mut engine = engine(lower(&program.source(), scratch)?, 2)?;
    let explored = asked(&mut engine)?;
    figures.executions += explored.counts.executions;
    let findings: Vec<&FindingKey> = explored.findings.keys().collect();
    let is_race = |key: &&FindingKey| race(key).is_some();
    if expected == Verdict::Racy || findings.iter().any(is_race) {
        figures.racy += 1;
        let is_found = findings.iter().any(is_race);
        return Ok((expected != Verdict::Racy || !is_found).then(|| format!("{expected:?}; found {findings:?}")));
    }
    let ledger = engine.ledger.clone();
    let losses: Vec<LossKind> = ledger.entries().map(|(entry, _)| entry.kind).collect();
    if !findings.is_empty() || losses.iter().any(|&kind| kind != LossKind::WeakMemory) {
        return Ok(Some(format!("{expected:?}; found {findings:?}, lost {losses:?}")));
    }
    let Verdict::Robust(outcomes) = expected else {
        if losses.is_empty() {
            return Ok(Some("it has executions that no interleaving shows, which are not seen".to_owned()));
        }
        return helped(program, &engine.program, &ledger, figures);
    };
    figures.robust += 1;
    figures.outcomes += outcomes.len();
    let text = |outcome: &Vec<i32>| outcome.iter().map(|&value| b'0' + value as u8).collect();
    let outcomes: BTreeSet<Vec<u8>> = outcomes.iter().map(text).collect();
    let is_same = losses.is_empty() && outcomes == explored.counts.outputs;
    Ok((!is_same).then(|| format!("robust, {outcomes:?}; lost {losses:?}, {:?}", explored.counts.outputs)))
}

/// Asks an engine's program what its weak orders allow.
fn asked(engine: &mut Engine) -> anyhow::Result<explore::Exploration> {
    engine.config.weak = Weak::Ask;
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    // Who waits for what may never come is compared by what all do until then.
    let options = JointOptions { keep_outputs: true, ..JointOptions::default().by_class() };
    check_with(engine, main, options, NonZeroUsize::MIN, SHARES)
}

/// Whether something helps that is not robust, and nothing weaker does.
fn helped(
    program: &Program,
    lowered: &Arc<Lowered>,
    ledger: &Ledger,
    figures: &mut Figures,
) -> anyhow::Result<Option<String>> {
    let mut ask = |changed: &Arc<Lowered>, _: bool| -> Option<Ledger> {
        let mut engine = engine_of(changed).ok()?;
        let explored = asked(&mut engine).ok()?;
        explored.findings.is_empty().then(|| engine.ledger.clone())
    };
    let ways = stronger_orders(lowered, ledger, &mut ask);
    figures.helped += u64::from(!ways.is_empty());
    figures.orders += ways.len() as u64;
    for way in &ways {
        let is_robust = |way: &Stronger| -> anyhow::Result<bool> {
            let (orders, fences) =
                (of_operations(program, lowered, &way.orders)?, of_operations(program, lowered, &way.fences)?);
            let verdict = program.strengthened(&orders, &fences).verdict(usize::MAX);
            Ok(matches!(verdict, Some(Verdict::Robust(_))))
        };
        if !is_robust(way)? {
            return Ok(Some(format!("not robust with {way:?}")));
        }
        for (&site, &order) in &way.orders {
            let all = lowered.site_op(site).map(stronger_than).unwrap_or_default();
            let weaker = all.into_iter().take_while(|&other| other != order).map(Some);
            for weaker in std::iter::once(None).chain(weaker) {
                let mut other = way.clone();
                match weaker {
                    Some(weaker) => other.orders.insert(site, weaker),
                    None => other.orders.remove(&site),
                };
                if is_robust(&other)? {
                    return Ok(Some(format!("robust with {other:?}, weaker than {way:?}")));
                }
            }
        }
        for site in way.fences.keys() {
            let mut other = way.clone();
            other.fences.remove(site);
            if is_robust(&other)? {
                return Ok(Some(format!("robust with {other:?}, fewer than {way:?}")));
            }
        }
    }
    Ok(None)
}

/// Orders by operation of the program, by its line.
fn of_operations(
    program: &Program,
    lowered: &Lowered,
    orders: &std::collections::BTreeMap<concurrency::Site, OrderOfCode>,
) -> anyhow::Result<Vec<((usize, usize), Order)>> {
    let (_, lines) = program.source_and_lines();
    let mut found = Vec::new();
    for (&site, &order) in orders {
        let line = lowered.site_location(site).map(|at| lowered.module[at].line);
        let at = lines
            .iter()
            .enumerate()
            .find_map(|(thread, lines)| Some((thread, lines.iter().position(|&other| Some(other) == line)?)));
        found.push((at.context("an operation on no line")?, named(order)));
    }
    Ok(found)
}

fn named(order: OrderOfCode) -> Order {
    match order {
        OrderOfCode::Relaxed => Order::Relaxed,
        OrderOfCode::Acquire => Order::Acquire,
        OrderOfCode::Release => Order::Release,
        OrderOfCode::AcqRel => Order::AcqRel,
        OrderOfCode::SeqCst => Order::SeqCst,
    }
}
