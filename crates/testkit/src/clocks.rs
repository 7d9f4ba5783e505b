//! Random programs of two threads that read clocks, judged by trying all readings that matter.
//!
//! Threads read a clock, copy readings, and note how one is related to another. Only differences up to [`FAR`] are ever looked
//! at, and a clock never goes back: so from one reading to the next it goes on by at most one more than that; or, where
//! seconds of minutes are compared, by a minute more.

use crate::rng::Rng;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Variables of a thread for what clocks showed.
const SLOTS: usize = 3;

/// The largest difference that is asked for.
const FAR: i64 = 2;

/// Seconds of a minute.
const MINUTE: i64 = 60;

/// What is looked at of a reading, beside the seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Detail {
    None,
    /// The part of a second that a clock shows.
    Part,
    /// The second of the date's minute.
    Date,
}

impl Detail {
    /// Readings of all threads.
    fn most_readings(self) -> usize {
        match self {
            Detail::None => 6,
            Detail::Part => 4,
            Detail::Date => 3,
        }
    }
}

#[derive(Clone, Debug)]
enum Stmt {
    Read(usize),
    Copy {
        to: usize,
        from: usize,
    },
    /// No more of this one.
    Drop(usize),
    /// Notes this bit if one reading is later than another by more than that.
    Later {
        a: usize,
        b: usize,
        by: i64,
        bit: u32,
    },
    /// Notes this bit if the part of a second is larger.
    LaterPart {
        a: usize,
        b: usize,
        bit: u32,
    },
    /// Notes this bit if the second of the date so many seconds after it is larger.
    LaterSecond {
        a: usize,
        by: i64,
        b: usize,
        bit: u32,
    },
    Rounds(usize, Vec<Stmt>),
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    threads: [Vec<Stmt>; 2],
    detail: Detail,
}

impl Program {
    /// A program that is small enough to be judged.
    pub fn generate(seed: u64) -> Program {
        let mut rng = Rng::new(seed);
        let detail = [Detail::None, Detail::Part, Detail::Date][rng.weighted(&[(4, 0), (4, 1), (2, 2)])];
        loop {
            let mut bits = 0..;
            let mut thread = |rng: &mut Rng| {
                let count = rng.between(3, 11) as usize;
                statements(rng, count, detail, true, &mut bits)
            };
            let threads = [thread(&mut rng), thread(&mut rng)];
            let program = Program { threads, detail };
            let readings: usize = program.threads.iter().map(|stmts| readings(stmts)).sum();
            if (2..=detail.most_readings()).contains(&readings) {
                return program;
            }
        }
    }

    /// Whether it asks for dates.
    pub fn has_dates(&self) -> bool {
        self.detail == Detail::Date
    }

    /// The program in C. It prints what its threads noted.
    pub fn render(&self) -> String {
        let mut text = String::from(
            "#include <pthread.h>\n#include <stdio.h>\n#include <time.h>\n\nstruct thread { unsigned noted; };\n\n",
        );
        for (index, stmts) in self.threads.iter().enumerate() {
            let _ = writeln!(text, "static void *run{index}(void *arg)\n{{\n    struct thread *me = arg;");
            let _ = writeln!(text, "    struct timespec t[{SLOTS}] = {{{{0, 0}}}};");
            if self.detail == Detail::Date {
                text.push_str("    struct tm one, other;\n    time_t moment;\n");
            }
            stmts.iter().for_each(|stmt| self.write(stmt, 1, &mut text));
            text.push_str("    return NULL;\n}\n\n");
        }
        text.push_str(
            "int main(void)\n{\n    struct thread a = {0}, b = {0};\n    pthread_t other;\n    \
             pthread_create(&other, NULL, run1, &b);\n    run0(&a);\n    pthread_join(other, NULL);\n    \
             printf(\"%u %u\\n\", a.noted, b.noted);\n    return 0;\n}\n",
        );
        text
    }

    fn write(&self, stmt: &Stmt, depth: usize, text: &mut String) {
        let pad = "    ".repeat(depth);
        let _ = match stmt {
            Stmt::Read(slot) if self.detail == Detail::Part => {
                writeln!(text, "{pad}clock_gettime(CLOCK_REALTIME, &t[{slot}]);")
            }
            Stmt::Read(slot) => writeln!(text, "{pad}t[{slot}].tv_sec = time(NULL);"),
            Stmt::Drop(slot) => writeln!(text, "{pad}t[{slot}] = (struct timespec){{0}};"),
            Stmt::Copy { to, from } => writeln!(text, "{pad}t[{to}] = t[{from}];"),
            Stmt::Later { a, b, by, bit } => {
                writeln!(
                    text,
                    "{pad}if (t[{a}].tv_sec - t[{b}].tv_sec > {by})\n{pad}    me->noted |= {}u;",
                    1u32 << bit
                )
            }
            Stmt::LaterPart { a, b, bit } => {
                writeln!(text, "{pad}if (t[{a}].tv_nsec > t[{b}].tv_nsec)\n{pad}    me->noted |= {}u;", 1u32 << bit)
            }
            Stmt::LaterSecond { a, by, b, bit } => {
                let _ = writeln!(text, "{pad}moment = t[{a}].tv_sec + {by};\n{pad}gmtime_r(&moment, &one);");
                let _ = writeln!(text, "{pad}gmtime_r(&t[{b}].tv_sec, &other);");
                writeln!(text, "{pad}if (one.tm_sec > other.tm_sec)\n{pad}    me->noted |= {}u;", 1u32 << bit)
            }
            Stmt::Rounds(rounds, body) => {
                let _ = writeln!(text, "{pad}for (int i = 0; i < {rounds}; i++) {{");
                body.iter().for_each(|stmt| self.write(stmt, depth + 1, text));
                writeln!(text, "{pad}}}")
            }
        };
    }

    /// All that it can print.
    pub fn outputs(&self) -> BTreeSet<String> {
        let threads = [0, 1].map(|index| {
            let mut steps = Vec::new();
            unroll(&self.threads[index], &mut steps);
            steps
        });
        let mut search = Search { threads, detail: self.detail, outputs: BTreeSet::new() };
        search.go(&[Thread::default(), Thread::default()], Moment::default());
        search.outputs
    }
}

fn statements(
    rng: &mut Rng,
    count: usize,
    detail: Detail,
    loops: bool,
    bits: &mut impl Iterator<Item = u32>,
) -> Vec<Stmt> {
    let slot = |rng: &mut Rng| rng.below(SLOTS);
    let mut stmts = Vec::new();
    for _ in 0..count {
        let detailed = if detail == Detail::None { 0 } else { 3 };
        let kinds = [(5, 0), (2, 1), (3, 5), (7, 2), (detailed, 3), (if loops { 2 } else { 0 }, 4)];
        let stmt = match rng.weighted(&kinds) {
            0 => Stmt::Read(slot(rng)),
            5 => Stmt::Drop(slot(rng)),
            1 => Stmt::Copy { to: slot(rng), from: slot(rng) },
            4 => {
                let count = rng.between(1, 3) as usize;
                Stmt::Rounds(rng.between(2, 4) as usize, statements(rng, count, detail, false, bits))
            }
            kind => {
                let (a, b, bit) = (slot(rng), slot(rng), bits.next().unwrap_or_default() % 32);
                match kind {
                    2 => Stmt::Later { a, b, by: rng.between(-1, FAR), bit },
                    _ if detail == Detail::Date => Stmt::LaterSecond { a, by: rng.between(0, FAR), b, bit },
                    _ => Stmt::LaterPart { a, b, bit },
                }
            }
        };
        stmts.push(stmt);
    }
    stmts
}

fn readings(stmts: &[Stmt]) -> usize {
    let of = |stmt: &Stmt| match stmt {
        Stmt::Read(_) => 1,
        Stmt::Rounds(rounds, body) => rounds * readings(body),
        _ => 0,
    };
    stmts.iter().map(of).sum()
}

fn unroll(stmts: &[Stmt], steps: &mut Vec<Stmt>) {
    for stmt in stmts {
        match stmt {
            Stmt::Rounds(rounds, body) => (0..*rounds).for_each(|_| unroll(body, steps)),
            other => steps.push(other.clone()),
        }
    }
}

/// What a clock shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Moment {
    seconds: i64,
    part: i64,
}

#[derive(Clone, Default)]
struct Thread {
    at: usize,
    slots: [Moment; SLOTS],
    noted: u32,
}

struct Search {
    threads: [Vec<Stmt>; 2],
    detail: Detail,
    outputs: BTreeSet<String>,
}

impl Search {
    /// All that can follow. Only who reads the clock first matters to others.
    fn go(&mut self, threads: &[Thread; 2], clock: Moment) {
        let mut threads = threads.clone();
        let mut reads = [None; 2];
        for (index, thread) in threads.iter_mut().enumerate() {
            while let Some(stmt) = self.threads[index].get(thread.at) {
                match *stmt {
                    Stmt::Read(slot) => {
                        reads[index] = Some(slot);
                        break;
                    }
                    Stmt::Drop(slot) => thread.slots[slot] = Moment::default(),
                    Stmt::Copy { to, from } => thread.slots[to] = thread.slots[from],
                    Stmt::Later { a, b, by, bit } => {
                        let is_later = thread.slots[a].seconds - thread.slots[b].seconds > by;
                        thread.noted |= u32::from(is_later) << bit;
                    }
                    Stmt::LaterPart { a, b, bit } => {
                        thread.noted |= u32::from(thread.slots[a].part > thread.slots[b].part) << bit;
                    }
                    Stmt::LaterSecond { a, by, b, bit } => {
                        let second = |slot: usize, by: i64| (thread.slots[slot].seconds + by) % MINUTE;
                        thread.noted |= u32::from(second(a, by) > second(b, 0)) << bit;
                    }
                    Stmt::Rounds(..) => unreachable!("loops are unrolled"),
                }
                thread.at += 1;
            }
        }
        if reads == [None, None] {
            self.outputs.insert(format!("{} {}\n", threads[0].noted, threads[1].noted));
        }
        for (index, slot) in reads.into_iter().enumerate().filter_map(|(index, slot)| Some((index, slot?))) {
            let furthest = FAR + 1 + if self.detail == Detail::Date { MINUTE - 1 } else { 0 };
            // As many parts of a second as there are readings, and none.
            let parts = if self.detail == Detail::Part { self.detail.most_readings() as i64 } else { 0 };
            for ahead in 0..=furthest {
                for part in 0..=parts {
                    let shown = Moment { seconds: clock.seconds + ahead, part };
                    if shown < clock {
                        continue;
                    }
                    let mut next = threads.clone();
                    next[index].slots[slot] = shown;
                    next[index].at += 1;
                    self.go(&next, shown);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(threads: [Vec<Stmt>; 2]) -> Vec<String> {
        Program { threads, detail: Detail::None }.outputs().into_iter().collect()
    }

    #[test]
    fn a_clock_does_not_go_back() {
        let later = |a, b, bit| Stmt::Later { a, b, by: 0, bit };
        let reads = vec![Stmt::Read(0), Stmt::Read(1), later(0, 1, 0), later(1, 0, 1)];
        assert_eq!(outputs([reads, vec![]]), ["0 0\n", "2 0\n"]);
    }

    #[test]
    fn a_minute_begins_again() {
        let later = |a, b, bit| Stmt::LaterSecond { a, by: 0, b, bit };
        let reads = vec![Stmt::Read(0), Stmt::Read(1), later(0, 1, 0), later(1, 0, 1)];
        let program = Program { threads: [reads, vec![]], detail: Detail::Date };
        assert_eq!(program.outputs().into_iter().collect::<Vec<_>>(), ["0 0\n", "1 0\n", "2 0\n"]);
    }

    #[test]
    fn rounds_are_gone() {
        let body = vec![Stmt::Copy { to: 1, from: 0 }, Stmt::Read(0)];
        let later = Stmt::Later { a: 0, b: 1, by: FAR, bit: 0 };
        assert_eq!(outputs([vec![Stmt::Rounds(2, body), later], vec![]]), ["0 0\n", "1 0\n"]);
    }

    #[test]
    fn what_others_read_counts() {
        // A thread cannot see that the other has read in between.
        let reads = || vec![Stmt::Read(0), Stmt::Read(1), Stmt::Later { a: 1, b: 0, by: FAR, bit: 0 }];
        assert_eq!(outputs([reads(), reads()]), ["0 0\n", "0 1\n", "1 0\n", "1 1\n"]);
    }
}
