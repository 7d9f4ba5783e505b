//! Interned sets of variables.
//!
//! A term's variables are a set id, so that "shares a variable" and "contains an uninitialised variable" cost
//! no walk of the term. Unions are memoised by pair of ids; a set is a sorted slice of variable indices.

use rustc_hash::FxHashMap;

/// An interned set of variables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct VarSetId(u32);

impl VarSetId {
    pub(crate) const EMPTY: VarSetId = VarSetId(0);

    pub(crate) fn is_empty(self) -> bool {
        self == VarSetId::EMPTY
    }
}

#[derive(Debug)]
struct VarSet {
    members: Box<[u32]>,
    has_uninit: bool,
}

#[derive(Debug)]
pub(crate) struct VarSets {
    sets: Vec<VarSet>,
    ids: FxHashMap<Box<[u32]>, VarSetId>,
    unions: FxHashMap<(VarSetId, VarSetId), VarSetId>,
}

impl VarSets {
    pub(crate) fn new() -> VarSets {
        let mut sets = VarSets { sets: Vec::new(), ids: FxHashMap::default(), unions: FxHashMap::default() };
        sets.intern(Box::default(), false);
        sets
    }

    pub(crate) fn singleton(&mut self, variable: u32, uninit: bool) -> VarSetId {
        self.intern(Box::new([variable]), uninit)
    }

    pub(crate) fn union(&mut self, a: VarSetId, b: VarSetId) -> VarSetId {
        if a == b || b.is_empty() {
            return a;
        }
        if a.is_empty() {
            return b;
        }
        let pair = if a < b { (a, b) } else { (b, a) };
        if let Some(&union) = self.unions.get(&pair) {
            return union;
        }
        let (x, y) = (&self.sets[a.0 as usize], &self.sets[b.0 as usize]);
        let has_uninit = x.has_uninit || y.has_uninit;
        let mut members: Vec<u32> = x.members.iter().chain(&y.members).copied().collect();
        members.sort_unstable();
        members.dedup();
        let union = self.intern(members.into_boxed_slice(), has_uninit);
        self.unions.insert(pair, union);
        union
    }

    pub(crate) fn members(&self, set: VarSetId) -> &[u32] {
        &self.sets[set.0 as usize].members
    }

    pub(crate) fn has_uninit(&self, set: VarSetId) -> bool {
        self.sets[set.0 as usize].has_uninit
    }

    fn intern(&mut self, members: Box<[u32]>, has_uninit: bool) -> VarSetId {
        if let Some(&id) = self.ids.get(&members) {
            return id;
        }
        let id = VarSetId(self.sets.len() as u32);
        self.ids.insert(members.clone(), id);
        self.sets.push(VarSet { members, has_uninit });
        id
    }
}
