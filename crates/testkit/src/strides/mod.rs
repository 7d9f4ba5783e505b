//! Random CUDA kernels that walk through arrays, in loops whose ends are inputs, judged by what their threads access.
//!
//! Where a thread goes hangs on its position and on one number `n`, never on what it reads: so which accesses there are, and in which interval
//! between barriers, is a matter of counting. Each `n` up to [`MOST`] is counted out.
//!
//! Guarantee: what [`races`] names races for some `n` up to [`MOST`]. Larger ones are not tried.
//! Knows nothing of LLVM, terms or explorers.

mod generate;
mod render;

pub use generate::generate;
pub use render::render;

use std::collections::BTreeSet;

/// The largest `n` that is counted out.
pub const MOST: i64 = 7;
/// Threads go no further: what does not end is none of these kernels.
const MOST_STEPS: usize = 20_000;

/// A sum: `constant + tid * threadIdx.x + bid * blockIdx.x + n * n + sum(loops[i] * the i-th loop's counter)`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sum {
    pub constant: i64,
    pub tid: i64,
    pub bid: i64,
    pub n: i64,
    /// By the depth of the loop.
    pub loops: Vec<i64>,
}

/// Where an array is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Array {
    /// `__shared__`
    Shared,
    /// The first and the second that the kernel is given.
    Given(u8),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    Access {
        array: Array,
        index: Sum,
        write: bool,
        atomic: bool,
    },
    Barrier,
    /// `for (int i = from; i < to; i += step)`, or by a pointer that goes along.
    For {
        from: Sum,
        to: Sum,
        step: Step,
        body: Vec<Stmt>,
    },
    /// `if (left < right)`
    If {
        left: Sum,
        right: Sum,
        body: Vec<Stmt>,
    },
    /// `if (left < right) return;`
    Leave {
        left: Sum,
        right: Sum,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    By(i64),
    /// `blockDim.x`, and `blockDim.x * gridDim.x`.
    Block,
    Launch,
}

/// A statement, and the line it stands on once it is rendered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    pub line: u32,
    pub what: What,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    pub name: String,
    pub blocks: i64,
    pub threads: i64,
    /// It is given a structure that holds its arrays.
    pub by_structure: bool,
    pub body: Vec<Stmt>,
}

/// What a kernel does wrong for some `n`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wrong {
    /// Lines of accesses that race, the smaller first.
    pub races: BTreeSet<(u32, u32)>,
    /// Threads of a block come to different barriers.
    pub diverges: bool,
}

impl Wrong {
    pub fn is_empty(&self) -> bool {
        self.races.is_empty() && !self.diverges
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Access {
    line: u32,
    array: Array,
    index: i64,
    write: bool,
    atomic: bool,
    /// Barriers before it.
    interval: usize,
}

/// What one thread does.
#[derive(Default)]
struct Thread {
    accesses: Vec<Access>,
    /// Lines.
    barriers: Vec<u32>,
    steps: usize,
}

struct At {
    tid: i64,
    bid: i64,
    n: i64,
    counters: Vec<i64>,
}

impl Sum {
    fn value(&self, at: &At) -> i64 {
        let loops: i64 = self.loops.iter().zip(&at.counters).map(|(by, counter)| by * counter).sum();
        self.constant + self.tid * at.tid + self.bid * at.bid + self.n * at.n + loops
    }
}

/// What races, or diverges, for some `n`; none where a kernel goes on for too long, or leaves its arrays.
pub fn races(kernel: &Kernel) -> Option<Wrong> {
    let mut wrong = Wrong::default();
    for n in 0..=MOST {
        let mut threads: Vec<(i64, Thread)> = Vec::new();
        for bid in 0..kernel.blocks {
            for tid in 0..kernel.threads {
                let mut thread = Thread::default();
                let mut at = At { tid, bid, n, counters: Vec::new() };
                thread.run(kernel, &kernel.body, &mut at)?;
                threads.push((bid, thread));
            }
        }
        for (index, (block, one)) in threads.iter().enumerate() {
            for (other_block, other) in &threads[index + 1..] {
                one.beside(other, block == other_block, &mut wrong);
            }
        }
    }
    Some(wrong)
}

impl Thread {
    /// Whether it goes on behind the statements; none where it does too much.
    fn run(&mut self, kernel: &Kernel, body: &[Stmt], at: &mut At) -> Option<bool> {
        for Stmt { line, what } in body {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return None;
            }
            match what {
                What::Access { array, index, write, atomic } => {
                    let index = index.value(at);
                    // A negative one is a failure.
                    if !(0..1 << 16).contains(&index) {
                        return None;
                    }
                    let (array, interval) = (*array, self.barriers.len());
                    self.accesses.push(Access { line: *line, array, index, write: *write, atomic: *atomic, interval });
                }
                What::Barrier => self.barriers.push(*line),
                What::For { from, to, step, body } => {
                    let step = match step {
                        Step::By(by) => *by,
                        Step::Block => kernel.threads,
                        Step::Launch => kernel.threads * kernel.blocks,
                    };
                    at.counters.push(from.value(at));
                    while at.counters.last().copied()? < to.value(at) {
                        if !self.run(kernel, body, at)? {
                            return Some(false);
                        }
                        *at.counters.last_mut()? += step;
                    }
                    at.counters.pop();
                }
                What::If { left, right, body } => {
                    if left.value(at) < right.value(at) && !self.run(kernel, body, at)? {
                        return Some(false);
                    }
                }
                What::Leave { left, right } => {
                    if left.value(at) < right.value(at) {
                        return Some(false);
                    }
                }
            }
        }
        Some(true)
    }

    /// What it does wrong beside another.
    fn beside(&self, other: &Thread, in_one_block: bool, wrong: &mut Wrong) {
        let same = self.barriers.iter().zip(&other.barriers).take_while(|(x, y)| x == y).count();
        if in_one_block && (same < self.barriers.len() || same < other.barriers.len()) {
            wrong.diverges = true;
            return;
        }
        for x in &self.accesses {
            for y in other.accesses.iter().filter(|y| (y.array, y.index) == (x.array, x.index)) {
                let is_shared = x.array == Array::Shared;
                let meet = if in_one_block { x.interval == y.interval } else { !is_shared };
                if meet && (x.write || y.write) && !(x.atomic && y.atomic) {
                    wrong.races.insert((x.line.min(y.line), x.line.max(y.line)));
                }
            }
        }
    }
}
