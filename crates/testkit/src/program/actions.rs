//! What a program does, by name, so that the generator's test can see that all of it occurs.

use super::ast::*;
use std::collections::BTreeSet;

/// The kinds of action that a program takes, by name; the generator's test counts them.
pub fn actions(program: &Program) -> BTreeSet<&'static str> {
    let mut actions = BTreeSet::new();
    let mut joined = 0;
    let mut created = 0;
    for (index, body) in program.threads.iter().enumerate() {
        for stmt in body {
            match stmt {
                Stmt::Create(_) => created += 1,
                Stmt::Join(_) => joined += 1,
                _ if index == 0 => {
                    actions.insert("main acts between its calls");
                }
                _ => {}
            }
            if index > 0 && matches!(stmt, Stmt::Create(_)) {
                actions.insert("thread created by a thread");
            }
        }
    }
    if joined < created {
        actions.insert("thread not joined");
    }
    if program.threads.len() == 4 {
        actions.insert("three threads");
    }
    program.walk(|stmt| {
        actions.insert(statement_name(program, stmt));
        actions.extend(order_name(stmt));
        let plain = matches!(stmt, Stmt::Read { .. } | Stmt::Write { .. } | Stmt::Increment { .. });
        match stmt.place() {
            Some(Place::Heap) if *stmt != Stmt::Free => {
                actions.insert(if plain { "heap access" } else { "atomic heap access" });
            }
            Some(Place::Global(var)) if !plain && program.vars[usize::from(var.0)] == VarKind::Mixed => {
                actions.insert("atomic access to a plain object");
            }
            _ => {}
        }
    });
    actions
}

fn statement_name(program: &Program, stmt: &Stmt) -> &'static str {
    match stmt {
        Stmt::Read { .. } => "read",
        Stmt::Write { .. } => "write",
        Stmt::Increment { .. } => "increment",
        Stmt::Load { .. } => "atomic load",
        Stmt::Store { .. } => "atomic store",
        Stmt::FetchAdd { .. } => "fetch_add",
        Stmt::Exchange { .. } => "exchange",
        Stmt::CompareExchange { .. } => "compare_exchange",
        Stmt::SpinWhile { rounds: Rounds::Sleeps, .. } => "wait for a flag by turns",
        Stmt::SpinWhile { rounds: Rounds::Tries, .. } => "try a lock in vain while spinning",
        Stmt::SpinWhile { rounds: Rounds::Counts, .. } => "count rounds of spinning",
        Stmt::SpinWhile { .. } => "spin on a flag",
        Stmt::Fence { .. } => "fence",
        Stmt::Lock(mutex) => match program.mutexes[usize::from(mutex.0)] {
            MutexKind::Normal => "lock normal",
            MutexKind::Recursive => "lock recursive",
            MutexKind::ErrorCheck => "lock errorcheck",
        },
        Stmt::Unlock(_) => "unlock",
        Stmt::TryLock { timed: false, .. } => "trylock",
        Stmt::TryLock { timed: true, .. } => "timedlock",
        Stmt::SpinLock => "spin lock",
        Stmt::SpinUnlock => "spin unlock",
        Stmt::TrySpin { .. } => "spin trylock",
        Stmt::SemWait => "sem wait",
        Stmt::SemPost => "sem post",
        Stmt::TrySem { timed: false, .. } => "sem trywait",
        Stmt::TrySem { timed: true, .. } => "sem timedwait",
        Stmt::Barrier { .. } => "barrier",
        Stmt::ReadLock(_) => "rdlock",
        Stmt::WriteLock(_) => "wrlock",
        Stmt::RwUnlock(_) => "rwlock unlock",
        Stmt::WaitWhile { .. } => "cond wait",
        Stmt::TimedWait { .. } => "cond timedwait",
        Stmt::Signal => "signal",
        Stmt::Broadcast => "broadcast",
        Stmt::If { .. } => "if",
        Stmt::Repeat { .. } => "for",
        Stmt::Assert { .. } => "assert",
        Stmt::Once => "once",
        Stmt::Free if program.cell == Cell::OfBlock => "end of a block",
        Stmt::Free => "free",
        Stmt::Create(_) => "create",
        Stmt::Join(_) => "join",
    }
}

fn order_name(stmt: &Stmt) -> Option<&'static str> {
    let (acquires, releases) = match stmt {
        Stmt::Load { order, .. } => (order.acquires(), false),
        Stmt::Store { order, .. } => (false, order.releases()),
        Stmt::FetchAdd { order, .. } | Stmt::Exchange { order, .. } | Stmt::CompareExchange { order, .. } => {
            (order.acquires(), order.releases())
        }
        _ => return None,
    };
    let seq_cst = match stmt {
        Stmt::Load { order, .. } => *order == LoadOrder::SeqCst,
        Stmt::Store { order, .. } => *order == StoreOrder::SeqCst,
        Stmt::FetchAdd { order, .. } | Stmt::Exchange { order, .. } | Stmt::CompareExchange { order, .. } => {
            *order == RmwOrder::SeqCst
        }
        _ => false,
    };
    Some(match (acquires, releases) {
        _ if seq_cst => "seq_cst access",
        (false, false) => "relaxed access",
        (true, false) => "acquire access",
        (false, true) => "release access",
        (true, true) => "acq_rel access",
    })
}
