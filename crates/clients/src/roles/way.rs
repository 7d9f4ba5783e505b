//! What is said of an object on the ways through a function, and what functions are by that.

use ir::{GlobalId, LocId, Operand, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// Which object it is about, as the function names it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    /// What this parameter leads to, by index.
    Parameter(usize),
    /// What the pointer leads to that this parameter leads to: `q_free(struct queue **q)`.
    Pointed(usize),
    Global(GlobalId),
}

/// Something that is done to the object, and where.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Deed {
    pub what: What,
    pub at: Option<LocId>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum What {
    Frees,
    DestroysLock,
    InitialisesLock,
    /// Sets a member that is declared atomic by a store that is none.
    InitialisesAtomic,
    /// Writes all of it, with memory that is allocated for it.
    Fills,
    /// Writes all of it at once.
    Overwrites,
    /// Writes each of its members.
    SetsMembers,
}

/// What is known of the object on the way to an instruction.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Way {
    pub(super) ended: Option<Deed>,
    /// A lock in it was initialised, or an atomic member.
    pub(super) started: Option<Deed>,
    /// It was written as a whole, before anything of it was read.
    pub(super) overwritten: Option<Deed>,
    /// Where pointers to memory stand in it that was allocated on the way, by offset.
    pub(super) new_at: BTreeSet<u64>,
    /// Bytes that were written, by offset.
    pub(super) written: BTreeSet<u64>,
    /// It was locked, or waited on, before it ended.
    pub(super) locked: bool,
    pub(super) waited: bool,
    /// Something of it was read that had not been written.
    pub(super) read: bool,
    pub(super) touched: bool,
    /// What leads to it was stored somewhere else: others may come to it.
    pub(super) published: bool,
    /// What leads to it was stored in memory that was allocated on the way; and what leads to such memory somewhere else.
    pub(super) new_leads_to_it: bool,
    pub(super) new_known: bool,
    /// Some variable was looked at: what it says may be that another call has been here before.
    pub(super) looked: bool,
    /// The variable that led to the object was set to null.
    pub(super) cleared: bool,
    /// What stands in registers by now that hold different numbers on different ways.
    pub(super) numbers: BTreeMap<Reg, u64>,
    /// What it returns, where that is a number.
    pub(super) returned: Option<u64>,
}

impl Way {
    /// Whether it destroys no lock but one that it has initialised itself.
    pub(super) fn takes_back(&self) -> bool {
        self.started.is_some() && self.ended.is_some_and(|deed| deed.what == What::DestroysLock)
    }

    pub(super) fn note(&mut self, reg: Reg, number: Option<u64>) {
        match number {
            Some(number) => drop(self.numbers.insert(reg, number)),
            None => drop(self.numbers.remove(&reg)),
        }
    }

    pub(super) fn number(&self, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Reg(reg) => self.numbers.get(&reg).copied(),
            Operand::Int(number) => Some(number),
            _ => None,
        }
    }
}

/// What a function does to the object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Effects {
    /// By way on which it returns; none where not all were followed.
    pub(super) ways: Option<Vec<Way>>,
}

impl Effects {
    pub(super) fn unknown() -> Self {
        Effects { ways: None }
    }

    fn ways(&self) -> &[Way] {
        self.ways.as_deref().unwrap_or_default()
    }

    /// It is freed, or its lock destroyed, on each way, and neither locked nor waited on before.
    pub(super) fn ends(&self) -> Option<Deed> {
        let ways = self.ways();
        let ends = |way: &Way| way.ended.is_some() && !way.takes_back() && !way.locked && !way.waited;
        ways.iter().all(ends).then_some(())?;
        ways.first()?.ended
    }

    /// It is initialised on each way, and nothing of it is read before; those apart that return with an error and have not looked whether
    /// somebody was here before. `members`: the bytes of all its members.
    pub(super) fn starts(&self, members: &BTreeSet<u64>) -> Option<Deed> {
        let filled = |way: &Way| !way.new_at.is_empty() && !members.is_empty() && members.is_subset(&way.written);
        let deed = |way: &Way| match way.started {
            None if filled(way) => Some(Deed { what: What::Fills, at: None }),
            started => started,
        };
        let (touching, others): (Vec<&Way>, Vec<&Way>) = self.ways().iter().partition(|way| way.touched);
        let first = deed(touching.first()?);
        let is_bare = |way: &Way| !way.read && !way.locked && !way.waited && !way.published;
        let starts = |way: &&Way| deed(way).is_some() && is_bare(way) && (way.ended.is_none() || way.takes_back());
        // What fails takes back what it has begun.
        let (taken_back, kept): (Vec<&Way>, Vec<&Way>) = touching.iter().partition(|way| way.takes_back());
        let fails = taken_back.is_empty() || !kept.is_empty() && are_errors(&taken_back, &kept);
        let refuses = others.is_empty() || others.iter().all(|way| !way.looked) && are_errors(&others, &kept);
        if touching.iter().all(starts) && fails && refuses { first } else { None }
    }

    /// It is freed, or its lock destroyed, on each way on which that succeeds, whatever is done before.
    pub(super) fn ends_at_last(&self) -> Option<Deed> {
        let ends = |way: &Way| way.ended.filter(|_| !way.takes_back());
        let ended = self.ways().iter().find_map(ends)?;
        self.on_success(|way| ends(way).is_some()).then_some(ended)
    }

    /// So it is on each way.
    pub(super) fn always_ends(&self) -> bool {
        self.ways.as_ref().is_some_and(|ways| ways.iter().all(|way| way.ended.is_some()))
    }

    /// Its lock is initialised, or all of it is overwritten before any of it is read, on each way on which that succeeds: at once, or member by
    /// member. `members`: as in [`Effects::starts`].
    pub(super) fn starts_over(&self, members: &BTreeSet<u64>) -> Option<Deed> {
        let whole = |way: &Way| !members.is_empty() && members.is_subset(&way.written);
        let is_bare = |way: &Way| !way.read && !way.locked && !way.waited && !way.published;
        let by_member = |way: &Way| is_bare(way).then_some(Deed { what: What::SetsMembers, at: None });
        let deed =
            |way: &Way| way.started.or_else(|| way.overwritten.or_else(|| by_member(way)).filter(|_| whole(way)));
        let started = self.ways().iter().find_map(deed)?;
        self.on_success(|way| deed(way).is_some() && way.ended.is_none()).then_some(started)
    }

    /// Whether all ways are alike in this, those apart that return with an error.
    fn on_success(&self, does: impl Fn(&Way) -> bool) -> bool {
        let (done, others): (Vec<&Way>, Vec<&Way>) = self.ways().iter().partition(|way| does(way));
        !done.is_empty() && (others.is_empty() || are_errors(&others, &done))
    }

    /// It waits there, on some way.
    pub(super) fn waits(&self) -> bool {
        self.ways.as_ref().is_none_or(|ways| ways.iter().any(|way| way.waited))
    }
}

/// Whether ways return with an error where the others succeed: a number that is not zero, where those return zero; or zero, or null,
/// where those return something else.
fn are_errors(fail: &[&Way], succeed: &[&Way]) -> bool {
    let is_zero = |way: &&Way| way.returned == Some(0);
    let is_more = |way: &&Way| way.returned.is_some_and(|number| number != 0);
    succeed.iter().all(is_zero) && fail.iter().all(is_more) || !succeed.iter().any(is_zero) && fail.iter().all(is_zero)
}
