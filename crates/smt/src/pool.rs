//! The pool of hash-consed terms.
//!
//! Guarantee: equal keys have equal ids; operands precede the terms that use them, so ids are a topological
//! order. Per term the pool keeps its key, its facts and its variables; nothing is ever removed.
//! A pool belongs to one worker and shares nothing with others.

use std::hash::Hasher;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use crate::facts::{self, Facts};
use crate::float::FloatOp;
use crate::rewrite;
use crate::term::{Key, MAX_WIDTH, Node, Op, Sort, TermId, Variable};
use crate::vars::{VarSetId, VarSets};

/// Distinguishes pools, so that a solver notices when it is handed terms of another one.
static NEXT_POOL: AtomicU64 = AtomicU64::new(1);

/// The pool: building terms needs `&mut`, reading them `&`.
#[derive(Debug)]
pub struct Terms {
    id: u64,
    keys: Vec<Key>,
    table: HashTable<TermId>,
    facts: Vec<Facts>,
    /// Per term an index into `facts`; index `w` holds what is known of nothing at width `w`.
    facts_at: Vec<u32>,
    vars_at: Vec<VarSetId>,
    var_sets: VarSets,
    variables: Vec<Variable>,
    variable_ids: FxHashMap<(String, Sort, bool), TermId>,
    /// Whether a floating-point operator was ever used.
    has_numbers: bool,
    pub(crate) rewriter: rewrite::State,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    pub fn new() -> Terms {
        Terms {
            id: NEXT_POOL.fetch_add(1, Ordering::Relaxed),
            keys: Vec::new(),
            table: HashTable::new(),
            facts: (0..=MAX_WIDTH).map(Facts::top).collect(),
            facts_at: Vec::new(),
            vars_at: Vec::new(),
            var_sets: VarSets::new(),
            variables: Vec::new(),
            variable_ids: FxHashMap::default(),
            has_numbers: false,
            rewriter: rewrite::State::new(true),
        }
    }

    /// A pool that stores terms as they are written: for proving the rewriter.
    pub fn without_rewriting() -> Terms {
        let mut terms = Terms::new();
        terms.rewriter = rewrite::State::new(false);
        terms
    }

    /// Unique per pool within the process.
    pub(crate) fn pool_id(&self) -> u64 {
        self.id
    }

    /// Whether any term is of a floating-point operator.
    pub(crate) fn has_numbers(&self) -> bool {
        self.has_numbers
    }

    /// How many terms the pool holds.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    // Readers.

    /// Width in bits of a bit-vector; of an array, the width of its index.
    pub fn width(&self, t: TermId) -> u32 {
        self.key(t).w()
    }

    pub fn sort(&self, t: TermId) -> Sort {
        let key = self.key(t);
        if key.op.is_array() { Sort::Array { index: key.w() } } else { Sort::BitVec(key.w()) }
    }

    pub fn as_const(&self, t: TermId) -> Option<u128> {
        self.key(t).value()
    }

    pub fn is_const(&self, t: TermId) -> bool {
        self.key(t).op == Op::Const
    }

    /// Whether `t` is the constant true, that is one bit, set.
    pub fn is_true(&self, t: TermId) -> bool {
        self.width(t) == 1 && self.as_const(t) == Some(1)
    }

    pub fn is_false(&self, t: TermId) -> bool {
        self.width(t) == 1 && self.as_const(t) == Some(0)
    }

    /// Whether an uninitialised variable occurs in `t`.
    pub fn has_uninit(&self, t: TermId) -> bool {
        self.var_sets.has_uninit(self.vars_at[t.index()])
    }

    /// What a one-bit term is the conjunction of, from left to right; the term itself if it is none.
    pub fn conjuncts(&self, t: TermId) -> Vec<TermId> {
        let mut conjuncts = Vec::new();
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            let key = self.key(t);
            if key.op == Op::And && key.w() == 1 {
                work.extend([key.b(), key.a()]);
            } else {
                conjuncts.push(t);
            }
        }
        conjuncts
    }

    /// Indices of the variables that occur in `t`, ascending; see [`Terms::variable`].
    pub fn vars(&self, t: TermId) -> &[u32] {
        self.var_sets.members(self.vars_at[t.index()])
    }

    pub fn variable(&self, index: u32) -> &Variable {
        &self.variables[index as usize]
    }

    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The variable that `t` is, if it is one.
    pub fn as_variable(&self, t: TermId) -> Option<&Variable> {
        let key = self.key(t);
        matches!(key.op, Op::Var | Op::ArrayVar).then(|| self.variable(key.args[0]))
    }

    pub fn facts(&self, t: TermId) -> Facts {
        let key = self.key(t);
        match key.value() {
            Some(value) => Facts::exact(key.w(), value),
            None => self.facts[self.facts_at[t.index()] as usize],
        }
    }

    /// The operator and operands of `t`.
    pub fn node(&self, t: TermId) -> Node {
        let key = self.key(t);
        let (a, b, c) = (key.a(), key.b(), key.c());
        match key.op {
            Op::Const => Node::Const { width: key.w(), value: key.value().unwrap_or_default() },
            Op::Var => Node::Var(key.args[0] as usize),
            Op::Not => Node::Not(a),
            Op::Neg => Node::Neg(a),
            Op::And => Node::And(a, b),
            Op::Or => Node::Or(a, b),
            Op::Xor => Node::Xor(a, b),
            Op::Add => Node::Add(a, b),
            Op::Mul => Node::Mul(a, b),
            Op::Udiv => Node::Udiv(a, b),
            Op::Sdiv => Node::Sdiv(a, b),
            Op::Urem => Node::Urem(a, b),
            Op::Srem => Node::Srem(a, b),
            Op::Shl => Node::Shl(a, b),
            Op::Lshr => Node::Lshr(a, b),
            Op::Ashr => Node::Ashr(a, b),
            Op::Eq => Node::Eq(a, b),
            Op::Ult => Node::Ult(a, b),
            Op::Slt => Node::Slt(a, b),
            Op::Ite => Node::Ite(a, b, c),
            Op::Concat => Node::Concat(a, b),
            Op::Extract => Node::Extract { term: a, high: key.high(), low: key.low() },
            Op::Sext => Node::Sext { term: a, width: key.w() },
            Op::ArrayVar => Node::ArrayVar(key.args[0] as usize),
            Op::ConstArray => Node::ConstArray(a),
            Op::Store => Node::Store { array: a, index: b, value: c },
            Op::Select => Node::Select { array: a, index: b },
            Op::IteArray => Node::IteArray(a, b, c),
            Op::Float1 | Op::Float2 | Op::Float3 => Node::Float(FloatOp::of(key.low), [a, b, c]),
        }
    }

    /// The operands of `t`, in order.
    pub fn args(&self, t: TermId) -> impl Iterator<Item = TermId> + use<> {
        self.key(t).operands()
    }

    pub(crate) fn key(&self, t: TermId) -> Key {
        self.keys[t.index()]
    }

    pub(crate) fn op(&self, t: TermId) -> Op {
        self.keys[t.index()].op
    }

    // Building.

    /// A fresh or known variable. Name, sort and flag together identify it.
    pub(crate) fn intern_variable(&mut self, name: &str, sort: Sort, uninit: bool) -> TermId {
        // Looked up by owned key: variables are created rarely, terms often.
        let id = (name.to_owned(), sort, uninit);
        if let Some(&t) = self.variable_ids.get(&id) {
            return t;
        }
        let index = self.variables.len() as u32;
        let (op, width) = match sort {
            Sort::BitVec(width) => (Op::Var, width),
            Sort::Array { index } => (Op::ArrayVar, index),
        };
        let mut key = Key::new(op, width, &[]);
        key.args[0] = index;
        let set = self.var_sets.singleton(index, uninit);
        let t = self.push(key, Facts::top(width), set);
        self.variables.push(Variable { name: name.to_owned(), sort, uninit, term: t });
        self.variable_ids.insert(id, t);
        t
    }

    /// The term of `key`, or of what the rewriter makes of it.
    pub(crate) fn make(&mut self, key: Key) -> TermId {
        let key = self.ordered(key);
        if let Some(t) = self.find(&key) {
            return t;
        }
        if self.rewriter.enabled {
            return rewrite::rewrite(self, key);
        }
        self.intern(key)
    }

    /// Commutative operands go in the order of their ids, a constant last: rules look for it there.
    fn ordered(&self, mut key: Key) -> Key {
        if key.op.commutes() {
            let rank = |t: TermId| (self.op(t) == Op::Const, t);
            if rank(key.a()) > rank(key.b()) {
                key.args.swap(0, 1);
            }
        }
        key
    }

    pub(crate) fn find(&self, key: &Key) -> Option<TermId> {
        self.table.find(hash(key), |t| self.keys[t.index()] == *key).copied()
    }

    /// Stores `key` as it is.
    pub(crate) fn intern(&mut self, key: Key) -> TermId {
        let key = self.ordered(key);
        match self.find(&key) {
            Some(t) => t,
            None => {
                let facts = facts::of_key(self, &key);
                self.intern_new(key, facts)
            }
        }
    }

    /// Stores a key that is known to be new, with its facts.
    pub(crate) fn intern_new(&mut self, key: Key, facts: Facts) -> TermId {
        let mut set = VarSetId::EMPTY;
        for arg in key.operands() {
            set = self.var_sets.union(set, self.vars_at[arg.index()]);
        }
        self.push(key, facts, set)
    }

    fn push(&mut self, key: Key, facts: Facts, set: VarSetId) -> TermId {
        self.has_numbers |= key.float_op().is_some();
        let t = TermId(u32::try_from(self.keys.len()).expect("fewer than 2^32 terms"));
        let trivial = key.op == Op::Const || facts == Facts::top(key.w());
        self.facts_at.push(if trivial {
            key.w()
        } else {
            self.facts.push(facts);
            self.facts.len() as u32 - 1
        });
        self.keys.push(key);
        self.vars_at.push(set);
        let keys = &self.keys;
        self.table.insert_unique(hash(&key), t, |t| hash(&keys[t.index()]));
        t
    }
}

fn hash(key: &Key) -> u64 {
    let head = u64::from(key.op as u8) | u64::from(key.width) << 8 | u64::from(key.low) << 16;
    let mut hasher = FxHasher::default();
    hasher.write_u64(head | u64::from(key.args[0]) << 32);
    hasher.write_u64(u64::from(key.args[1]) | u64::from(key.args[2]) << 32);
    if key.op == Op::Const {
        hasher.write_u32(key.args[3]);
    }
    hasher.finish()
}
