//! The race of a witness, by the places in the source where it was found; the same race in another program.

use explore::{FindingKey, Position};
use ir::{Module, SourceFile};
use std::path::{Path, PathBuf};
use witness::Witness;
use witness::format::AccessInfo;

/// Where an access is, as findings are told apart by.
pub(super) fn position(module: &Module, access: &AccessInfo) -> Option<Position> {
    let SourceFile { path, .. } = module.files.iter().find(|file| file.path == access.position.file)?;
    Some(Position { file: path.clone(), line: access.position.line, column: access.position.column })
}

pub(super) fn absolute(module: &Module, file: &str) -> Option<PathBuf> {
    let SourceFile { path, directory } = module.files.iter().find(|known| known.path == file)?;
    let path = Path::new(directory).join(path);
    Some(path.canonicalize().unwrap_or(path))
}

/// The race of a witness with its two positions found somewhere.
pub(super) fn key_of(witness: &Witness, find: impl Fn(&AccessInfo) -> Option<Position>) -> Option<FindingKey> {
    let mut sides = Vec::new();
    for access in &witness.failure.accesses {
        let kind = match access.access.as_str() {
            "read" => concurrency::AccessKind::Read,
            "write" => concurrency::AccessKind::Write,
            "read_write" => concurrency::AccessKind::ReadWrite,
            "free" => concurrency::AccessKind::Free,
            _ => return None,
        };
        sides.push((find(access)?, kind, access.atomic));
    }
    sides.sort();
    let sides = sides.try_into().ok()?;
    Some(match witness.failure.race {
        Some(race) => FindingKey::GpuRace(race, sides),
        None => FindingKey::Race(sides),
    })
}

/// Where a race is.
pub(super) fn positions(key: &FindingKey) -> impl Iterator<Item = &Position> {
    let sides = key.sides().map_or(&[][..], |sides| sides.as_slice());
    sides.iter().map(|side| &side.0)
}

pub(super) fn is_at(key: &FindingKey, position: &Position) -> bool {
    key.sides().is_some_and(|sides| sides.iter().any(|side| side.0 == *position))
}
