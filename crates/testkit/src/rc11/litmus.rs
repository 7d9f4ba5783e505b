//! Public verdicts of litmus tests, against which the enumeration is checked.
//!
//! The tests are written here in a notation of our own; the verdicts are those that others published, never what the
//! enumeration answered:
//! - GenMC's test suite (version 0.11.0) states how many executions RC11 has and how many sequential consistency has,
//!   both with the order of writes kept. Every execution of an interleaving is one of RC11, so a program is robust where
//!   the two numbers are equal.
//! - herd's tests of C state verdicts and numbers of witnesses under its `rc11.cat`.
//! - The literature: Lahav et al. (PLDI 2017, "RC11" below) on its examples and by its theorems, namely that programs
//!   whose races are all between `seq_cst` accesses are robust, and those with a `seq_cst` fence between any two
//!   accesses to different places too; Lahav, Giannarakis and Vafeiadis (POPL 2016) on release and acquire, where a
//!   cycle is forbidden if all but at most one of its edges between threads are reads-from; Alglave, Maranget and
//!   Tautschnig (TOPLAS 2014) for the shapes and their names.
//!
//! Where GenMC departs from RC11's definition, the definition has the say: see `messages` and `strong`.

use super::*;

mod causality;
mod coherence;
mod messages;
mod sections;
mod strong;
mod updates;

/// Where a verdict was published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    GenMc,
    Herd,
    Literature,
}

#[derive(Clone, Copy, Debug)]
enum Verdict {
    /// So many executions have the outcome; some interleaving shows so many of them.
    Count { rc11: usize, interleaved: usize },
    /// RC11 allows the outcome, and no interleaving shows it.
    Allowed,
    /// RC11 forbids the outcome. The shape has no other that interleavings do not show.
    Forbidden,
}

/// One test.
///
/// A program's threads stand between bars. `Rx` reads, `Wx1` writes 1, `Ux1` adds 1, `Xx1` exchanges for 1, and `Cx0:1`
/// puts 1 in the place of 0; `F` is a fence; `lock` and `unlock` are of the one mutex. Orders are `.acq`, `.rel`, `.ar`
/// and `.sc`, and relaxed without one. Behind `?1` a thread goes on only if it last read 1, or if its last
/// compare-exchange succeeded.
///
/// An outcome has the values that the threads read first, `_` for any; behind a semicolon, what places hold in the end.
/// The empty one is had by every execution.
#[derive(Clone, Copy, Debug)]
struct Litmus {
    source: Source,
    name: &'static str,
    program: &'static str,
    outcome: &'static str,
    verdict: Verdict,
}

/// GenMC's number of executions under RC11 and under sequential consistency.
const fn genmc(name: &'static str, program: &'static str, rc11: usize, interleaved: usize) -> Litmus {
    genmc_of(name, program, "", rc11, interleaved)
}

/// The same where a test assumes values, so that only executions that have them count.
const fn genmc_of(
    name: &'static str,
    program: &'static str,
    outcome: &'static str,
    rc11: usize,
    interleaved: usize,
) -> Litmus {
    Litmus { source: Source::GenMc, name, program, outcome, verdict: Verdict::Count { rc11, interleaved } }
}

const fn herd(name: &'static str, program: &'static str, outcome: &'static str, verdict: Verdict) -> Litmus {
    Litmus { source: Source::Herd, name, program, outcome, verdict }
}

const fn allowed(name: &'static str, program: &'static str, outcome: &'static str) -> Litmus {
    Litmus { source: Source::Literature, name, program, outcome, verdict: Verdict::Allowed }
}

const fn forbidden(name: &'static str, program: &'static str, outcome: &'static str) -> Litmus {
    Litmus { source: Source::Literature, name, program, outcome, verdict: Verdict::Forbidden }
}

fn all() -> Vec<Litmus> {
    [coherence::ALL, updates::ALL, messages::ALL, causality::ALL, strong::ALL, sections::ALL].concat()
}

const PLACES: &str = "xyzw";

fn parsed(text: &str) -> Program {
    let threads = text.split('|').map(|thread| {
        let words: Vec<&str> = thread.split_whitespace().collect();
        words.iter().enumerate().map(|(at, word)| operation(word, words.len() - at - 1)).collect()
    });
    let places = PLACES.chars().filter(|&place| text.contains(place)).count();
    Program { threads: threads.collect(), places }
}

/// One word of a thread; so many are behind it.
fn operation(word: &str, behind: usize) -> Op {
    let (word, order) = word.split_once('.').unwrap_or((word, ""));
    let order = match order {
        "" => Order::Relaxed,
        "acq" => Order::Acquire,
        "rel" => Order::Release,
        "ar" => Order::AcqRel,
        "sc" => Order::SeqCst,
        _ => panic!("no order: {order}"),
    };
    match word {
        "lock" => return Op::Lock,
        "unlock" => return Op::Unlock,
        "F" => return Op::Fence(order),
        _ => {}
    }
    let (kind, rest) = word.split_at(1);
    if kind == "?" {
        return Op::Unless { register: 0, value: number(rest), skip: behind };
    }
    let (place, rest) = rest.split_at(1);
    let place = place_of(place);
    match kind {
        "R" => Op::Load { to: 0, place, order },
        "W" => Op::Store { place, value: number(rest), order },
        "U" => Op::Add { to: 0, place, value: number(rest), order },
        "X" => Op::Exchange { to: 0, place, value: number(rest), order },
        "C" => {
            let (expected, value) = rest.split_once(':').unwrap_or_else(|| panic!("no compare-exchange: {word}"));
            // As C's forms with one order have it: what fails does not write, so it does not release.
            let failure = match order {
                Order::AcqRel => Order::Acquire,
                Order::Release => Order::Relaxed,
                order => order,
            };
            Op::Compare { to: 0, place, expected: number(expected), value: number(value), success: order, failure }
        }
        _ => panic!("no operation: {word}"),
    }
}

fn place_of(name: &str) -> usize {
    PLACES.find(name).unwrap_or_else(|| panic!("no place: {name}"))
}

fn number(text: &str) -> i32 {
    text.parse().unwrap_or_else(|_| panic!("no number: {text}"))
}

/// What is asked of an execution.
struct Outcome {
    reads: Vec<Vec<Option<i32>>>,
    last: Vec<(usize, i32)>,
}

impl Outcome {
    fn parsed(text: &str) -> Outcome {
        let (reads, last) = text.split_once(';').unwrap_or((text, ""));
        let value = |word: &str| if word == "_" { None } else { Some(number(word)) };
        let ends = last.split_whitespace().map(|word| {
            let (place, value) = word.split_once('=').unwrap_or_else(|| panic!("no value in the end: {word}"));
            (place_of(place), number(value))
        });
        Outcome {
            reads: reads.split('|').map(|thread| thread.split_whitespace().map(value).collect()).collect(),
            last: ends.collect(),
        }
    }

    fn is_of(&self, execution: &Execution) -> bool {
        let reads_are = self.reads.iter().zip(&execution.reads).all(|(asked, read)| {
            asked.len() <= read.len()
                && asked.iter().zip(read).all(|(asked, value)| asked.is_none_or(|asked| asked == *value))
        });
        reads_are && self.last.iter().all(|&(place, value)| execution.last[place] == value)
    }

    /// Whether each value can be somewhere: an outcome that asks for others would be forbidden whatever the model.
    fn is_of_values(&self, program: &Program, executions: &[Execution]) -> bool {
        let occurs = |value: i32| {
            executions.iter().any(|it| it.reads.iter().flatten().chain(&it.last).any(|&other| other == value))
        };
        let is_written = |value: i32| {
            program.threads.iter().flatten().any(|op| match op {
                Op::Store { value: written, .. } | Op::Compare { value: written, .. } => *written == value,
                _ => false,
            })
        };
        let asked = self.reads.iter().flatten().flatten().copied();
        let mut values = asked.chain(self.last.iter().map(|&(_, value)| value));
        values.all(|value| value == 0 || is_written(value) || occurs(value))
    }
}

impl Litmus {
    /// What the enumeration says otherwise than the verdict.
    fn disagreement(&self) -> Option<String> {
        let program = parsed(self.program);
        let (executions, outcome) = (program.executions(), Outcome::parsed(self.outcome));
        if !outcome.is_of_values(&program, &executions) {
            return Some(format!("{}: the outcome asks for values that never occur", self.name));
        }
        let having = executions.iter().filter(|execution| outcome.is_of(execution));
        let interleaved = having.clone().filter(|execution| execution.is_shown).count();
        let (found, is_robust) = ((having.count(), interleaved), program.is_robust());
        let agrees = match self.verdict {
            // Of other outcomes nothing is known.
            Verdict::Count { rc11, interleaved } if rc11 == interleaved && !self.outcome.is_empty() => {
                found == (rc11, interleaved)
            }
            Verdict::Count { rc11, interleaved } => found == (rc11, interleaved) && is_robust == (rc11 == interleaved),
            Verdict::Allowed => found.0 > 0 && found.1 == 0 && !is_robust,
            Verdict::Forbidden => found.0 == 0 && is_robust,
        };
        let said = format!("{} executions, {} interleaved, robust: {is_robust}", found.0, found.1);
        (!agrees).then(|| format!("{} ({:?}: {:?}): {said}", self.name, self.source, self.verdict))
    }
}

#[test]
fn verdicts_of_litmus_tests_are_those_that_others_published() {
    let wrong: Vec<String> = all().iter().filter_map(Litmus::disagreement).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_are_a_hundred_litmus_tests_and_none_twice() {
    let mut names: Vec<&str> = all().iter().map(|it| it.name).collect();
    let mut programs: Vec<(&str, &str)> = all().iter().map(|it| (it.program, it.outcome)).collect();
    let count = names.len();
    assert!(count >= 100, "{count}");
    names.sort_unstable();
    names.dedup();
    programs.sort_unstable();
    programs.dedup();
    assert_eq!((names.len(), programs.len()), (count, count));
}
