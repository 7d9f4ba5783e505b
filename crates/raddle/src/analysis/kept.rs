//! What a search leaves for another process to go on with.
//!
//! What is explored completely stays as it is; of the rest there are prefixes. Findings are kept as such where their
//! exploration is over; others are found again when it is, so that a search that was interrupted ends as one that was not.

use super::Ticker;
use super::session::Session;
use crate::errors::InputError;
use crate::options::Request;
use crate::unfinished::Keeper;
use explore::{Exploration, FindingKey, Paused, Spent, Status};
use machine::Ledger;
use report::ShapeBasis;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;

/// All of it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Kept<'a> {
    pub(crate) request: Cow<'a, Request>,
    /// Fingerprint of the program.
    program: Cow<'a, str>,
    /// The pairs in the matrix's order, or the program.
    pub(super) parts: Vec<PartKept<'a>>,
    pub(super) confirmed: Vec<ConfirmedKept>,
    /// For confirming findings.
    pub(super) spent: Spent,
}

/// What is explored for itself.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct PartKept<'a> {
    /// If it is over; with the findings that were not replayed yet.
    pub(super) explored: Option<Cow<'a, Exploration>>,
    pub(super) ledger: Cow<'a, Ledger>,
    /// If it is not over.
    pub(super) paused: Option<Cow<'a, Paused<'a>>>,
}

/// A finding that was replayed.
#[derive(Serialize, Deserialize)]
pub(super) struct ConfirmedKept {
    /// As in a file: the format may leave fields out, which only a self-describing one can.
    pub(super) witness: String,
    /// Its name in reports.
    pub(super) shape: Option<String>,
    pub(super) pairs: Vec<usize>,
}

impl ConfirmedKept {
    pub(super) fn shape(&self) -> Option<ShapeBasis> {
        self.shape.as_deref().and_then(ShapeBasis::named)
    }
}

impl Kept<'_> {
    /// Sees whether it belongs to the program as it is now.
    ///
    /// # Errors
    /// When it does not.
    pub(super) fn check(&self, fingerprint: &str, directory: &Path) -> Result<(), InputError> {
        if self.program == fingerprint {
            return Ok(());
        }
        let message = format!(
            "{}: the program is not the one that this search was about; run `raddle` on it again",
            directory.display()
        );
        Err(InputError::new("program_changed", message).in_file(directory))
    }
}

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

/// Puts aside a search of which these are the parts. Whether it is there.
pub(super) fn keep<'a>(session: &'a Session, parts: Vec<PartKept<'a>>) -> bool {
    let keeper: &Keeper = &session.keeper;
    let over = |index: usize| parts.get(index).is_none_or(|part| part.paused.is_none());
    let confirmed = session.confirmed_in(over);
    let replayed = confirmed.iter().map(|(text, _)| text.clone());
    let seen = parts.iter().flat_map(PartKept::found).map(FindingKey::in_words);
    let mut found: Vec<String> = replayed.chain(seen).collect();
    found.sort();
    found.dedup();
    let content = Kept {
        request: Cow::Borrowed(&session.request),
        program: Cow::Borrowed(&session.program_ref.fingerprint),
        confirmed: confirmed.into_iter().map(|(_, kept)| kept).collect(),
        spent: session.spent(),
        parts,
    };
    keeper.keep(&content, found.into_iter())
}

impl PartKept<'_> {
    fn found(&self) -> Vec<&FindingKey> {
        let explored = self.explored.iter().flat_map(|explored| explored.findings.keys());
        explored.chain(self.paused.iter().flat_map(|paused| paused.found())).collect()
    }
}
