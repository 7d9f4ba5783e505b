//! Which heaps are alike.

use ir::PointerSize;
use machine::{State, synchronisation};
use memory::{Byte, Fingerprint, Mixer, ObjId, ObjectKind, Pointer, Value};
use rustc_hash::FxHashMap;
use smt::Terms;
use std::collections::VecDeque;
use std::hash::Hash;

/// What heaps have in common.
pub(super) struct Look {
    /// Equal: the same heap but for the values of symbols.
    pub fingerprint: Fingerprint,
    pub has_symbols: bool,
}

/// Walks all that can be reached from some objects.
pub(super) fn look(terms: &Terms, state: &State, from: impl Iterator<Item = ObjId>) -> Look {
    let word = match state.memory.pointer_size() {
        PointerSize::Four => 4,
        PointerSize::Eight => 8,
    };
    let mut walk = Traversal {
        terms,
        state,
        word,
        numbers: FxHashMap::default(),
        open: VecDeque::new(),
        synchronisation: synchronisation(state),
        has_symbols: false,
    };
    let mut mixer = Mixer::default();
    for object in from {
        walk.number(object).hash(&mut mixer);
    }
    while let Some(object) = walk.open.pop_front() {
        walk.object(object, &mut mixer);
    }
    Look { fingerprint: mixer.fingerprint(), has_symbols: walk.has_symbols }
}

struct Traversal<'a> {
    terms: &'a Terms,
    state: &'a State,
    word: u8,
    /// In the order in which they are come by.
    numbers: FxHashMap<ObjId, usize>,
    open: VecDeque<ObjId>,
    synchronisation: FxHashMap<ObjId, Vec<(u64, u8, Vec<u64>)>>,
    has_symbols: bool,
}

impl Traversal<'_> {
    fn number(&mut self, object: ObjId) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(object).or_insert_with(|| {
            self.open.push_back(object);
            next
        })
    }

    fn object(&mut self, object: ObjId, mixer: &mut Mixer) {
        let known = self.state.memory.object(object);
        (known.size, known.is_live(), self.synchronisation.get(&object)).hash(mixer);
        if matches!(known.kind, ObjectKind::Function(_)) || known.constant || !known.is_live() {
            return;
        }
        known.contents.tail().hash(mixer);
        for offset in 0..known.contents.told() {
            match known.contents.byte(offset) {
                Byte::OfCell { value: Value::Ptr(Pointer { object, offset, .. }), size, index: 0 }
                    if size == self.word =>
                {
                    (1u8, self.number(object), offset).hash(mixer);
                }
                Byte::OfCell { value, index, .. } => {
                    if index == 0 {
                        2u8.hash(mixer);
                    }
                    // What was never set, or are a lock's bytes, has no values to choose.
                    let unset = matches!(value, Value::Term(term) if self.terms.has_uninit(term));
                    self.has_symbols |= !unset && !matches!(value, Value::Ptr(_));
                }
                Byte::Concrete(byte) => (3u8, byte).hash(mixer),
                Byte::Undefined => 4u8.hash(mixer),
                Byte::Initial => 5u8.hash(mixer),
            }
        }
    }
}
