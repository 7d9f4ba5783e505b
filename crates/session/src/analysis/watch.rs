//! Putting a search aside: from time to time, and where it ends before it is over.

use super::Ticker;
use super::kept::{Kept, PartKept, PartsKept};
use super::session::Session;
use crate::notice::complain;
use crate::options::{Heaps, SearchRequest};
use crate::unfinished::{Keeper, NAMES, resume_command};
use explore::{Pace, Paused, Spent};
use std::borrow::Cow;

/// Watches over one part of the search, and puts everything aside from time to time.
pub(super) struct Watch<'a, 'r> {
    pub(super) ticker: &'a mut Ticker<'r>,
    pub(super) session: &'a Session,
    /// The other parts, with a gap for this one.
    pub(super) others: [&'a dyn Parts; 2],
    /// It has bounds of its own: whoever goes on begins with the whole.
    pub(super) is_stage: bool,
}

/// Parts that stand still.
pub(super) trait Parts {
    fn kept(&self) -> PartsKept<'_>;
}

impl explore::Progress for Watch<'_, '_> {
    fn tick(&mut self, status: &Pace) {
        self.ticker.tick(status);
    }

    fn begin(&mut self, what: &str) {
        self.ticker.begin(what);
    }

    fn wants_to_keep(&self) -> bool {
        self.session.files.keeper.is_due()
    }

    fn keep(&mut self, so_far: &Paused<'_>) {
        let [mut parts, after] = self.others.map(Parts::kept);
        let paused = if self.is_stage { Cow::Owned(Paused::default()) } else { Cow::Borrowed(so_far) };
        parts.push(Some(Box::new(PartKept { paused: Some(paused), ..PartKept::default() })));
        parts.extend(after);
        // What cannot be written was said; it counts where the search ends.
        let _ = keep(self.session, parts);
    }
}

/// Puts aside what was explored, for another process to go on with, and says so.
pub(super) fn set_aside<'a>(session: &'a Session, parts: PartsKept<'a>) {
    if session.files.keeper.is_for_nobody() {
        return;
    }
    match keep(session, parts) {
        Ok(()) => {
            let command = resume_command(session.files.folder.out());
            complain(&format!("raddle: notice: not finished; to go on: {command}\n"));
        }
        Err(e) => session.lose(&session.files.folder.shown(NAMES[0]), &e.to_string()),
    }
}

/// Puts aside a search of which these are the parts.
///
/// # Errors
/// When it cannot be written.
fn keep<'a>(session: &'a Session, parts: PartsKept<'a>) -> std::io::Result<()> {
    let keeper: &Keeper = &session.files.keeper;
    let is_over = |part: &Option<Box<PartKept>>| part.as_ref().is_some_and(|part| part.paused.is_none());
    let over = |index: usize| parts.get(index).is_none_or(is_over);
    let confirmed = session.confirmed_in(over);
    let mut content = Kept {
        search: Cow::Borrowed(&session.files.search),
        program: Cow::Borrowed(&session.files.program_ref),
        confirmed,
        spent: session.spent(),
        parts,
    };
    let found = content.in_words();
    if is_before_all_heaps(session) {
        (content.parts, content.confirmed, content.spent) = (Vec::new(), Vec::new(), Spent::default());
    }
    keeper.keep(&session.files.folder, &content, found.into_iter())
}

/// Whether heaps that clients build are looked at before all others. Entries are others than those of the matrix then, which
/// nobody has begun; whoever goes on begins with the clients again.
fn is_before_all_heaps(session: &Session) -> bool {
    let is_of_both = matches!(&session.files.search, SearchRequest::Races(options) if options.heaps == Heaps::Both);
    is_of_both && session.parameters.library.heaps == Heaps::Reached
}
