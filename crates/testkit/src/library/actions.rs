//! What libraries are made of, by name.

use std::collections::BTreeSet;

use super::ast::*;

/// The kinds of action that a library takes, by name; the generator's test counts them.
pub fn actions(library: &Library) -> BTreeSet<&'static str> {
    let mut actions = BTreeSet::from([match library.roots {
        Roots::OwnerParam => "owner as parameter",
        Roots::NodeParam => "node as parameter",
        Roots::OwnerGlobals(1) => "global owner",
        Roots::OwnerGlobals(_) => "two global owners",
        Roots::NodeGlobals(1) => "global node pointer",
        Roots::NodeGlobals(_) => "two global node pointers",
    }]);
    if library.links == 2 {
        actions.insert("two links");
    }
    match library.own {
        Own::None => {}
        Own::Alone => _ = actions.insert("node that the caller has to itself"),
        Own::Private => _ = actions.insert("node of the caller's own"),
        Own::ByValue => _ = actions.insert("structure by value"),
    }
    if library.makers.untyped {
        actions.insert("untyped pointers");
    }
    match library.makers.key {
        Key::None => {}
        Key::Numbers => _ = actions.insert("numbers of the caller's own"),
        Key::Bytes => _ = actions.insert("bytes of the caller's own"),
        Key::Text => _ = actions.insert("a string of the caller's"),
    }
    if library.makers.derived {
        actions.insert("derived node");
    }
    if library.operations.len() > 1 {
        actions.insert("several operations");
    }
    if library.any(|stmt| matches!(stmt, Stmt::Free { .. })) && library.any(is_atomic) {
        actions.insert("free beside atomics");
    }
    if library.any(|stmt| matches!(stmt, Stmt::Free { .. })) && library.waits() {
        actions.insert("free beside waits");
    }
    library.walk(|stmt| {
        actions.extend(match stmt {
            Stmt::Follow { from: Place::Root(_), .. } => Some("read root"),
            Stmt::Follow { from: Place::Field(..), .. } => Some("read link"),
            Stmt::Link { to: Place::Root(_), .. } => Some("write root"),
            Stmt::Link { to: Place::Field(..), .. } => Some("write link"),
            Stmt::Relink { .. } => Some("copy link"),
            Stmt::ReadKey { .. } => Some("read key"),
            Stmt::WriteKey { .. } => Some("write key"),
            Stmt::Count { .. } => Some("count"),
            Stmt::Lock(LockRef::Root(_)) => Some("lock the structure"),
            Stmt::Lock(LockRef::Node(_)) => Some("lock a node"),
            Stmt::New { .. } => Some("allocate"),
            Stmt::Free { .. } => Some("free"),
            Stmt::While { .. } if library.tallies => Some("walk that counts"),
            Stmt::While { .. } => Some("walk"),
            Stmt::Repeat { .. } => Some("twice"),
            Stmt::Return(_) => Some("return"),
            Stmt::AtomicFollow { .. } => Some("read link atomically"),
            Stmt::AtomicLink { .. } => Some("write link atomically"),
            Stmt::Exchange { .. } => Some("exchange link"),
            Stmt::AtomicReadKey { .. } => Some("read key atomically"),
            Stmt::ExchangeKey { .. } => Some("exchange key"),
            Stmt::ReadWhole { passing: Passing::Returned, .. } => Some("return a node by value"),
            Stmt::ReadWhole { passing: Passing::Argument, .. } => Some("pass a node by value"),
            Stmt::CopyWhole { .. } => Some("copy a node"),
            Stmt::Visit { .. } => Some("call what the owner names"),
            Stmt::Each { .. } => Some("call by pointer"),
            Stmt::SetMark { node: Node::Null, .. } => Some("clear a mark"),
            Stmt::SetMark { .. } => Some("mark a key"),
            Stmt::FollowMark { .. } => Some("read a mark"),
            Stmt::ReadMarked => Some("read what is marked"),
            Stmt::WriteMarked { .. } => Some("write what is marked"),
            Stmt::CallBack { missing: Missing::Replaced, .. } => Some("do without a client's function"),
            Stmt::CallBack { callback: Callback::Notify, .. } => Some("call a client's function"),
            Stmt::CallBack { callback: Callback::Pick, .. } => Some("get a number from a client's function"),
            Stmt::ClearCallback { .. } => Some("clear a client's function"),
            Stmt::Scan { scan: Scan::Walk, .. } => Some("walk over a string"),
            Stmt::Scan { scan: Scan::Call, .. } => Some("hand on a string"),
            Stmt::Scan { scan: Scan::Length, .. } => Some("length of a string"),
            Stmt::Scan { scan: Scan::LengthAt, .. } => Some("length of a string by its place"),
            Stmt::WriteByte { sets: true, .. } => Some("write a letter"),
            Stmt::WriteByte { sets: false, .. } => Some("end a string"),
            Stmt::Flag { sets: true, .. } => Some("set a flag"),
            Stmt::Flag { sets: false, .. } => Some("clear a flag"),
            Stmt::Wait(_) => Some("wait"),
            Stmt::Signal { all: false, .. } => Some("signal"),
            Stmt::Signal { all: true, .. } => Some("broadcast"),
            Stmt::Copy { .. } | Stmt::Unlock(_) | Stmt::If { .. } => None,
        });
        actions.extend(stmt.cond().map(|cond| match cond {
            Cond::OwnerNull => "owner null check",
            Cond::Pointers { other: Node::Null, .. } => "null check",
            Cond::Pointers { .. } => "pointer comparison",
            Cond::PlaceIs { .. } => "comparison of a link",
            Cond::Key { .. } | Cond::NodeAndKey { .. } => "comparison of a key",
            Cond::Value { .. } => "comparison of an integer",
            Cond::Marked => "null check of a mark",
            Cond::Flagged { .. } => "look at a flag",
            Cond::Exchanges { .. } => "compare and exchange",
            Cond::Takes { timed: false, .. } => "try a lock",
            Cond::Takes { timed: true, .. } => "wait for a lock for a time",
        }));
    });
    actions
}
