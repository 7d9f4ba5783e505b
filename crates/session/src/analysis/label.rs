//! What a witness file says beside the witness: which finding of which report it was.
//!
//! `replay` shows it again; nothing depends on it, and files without it are as good.

use crate::options::WitnessFile;
use crate::out;
use report::ShapeBasis;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use witness::Witness;

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Label {
    /// `R1`, `R2`, ...
    #[serde(default)]
    pub(super) id: Option<String>,
    /// As in reports: `assumed`, `valid`, ...; `None` where the heap is the program's own.
    #[serde(default)]
    shape: Option<String>,
    /// `C1`, `C2`, ...: what it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cause: Option<String>,
    /// It is the finding that shows this cause best.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) represents_cause: bool,
    /// The finding that comes first in its schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) root: Option<String>,
    /// Why no client is known to lead there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) unreached: Option<String>,
    /// The client whose program it is a finding of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<report::Client>,
}

#[derive(Serialize)]
struct Labelled<'a> {
    #[serde(flatten)]
    witness: &'a Witness,
    #[serde(flatten)]
    label: Label,
}

impl Label {
    pub(super) fn new(finding: &report::Finding) -> Self {
        Label {
            id: Some(finding.id.clone()),
            shape: finding.shape.map(|shape| shape.name().to_owned()),
            cause: finding.cause.clone(),
            represents_cause: false,
            root: finding.root.clone(),
            unreached: finding.unreached.clone(),
            client: finding.client.clone(),
        }
    }

    /// Of something else that has a number.
    pub(super) fn numbered(id: String) -> Self {
        Label { id: Some(id), ..Label::default() }
    }

    /// The same, where the findings are known that show causes best.
    pub(super) fn among(self, representatives: &BTreeSet<&str>) -> Self {
        let represents_cause = self.id.as_deref().is_some_and(|id| representatives.contains(id));
        Label { represents_cause, ..self }
    }

    /// The label in a witness file; without an id in it, the one in its name.
    pub(super) fn of(file: &WitnessFile) -> Self {
        let label: Label = serde_json::from_str(&file.text).unwrap_or_default();
        Label { id: label.id.or_else(|| out::id_of(&file.path).map(str::to_owned)), ..label }
    }

    pub(super) fn shape(&self) -> Option<ShapeBasis> {
        self.shape.as_deref().and_then(ShapeBasis::named)
    }

    /// The text of a witness file.
    pub(super) fn file(self, witness: &Witness) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(&Labelled { witness, label: self })? + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, text: &str) -> (Option<String>, Option<ShapeBasis>) {
        let label = Label::of(&WitnessFile { path: path.into(), text: text.to_owned() });
        (label.id.clone(), label.shape())
    }

    #[test]
    fn the_file_says_more_than_its_name() {
        let text = "{\"id\": \"R3\", \"shape\": \"assumed\", \"schema\": \"x\"}";
        assert_eq!(of("R7.witness.json", text), (Some("R3".to_owned()), Some(ShapeBasis::Assumed)));
        assert_eq!(of("out/R7.witness.json", "{\"schema\": \"x\"}"), (Some("R7".to_owned()), None));
        assert_eq!(of("w.json", "{}"), (None, None));
    }
}
