//! Terms as circuits.
//!
//! Each term is translated once, operands first, into a word of literals. Arrays become words as well: an element of a
//! chain of stores is chosen by comparing indices, and elements of an array variable are fresh words, equal where their
//! indices are (Ackermann 1954).

use rustc_hash::FxHashMap;

use super::gates::{Clauses, Gates, Lit};
use super::words::{self, Word};
use crate::float::FloatOp;
use crate::model::{ArrayValue, Model};
use crate::pool::Terms;
use crate::term::{Key, Op, TermId};

/// Clauses that one query may add, and choices between arrays that lie within each other.
const MAX_CLAUSES: usize = 4_000_000;
const MAX_ARRAY_DEPTH: u32 = 64;

/// A query's circuit would be too large.
#[derive(Debug)]
pub(super) struct TooLarge;

/// The translations of one pool's terms.
pub(super) struct Circuit<C> {
    pub(super) gates: Gates<C>,
    words: FxHashMap<TermId, Word>,
    /// Elements found so far, by array and index.
    elements: FxHashMap<(TermId, Word), Word>,
    /// Of an array variable, the elements read.
    reads: FxHashMap<TermId, Vec<(Word, Word)>>,
    /// No query may go beyond as many clauses.
    most: usize,
}

impl<C: Clauses> Circuit<C> {
    pub(super) fn new(solver: C) -> Circuit<C> {
        Circuit {
            gates: Gates::new(solver),
            words: FxHashMap::default(),
            elements: FxHashMap::default(),
            reads: FxHashMap::default(),
            most: MAX_CLAUSES,
        }
    }

    /// From now on a query begins.
    pub(super) fn begin(&mut self) {
        self.most = self.gates.size().1 + MAX_CLAUSES;
    }

    /// The literal of a one-bit term.
    pub(super) fn literal(&mut self, terms: &Terms, t: TermId) -> Result<Lit, TooLarge> {
        let mut work = vec![t];
        while let Some(&top) = work.last() {
            if self.words.contains_key(&top) {
                work.pop();
                continue;
            }
            let pending = work.len();
            work.extend(terms.args(top).filter(|a| !self.words.contains_key(a)));
            if work.len() == pending {
                work.pop();
                let word = self.build(terms, &terms.key(top), top)?;
                self.words.insert(top, word);
                if self.gates.size().1 > self.most {
                    return Err(TooLarge);
                }
            }
        }
        self.words.get(&t).and_then(|word| word.first().copied()).ok_or(TooLarge)
    }

    fn word(&self, t: TermId) -> &[Lit] {
        self.words.get(&t).map_or(&[], Vec::as_slice)
    }

    /// The word of a term whose operands have theirs; arrays have none.
    fn build(&mut self, terms: &Terms, key: &Key, t: TermId) -> Result<Word, TooLarge> {
        let (w, a) = (key.w(), key.a());
        Ok(match key.op {
            Op::Const => words::constant(w, key.value().unwrap_or_default()),
            Op::Var => (0..w).map(|_| self.gates.fresh()).collect(),
            Op::ArrayVar | Op::ConstArray | Op::Store | Op::IteArray => {
                debug_assert!(terms.op(t).is_array());
                Word::new()
            }
            Op::Not => self.word(a).iter().map(|l| -l).collect(),
            Op::Neg => {
                let x = self.word(a).to_vec();
                self.gates.negate(&x)
            }
            Op::Extract => self.word(a)[key.low() as usize..=key.high() as usize].to_vec(),
            Op::Sext => {
                let mut word = self.word(a).to_vec();
                let sign = word[word.len() - 1];
                word.resize(w as usize, sign);
                word
            }
            Op::Ite => {
                let (c, x, y) = (self.word(a)[0], self.word(key.b()).to_vec(), self.word(key.c()).to_vec());
                self.gates.choose(c, &x, &y)
            }
            Op::Select => {
                let index = self.word(key.b()).to_vec();
                self.read(terms, a, &index, MAX_ARRAY_DEPTH)?
            }
            Op::Float1 | Op::Float2 | Op::Float3 => {
                let args: Vec<Word> = key.operands().map(|t| self.word(t).to_vec()).collect();
                self.gates.float(FloatOp::of(key.low), w, &args)
            }
            _ => self.binary(key),
        })
    }

    fn binary(&mut self, key: &Key) -> Word {
        let (x, y) = (self.word(key.a()).to_vec(), self.word(key.b()).to_vec());
        let gates = &mut self.gates;
        match key.op {
            Op::And => gates.zip(&x, &y, Gates::and),
            Op::Or => gates.zip(&x, &y, Gates::or),
            Op::Xor => gates.zip(&x, &y, Gates::xor),
            Op::Add => gates.add(&x, &y, super::gates::FALSE).0,
            Op::Mul => gates.multiply(&x, &y),
            Op::Udiv => gates.divide(&x, &y).0,
            Op::Urem => gates.divide(&x, &y).1,
            Op::Sdiv => gates.signed_divide(&x, &y).0,
            Op::Srem => gates.signed_divide(&x, &y).1,
            Op::Shl => gates.shift_left(&x, &y),
            Op::Lshr => gates.shift_right(&x, &y, super::gates::FALSE),
            Op::Ashr => gates.shift_right(&x, &y, x[x.len() - 1]),
            Op::Eq => vec![gates.equal(&x, &y)],
            Op::Ult => vec![gates.less(&x, &y)],
            Op::Slt => vec![gates.signed_less(&x, &y)],
            // The second operand holds the low bits.
            Op::Concat => y.into_iter().chain(x).collect(),
            Op::Const | Op::Var | Op::Not | Op::Neg | Op::Ite | Op::Extract | Op::Sext => unreachable!("{:?}", key.op),
            Op::ArrayVar | Op::ConstArray | Op::Store | Op::Select | Op::IteArray => unreachable!("{:?}", key.op),
            Op::Float1 | Op::Float2 | Op::Float3 => unreachable!("{:?}", key.op),
        }
    }

    /// An element of an array, all of whose parts have their words.
    fn read(&mut self, terms: &Terms, array: TermId, index: &Word, depth: u32) -> Result<Word, TooLarge> {
        if let Some(word) = self.elements.get(&(array, index.clone())) {
            return Ok(word.clone());
        }
        if depth == 0 || self.gates.size().1 > self.most {
            return Err(TooLarge);
        }
        // The stores passed, the last first, with whether their index is the one read.
        let mut passed = Vec::new();
        let mut base = array;
        let below = loop {
            let key = terms.key(base);
            match key.op {
                Op::Store => {
                    let at = self.word(key.b()).to_vec();
                    let hit = self.gates.equal(&at, index);
                    let value = self.word(key.c()).to_vec();
                    if hit == super::gates::TRUE {
                        break value;
                    }
                    if hit != super::gates::FALSE {
                        passed.push((hit, value));
                    }
                    base = key.a();
                }
                Op::ConstArray => break self.word(key.a()).to_vec(),
                Op::IteArray => {
                    let condition = self.word(key.a())[0];
                    let a = self.read(terms, key.b(), index, depth - 1)?;
                    let b = self.read(terms, key.c(), index, depth - 1)?;
                    break self.gates.choose(condition, &a, &b);
                }
                _ => break self.read_variable(base, index),
            }
        };
        let word = passed.into_iter().rev().fold(below, |below, (hit, value)| self.gates.choose(hit, &value, &below));
        self.elements.insert((array, index.clone()), word.clone());
        Ok(word)
    }

    fn read_variable(&mut self, array: TermId, index: &Word) -> Word {
        let known = self.reads.remove(&array).unwrap_or_default();
        let word: Word = (0..8).map(|_| self.gates.fresh()).collect();
        for (other, value) in &known {
            let same = self.gates.equal(index, other);
            if same != super::gates::FALSE {
                for (&x, &y) in word.iter().zip(value) {
                    self.gates.clause(&[-same, -x, y]);
                    self.gates.clause(&[-same, x, -y]);
                }
            }
        }
        let mut all = known;
        all.push((index.clone(), word.clone()));
        self.reads.insert(array, all);
        word
    }

    /// The values of variables, given those of literals.
    pub(super) fn model(&self, terms: &Terms, variables: &[u32], value: impl Fn(Lit) -> bool) -> Model {
        let number = |word: &[Lit]| -> u128 {
            word.iter().rev().fold(0, |number, &literal| number << 1 | u128::from(value(literal)))
        };
        let mut model = Model::new();
        for &variable in variables {
            let t = terms.variable(variable).term;
            if terms.op(t) == Op::Var {
                // Without a word it is in a part that was simplified away.
                if let Some(word) = self.words.get(&t) {
                    model.set(t, number(word));
                }
            } else if let Some(reads) = self.reads.get(&t) {
                let mut array = ArrayValue::default();
                for (index, byte) in reads {
                    array.entries.insert(number(index), number(byte) as u8);
                }
                model.set_array(t, array);
            }
        }
        model
    }
}
