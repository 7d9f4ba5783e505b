//! Makes a failing program small.

use super::ast::{Program, Stmt};

/// A program in which no thread, statement or block can be dropped without `still_fails` becoming false.
///
/// `still_fails` must hold for `program` itself; it is asked about well-formed programs only. Deterministic, and
/// quadratic in the number of statements at worst.
pub fn shrink(program: &Program, mut still_fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    while let Some(smaller) =
        edits(&best).into_iter().find(|candidate| candidate.well_formed() && still_fails(candidate))
    {
        best = smaller;
    }
    best
}

/// Every program that lacks one thing of this one, large things first.
fn edits(program: &Program) -> Vec<Program> {
    let mut edits = Vec::new();
    for created in program.threads.iter().flatten() {
        if let Stmt::Create(thread) = created {
            edits.push(without_thread(program, *thread));
        }
    }
    for (index, body) in program.threads.iter().enumerate() {
        for smaller in smaller_bodies(body) {
            let mut edit = program.clone();
            edit.threads[index] = smaller;
            edits.push(edit);
        }
    }
    for smaller in smaller_bodies(&program.once) {
        edits.push(Program { once: smaller, ..program.clone() });
    }
    edits
}

/// `program` without the creation of one thread. What that thread would create is gone with it.
fn without_thread(program: &Program, thread: super::ast::ThreadId) -> Program {
    let mut edit = program.clone();
    for body in &mut edit.threads {
        body.retain(|stmt| *stmt != Stmt::Create(thread) && *stmt != Stmt::Join(thread));
    }
    edit.threads[thread.index()].clear();
    edit
}

/// `body` with one statement less, or one block replaced by what is in it.
fn smaller_bodies(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut results = Vec::new();
    for (index, stmt) in body.iter().enumerate() {
        let replaced = |by: &[Stmt]| [&body[..index], by, &body[index + 1..]].concat();
        results.push(replaced(&[]));
        for inner in stmt.bodies() {
            if !inner.is_empty() {
                results.push(replaced(inner));
            }
        }
        for smaller in smaller_inside(stmt) {
            results.push(replaced(&[smaller]));
        }
    }
    results
}

/// A block statement with something smaller in one of its bodies.
fn smaller_inside(stmt: &Stmt) -> Vec<Stmt> {
    let with = |first: Vec<Stmt>, second: Vec<Stmt>| match stmt {
        Stmt::TryLock { mutex, timed, .. } => {
            Stmt::TryLock { mutex: *mutex, timed: *timed, taken: first, busy: second }
        }
        Stmt::TrySpin { .. } => Stmt::TrySpin { taken: first, busy: second },
        Stmt::TrySem { timed, .. } => Stmt::TrySem { timed: *timed, taken: first, busy: second },
        Stmt::If { local, equal, constant, .. } => {
            Stmt::If { local: *local, equal: *equal, constant: *constant, then: first, otherwise: second }
        }
        Stmt::Repeat { times, .. } => Stmt::Repeat { times: *times, body: first },
        simple => simple.clone(),
    };
    let [first, second] = stmt.bodies();
    let of_first = smaller_bodies(first).into_iter().map(|smaller| with(smaller, second.to_vec()));
    let of_second = smaller_bodies(second).into_iter().map(|smaller| with(first.to_vec(), smaller));
    of_first.chain(of_second).collect()
}
