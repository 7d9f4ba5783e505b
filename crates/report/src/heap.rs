//! The initial heap of a finding, as data.

use serde::Serialize;

/// Objects and what points to them before the first step.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Heap {
    /// Parameters and globals through which the rest is reached.
    pub roots: Vec<HeapRoot>,
    pub objects: Vec<HeapObject>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HeapRoot {
    pub name: String,
    pub content: Content,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HeapObject {
    pub name: String,
    /// As the source writes it: `struct node`; empty where it is unknown.
    pub r#type: String,
    /// Such as `freed`.
    pub note: Option<String>,
    /// Those that matter, in the order of their offsets.
    pub fields: Vec<HeapField>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HeapField {
    /// Path inside the object: `next[0]`; empty for an object that is one scalar.
    pub name: String,
    pub content: Content,
}

/// What a field or root holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    Link {
        object: String,
        /// The member pointed to, where it is not the object's start.
        inside: Option<String>,
    },
    Null,
    Value(String),
    /// Any value shows the finding.
    Any,
}

impl Content {
    /// A pointer to an object's start.
    pub fn link(object: impl Into<String>) -> Self {
        Content::Link { object: object.into(), inside: None }
    }
}
