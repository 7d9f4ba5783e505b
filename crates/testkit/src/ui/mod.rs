//! File-based tests: one C (or `.ll`) file is one test, with what it expects on the lines it concerns.
//!
//! CUDA is the same with `.cu`: `//@ run: gpu --grid 1 --block 2`.
//!
//! A file under `tests/ui` says how raddle is run on it, once per revision, and what must come out:
//!
//! ```c
//! //@ run: check                      the command and its flags; the file is put behind the command
//! //@ revisions: plain atomic         each runs on its own, compiled with -Dplain and -Datomic
//! //@[atomic] flags: --memory=sc      further flags, here of one revision
//! //@ clang: -std=c11                 flags for the compiler
//! //@ also: auxiliary/other.c         further sources; expectations in them count
//! //@ timeout: 300                    seconds, where the default of 120 is too few
//! //@ tsan-silent: why                why ThreadSanitizer cannot show the races (`cargo xtask confirm` sees to it that it cannot)
//! //@ known-gap: why                  in tests/known-gaps: the expectations state today's wrong answer
//!
//! hits++;         //~[plain] RACE read/write          this line races with itself, with these accesses
//! a->x = 1;       //~ RACE@first write                one end of the pair `first`; the other line has the other end
//! y = a->x;       //~ RACE@first,second read          an end of two pairs
//! z = a->y;       //~ RACE write with 18              pair given by line (or `with other.c:18`)
//! q = a->z;       //~ RACE                            takes part in some race
//! assert(q);      //~ ASSERTION inputs=k              any kind of finding in capitals; its inputs include `k`
//! //~^^ DEADLOCK                                      `^`: the line above, `^^`: two above
//! //~[atomic] SAFE executions=2 paths=1 shapes=1      anywhere in the file: the verdict and counts
//! //~ FINDINGS entries=21                             how many entries the matrix has
//! //~ INCONCLUSIVE ledger=weak_memory,loop_bound      exactly these kinds stand in the ledger
//! //~ INCONCLUSIVE unconfirmed=1                     so many of the findings are not confirmed, and none is
//! //~ FINDINGS ledger= executions=3 shape=valid       optional beside findings
//! //~ PAIR insert search safe                         an entry of the matrix
//! //~ TOGETHER insert; search, insert: findings       an entry, thread by thread
//! //~ VACUOUS insert; search                          of calls as well: so does DROPPED
//! //~ VACUOUS insert                                  no shape survived for this operation
//! //~ DROPPED insert                                  some shape was dropped for this operation; with `for want
//!                                                     of depth`: more for a null pointer at the bound than kept
//! //~ FAILS_SERIALLY put and get                      on some heap the two fail one after the other as well
//! //~ SEQUENTIAL out_of_bounds                        calls one after the other show this at this line, and no more than is named
//! //~ CAUSE one thread writes `n` while another reads it    the report names this cause, and no more than is named
//! //~ CONTRACT `end` ends a `struct q` while `get` uses it  the same of what callers have to keep to
//! //~ REMEDY with memory_order_acquire          what is said of a loss at this line has this in it, or what mends the cause of a finding there
//! //~ REFUSED to hold `q->lock`                 the cause of a finding at this line has no remedy, and this is among what was tried
//! //~ ASSUMED consume                              the claim rests on an assumption of this kind
//! //~ CLASSES inter_warp,global                    of races of a launch: all classes that there are
//! //~ CONDITION n <= (int)blockDim.x              the launch condition that is inferred: each comparison is shown to be needed (else
//!                                                     `sufficient only: ...`), or `not needed`, `none`, `unknown`
//! //~ EXIT 2                                          exit code, where the verdict does not imply it
//! //~ ERROR expected ';'                              an error on this line whose message contains this
//! ```
//!
//! Guarantee: a case passes only if every finding is covered (both lines of a race, with the accesses where they are
//! given), every expectation is met by a finding, verdict and exit code agree, and the report keeps its contract
//! (`safe` with an empty ledger, findings confirmed, witnesses written). A revision that expects nothing is an error.
//!
//! It reads reports with its own data types: agreeing with the `report` crate by sharing code would prove nothing.

mod case;
mod directive;
mod expect;
mod observed;
mod run;
mod snapshot;
#[cfg(test)]
mod tests;

pub use case::{Case, TestFileError, discover, load};
pub use directive::{DirectiveError, TestFile, parse};
pub use expect::{Expectations, Expected, Mismatch, RaceEnd, RaceExpectation, compare};
pub use observed::{Access, Cause, CauseRemedy, Condition, Finding, Guided, Position, Report, Stats};
pub use run::{RunError, Runner, covers_otherwise, is_cut_short};
pub use snapshot::normalise;
