//! What was lost, in the words of the report: which option would change it, and what the reader can do.

use machine::{Disorder, Ledger, LedgerEntry, LossKind, Remedy};
use report::LedgerLine;

/// The lines of the report, by kind, then in the order of their texts.
pub(crate) fn lines(ledger: &Ledger) -> Vec<LedgerLine> {
    let words =
        |(entry, count): (&LedgerEntry, u64)| (entry.kind, entry.site.to_string(), remedy(&entry.remedy), count);
    let mut lines: Vec<(LossKind, String, String, u64)> = ledger.entries().map(words).collect();
    lines.sort();
    let line = |(kind, place, remedy, count): (LossKind, String, String, u64)| LedgerLine {
        kind: kind.name().to_owned(),
        r#where: place,
        count,
        remedy,
    };
    lines.into_iter().map(line).collect()
}

/// The first of a ledger's losses as the cause of what came of it: `KIND at PLACE`.
pub(crate) fn first(ledger: &Ledger) -> Option<String> {
    lines(ledger).first().map(|line| format!("{} at {}", line.kind, line.r#where))
}

/// The kind of the first of a ledger's losses.
pub(crate) fn first_kind(ledger: &Ledger) -> Option<String> {
    lines(ledger).into_iter().next().map(|line| line.kind)
}

/// What would change a loss.
pub(crate) fn remedy(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Unroll(rounds) => format!("--unroll {rounds}"),
        Remedy::Threads(threads) => format!("--max-threads {threads}"),
        Remedy::Array { beyond } => format!("--array with a larger value, for objects of more than {beyond} bytes"),
        Remedy::Elements(elements) => format!("--array {elements}"),
        Remedy::Time => "--max-time with a larger value".to_owned(),
        Remedy::Memory => "--max-memory with a larger value".to_owned(),
        Remedy::Solver { steps, slow } => {
            let flag = if *steps { "--solver-steps" } else { "--max-time" };
            match slow.as_deref() {
                Some("*") => format!("{flag} with a larger value, or bounds on the factors of `*` (--valid)"),
                Some(division) => {
                    format!("{flag} with a larger value, or a bound on the divisor of `{division}` (--valid)")
                }
                None => format!("{flag} with a larger value"),
            }
        }
        Remedy::Values { most, merges } => {
            let apart = if *merges { "; --merge never tells them apart earlier" } else { "" };
            format!("more than {most} values of one expression matter here{apart}")
        }
        Remedy::SequentialConsistency => "--memory=sc, if sequential consistency may be assumed".to_owned(),
        Remedy::Orders(disorder) => {
            format!("{}; with stronger orders there or between, or --memory sc, it cannot", allowed(disorder))
        }
        Remedy::OneRound { of } => format!("`{of}` never ends: name a function that makes one round with --op"),
        Remedy::SymbolicGlobals => "--globals=symbolic covers what constructors do".to_owned(),
        Remedy::Predicate { keeper } => {
            format!("{keeper} keeps the lock that is waited for here; --valid FUNCTION looks for that")
        }
        Remedy::CompleteSearch => "--search=complete".to_owned(),
        Remedy::NoSampling => "leave --search out".to_owned(),
        Remedy::OnFinding => "leave --stop-on-finding out".to_owned(),
        Remedy::NoInterrupt => "let the run end".to_owned(),
        Remedy::Parts => "`raddle work` on each part that is left, then `raddle gather` again".to_owned(),
        Remedy::BugReport => "please report this program".to_owned(),
        Remedy::Program(words) => words.clone().into_owned(),
    }
}

/// What the order of an atomic operation allows.
pub(crate) fn allowed(disorder: &Disorder) -> String {
    let what = if disorder.sees { "see a value from before" } else { "come before" };
    let line = disorder.missed.map_or_else(String::new, |line| format!(" of line {line}"));
    format!("its order lets it {what} the write{line}, which no interleaving shows")
}
