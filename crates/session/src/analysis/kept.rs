//! What a search leaves for another process to go on with.
//!
//! What is explored completely stays as it is; of the rest there are prefixes. Findings are kept as such where their
//! exploration is over; others are found again when it is, so that a search that was interrupted ends as one that was not.

use super::replay::goal;
use crate::errors::InputError;
use crate::options::SearchRequest;
use explore::{Exploration, FindingKey, Paused, Spent};
use machine::Ledger;
use report::ShapeBasis;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;
use witness::{ProgramRef, Witness};

/// All of it.
#[derive(Serialize, Deserialize)]
pub struct Kept<'a> {
    pub search: Cow<'a, SearchRequest>,
    #[serde(with = "as_json")]
    pub program: Cow<'a, ProgramRef>,
    /// The entries of the matrix, in its order, or the program.
    pub(super) parts: PartsKept<'a>,
    pub(super) confirmed: Vec<ConfirmedKept<'a>>,
    /// For confirming findings.
    pub(super) spent: Spent,
}

/// All parts of a search, in their order; one that nobody has begun is none.
pub(super) type PartsKept<'a> = Vec<Option<Box<PartKept<'a>>>>;

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
pub(super) struct ConfirmedKept<'a> {
    #[serde(with = "as_json")]
    pub(super) witness: Cow<'a, Witness>,
    /// Its name in reports.
    pub(super) shape: Option<String>,
    pub(super) entries: Vec<usize>,
    /// In whose program it shows, if that is a client's.
    #[serde(with = "as_json")]
    pub(super) client: Option<report::Client>,
}

impl ConfirmedKept<'_> {
    pub(super) fn shape(&self) -> Option<ShapeBasis> {
        self.shape.as_deref().and_then(ShapeBasis::named)
    }
}

impl Kept<'static> {
    /// Of a search that nobody has begun.
    pub(super) fn begun(search: SearchRequest, program: ProgramRef) -> Self {
        Kept {
            search: Cow::Owned(search),
            program: Cow::Owned(program),
            parts: Vec::new(),
            confirmed: Vec::new(),
            spent: Spent::default(),
        }
    }
}

impl Kept<'_> {
    /// What was found so far, a line each, for people.
    pub fn in_words(&self) -> Vec<String> {
        let replayed = self.confirmed.iter().filter_map(|kept| goal(&kept.witness));
        let seen = self.parts.iter().flatten().flat_map(|part| part.found()).cloned();
        let mut found: Vec<String> = replayed.chain(seen).map(|key| key.in_words()).collect();
        found.sort();
        found.dedup();
        found
    }

    /// Sees whether it belongs to the program as it is now.
    ///
    /// # Errors
    /// When it does not.
    pub(super) fn check(&self, fingerprint: &str, directory: &Path) -> Result<(), InputError> {
        if self.program.fingerprint == fingerprint {
            return Ok(());
        }
        let message = format!(
            "{}: the program is not the one that this search was about; run `raddle` on it again",
            directory.display()
        );
        Err(InputError::new("program_changed", message).in_file(directory))
    }
}

/// As a string of JSON: what witnesses are made of may leave fields out, which only a self-describing format can.
pub(crate) mod as_json {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<T: Serialize, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&serde_json::to_string(value).map_err(S::Error::custom)?)
    }

    pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        serde_json::from_str(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

impl PartKept<'_> {
    /// What was seen and is not replayed yet.
    pub(super) fn found(&self) -> Vec<&FindingKey> {
        let explored = self.explored.iter().flat_map(|explored| explored.findings.keys());
        explored.chain(self.paused.iter().flat_map(|paused| paused.found())).collect()
    }
}
