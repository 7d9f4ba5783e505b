//! Locks as seen from an object that is accessed while they are held: `that node's mutex`, whatever the object is called.

use crate::Location;
use crate::finding::AccessKind;

/// A lock that is held during an access.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Guard {
    pub owner: GuardOwner,
    /// The type of the object that the lock is in: `struct node`; empty for a variable, or where it is unknown.
    pub object: String,
    /// The lock in that object: `mutex`; a variable by its name: `table.lock`.
    pub member: String,
    /// Held for reading, with others.
    pub shared: bool,
}

/// What a lock belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GuardOwner {
    /// The object that is accessed.
    Accessed,
    Variable,
    /// Another object.
    Other,
}

/// A place in the source that accesses a field, and what is held each time that it is reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guarded {
    /// As [`crate::Access::field`]; elements of arrays may be told apart or not.
    pub field: String,
    pub location: Location,
    pub access: AccessKind,
    pub atomic: bool,
    /// Held at every one of these accesses that was seen.
    pub held: Vec<Guard>,
}

/// What operations hold at their accesses, each by itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Guards {
    pub accesses: Vec<Guarded>,
    /// There may be others.
    pub more: bool,
}

impl Guard {
    /// `that node's `mutex``, `another node's `mutex``, `a list's `lock``, `the global `lock``. `accessed`: the type of the object
    /// that is accessed.
    pub(crate) fn in_words(&self, accessed: &str) -> String {
        let name = if self.object.is_empty() { "object" } else { short(&self.object) };
        let owner = match self.owner {
            GuardOwner::Accessed => format!("that {name}'s"),
            GuardOwner::Variable => "the variable".to_owned(),
            GuardOwner::Other if self.object == accessed || self.object.is_empty() => format!("another {name}'s"),
            GuardOwner::Other => format!("{} {name}'s", article(name)),
        };
        let lock = if self.member.is_empty() { "lock".to_owned() } else { format!("`{}`", self.member) };
        let shared = if self.shared { " for reading" } else { "" };
        format!("{owner} {lock}{shared}")
    }
}

/// `node` for `struct node`.
pub(crate) fn short(object: &str) -> &str {
    object.strip_prefix("struct ").or_else(|| object.strip_prefix("union ")).unwrap_or(object)
}

fn article(name: &str) -> &'static str {
    if name.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) { "an" } else { "a" }
}

/// What is held, in words: `nothing`, `that node's `mutex` and the variable `lock``.
pub(crate) fn held(guards: &[Guard], accessed: &str) -> String {
    let mut words: Vec<String> = guards.iter().map(|guard| guard.in_words(accessed)).collect();
    // Those of several other objects.
    words.dedup();
    match words.as_slice() {
        [] => "nothing".to_owned(),
        words => crate::words::list(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_named_from_the_object() {
        let guard = |owner, object: &str, member: &str| Guard {
            owner,
            object: object.into(),
            member: member.into(),
            shared: false,
        };
        let node = "struct node";
        for (guard, words) in [
            (guard(GuardOwner::Accessed, node, "mutex"), "that node's `mutex`"),
            (guard(GuardOwner::Other, node, "mutex"), "another node's `mutex`"),
            (guard(GuardOwner::Other, "struct entry", "lock"), "an entry's `lock`"),
            (guard(GuardOwner::Other, "", ""), "another object's lock"),
            (guard(GuardOwner::Variable, "", "table.lock"), "the variable `table.lock`"),
        ] {
            assert_eq!(guard.in_words(node), words);
        }
        let reader = Guard { shared: true, ..guard(GuardOwner::Accessed, node, "lock") };
        assert_eq!(held(&[reader], node), "that node's `lock` for reading");
        assert_eq!(held(&[], node), "nothing");
    }
}
