//! Assignments to variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::pool::Terms;
use crate::term::TermId;

/// The value of an array variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ArrayValue {
    pub default: u8,
    /// Elements that differ from the default, by index.
    pub entries: BTreeMap<u128, u8>,
}

impl ArrayValue {
    pub fn get(&self, index: u128) -> u8 {
        self.entries.get(&index).copied().unwrap_or(self.default)
    }
}

/// An assignment to variables; a variable without an entry is zero.
///
/// Cloning is cheap. Iteration is in the order in which the variables were created.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    data: Arc<Data>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Data {
    values: BTreeMap<TermId, u128>,
    arrays: BTreeMap<TermId, ArrayValue>,
}

impl Model {
    pub fn new() -> Model {
        Model::default()
    }

    /// The value of a bit-vector variable; zero if the model does not mention it.
    pub fn value(&self, variable: TermId) -> u128 {
        self.get(variable).unwrap_or(0)
    }

    pub fn get(&self, variable: TermId) -> Option<u128> {
        self.data.values.get(&variable).copied()
    }

    pub fn set(&mut self, variable: TermId, value: u128) {
        Arc::make_mut(&mut self.data).values.insert(variable, value);
    }

    pub fn array(&self, variable: TermId) -> Option<&ArrayValue> {
        self.data.arrays.get(&variable)
    }

    pub fn set_array(&mut self, variable: TermId, value: ArrayValue) {
        Arc::make_mut(&mut self.data).arrays.insert(variable, value);
    }

    pub fn values(&self) -> impl Iterator<Item = (TermId, u128)> + '_ {
        self.data.values.iter().map(|(&v, &value)| (v, value))
    }

    pub fn arrays(&self) -> impl Iterator<Item = (TermId, &ArrayValue)> + '_ {
        self.data.arrays.iter().map(|(&v, value)| (v, value))
    }

    pub fn is_empty(&self) -> bool {
        self.data.values.is_empty() && self.data.arrays.is_empty()
    }

    /// Takes over every entry of `other`, whose values win.
    pub fn overlay(&mut self, other: &Model) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            *self = other.clone();
            return;
        }
        let data = Arc::make_mut(&mut self.data);
        data.values.extend(other.values());
        data.arrays.extend(other.arrays().map(|(v, value)| (v, value.clone())));
    }

    /// `name = value` pairs, for logs and assertion messages.
    pub fn display(&self, terms: &Terms) -> String {
        let mut parts = Vec::new();
        for (variable, value) in self.values() {
            parts.push(format!("{} = {value:#x}", terms.display(variable)));
        }
        for (variable, array) in self.arrays() {
            let mut text = format!("{}[*] = {:#x}", terms.display(variable), array.default);
            for (index, byte) in &array.entries {
                text.push_str(&format!(", [{index:#x}] = {byte:#x}"));
            }
            parts.push(text);
        }
        parts.join(", ")
    }
}
