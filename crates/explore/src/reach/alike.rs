//! Which heaps are alike.

use ir::PointerSize;
use machine::State;
use memory::{Byte, Fingerprint, Mixer, ObjId, ObjectKind, Pointer, Value};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::hash::Hash;

/// Walks all that can be reached from some objects. Equal fingerprints: the same heap but for the values of symbols.
pub(super) fn look(state: &State, from: impl Iterator<Item = ObjId>) -> Fingerprint {
    let word = match state.memory.pointer_size() {
        PointerSize::Four => 4,
        PointerSize::Eight => 8,
    };
    let mut walk = Walk { state, word, numbers: FxHashMap::default(), open: VecDeque::new() };
    let mut mixer = Mixer::default();
    for object in from {
        walk.number(object).hash(&mut mixer);
    }
    while let Some(object) = walk.open.pop_front() {
        walk.object(object, &mut mixer);
    }
    mixer.fingerprint()
}

struct Walk<'a> {
    state: &'a State,
    word: u8,
    /// In the order in which they are come by.
    numbers: FxHashMap<ObjId, usize>,
    open: VecDeque<ObjId>,
}

impl Walk<'_> {
    fn number(&mut self, object: ObjId) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(object).or_insert_with(|| {
            self.open.push_back(object);
            next
        })
    }

    fn object(&mut self, object: ObjId, mixer: &mut Mixer) {
        let known = self.state.memory.object(object);
        (known.size, known.is_live()).hash(mixer);
        if matches!(known.kind, ObjectKind::Function(_)) || known.constant || !known.is_live() {
            return;
        }
        for offset in 0..known.contents.len() {
            match known.contents.byte(offset) {
                Byte::OfCell { value: Value::Ptr(Pointer { object, offset }), size, index: 0 } if size == self.word => {
                    (1u8, self.number(object), offset).hash(mixer);
                }
                Byte::OfCell { index: 0, .. } => 2u8.hash(mixer),
                Byte::OfCell { .. } => {}
                Byte::Concrete(byte) => (3u8, byte).hash(mixer),
                Byte::Undefined => 4u8.hash(mixer),
                Byte::Initial => 5u8.hash(mixer),
            }
        }
    }
}
