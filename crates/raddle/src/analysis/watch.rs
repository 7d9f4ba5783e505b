//! Putting a search aside: from time to time, and where it ends before it is over.

use super::Ticker;
use super::kept::{Kept, PartKept};
use super::replay::goal;
use super::session::Session;
use crate::outcome::complain;
use crate::unfinished::{Keeper, resume_command};
use explore::{Paused, Status};
use std::borrow::Cow;

/// Watches over one part of the search, and puts everything aside from time to time.
pub(super) struct Watch<'a, 'r> {
    pub(super) ticker: &'a mut Ticker<'r>,
    pub(super) session: &'a Session,
    /// The other parts, with a gap for this one.
    pub(super) others: [&'a dyn Parts; 2],
}

/// Parts that stand still.
pub(super) trait Parts {
    fn kept(&self) -> Vec<PartKept<'_>>;
}

impl explore::Progress for Watch<'_, '_> {
    fn tick(&mut self, status: &Status) {
        self.ticker.tick(status);
    }

    fn begin(&mut self, what: &str) {
        self.ticker.begin(what);
    }

    fn wants_to_keep(&self) -> bool {
        self.session.keeper.is_due()
    }

    fn keep(&mut self, so_far: &Paused<'_>) {
        let [mut parts, after] = self.others.map(Parts::kept);
        parts.push(PartKept { paused: Some(Cow::Borrowed(so_far)), ..PartKept::default() });
        parts.extend(after);
        keep(self.session, parts);
    }
}

/// Puts aside what was explored, for another process to go on with, and says so.
pub(super) fn set_aside<'a>(session: &'a Session, parts: Vec<PartKept<'a>>) {
    if keep(session, parts) {
        complain(&format!("raddle: notice: not finished; to go on: {}\n", resume_command(&session.out)));
    }
}

/// Puts aside a search of which these are the parts. Whether it is there.
fn keep<'a>(session: &'a Session, parts: Vec<PartKept<'a>>) -> bool {
    let keeper: &Keeper = &session.keeper;
    let over = |index: usize| parts.get(index).is_none_or(|part| part.paused.is_none());
    let confirmed = session.confirmed_in(over);
    let replayed = confirmed.iter().filter_map(|kept| goal(&kept.witness));
    let seen = parts.iter().flat_map(PartKept::found).cloned();
    let mut found: Vec<String> = replayed.chain(seen).map(|key| key.in_words()).collect();
    found.sort();
    found.dedup();
    let content = Kept {
        search: Cow::Borrowed(&session.search),
        program: Cow::Borrowed(&session.program_ref),
        confirmed,
        spent: session.spent(),
        parts,
    };
    keeper.keep(&content, found.into_iter())
}
