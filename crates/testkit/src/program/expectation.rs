//! What an oracle found out about a program.

use std::collections::BTreeSet;
use std::fmt;

use crate::finding::Race;

/// The choices that the C standard and POSIX leave to the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// Spurious wake-ups that one thread may have at one wait.
    pub spurious: u32,
    /// Only executions with at most so many preemptions: steps of a thread after a step of another one that could have
    /// gone on. One that waits for a lock, a thread or a signal could not; one that would fail next could. A thread that
    /// wakes up spuriously then does so in its own turn: waking up and taking the mutex again is one step.
    pub preemptions: Option<u32>,
    /// Executions beyond which the oracle gives up.
    pub max_interleavings: u64,
}

impl Default for Semantics {
    fn default() -> Semantics {
        Semantics { spurious: 1, preemptions: None, max_interleavings: 200_000 }
    }
}

/// The program has more executions, or longer ones, than the oracle takes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the program is too large for the brute-force oracle")
    }
}

impl std::error::Error for TooLarge {}

/// Threads that wait for ever.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deadlock {
    /// No thread can move; otherwise a cycle of threads that wait for locks which the next one owns.
    pub total: bool,
    /// Where the threads stand: those not ended, or those of the cycle. Sorted.
    pub lines: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryFault {
    UseAfterFree,
    DoubleFree,
}

/// Everything that some sequentially consistent execution of a program does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// Conflicting accesses, not both atomic, that C11's happens-before leaves unordered in some execution.
    pub races: BTreeSet<Race>,
    pub deadlocks: BTreeSet<Deadlock>,
    /// Lines of assertions that fail.
    pub assertions: BTreeSet<u32>,
    /// Lines that unlock what the thread does not hold.
    pub misuse: BTreeSet<u32>,
    /// Uses of the freed cell that the `free` happens before; unordered ones are among the races.
    pub memory: BTreeSet<(u32, MemoryFault)>,
    /// What executions that return from `main` print.
    pub outputs: BTreeSet<String>,
    /// Lines of the threads' instructions: those that some execution comes to, and the others.
    pub reached: BTreeSet<u32>,
    pub unreached: BTreeSet<u32>,
    /// Executions, each an interleaving of all shared accesses and synchronisation operations.
    pub interleavings: u64,
}

impl Expectation {
    pub fn deadlock(&self) -> bool {
        !self.deadlocks.is_empty()
    }

    /// Whether nothing is wrong with the program.
    pub fn is_safe(&self) -> bool {
        self.races.is_empty()
            && self.deadlocks.is_empty()
            && self.assertions.is_empty()
            && self.misuse.is_empty()
            && self.memory.is_empty()
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} interleavings", self.interleavings)?;
        for race in &self.races {
            writeln!(f, "race {race}")?;
        }
        for Deadlock { total, lines } in &self.deadlocks {
            writeln!(f, "{} deadlock at {lines:?}", if *total { "total" } else { "cyclic" })?;
        }
        for line in &self.assertions {
            writeln!(f, "assertion {line}")?;
        }
        for line in &self.misuse {
            writeln!(f, "lock misuse {line}")?;
        }
        for (line, fault) in &self.memory {
            let name = match fault {
                MemoryFault::UseAfterFree => "use after free",
                MemoryFault::DoubleFree => "double free",
            };
            writeln!(f, "{name} {line}")?;
        }
        for output in &self.outputs {
            writeln!(f, "prints {output:?}")?;
        }
        Ok(())
    }
}
