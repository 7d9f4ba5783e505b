//! Races of a run before the failure that is asked for, by which its threads may have come there.
//!
//! After Netzer and Miller (1992): of the races of one execution those that come first are the program's, others may be
//! artifacts of theirs. Taken more narrowly here: a race is kept only if its second access reads what the first has written,
//! and the thread that read it came to the failure afterwards.
//!
//! Guarantee: each race that is kept is one of this very run, in which happens-before leaves its accesses unordered.
//! Not promised: that the failure needs what was read.

use concurrency::{AccessKind, Range, Record, Side};
use explore::FindingKind;
use machine::{LoggedAccess, Program, Sighting};
use std::collections::HashSet;

/// The races that a run shows, of each two sites the first.
#[derive(Debug, Default)]
pub(crate) struct EarlierRaces {
    sighted: Vec<Sighting>,
    known: HashSet<(Side, Side)>,
}

impl EarlierRaces {
    pub(crate) fn note(&mut self, sighting: Sighting) {
        if self.known.insert((sighting.earlier.side(), sighting.later.side())) {
            self.sighted.push(sighting);
        }
    }

    /// Those that may have led to the failure, each with its two accesses. Whose failure it is, is known of races; of others,
    /// any thread counts.
    pub(crate) fn leading(
        self,
        program: &Program,
        log: &[LoggedAccess],
        failure: Option<&FindingKind>,
    ) -> Vec<[LoggedAccess; 2]> {
        let log = Log { program, log };
        let ends: Option<Vec<usize>> = match failure {
            Some(FindingKind::Race(race)) => {
                let sides = [(&race.earlier, race.earlier_range), (&race.later, race.later_range)];
                Some(sides.into_iter().filter_map(|(record, range)| log.index(record, range)).collect())
            }
            Some(FindingKind::Fault(_) | FindingKind::Deadlock(_)) => None,
            None => return Vec::new(),
        };
        self.sighted.iter().filter_map(|race| log.leads(race, ends.as_deref())).collect()
    }
}

/// All accesses of a run, in their order.
struct Log<'a> {
    program: &'a Program,
    log: &'a [LoggedAccess],
}

impl Log<'_> {
    fn index(&self, record: &Record, range: Range) -> Option<usize> {
        self.log.iter().rposition(|logged| logged.record == *record && logged.range == range)
    }

    /// The accesses of a race, if one of its threads went on from it to one of `ends`.
    fn leads(&self, race: &Sighting, ends: Option<&[usize]>) -> Option<[LoggedAccess; 2]> {
        let writes = matches!(race.earlier.kind, AccessKind::Write | AccessKind::ReadWrite);
        let reads = matches!(race.later.kind, AccessKind::Read | AccessKind::ReadWrite);
        if !(writes && reads) {
            return None;
        }
        let write = self.index(&race.earlier, race.earlier_range)?;
        let read = self.index(&race.later, race.later_range)?;
        let thread = race.later.thread;
        let goes_on = |end: &usize| self.log[*end].record.thread == thread && *end > read;
        let leads = ends.is_none_or(|ends| ends.iter().any(goes_on));
        (leads && !self.is_update(read)).then(|| [self.log[write].clone(), self.log[read].clone()])
    }

    /// Whether what is read only serves to be written back, as by `count++`: no thread goes anywhere for that.
    fn is_update(&self, read: usize) -> bool {
        let here = &self.log[read];
        let next = self.log[read + 1..].iter().find(|logged| logged.record.thread == here.record.thread);
        let line = |logged: &LoggedAccess| {
            logged.backtrace.position().map(|place| {
                let place = &self.program.module[place];
                (place.file, place.line)
            })
        };
        next.is_some_and(|next| {
            next.record.kind == AccessKind::Write && next.range == here.range && line(next) == line(here)
        })
    }
}
