//! A concrete start and schedule: what a finding's path condition, decisions and trace come down to.

use explore::{Finding, Kernel, Operation, RootRule, Sequence, Turn, turns_of};
use ir::{FuncId, TypeId};
use machine::{Engine, EngineError};
use memory::{Binding, InitialContent, LazyId, Limits, Names, ObjId, Pointer, Target};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the threads of a run begin with.
#[derive(Clone, Debug, Serialize)]
pub enum Threads {
    Main(FuncId),
    /// What each thread calls.
    Library(Vec<Sequence>),
    /// All run one kernel.
    Launch(Kernel),
}

/// Everything that a run depends on besides the heap, the inputs and the schedule.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    pub entry: Threads,
    pub limits: Limits,
    pub globals_symbolic: bool,
    pub roots: RootRule,
    /// The predicate that the initial heap has to satisfy.
    pub valid: Option<Operation>,
}

/// A scalar of a concrete heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Cell {
    /// Size in bytes, and bits.
    Integer(u8, u64),
    Null,
    /// Index of the object, and byte offset.
    Pointer(usize, u64),
    Function(FuncId),
}

/// An object of a concrete heap.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ConcreteObject {
    /// The global's path, for globals.
    pub global: Option<String>,
    /// A structure that a call is passed by value.
    pub passed: bool,
    /// Element type.
    pub ty: TypeId,
    pub count: u64,
    /// By offset. What is not listed is 0 or null.
    pub cells: BTreeMap<u64, Cell>,
}

/// A concrete initial heap.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ConcreteHeap {
    pub objects: Vec<ConcreteObject>,
    /// By the root's path.
    pub roots: BTreeMap<String, Cell>,
}

/// A concrete run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Concrete {
    pub heap: ConcreteHeap,
    /// Values of symbols that are not part of the heap: width in bits, and value.
    pub symbols: BTreeMap<String, (u32, u128)>,
    /// Picks before the first turn, then the turns.
    pub first_picks: Vec<u32>,
    pub turns: Vec<Turn>,
    /// Of a launch: turns by which all threads come to their ends, for where no simple order leads there.
    pub ending: Vec<Turn>,
    /// The function without a body and a model that the failure may depend on.
    pub depends_on: Option<String>,
}

/// An address where nothing is, for a pointer of which only that it is not null is known: nobody uses it.
const SOMEWHERE: u64 = 16;

/// Makes a finding concrete: one solution of its path condition. `None` when the solver knows none.
///
/// # Errors
/// When the solver fails.
pub fn concretise(engine: &mut Engine, finding: &Finding) -> Result<Option<Concrete>, EngineError> {
    let state = finding.whole.as_ref().unwrap_or(&finding.state);
    let Some(model) = engine.solver.model(&mut engine.terms, state.path.terms())?.model() else { return Ok(None) };
    let mut memory = state.memory.clone();
    complete(engine, &mut memory);
    let shape = memory.shape();
    let order = Names::new(shape).order().to_vec();
    let index: BTreeMap<ObjId, usize> = order.iter().enumerate().map(|(i, &o)| (o, i)).collect();
    let cell_of = |decision: Binding| match decision {
        Binding::Target(Pointer { object, offset, .. }) => match (index.get(&object), memory.object(object).kind) {
            (Some(&at), _) => Cell::Pointer(at, offset as u64),
            (None, memory::ObjectKind::Function(function)) => Cell::Function(function),
            (None, _) => Cell::Null,
        },
        Binding::NonNull => Cell::Integer(memory.pointer_size().bytes() as u8, SOMEWHERE),
        Binding::Tagged { tag, non_null: true } => {
            Cell::Integer(memory.pointer_size().bytes() as u8, SOMEWHERE | u64::from(tag))
        }
        Binding::TaggedNull(tag) | Binding::Tagged { tag: tag @ 1.., .. } => {
            Cell::Integer(memory.pointer_size().bytes() as u8, tag.into())
        }
        Binding::Open | Binding::Null | Binding::Tagged { tag: 0, .. } => Cell::Null,
    };
    let mut heap = ConcreteHeap::default();
    let mut in_heap = std::collections::BTreeSet::new();
    for &object in &order {
        let Some(initial) = shape.object(object) else { continue };
        heap.objects.push(ConcreteObject {
            global: initial.global.then(|| initial.path.clone()),
            passed: initial.is_passed(),
            ty: initial.ty,
            count: initial.count,
            cells: BTreeMap::new(),
        });
    }
    for ((object, offset), cell) in shape.cells() {
        let Some(&at) = index.get(&object) else { continue };
        let value = match cell.content {
            InitialContent::Bytes(bits) => Cell::Integer(cell.size, bits),
            InitialContent::Pointer(pointer) => cell_of(shape.pointer(pointer).decision),
            InitialContent::Symbol(term) => {
                in_heap.insert(term);
                Cell::Integer(cell.size, engine.terms.eval(term, &model) as u64)
            }
        };
        heap.objects[at].cells.insert(offset, value);
    }
    for &root in shape.roots() {
        let pointer = shape.pointer(root);
        heap.roots.insert(pointer.path.clone(), cell_of(pointer.decision));
    }
    let mut symbols = BTreeMap::new();
    for (variable, value) in model.values() {
        if !in_heap.contains(&variable)
            && let Some(known) = engine.terms.as_variable(variable)
        {
            symbols.insert(known.name.to_string(), (engine.terms.width(variable), value));
        }
    }
    for input in state.inputs.iter().chain(&*state.forgotten) {
        for &symbol in &input.symbols {
            if let Some(known) = engine.terms.as_variable(symbol) {
                // What clocks showed shares symbols; in a run that forgets nothing each has its own.
                let name = if input.reading.is_some() { &input.name } else { &known.name };
                symbols.insert(name.clone(), (engine.terms.width(symbol), engine.terms.eval(symbol, &model)));
            }
        }
    }
    let (first_picks, turns) = turns_of(&finding.state);
    let depends_on = engine.depends_on(&finding.state).map(|function| function.to_string());
    let ending = finding.whole.as_ref().map_or_else(Vec::new, |whole| turns_of(whole).1);
    Ok(Some(Concrete { heap, symbols, first_picks, turns, ending, depends_on }))
}

/// Gives a target to pointers of which only non-nullness is known: an object that exists if one fits, else a new one.
fn complete(engine: &Engine, memory: &mut memory::Memory) {
    let program = &engine.program;
    let mut untyped = Vec::new();
    for _ in 0..64 {
        let shape = memory.shape();
        let is_half_known = |decision| matches!(decision, Binding::NonNull | Binding::Tagged { non_null: true, .. });
        let is_open = |id: &LazyId, decision| is_half_known(decision) && !untyped.contains(id);
        let open = shape.pointers().find(|(id, p)| is_open(id, p.decision)).map(|(id, _)| id);
        let Some(open) = open else { return };
        let targets = shape.targets(&program.module, &program.facts, open);
        let existing = targets.iter().find(|t| matches!(t, Target::Existing(_) | Target::Function(_)));
        let target = existing.or_else(|| targets.first()).copied().unwrap_or(Target::New);
        memory.decide(&program.module, &program.facts, open, target);
        if is_half_known(memory.shape().pointer(open).decision) {
            // Of unknown type: nothing was ever done with it but the comparison with null. It stays a number.
            untyped.push(open);
        }
    }
}
