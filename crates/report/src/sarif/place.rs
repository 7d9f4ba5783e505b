//! Positions and texts as SARIF has them.

use crate::{Location, Sources, printable};
use serde_sarif::sarif::{
    ArtifactContent, ArtifactLocation, Location as SarifLocation, LogicalLocation, Message, PhysicalLocation, Region,
};

/// What relative addresses are relative to. The name is the one that code scanning services know.
pub(super) const BASE: &str = "%SRCROOT%";

pub(super) struct Places<'a> {
    pub(super) sources: &'a dyn Sources,
}

impl Places<'_> {
    /// The position with its function.
    pub(super) fn location(&self, at: &Location) -> SarifLocation {
        let mut location = SarifLocation::builder().build();
        location.physical_location = self.physical(&at.file, at.line, at.column);
        if !at.function.is_empty() {
            let name = printable(&at.function);
            location.logical_locations =
                Some(vec![LogicalLocation::builder().name(&name).fully_qualified_name(&name).kind("function").build()]);
        }
        location
    }

    /// A line without a column; line 0: the file.
    pub(super) fn line(&self, file: &str, line: u32) -> SarifLocation {
        let mut location = SarifLocation::builder().build();
        location.physical_location = self.physical(file, line, 0);
        location
    }

    /// A position as the ledger writes it, `... at FILE:LINE`, if that is what it is.
    pub(super) fn named(&self, place: &str) -> Option<SarifLocation> {
        let last = place.rsplit(" at ").next()?;
        let (file, line) = last.rsplit_once(':')?;
        let line: u32 = line.parse().ok().filter(|&line| line > 0)?;
        (!file.is_empty() && !file.contains(' ')).then(|| self.line(file, line))
    }

    fn physical(&self, file: &str, line: u32, column: u32) -> Option<PhysicalLocation> {
        if file.is_empty() {
            return None;
        }
        let mut physical = PhysicalLocation::builder().artifact_location(artifact(file)).build();
        if line == 0 {
            return Some(physical);
        }
        let source = self.sources.line(file, line);
        let mut region = Region::builder().start_line(line).build();
        if column > 0 {
            region.start_column = Some(self.characters(source.as_deref(), column));
        }
        physical.region = Some(region);
        if let Some(source) = source {
            let snippet = ArtifactContent::builder().text(printable(&source)).build();
            physical.context_region = Some(Region::builder().start_line(line).snippet(snippet).build());
        }
        Some(physical)
    }

    /// Columns count bytes in reports (clang) and characters in SARIF.
    fn characters(&self, source: Option<&str>, column: u32) -> i64 {
        let before = usize::try_from(column).ok().and_then(|column| source?.get(..column.checked_sub(1)?));
        before.map_or(i64::from(column), |before| before.chars().count() as i64 + 1)
    }
}

/// The file as a URI (RFC 3986): as the user named it, absolute only if that is.
fn artifact(file: &str) -> ArtifactLocation {
    let plain = file.strip_prefix("./").unwrap_or(file);
    if plain.starts_with('/') {
        return ArtifactLocation::builder().uri(format!("file://{}", encoded(plain))).build();
    }
    ArtifactLocation::builder().uri(encoded(plain)).uri_base_id(BASE).build()
}

/// Percent-encoded, but for unreserved characters and slashes. (A colon would end a scheme.)
fn encoded(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

/// Text that means itself: no placeholder (3.11.5) and no link (3.11.6).
pub(super) fn literal(text: &str) -> String {
    printable(text).replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

pub(super) fn message(text: &str) -> Message {
    Message::builder().text(literal(text)).build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoSources;

    #[test]
    fn files_are_addresses() {
        let shown = |file: &str| {
            let artifact = artifact(file);
            (artifact.uri.unwrap_or_default(), artifact.uri_base_id.is_some())
        };
        assert_eq!(shown("lib/a b.c"), ("lib/a%20b.c".to_owned(), true));
        assert_eq!(shown("./a.c"), ("a.c".to_owned(), true));
        assert_eq!(shown("c:x#%é.c"), ("c%3Ax%23%25%C3%A9.c".to_owned(), true));
        assert_eq!(shown("/usr/include/a.h"), ("file:///usr/include/a.h".to_owned(), false));
    }

    #[test]
    fn positions_are_found_in_the_ledger() {
        let places = Places { sources: &NoSources };
        let line = |text: &str| {
            let physical = places.named(text)?.physical_location?;
            physical.region?.start_line
        };
        assert_eq!(line("a.c:26"), Some(26));
        assert_eq!(line("fork at lib/a.c:7"), Some(7));
        for other in ["compiling", "insert and search", "insert", "", "a.c:0", "f and g: 3"] {
            assert_eq!(line(other), None, "{other}");
        }
    }

    #[test]
    fn text_is_inert() {
        assert_eq!(literal("p[0](x) {0}\u{1b}"), "p[0] (x) {{0}}\\x1b");
    }
}
