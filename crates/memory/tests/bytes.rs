//! Reads, writes and copies of concrete and symbolic values against plain arrays of bytes.

use ir::{Module, PointerSize};
use memory::{Contents, HeapRules, Limits, Memory, ObjId, Object, ObjectKind, Pointer, TypeFacts, Value};
use smt::{Model, Terms};
use std::collections::BTreeMap;

const SIZE: usize = 24;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        // Marsaglia, Xorshift RNGs, 2003.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 3
    }

    fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound
    }
}

struct Pair {
    terms: Terms,
    module: Module,
    facts: TypeFacts,
    memory: Memory,
    objects: [ObjId; 2],
    /// What symbols are, and so what bytes are.
    model: Model,
    bytes: [[u8; SIZE]; 2],
}

impl Pair {
    fn new() -> Self {
        let module = ir::text::parse("T0 = void\n").expect("valid IR");
        let facts = TypeFacts::new(&module, Default::default());
        let mut memory = Memory::new(Limits { depth: 1, array: 1, rules: HeapRules::default() }, PointerSize::Eight);
        let object = |memory: &mut Memory, address| {
            let contents = Contents::concrete(vec![0; SIZE]);
            memory.insert(Object::new(ObjectKind::Heap, address, None, "", contents))
        };
        let objects = [object(&mut memory, 0x1000), object(&mut memory, 0x2000)];
        Pair { terms: Terms::default(), module, facts, memory, objects, model: Model::default(), bytes: [[0; SIZE]; 2] }
    }

    fn symbol(&mut self, rng: &mut Rng, number: usize, size: usize) -> (Value, u64) {
        let term = self.terms.var(&format!("v{number}"), size as u32 * 8);
        let value = rng.next() & mask(size);
        self.model.set(term, u128::from(value));
        (Value::Term(term), value)
    }

    fn number(&self, value: Value) -> u64 {
        match value {
            Value::Int(number) => number,
            Value::Term(term) => self.terms.eval(term, &self.model) as u64,
            other => panic!("{other:?} is no number"),
        }
    }

    fn check(&mut self, which: usize, offset: usize, size: usize, context: &str) {
        let at = Pointer::to(self.objects[which]).plus(offset as i64);
        let read = self.memory.read(&mut self.terms, &self.module, &self.facts, at, size as u64);
        let value = self.number(read.expect("no pointer of the heap is there"));
        let mut expected = [0; 8];
        expected[..size].copy_from_slice(&self.bytes[which][offset..offset + size]);
        assert_eq!(value, u64::from_le_bytes(expected), "{context}: {size} bytes at {offset} of object {which}");
    }
}

fn mask(size: usize) -> u64 {
    u64::MAX >> (64 - 8 * size)
}

#[test]
fn cells_and_bytes_are_what_was_written_there() {
    let mut symbolic: BTreeMap<bool, usize> = BTreeMap::new();
    for seed in 0..400 {
        let mut rng = Rng((seed + 1) * 0x9e37_79b9);
        let mut pair = Pair::new();
        for step in 0..40 {
            let which = rng.below(2);
            let size = [1, 2, 4, 8, 3][rng.below(5)];
            let offset = rng.below(SIZE - size + 1);
            let context = format!("seed {seed}, step {step}");
            match rng.below(4) {
                0 | 1 => {
                    let is_symbol = rng.below(2) == 0;
                    let (value, number) = match is_symbol {
                        true => pair.symbol(&mut rng, step, size),
                        false => {
                            let number = rng.next() & mask(size);
                            (Value::Int(number), number)
                        }
                    };
                    *symbolic.entry(is_symbol).or_default() += 1;
                    let at = Pointer::to(pair.objects[which]).plus(offset as i64);
                    pair.memory.write(&mut pair.terms, at, size as u64, value).expect("nothing is cut");
                    pair.bytes[which][offset..offset + size].copy_from_slice(&number.to_le_bytes()[..size]);
                }
                2 => {
                    let to = rng.below(2);
                    let end = rng.below(SIZE - size + 1);
                    let (from, into) = (
                        Pointer::to(pair.objects[which]).plus(offset as i64),
                        Pointer::to(pair.objects[to]).plus(end as i64),
                    );
                    let Pair { terms, module, facts, memory, .. } = &mut pair;
                    memory.copy(terms, module, facts, into, from, size as u64).expect("nothing is cut");
                    let copied = pair.bytes[which][offset..offset + size].to_vec();
                    pair.bytes[to][end..end + size].copy_from_slice(&copied);
                }
                _ => pair.check(which, offset, size, &context),
            }
        }
        for which in 0..2 {
            (0..SIZE).for_each(|offset| pair.check(which, offset, 1, &format!("seed {seed}, at the end")));
        }
    }
    assert!(symbolic.values().all(|&count| count > 1_000), "{symbolic:?}");
}

/// Equal contents have equal fingerprints, whatever was there before; other contents have others.
#[test]
fn a_fingerprint_is_of_what_is_there_now() {
    let mut pair = Pair::new();
    let at = Pointer::to(pair.objects[0]);
    let empty = pair.memory.fingerprint();
    let write = |pair: &mut Pair, offset, value| {
        pair.memory.write(&mut pair.terms, at.plus(offset), 4, Value::Int(value)).expect("a number");
        pair.memory.fingerprint()
    };
    let one = write(&mut pair, 4, 7);
    assert_ne!(one, empty);
    assert_ne!(write(&mut pair, 8, 7), one);
    write(&mut pair, 8, 0);
    assert_eq!(write(&mut pair, 4, 0), empty);
    let before = pair.memory.clone();
    write(&mut pair, 4, 9);
    assert_eq!(before.clone().fingerprint(), empty, "a copy is not changed with what it was copied from");
}
