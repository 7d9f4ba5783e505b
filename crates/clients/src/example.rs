//! The heap that a race was found on, and how far another one is like it.

use super::library::Library;
use ir::PointerSize;
use machine::{Engine, Program, State};
use memory::{Byte, Contents, ObjId, ObjectKind, Pointer, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use smt::{TermId, Terms};
use std::collections::VecDeque;

/// A heap, as far as it matters for a race, and what the operations that race were called with on it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Example {
    pub objects: Vec<ExampleObject>,
    /// By operation and parameter.
    pub arguments: [Vec<ExampleValue>; 2],
}

/// An object of the heap that a race was found on.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ExampleObject {
    /// A global's name.
    pub global: Option<String>,
    /// By offset and size, both in bytes.
    pub cells: Vec<(u64, u64, ExampleValue)>,
}

/// What a cell of such an object held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum ExampleValue {
    /// Zero-extended bits.
    Number(u64),
    Null,
    /// An object of the example by index, and an offset in it in bytes.
    Object(usize, u64),
    /// Anything.
    Other,
}

/// Two heaps side by side.
#[derive(Debug, Default)]
pub(super) struct Likeness {
    /// Cells that are not as in the example.
    pub differences: usize,
    /// Terms that would have to have these values.
    pub equal: Vec<(TermId, u64)>,
}

impl Example {
    /// By root of the library: which object of the example it is, where the operations get it.
    pub(super) fn roots(
        &self,
        program: &Program,
        library: &Library,
        operations: [ir::FuncId; 2],
    ) -> Vec<Option<usize>> {
        let mut roots = vec![None; library.roots().len()];
        for (function, arguments) in operations.into_iter().zip(&self.arguments) {
            for (parameter, root) in library.roots_taken(program, function) {
                if let Some(ExampleValue::Object(object, 0)) = arguments.get(parameter) {
                    roots[root].get_or_insert(*object);
                }
            }
        }
        roots
    }

    /// How a heap is like this one, walked from the roots that correspond and from the globals.
    pub(super) fn likeness(&self, program: &Program, state: &State, roots: &[(usize, Value)]) -> Likeness {
        let mut walk = Traversal {
            example: self,
            state,
            known: FxHashMap::default(),
            open: VecDeque::new(),
            likeness: Likeness::default(),
        };
        for (object, value) in roots {
            match value {
                Value::Ptr(pointer) => walk.is(*object, pointer.object),
                _ => walk.likeness.differences += 1,
            }
        }
        for (index, object) in self.objects.iter().enumerate() {
            let named = |name: &String| program.module.globals().find(|(_, global)| global.name == *name);
            if let Some((global, _)) = object.global.as_ref().and_then(named)
                && let Some(id) = state.memory.global(global)
            {
                walk.is(index, id);
            }
        }
        while let Some((object, id)) = walk.open.pop_front() {
            walk.cells(object, id);
        }
        walk.likeness.differences += self.objects.len().saturating_sub(walk.known.len());
        walk.likeness
    }

    /// Assumes that values are as in the example, or equal as there, as far as they can be.
    ///
    /// # Errors
    /// When the solver fails.
    pub(super) fn assume(
        &self,
        engine: &mut Engine,
        state: &mut State,
        likeness: &Likeness,
        arguments: [&[Value]; 2],
    ) -> Result<(), smt::SolverError> {
        let mut wanted = Vec::new();
        for (values, examples) in arguments.into_iter().zip(&self.arguments) {
            for (value, example) in values.iter().zip(examples) {
                if let (&Value::Term(term), &ExampleValue::Number(number)) = (value, example) {
                    wanted.push((term, number));
                }
            }
        }
        wanted.extend(&likeness.equal);
        let numbers: Vec<TermId> = wanted
            .iter()
            .map(|&(term, number)| {
                let number = engine.terms.bv(engine.terms.width(term), u128::from(number));
                engine.terms.eq(term, number)
            })
            .collect();
        if can_hold(engine, state, &numbers)? {
            numbers.into_iter().for_each(|equal| state.path.assume(equal));
            return Ok(());
        }
        // A value that cannot be had may still be equal to others as in the example, and that matters more than what these are.
        let mut had = Vec::new();
        let mut strange = FxHashSet::default();
        for (&(term, _), &equal) in wanted.iter().zip(&numbers) {
            had.push(equal);
            if !can_hold(engine, state, &had)? {
                had.pop();
                strange.insert(term);
            }
        }
        let equalities = equalities(&mut engine.terms, wanted, &strange);
        for condition in equalities.into_iter().chain(numbers) {
            if can_hold(engine, state, &[condition])? {
                state.path.assume(condition);
            }
        }
        Ok(())
    }
}

/// Whether all of these can hold in a state.
fn can_hold(engine: &mut Engine, state: &State, conditions: &[TermId]) -> Result<bool, smt::SolverError> {
    let all: Vec<TermId> = state.path.terms().iter().chain(conditions).copied().collect();
    Ok(engine.solver.model(&mut engine.terms, &all)?.is_sat())
}

/// Which terms of one width are equal if all have these values, `some` among them. (That one is less than the other would be
/// as true, but makes queries that the solver does not come to an end with.)
fn equalities(terms: &mut Terms, mut values: Vec<(TermId, u64)>, some: &FxHashSet<TermId>) -> Vec<TermId> {
    values.sort_by_key(|&(term, number)| (terms.width(term), number));
    let mut all = Vec::new();
    for two in values.windows(2) {
        let [(x, one), (y, other)] = *two else { continue };
        if terms.width(x) == terms.width(y) && one == other && (some.contains(&x) || some.contains(&y)) {
            all.push(terms.eq(x, y));
        }
    }
    all
}

struct Traversal<'a> {
    example: &'a Example,
    state: &'a State,
    /// Which object of the heap an object of the example is.
    known: FxHashMap<usize, ObjId>,
    open: VecDeque<(usize, ObjId)>,
    likeness: Likeness,
}

impl Traversal<'_> {
    fn is(&mut self, object: usize, id: ObjId) {
        match self.known.get(&object) {
            None => {
                self.known.insert(object, id);
                self.open.push_back((object, id));
            }
            Some(known) => self.likeness.differences += usize::from(*known != id),
        }
    }

    fn cells(&mut self, object: usize, id: ObjId) {
        let Some(example) = self.example.objects.get(object) else { return };
        let memory = &self.state.memory;
        let word = match memory.pointer_size() {
            PointerSize::Four => 4,
            PointerSize::Eight => 8,
        };
        let heap = memory.object(id);
        if !heap.is_live() {
            self.likeness.differences += 1;
            return;
        }
        for &(offset, size, wanted) in &example.cells {
            let is = cell(&heap.contents, offset, size);
            match (wanted, is) {
                (ExampleValue::Object(object, 0), Cell::Value(Value::Ptr(Pointer { object: id, offset: 0, .. })))
                    if size == word && !matches!(memory.object(id).kind, ObjectKind::Function(_)) =>
                {
                    self.is(object, id);
                }
                (ExampleValue::Number(number), Cell::Value(Value::Term(term))) => {
                    self.likeness.equal.push((term, number));
                }
                (ExampleValue::Number(number), Cell::Number(is)) if number == is => {}
                (ExampleValue::Null, Cell::Number(0)) | (ExampleValue::Other, _) => {}
                _ => self.likeness.differences += 1,
            }
        }
    }
}

/// What is in memory.
enum Cell {
    Value(Value),
    Number(u64),
    Unknown,
}

fn cell(contents: &Contents, offset: u64, size: u64) -> Cell {
    let at = offset as usize..(offset + size) as usize;
    if at.end > contents.len() || size > 8 {
        return Cell::Unknown;
    }
    match contents.byte(at.start) {
        Byte::OfCell { value: Value::Int(word), size: whole, index: 0 } if u64::from(whole) == size => {
            Cell::Number(word)
        }
        Byte::OfCell { value, size: whole, index: 0 } if u64::from(whole) == size => Cell::Value(value),
        Byte::Concrete(_) => {
            let mut number = 0;
            for offset in at.rev() {
                let Byte::Concrete(byte) = contents.byte(offset) else { return Cell::Unknown };
                number = number << 8 | u64::from(byte);
            }
            Cell::Number(number)
        }
        _ => Cell::Unknown,
    }
}
