//! Makes a failing library small.

use super::ast::{Key, Library, Makers, Own, Stmt};

/// A library in which no operation, statement, block, lock or link can be dropped, and no depth taken off, without
/// `still_fails` becoming false.
///
/// `still_fails` must hold for `library` itself; it is asked about well-formed libraries only. Deterministic.
pub fn shrink(library: &Library, mut still_fails: impl FnMut(&Library) -> bool) -> Library {
    let mut best = library.clone();
    while let Some(smaller) =
        edits(&best).into_iter().find(|candidate| candidate.well_formed() && still_fails(candidate))
    {
        best = smaller;
    }
    best
}

/// Every library that lacks one thing of this one, large things first.
fn edits(library: &Library) -> Vec<Library> {
    let mut edits = Vec::new();
    if library.operations.len() > 1 {
        for index in 0..library.operations.len() {
            let mut edit = library.clone();
            edit.operations.remove(index);
            edits.push(edit);
        }
    }
    if library.depth > 1 {
        edits.push(Library { depth: library.depth - 1, ..library.clone() });
    }
    if library.links > 1 {
        edits.push(Library { links: library.links - 1, ..library.clone() });
    }
    if library.flexible {
        edits.push(Library { flexible: false, ..library.clone() });
    }
    if library.tallies {
        edits.push(Library { tallies: false, ..library.clone() });
    }
    let makers = library.makers;
    for fewer in [
        Makers { init: false, ..makers },
        Makers { create: false, ..makers },
        Makers { destroy: false, ..makers },
        Makers { make: false, ..makers },
        Makers { returning: 0, ..makers },
        Makers { by_out: false, ..makers },
        Makers { untyped: false, ..makers },
        Makers { derived: false, ..makers },
        Makers { key: Key::None, ..makers },
    ] {
        if fewer != makers {
            edits.push(Library { makers: fewer, ..library.clone() });
        }
    }
    if library.node_locks {
        edits.push(Library { node_locks: false, ..library.clone() });
    }
    if library.own != Own::None {
        // Refused where an operation still uses it.
        edits.push(Library { own: Own::None, ..library.clone() });
    }
    for (index, body) in library.operations.iter().enumerate() {
        for smaller in smaller_bodies(body) {
            let mut edit = library.clone();
            edit.operations[index] = smaller;
            edits.push(edit);
        }
    }
    edits
}

/// `body` with one statement less, a lock and its unlock less, or one block replaced by what is in it.
fn smaller_bodies(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut results = Vec::new();
    for (index, stmt) in body.iter().enumerate() {
        let replaced = |by: &[Stmt]| [&body[..index], by, &body[index + 1..]].concat();
        results.push(replaced(&[]));
        if let Stmt::Lock(lock) = stmt {
            let without = |stmt: &&Stmt| **stmt != Stmt::Lock(*lock) && **stmt != Stmt::Unlock(*lock);
            results.push(body.iter().filter(without).cloned().collect());
        }
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
    match stmt {
        Stmt::While { cond, body } => {
            smaller_bodies(body).into_iter().map(|body| Stmt::While { cond: *cond, body }).collect()
        }
        Stmt::Repeat { body } => smaller_bodies(body).into_iter().map(|body| Stmt::Repeat { body }).collect(),
        Stmt::If { cond, then, otherwise } => {
            let with = |then: &[Stmt], otherwise: &[Stmt]| Stmt::If {
                cond: *cond,
                then: then.to_vec(),
                otherwise: otherwise.to_vec(),
            };
            let of_then = smaller_bodies(then).into_iter().map(|smaller| with(&smaller, otherwise));
            let of_otherwise = smaller_bodies(otherwise).into_iter().map(|smaller| with(then, &smaller));
            of_then.chain(of_otherwise).collect()
        }
        _ => Vec::new(),
    }
}
