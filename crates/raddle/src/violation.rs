//! `--violation-witness`: the first finding for the tools of SV-COMP.

use anyhow::{Context, anyhow};
use report::{FindingKind, Property, Report};
use std::path::PathBuf;
use witness::{Sources, Witness, violation_sequence};

/// What was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    pub(crate) path: PathBuf,
    /// What counts, if that was said.
    pub(crate) property: Option<Property>,
}

/// The violation sequence of a report's first finding; none where there is no finding.
///
/// # Errors
/// When there is none of this finding, or its witness or a source cannot be read.
pub(crate) fn text(report: &Report, property: Option<&Property>) -> anyhow::Result<Option<String>> {
    let Some(finding) = report.findings.first() else { return Ok(None) };
    let path = finding.witness.as_deref().ok_or_else(|| anyhow!("{} has no witness", finding.id))?;
    let witness = std::fs::read_to_string(path).with_context(|| path.to_owned())?;
    let witness = Witness::parse(&witness).with_context(|| path.to_owned())?;
    let program = &witness.program;
    let named = program.sources.iter().enumerate().map(|(at, path)| (program.typed.get(at).unwrap_or(path), path));
    let texts =
        named.map(|(typed, path)| Ok((typed.clone(), std::fs::read_to_string(path).with_context(|| path.clone())?)));
    let sources = Sources {
        texts: texts.collect::<anyhow::Result<_>>()?,
        specification: specification(property, finding.kind),
        creation_time: chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
    };
    Ok(Some(violation_sequence(&witness, &sources).with_context(|| finding.id.clone())?))
}

/// As the property's file states it, or as SV-COMP would for this kind of finding.
fn specification(property: Option<&Property>, kind: FindingKind) -> String {
    if let Some(text) = property.and_then(|property| property.text.as_ref()) {
        return text.clone();
    }
    let formula = match kind {
        FindingKind::DataRace => "G ! data-race",
        FindingKind::DoubleFree | FindingKind::InvalidFree => "G valid-free",
        FindingKind::NullDereference | FindingKind::OutOfBounds | FindingKind::UseAfterFree => "G valid-deref",
        _ => "G ! call(reach_error())",
    };
    format!("CHECK( init(main()), LTL({formula}) )")
}
