//! The programs: `main` creates the other threads, waits for some of them, and goes on.

/// Local integers of each thread.
pub(super) const LOCALS: usize = 3;
/// What inputs may be: constants are smaller, so that all larger ones do the same.
pub(super) const INPUTS: u8 = 6;
/// Integers that pointers lead to.
pub(super) const CELLS: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    Plain,
    Atomic,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Const(u8),
    Local(usize),
    /// A local and a number.
    Sum(usize, u8),
    Input(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    Local(usize),
    Input(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Equal,
    Less,
}

/// `operand relation constant`, or of an input and a local.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    pub operand: Operand,
    pub relation: Relation,
    pub to: Result<u8, Operand>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    Read {
        dst: usize,
        var: usize,
    },
    Write {
        var: usize,
        value: Value,
    },
    /// Of an atomic variable; what it held before.
    FetchAdd {
        dst: usize,
        var: usize,
        by: u8,
    },
    /// Of an atomic variable; whether it held that.
    Exchange {
        dst: usize,
        var: usize,
        expected: u8,
        desired: u8,
    },
    /// The pointer is made to lead to a cell.
    Point {
        cell: usize,
    },
    /// What the pointer leads to.
    ReadThrough {
        dst: usize,
    },
    WriteThrough {
        value: Value,
    },
    Lock(usize),
    Unlock(usize),
    /// Of a semaphore.
    Post(usize),
    Down(usize),
    /// Takes from a semaphore, if there is something to take, at once or in time; else.
    TryDown {
        semaphore: usize,
        timed: bool,
        taken: Vec<Stmt>,
        busy: Vec<Stmt>,
    },
    /// What a semaphore counts.
    Count {
        dst: usize,
        semaphore: usize,
    },
    /// An atomic section. Nothing in it waits.
    Section(Vec<Stmt>),
    /// Waits at a barrier; whether the thread is the serial one, if it looks.
    Barrier {
        barrier: usize,
        dst: Option<usize>,
    },
    /// For a condition, with a mutex that the thread has.
    /// A function is called that is called once.
    Once(usize),
    Wait {
        condition: usize,
        mutex: usize,
        /// With a time limit: whether it was over.
        limit: Option<usize>,
    },
    Signal {
        condition: usize,
        all: bool,
    },
    /// With the mutex, if it is to be had; else.
    TryLock {
        mutex: usize,
        taken: Vec<Stmt>,
        busy: Vec<Stmt>,
    },
    If {
        condition: Condition,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
}

impl Stmt {
    /// Whether it reads or writes variables, cells or the pointer itself.
    pub(super) fn accesses(&self) -> bool {
        matches!(
            self,
            Stmt::Read { .. }
                | Stmt::Write { .. }
                | Stmt::FetchAdd { .. }
                | Stmt::Exchange { .. }
                | Stmt::Point { .. }
                | Stmt::ReadThrough { .. }
                | Stmt::WriteThrough { .. }
        )
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub vars: Vec<VarKind>,
    pub mutexes: usize,
    pub conditions: usize,
    /// What semaphores count at first.
    pub semaphores: Vec<u8>,
    /// For how many threads barriers are.
    pub barriers: Vec<u8>,
    /// Functions that are called once: what they write.
    pub once: Vec<Vec<Stmt>>,
    pub inputs: usize,
    /// Of the threads that `main` creates.
    pub threads: Vec<Vec<Stmt>>,
    /// What `main` does before it creates any, behind the first, and in the end.
    pub first: Vec<Stmt>,
    pub between: Vec<Stmt>,
    pub last: Vec<Stmt>,
    /// By thread, whether `main` waits for its end before `last`.
    pub joined: Vec<bool>,
    /// By thread, if `main` looks after that whether it has ended, what it does if it has, or has not; and whether it waits some time.
    pub looks: Vec<Option<Looks>>,
    /// A thread creates another, which `main` knows nothing of.
    pub nested: Option<Vec<Stmt>>,
}

/// What is done if a thread has ended, and if it has not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Looks {
    pub timed: bool,
    pub ended: Vec<Stmt>,
    pub otherwise: Vec<Stmt>,
}
