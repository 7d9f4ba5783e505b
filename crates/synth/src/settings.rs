//! Calls that make a field lead to an object of the client's (Narada, sections 3.1 to 3.3).
//!
//! What a call leaves behind is looked at whole: where a path from a parameter, or from what is returned, leads after the call to an
//! object that another parameter led to before, the call is a setter of that path ([`Fact`]; the writeable accesses of Figure 7, the
//! summaries of Figure 9). [`Settings::find`] applies the rules of Figure 10.

use crate::paths::{AccessPath, Root, Sources};
use ir::{Module, c_type};
use std::collections::BTreeSet;

/// A call of a test, by the number of the test and its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallId {
    pub test: usize,
    pub call: usize,
}

/// Whose field it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Owner {
    /// Of what a parameter of this type leads to.
    Typed(String),
    Global(String),
}

/// Of a call: behind it a path leads to what another path led to before (`I_i.f ← I_j.g`).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fact {
    pub by: CallId,
    pub owner: Owner,
    /// The parameter that leads to the owner; none if it is a global, or what is returned.
    pub target: Option<usize>,
    pub is_result: bool,
    /// Offsets of the pointers that are followed.
    pub path: Vec<u64>,
    pub source: usize,
    pub source_type: String,
    pub source_path: Vec<u64>,
}

fn offsets(path: &AccessPath) -> Vec<u64> {
    path.follows.iter().map(|follow| follow.from).collect()
}

/// What a parameter leads to, as its declaration calls it; empty if that has no name.
pub fn pointee_name(module: &Module, function: ir::FuncId, parameter: usize) -> String {
    let declared = module[function].source_params.get(parameter);
    declared.and_then(|param| module.pointee(param.ty)).map(|ty| c_type(module, ty)).unwrap_or_default()
}

/// What a call sets.
pub fn facts(module: &Module, function: ir::FuncId, by: CallId, before: &Sources, after: &Sources) -> Vec<Fact> {
    let mut facts = BTreeSet::new();
    for (object, paths) in after.objects() {
        for path in paths {
            let (owner, target) = match path.root {
                Root::Parameter(index) => (Owner::Typed(pointee_name(module, function, index)), Some(index)),
                Root::Global(id) => (Owner::Global(module[id].name.clone()), None),
                Root::Result => {
                    let pointee = module[function].return_type.and_then(|ty| module.pointee(ty));
                    (Owner::Typed(pointee.map(|ty| c_type(module, ty)).unwrap_or_default()), None)
                }
            };
            let led_there = |earlier: &AccessPath| earlier.root == path.root && offsets(earlier) == offsets(path);
            if path.follows.is_empty() || before.of(object).iter().any(led_there) {
                continue;
            }
            for source in before.of(object) {
                let Root::Parameter(from) = source.root else { continue };
                if path.root == source.root {
                    continue;
                }
                facts.insert(Fact {
                    by,
                    owner: owner.clone(),
                    target,
                    is_result: path.root == Root::Result,
                    path: offsets(path),
                    source: from,
                    source_type: pointee_name(module, function, from),
                    source_path: offsets(source),
                });
            }
        }
    }
    facts.into_iter().collect()
}

/// Calls that make a path lead to an object, in this order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    pub calls: Vec<Bound>,
    /// The call that sets the path of the owner that was asked about.
    pub owner: usize,
    /// The call that gets the object, and by which parameter.
    pub object: (usize, usize),
}

/// A call of a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    pub fact: Fact,
    /// Parameters that get what another of the calls is about.
    pub same: Vec<(usize, Whose)>,
}

/// What another call of a setting is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whose {
    Parameter { call: usize, parameter: usize },
    Result { call: usize },
}

/// All that tests show to set something.
#[derive(Debug, Default)]
pub struct Settings {
    facts: Vec<Fact>,
}

/// Calls of one setting.
const LONGEST: usize = 3;

/// Settings of one path that are looked at.
const MOST: usize = 24;

impl Settings {
    pub fn new(facts: Vec<Fact>) -> Self {
        Settings { facts }
    }

    /// How a path can be made to lead to an object of the client's; those with fewer calls first.
    pub fn find(&self, owner: &Owner, path: &[u64]) -> Vec<Setting> {
        let mut found = self.within(owner, path, LONGEST);
        found.sort_by_key(|setting| setting.calls.len());
        found.truncate(MOST);
        found
    }

    fn within(&self, owner: &Owner, path: &[u64], calls: usize) -> Vec<Setting> {
        let mut found = Vec::new();
        if calls == 0 || path.is_empty() {
            return found;
        }
        let about = self.facts.iter().filter(|fact| fact.owner == *owner && path.starts_with(&fact.path));
        for fact in about {
            let rest = &path[fact.path.len()..];
            let own = Bound { fact: fact.clone(), same: Vec::new() };
            let source = Owner::Typed(fact.source_type.clone());
            match (rest.is_empty(), fact.source_path.is_empty()) {
                // SET, and DEEP-SET where the path is longer than one.
                (true, true) => found.push(Setting { calls: vec![own], owner: 0, object: (0, fact.source) }),
                // The source is a field of what is passed: the rules again, for that.
                (true, false) => {
                    for setting in self.within(&source, &fact.source_path, calls - 1) {
                        found.push(setting.then(own.clone(), fact.source));
                    }
                }
                // CONCAT: the rest is set in an object that becomes the field.
                (false, true) => {
                    for setting in self.within(&source, rest, calls - 1) {
                        found.push(setting.then(own.clone(), fact.source));
                    }
                }
                (false, false) => {}
            }
        }
        found
    }
}

impl Setting {
    /// One call more, which gets by a parameter what this is about.
    fn then(mut self, mut last: Bound, parameter: usize) -> Setting {
        let owner = &self.calls[self.owner].fact;
        let whose = match owner.target {
            Some(parameter) => Whose::Parameter { call: self.owner, parameter },
            None => Whose::Result { call: self.owner },
        };
        last.same.push((parameter, whose));
        self.calls.push(last);
        Setting { owner: self.calls.len() - 1, ..self }
    }
}
