//! How the oracles name a race: the unordered pair of (line, kind of access).
//!
//! Lines are those of the rendered C source, from 1, as in the debug information of the load, store or call.
//! `x++` racing with itself is two races on one line: read with write, and write with write.

use std::fmt;

/// What an access does to the bytes it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    Read,
    Write,
    /// An atomic read-modify-write.
    ReadWrite,
    /// The end of the object: counts as a write to each of its bytes.
    Free,
    /// A lock operation on a lock that lies in memory which may be freed. Whether that is a data race or a plain
    /// use after free is a matter of reading, so it appears only in the permissive sets of [`crate::library`].
    Sync,
}

impl AccessKind {
    pub fn writes(self) -> bool {
        matches!(self, AccessKind::Write | AccessKind::ReadWrite | AccessKind::Free)
    }
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::ReadWrite => "read_write",
            AccessKind::Free => "free",
            AccessKind::Sync => "sync",
        })
    }
}

/// One side of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    pub line: u32,
    pub access: AccessKind,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.line, self.access)
    }
}

/// An unordered pair of sites.
///
/// Invariant: `first() <= second()`, so equal races compare equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Race {
    first: Site,
    second: Site,
}

impl Race {
    pub fn new(one: Site, other: Site) -> Race {
        Race { first: one.min(other), second: one.max(other) }
    }

    pub fn first(&self) -> Site {
        self.first
    }

    pub fn second(&self) -> Site {
        self.second
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {}", self.first, self.second)
    }
}
