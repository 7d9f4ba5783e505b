//! What is asked for: which findings count.
//!
//! A property filters what a search has found, it does not steer the search: a race decides what has to be visible whether it was asked for
//! or not. Of what was not asked for the report says that it is there, since nothing is known of what follows it.

use crate::{AccessKind, Finding, FindingKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Kinds of findings that count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Property {
    /// As the user names it.
    pub name: String,
    kinds: BTreeSet<FindingKind>,
    /// Of failed assertions, only SV-COMP's error location.
    #[serde(default)]
    only_error_location: bool,
    /// What nobody looks for, though it is asked for: in words.
    #[serde(default)]
    pub unlooked: Option<String>,
    /// The lines of the file that states it.
    #[serde(default)]
    pub text: Option<String>,
}

/// What a failure at SV-COMP's error location is said to be.
pub const ERROR_LOCATION: &str = "the error location is reached";

const MEMORY: [FindingKind; 8] = [
    FindingKind::DoubleFree,
    FindingKind::InvalidFree,
    FindingKind::MemoryLeak,
    FindingKind::NullDereference,
    FindingKind::OutOfBounds,
    FindingKind::OverlappingCopy,
    FindingKind::UninitializedRead,
    FindingKind::UseAfterFree,
];
const LEAKS: &str = "memory leaks: nobody looks for them, so they are not excluded";

impl Property {
    /// The names that [`Property::named`] knows.
    pub const NAMES: [&'static str; 5] = ["data-race", "assertion", "deadlock", "memory", "all"];

    fn new(name: &str, kinds: impl IntoIterator<Item = FindingKind>) -> Self {
        let kinds = kinds.into_iter().collect();
        Property { name: name.to_owned(), kinds, only_error_location: false, unlooked: None, text: None }
    }

    /// The property of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "data-race" => Property::new(name, [FindingKind::DataRace]),
            "assertion" => Property::new(
                name,
                [FindingKind::Assertion, FindingKind::UnreachableReached, FindingKind::DivisionByZero],
            ),
            "deadlock" => Property::new(name, [FindingKind::Deadlock, FindingKind::LockMisuse]),
            "memory" => Property::new(name, MEMORY),
            "all" => Property::new(name, FindingKind::ALL),
            _ => return None,
        })
    }

    /// The property that a file of SV-COMP's format states: `CHECK( init(main()), LTL(G ! data-race) )` and its like, one or several.
    ///
    /// # Errors
    /// What is in it that raddle does not check, in words.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let mut property = Property::new(name, []);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        property.text = Some(lines.join("\n"));
        for line in lines {
            let formula = formula_of(line)
                .ok_or_else(|| format!("`{line}` is not of the form `CHECK( init(main()), LTL(...) )`"))?;
            match &*formula {
                "G!data-race" => drop(property.kinds.insert(FindingKind::DataRace)),
                "G!call(reach_error())" | "G!call(__VERIFIER_error())" => {
                    property.only_error_location = true;
                    property.kinds.insert(FindingKind::Assertion);
                }
                "Gvalid-free" => property.kinds.extend([FindingKind::DoubleFree, FindingKind::InvalidFree]),
                "Gvalid-deref" => property.kinds.extend([
                    FindingKind::NullDereference,
                    FindingKind::OutOfBounds,
                    FindingKind::UseAfterFree,
                ]),
                "Gvalid-memtrack" | "Gvalid-memcleanup" => {
                    property.kinds.insert(FindingKind::MemoryLeak);
                    property.unlooked = Some(LEAKS.to_owned());
                }
                _ => {
                    return Err(format!(
                        "`{line}` is not checked by raddle: it checks data-race, call(reach_error()), valid-free, valid-deref"
                    ));
                }
            }
        }
        if property.kinds.is_empty() { Err("it has no CHECK line".to_owned()) } else { Ok(property) }
    }

    /// Whether findings of this kind may count.
    pub fn asks_for(&self, kind: FindingKind) -> bool {
        // A race with a `free` is a use after it in the other order, and shown once (one `data_race`).
        self.kinds.contains(&kind) || kind == FindingKind::DataRace && self.kinds.contains(&FindingKind::UseAfterFree)
    }

    /// Whether it asks for this kind alone.
    pub fn is_only(&self, kind: FindingKind) -> bool {
        self.kinds.len() == 1 && self.kinds.contains(&kind) && self.unlooked.is_none()
    }

    /// Whether it is SV-COMP's error location that must not be reached.
    pub fn is_error_location(&self) -> bool {
        self.only_error_location
    }

    /// Whether the finding counts.
    pub fn covers(&self, finding: &Finding) -> bool {
        let is_end = |finding: &Finding| finding.accesses.iter().any(|access| access.access == AccessKind::Free);
        match finding.kind {
            FindingKind::DataRace if !self.kinds.contains(&FindingKind::DataRace) => {
                self.asks_for(FindingKind::DataRace) && is_end(finding)
            }
            FindingKind::Assertion if self.only_error_location => finding.detail == ERROR_LOCATION,
            kind => self.kinds.contains(&kind),
        }
    }
}

/// The formula of a line, without spaces.
fn formula_of(line: &str) -> Option<String> {
    let bare: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let formula = bare.strip_prefix("CHECK(init(main()),LTL(")?.strip_suffix("))")?;
    Some(formula.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    fn property(text: &str) -> Result<Property, String> {
        Property::parse("p.prp", text)
    }

    #[test]
    fn the_names_are_known_and_no_other() {
        assert!(Property::NAMES.iter().all(|name| Property::named(name).is_some()));
        assert_eq!(Property::named("races"), None);
        let all = Property::named("all").expect("it is known");
        assert!(FindingKind::ALL.into_iter().all(|kind| all.asks_for(kind)));
    }

    #[test]
    fn files_of_sv_comp_state_properties() {
        let race = property("CHECK( init(main()), LTL(G ! data-race) )\n\n").expect("one property");
        assert!(race.asks_for(FindingKind::DataRace) && !race.asks_for(FindingKind::Assertion));
        let memory = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                      CHECK( init(main()), LTL(G valid-memtrack) )";
        let memory = property(memory).expect("three properties");
        assert!(memory.asks_for(FindingKind::NullDereference) && memory.unlooked.is_some());
        assert!(property("CHECK( init(main()), LTL(F end) )").is_err_and(|why| why.contains("F end")));
        assert!(property("G ! data-race").is_err_and(|why| why.contains("form")));
        assert!(property("\n").is_err());
    }

    #[test]
    fn only_the_error_location_is_what_unreach_call_is_about() {
        let property = property("CHECK( init(main()), LTL(G ! call(reach_error())) )").expect("one property");
        let failure = |detail: &str| Finding {
            detail: detail.to_owned(),
            ..Finding::new(FindingKind::Assertion, Location::default())
        };
        assert!(property.covers(&failure(ERROR_LOCATION)));
        assert!(!property.covers(&failure("assertion `x` fails")));
    }

    #[test]
    fn a_race_with_a_free_is_a_memory_error() {
        let memory = Property::named("memory").expect("it is known");
        let mut race = Finding::new(FindingKind::DataRace, Location::default());
        assert!(memory.asks_for(race.kind) && !memory.covers(&race));
        race.accesses = vec![crate::Access {
            thread: 0,
            operation: None,
            access: AccessKind::Free,
            automatic: false,
            variable: false,
            atomic: false,
            size: 1,
            place: String::new(),
            gpu: None,
            field: None,
            locks: Vec::new(),
            guards: Vec::new(),
            location: Location::default(),
        }];
        assert!(memory.covers(&race));
    }
}
