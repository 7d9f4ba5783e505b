//! The programs: each thread does the same for ever.

use std::collections::BTreeSet;

/// Numbers are below this.
pub(super) const VALUES: u8 = 3;

/// Local numbers of a thread, which it keeps from round to round.
pub(super) const LOCALS: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What each thread does in a round.
    pub threads: Vec<Vec<Stmt>>,
    /// What the semaphore begins with.
    pub semaphore: u8,
}

/// What is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Constant(u8),
    Local(u8),
}

/// `x0`, `a1`, `m0`, `c0`, `r1`: all by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// `r0 = x0;`
    Read {
        to: u8,
        from: u8,
    },
    /// `x0 = 1;`
    Write {
        to: u8,
        value: Value,
    },
    /// `x0 = (x0 + 1) % 3;`
    Step {
        place: u8,
    },
    /// `r0 = a0;`, relaxed or sequentially consistent.
    Load {
        to: u8,
        from: u8,
        relaxed: bool,
    },
    /// `a0 = 1;`
    Store {
        to: u8,
        value: Value,
    },
    /// `r0 = atomic_fetch_xor(&a0, 1) % 3;`
    Flip {
        to: u8,
        place: u8,
    },
    /// `r0 = atomic_compare_exchange_strong(&a0, &(int){1}, 2);`
    Exchange {
        to: u8,
        place: u8,
        expected: u8,
        new: u8,
    },
    /// Between a lock and its unlock.
    Section {
        mutex: u8,
        body: Vec<Stmt>,
    },
    /// Between the begin and the end of an atomic section of SV-COMP.
    Atomic {
        body: Vec<Stmt>,
    },
    /// As [`Stmt::Section`] if the lock is free.
    Try {
        mutex: u8,
        body: Vec<Stmt>,
    },
    /// `while (x0 != 1) pthread_cond_wait(&c0, &m0);`, or `if`; the thread has that lock.
    Wait {
        condition: u8,
        mutex: u8,
        place: u8,
        until: u8,
        again: bool,
    },
    /// `while (a0 != 1);`
    Await {
        place: u8,
        until: u8,
    },
    Wake {
        condition: u8,
        all: bool,
    },
    Down,
    /// If the semaphore can be taken from.
    TryDown {
        body: Vec<Stmt>,
    },
    Up,
    /// `r0 = ask();`: 0 or 1, whatever the input is.
    Ask {
        to: u8,
    },
    /// `r0 = (r0 + 1) % 3;`
    Turn {
        local: u8,
    },
    If {
        local: u8,
        equals: u8,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// `assert(r0 != 2);`
    Assert {
        local: u8,
        differs: u8,
    },
    /// Puts a new block with this number into the box, and frees the one that was there.
    Give {
        value: Value,
    },
    /// Takes the block out of the box, if there is one, reads it, and frees it.
    Take {
        to: u8,
    },
    /// Reads the block in the box, if there is one, perhaps behind a look at an atomic number: somebody else may free it meanwhile.
    Peek {
        to: u8,
        behind: Option<u8>,
    },
}

impl Stmt {
    /// What it has inside.
    pub(super) fn bodies(&self) -> [&[Stmt]; 2] {
        match self {
            Stmt::Section { body, .. } | Stmt::Atomic { body } | Stmt::Try { body, .. } | Stmt::TryDown { body } => {
                [body, &[]]
            }
            Stmt::If { then, otherwise, .. } => [then, otherwise],
            _ => [&[], &[]],
        }
    }

    /// What kind of statement it is, by name.
    fn action(&self) -> &'static str {
        match self {
            Stmt::Read { .. } => "read",
            Stmt::Write { .. } => "write",
            Stmt::Step { .. } => "step",
            Stmt::Load { relaxed: false, .. } => "load",
            Stmt::Load { relaxed: true, .. } => "load relaxed",
            Stmt::Store { .. } => "store",
            Stmt::Flip { .. } => "flip",
            Stmt::Exchange { .. } => "compare and exchange",
            Stmt::Section { .. } => "lock",
            Stmt::Atomic { .. } => "atomic section",
            Stmt::Try { .. } => "try a lock",
            Stmt::Wait { again: true, .. } => "wait in a loop",
            Stmt::Wait { again: false, .. } => "wait once",
            Stmt::Await { .. } => "look until",
            Stmt::Wake { all: false, .. } => "signal",
            Stmt::Wake { all: true, .. } => "broadcast",
            Stmt::Down => "wait for a semaphore",
            Stmt::TryDown { .. } => "try a semaphore",
            Stmt::Up => "post",
            Stmt::Ask { .. } => "ask",
            Stmt::Turn { .. } => "count rounds",
            Stmt::If { .. } => "if",
            Stmt::Assert { .. } => "assert",
            Stmt::Give { .. } => "give a block",
            Stmt::Take { .. } => "take a block",
            Stmt::Peek { .. } => "read a block of others",
        }
    }
}

impl Program {
    /// The kinds of statement that it has, by name; the generator's test counts them.
    pub fn actions(&self) -> BTreeSet<&'static str> {
        fn walk(stmts: &[Stmt], actions: &mut BTreeSet<&'static str>) {
            for stmt in stmts {
                actions.insert(stmt.action());
                stmt.bodies().iter().for_each(|body| walk(body, actions));
            }
        }
        let mut actions = BTreeSet::new();
        self.threads.iter().for_each(|thread| walk(thread, &mut actions));
        actions
    }
}
