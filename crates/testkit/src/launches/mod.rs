//! Random CUDA kernels that are given a number `n`, judged by what their threads access in each launch of few threads.
//!
//! What a thread accesses hangs on its position, on the launch's sizes and on `n`, never on what it reads: which launches race is a matter of
//! counting. Conditions on launches are read as they are printed, and hold or not in each of them.
//!
//! Guarantee: what [`judge`] calls wrong races in that launch, or has a barrier to which not all of a block come.
//! Knows nothing of LLVM, terms or explorers.

mod condition;
mod generate;
mod render;
#[cfg(test)]
mod tests;

pub use condition::{Condition, parse};
pub use generate::generate;
pub use render::render;

/// Launches that are counted out: up to so many blocks, threads of a block, and `n` from the first to the last of these.
pub const MOST_BLOCKS: i64 = 3;
pub const MOST_THREADS: i64 = 4;
pub const NUMBERS: std::ops::RangeInclusive<i64> = -2..=14;
/// Threads of a warp.
pub const WARP: i64 = 2;

/// One launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// `gridDim.x`
    pub blocks: i64,
    /// `blockDim.x`
    pub threads: i64,
    pub n: i64,
}

impl Launch {
    /// All that are counted out.
    pub fn all() -> impl Iterator<Item = Launch> {
        let sizes = (1..=MOST_BLOCKS).flat_map(|blocks| (1..=MOST_THREADS).map(move |threads| (blocks, threads)));
        sizes.flat_map(|(blocks, threads)| NUMBERS.map(move |n| Launch { blocks, threads, n }))
    }
}

/// `constant + tid * threadIdx.x + bid * blockIdx.x + all * (blockIdx.x * blockDim.x + threadIdx.x) + n * n`
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sum {
    pub constant: i64,
    pub tid: i64,
    pub bid: i64,
    pub all: i64,
    pub n: i64,
}

/// What an index is the remainder by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Divisor {
    Constant(i64),
    N,
    BlockDim,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index {
    pub sum: Sum,
    pub rest_by: Option<Divisor>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Array {
    /// `__shared__`
    Shared,
    Given,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    Access {
        array: Array,
        index: Index,
        write: bool,
        atomic: bool,
    },
    /// `__syncthreads()`
    Barrier,
    /// `__syncwarp()`
    Warp,
    /// `if (left < right)`
    If {
        left: Sum,
        right: Sum,
        body: Vec<Stmt>,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    pub name: String,
    pub body: Vec<Stmt>,
}

/// What a launch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    Fine,
    /// It races, or a barrier diverges.
    Wrong,
    /// A thread leaves its arrays, or divides by zero.
    Fails,
}

#[derive(Clone, Copy)]
struct Access {
    array: Array,
    index: i64,
    write: bool,
    atomic: bool,
    /// Barriers, and `__syncwarp()`, before it.
    interval: usize,
    of_warp: usize,
}

#[derive(Default)]
struct Thread {
    block: i64,
    warp: i64,
    accesses: Vec<Access>,
    /// By place in the kernel.
    barriers: Vec<usize>,
    of_warp: usize,
}

impl Sum {
    fn value(&self, at: Launch, (block, thread): (i64, i64)) -> i64 {
        let all = block * at.threads + thread;
        self.constant + self.tid * thread + self.bid * block + self.all * all + self.n * at.n
    }
}

impl Index {
    /// None: it divides by zero, or is negative.
    fn value(&self, at: Launch, who: (i64, i64)) -> Option<i64> {
        let sum = self.sum.value(at, who);
        let index = match self.rest_by {
            None => sum,
            Some(Divisor::Constant(by)) => sum.checked_rem(by)?,
            Some(Divisor::N) => sum.checked_rem(at.n)?,
            Some(Divisor::BlockDim) => sum.checked_rem(at.threads)?,
        };
        (index >= 0).then_some(index)
    }
}

/// What threads do in a launch.
pub fn judge(kernel: &Kernel, at: Launch) -> Judged {
    let mut threads = Vec::new();
    for block in 0..at.blocks {
        for rank in 0..at.threads {
            let mut thread = Thread { block, warp: rank / WARP, ..Thread::default() };
            if thread.run(&kernel.body, at, (block, rank), 0).is_none() {
                return Judged::Fails;
            }
            threads.push(thread);
        }
    }
    let mut pairs =
        threads.iter().enumerate().flat_map(|(index, one)| threads[index + 1..].iter().map(move |other| (one, other)));
    if pairs.any(|(one, other)| one.is_wrong_beside(other)) { Judged::Wrong } else { Judged::Fine }
}

impl Thread {
    fn run(&mut self, body: &[Stmt], at: Launch, who: (i64, i64), depth: usize) -> Option<()> {
        for (place, stmt) in body.iter().enumerate() {
            match stmt {
                Stmt::Access { array, index, write, atomic } => self.accesses.push(Access {
                    array: *array,
                    index: index.value(at, who)?,
                    write: *write,
                    atomic: *atomic,
                    interval: self.barriers.len(),
                    of_warp: self.of_warp,
                }),
                Stmt::Barrier => self.barriers.push(depth * 100 + place),
                Stmt::Warp => self.of_warp += 1,
                Stmt::If { left, right, body } => {
                    if left.value(at, who) < right.value(at, who) {
                        self.run(body, at, who, depth * 10 + place + 1)?;
                    }
                }
            }
        }
        Some(())
    }

    fn is_wrong_beside(&self, other: &Thread) -> bool {
        let in_one_block = self.block == other.block;
        if in_one_block && self.barriers != other.barriers {
            return true;
        }
        let in_one_warp = in_one_block && self.warp == other.warp;
        self.accesses.iter().any(|x| {
            other.accesses.iter().filter(|y| (y.array, y.index) == (x.array, x.index)).any(|y| {
                let meet = match in_one_block {
                    true => x.interval == y.interval && (!in_one_warp || x.of_warp == y.of_warp),
                    false => x.array != Array::Shared,
                };
                meet && (x.write || y.write) && !(x.atomic && y.atomic)
            })
        })
    }
}
