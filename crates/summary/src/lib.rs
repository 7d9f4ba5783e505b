//! The summary of one function, by exploring it alone (SSRD, section 2: unit testing).
//!
//! Numbers that it is given are symbols, pointers and globals lead to any heap within the bounds; what it calls is not followed,
//! and synchronisation is noted, not carried out. A pointer that is followed leads to an object of its own; one that is
//! compared, to any. So each way comes once, and the tree of all ways is the summary.
//!
//! Guarantee: equal code and options give equal trees. What is left out is said beside the tree.

mod events;
mod way;
mod words;

use explore::one_step;
use ir::{DebugType, FuncId, Given, IntKind, Op, Ty};
use machine::{
    Backtrace, Choice, CodePlace, Config, Decision, Engine, EngineError, Ledger, LedgerEntry, LossKind, OnReturn,
    PathEnd, Repeats, State, Stop,
};
use memory::{Limits, ObjId, Pointer, Target, Territory, Value};
use report::{FunctionTree, TreeLocation, TreeNode, TreeNodeKind};
use serde::{Deserialize, Serialize};
use smt::TermId;
use std::collections::BTreeMap;
use std::sync::Arc;
use way::{Next, Path};
use words::{Words, location};

/// How a function is explored.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct UnitOptions {
    pub limits: Limits,
    /// What holds for every exploration; what is particular to this one is set here.
    pub config: Config,
    /// Nodes of a tree.
    pub most_nodes: usize,
}

/// Why a way was not explored to its end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum LeftOut {
    Loss(LedgerEntry),
    /// The tree has so many nodes already.
    Nodes(usize),
    /// It takes longer than there is time.
    Time,
}

/// What was found out about a function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnitSummary {
    /// [`FunctionTree::left_out`] is empty, and the nodes in `ends` have no text.
    pub tree: FunctionTree,
    /// Why ways were not explored to their ends, and how many; in order, each once.
    pub left_out: Vec<(LeftOut, u64)>,
    /// By their nodes, the ways that were given up somewhere.
    pub ends: Vec<(usize, LedgerEntry)>,
    /// There was not time for all of it.
    pub cut_short: bool,
}

impl UnitSummary {
    /// The same where the code stands elsewhere; none where a position is nowhere.
    pub fn moved(
        self,
        location: impl Fn(&TreeLocation) -> Option<TreeLocation>,
        place: impl Fn(&CodePlace) -> Option<CodePlace>,
    ) -> Option<Self> {
        let lost = |entry: LedgerEntry| Some(LedgerEntry { site: entry.site.moved(&place)?, ..entry });
        let left_out = |(why, count)| match why {
            LeftOut::Loss(entry) => Some((LeftOut::Loss(lost(entry)?), count)),
            LeftOut::Nodes(_) | LeftOut::Time => Some((why, count)),
        };
        Some(UnitSummary {
            tree: self.tree.moved(location)?,
            left_out: self.left_out.into_iter().map(left_out).collect::<Option<_>>()?,
            ends: self.ends.into_iter().map(|(node, entry)| Some((node, lost(entry)?))).collect::<Option<_>>()?,
            cut_short: self.cut_short,
        })
    }
}

/// The summary of a function.
///
/// # Errors
/// When the engine fails.
pub fn summarize(engine: &mut Engine, function: FuncId, options: &UnitOptions) -> Result<UnitSummary, EngineError> {
    engine.config =
        Config { opaque: true, observe: false, repeats: Repeats::Control, atomic_blocks: false, ..options.config };
    engine.visible = engine.program.sites().collect();
    engine.ledger = Ledger::default();
    let way = begin(engine, function, options.limits);
    let module = &engine.program.module;
    let tree = FunctionTree {
        function: module[function].name.clone(),
        parameters: names(engine, function),
        location: location(module, module[function].location),
        nodes: Vec::new(),
        paths: 0,
        left_out: Vec::new(),
    };
    let (left_out, ends) = (BTreeMap::new(), Vec::new());
    let mut unit = Summarizer { engine, tree, function, left_out, ends, most: options.most_nodes };
    unit.explore(way)?;
    let Summarizer { tree, mut left_out, ends, engine, .. } = unit;
    // A solver that gave up might not have, with more time.
    let unsolved = engine.ledger.entries().any(|(entry, _)| entry.kind == LossKind::SolverUnknown);
    let cut_short = unsolved || engine.interrupted.as_ref().is_some_and(|interrupted| interrupted());
    for (entry, count) in std::mem::take(&mut engine.ledger).entries() {
        *left_out.entry(LeftOut::Loss(entry.clone())).or_default() += count;
    }
    engine.visible.clear();
    Ok(UnitSummary { tree, left_out: left_out.into_iter().collect(), ends, cut_short })
}

/// What each of the things is called that a function is given.
fn names(engine: &Engine, function: FuncId) -> Vec<String> {
    let named = |source: &ir::SourceParam| Some(source.name.clone()).filter(|name| !name.is_empty());
    let given = engine.program.module.given(function).into_iter().enumerate();
    given.map(|(index, given)| given.source.and_then(named).unwrap_or_else(|| format!("arg{index}"))).collect()
}

/// About to enter the function, with anything that it may be given.
fn begin(engine: &mut Engine, function: FuncId, limits: Limits) -> Path {
    let mut state = engine.initial_state(limits);
    engine.make_globals_symbolic(&mut state);
    let program = Arc::clone(&engine.program);
    let module = &program.module;
    let mut arguments = Vec::new();
    for (name, Given { ty, source }) in names(engine, function).into_iter().zip(module.given(function)) {
        arguments.push(match (ty, source) {
            (None, source) => {
                let ty = source.map_or(ir::TypeId::new(0), |source| source.ty);
                Value::lazy(state.memory.add_passed(module, ty, &name))
            }
            (Some(Ty::Ptr), source) => {
                let pointee = source.and_then(|source| module.pointee(source.ty));
                let pointee = pointee.filter(|&ty| !matches!(module[module.strip(ty)], DebugType::Void));
                Value::lazy(state.memory.shape_mut().add_root(&name, pointee, Territory::Common))
            }
            (Some(ty), source) => {
                let bits = u32::from(ty.bits(module.pointer));
                // Two symbols of one name are one.
                let hides = module.globals().any(|(_, global)| global.name == name);
                let symbol = engine.terms.var(&if hides { format!("parameter {name}") } else { name }, bits);
                let source = source.map(|source| &module[module.strip(source.ty)]);
                if let Some(DebugType::Int { kind: IntKind::Bool, .. }) = source {
                    let one = engine.terms.bv(bits, 1);
                    let small = engine.terms.ule(symbol, one);
                    state.path.assume(small);
                }
                Value::Term(symbol)
            }
        });
    }
    let thread = engine.add_thread(&mut state, "1", None, function, &arguments, OnReturn::EndThread);
    // So that it stops before whatever others may notice.
    state.concurrent = true;
    Path::new(state, thread)
}

struct Summarizer<'e> {
    engine: &'e mut Engine,
    function: FuncId,
    tree: FunctionTree,
    left_out: BTreeMap<LeftOut, u64>,
    ends: Vec<(usize, LedgerEntry)>,
    most: usize,
}

impl Summarizer<'_> {
    fn explore(&mut self, first: Path) -> Result<(), EngineError> {
        let mut open = vec![first];
        while let Some(mut way) = open.pop() {
            if self.tree.nodes.len() >= self.most {
                self.leave_out(LeftOut::Nodes(self.most));
                return Ok(());
            }
            if self.engine.interrupted.as_ref().is_some_and(|interrupted| interrupted()) {
                self.leave_out(LeftOut::Time);
                return Ok(());
            }
            let stop = one_step(self.engine, &mut way.state, way.thread)?;
            self.note_observed(&mut way);
            match stop {
                Stop::Choice(choice) => open.extend(self.choose(way, &choice)?),
                Stop::Visible(action) => {
                    if self.note_action(&mut way, action) == Next::GoesOn {
                        open.push(way);
                    }
                }
                Stop::ThreadEnded | Stop::CallEnded => self.returns(way),
                Stop::End(end) => self.end(way, end),
                Stop::Interrupted | Stop::Wrong(_) | Stop::Failed(_) => open.push(way),
            }
        }
        Ok(())
    }

    /// The ways on from a choice, the first one last.
    fn choose(&mut self, mut way: Path, choice: &Choice) -> Result<Vec<Path>, EngineError> {
        let mut decisions = self.engine.alternatives(&way.state, choice, way.thread)?;
        let compares =
            matches!(self.engine.program.instruction(way.state.thread(way.thread)), Some(Op::Compare { .. }));
        if let Choice::Target(_) = choice
            && !compares
        {
            self.only_fresh(&mut decisions);
        }
        let text = self.question(&way, choice);
        if decisions.is_empty() {
            self.gives_up(&mut way, format!("{text} is not known"));
            return Ok(Vec::new());
        }
        if decisions.len() > 1 {
            let node = self.add(&mut way, TreeNodeKind::Branch, text);
            way.parent = Some(node);
        }
        let splits = decisions.len() > 1;
        let mut ways = Vec::new();
        for decision in decisions {
            let mut next = way.clone();
            let pointer = match decision {
                Decision::Target(pointer, _) | Decision::Null(pointer) => Some(pointer),
                _ => None,
            };
            self.engine.decide(&mut next.state, way.thread, decision);
            if splits {
                next.on = Some(self.outcome(&next, &decision));
            }
            if let Some(pointer) = pointer {
                let relation = self.relation(&next, pointer, &decision);
                next.since.shape.push(relation);
            }
            ways.push(next);
        }
        ways.reverse();
        Ok(ways)
    }

    /// A pointer that is followed leads to an object of its own; only if none may be made, to one that is there.
    fn only_fresh(&mut self, decisions: &mut Vec<Decision>) {
        let leads_to = |decision: &Decision, which: fn(&Target) -> bool| match decision {
            Decision::Target(_, target) => which(target),
            _ => false,
        };
        let is_new = |decision: &Decision| leads_to(decision, |target| *target == Target::New);
        if decisions.iter().any(is_new) {
            decisions.retain(is_new);
        } else if decisions.len() > 1 {
            decisions.retain(|decision| !leads_to(decision, |target| *target == Target::Null));
        }
    }

    fn question(&self, way: &Path, choice: &Choice) -> String {
        let words = self.words(&way.state);
        let path = |pointer| words.value(Value::lazy(pointer));
        match *choice {
            Choice::Condition(term) => self.engine.terms.display(term),
            Choice::Nullness(pointer) => format!("{} != NULL", path(pointer)),
            Choice::Tag(pointer, mask) => format!("{} & {mask}", path(pointer)),
            Choice::Target(pointer) => format!("where {} leads", path(pointer)),
            Choice::Value(term) => match self.indexed(way, term) {
                Some(object) => {
                    let base = words.value(Value::Ptr(Pointer::to(object)));
                    format!("where {base} + {} leads", self.engine.terms.display(term))
                }
                None => format!("value of {}", self.engine.terms.display(term)),
            },
            Choice::Pick { count } => format!("one of {count} outcomes"),
        }
    }

    fn outcome(&self, way: &Path, decision: &Decision) -> String {
        match *decision {
            Decision::Condition { holds, .. } => holds.to_string(),
            Decision::Null(_) => "false".to_owned(),
            Decision::NonNull(_) => "true".to_owned(),
            Decision::Tag(_, tag) => format!("= {tag}"),
            Decision::Target(pointer, _) => self.relation(way, pointer, decision).pointee,
            Decision::Value { term, value, .. } => match self.indexed(way, term) {
                Some(object) => self.words(&way.state).place(object, value as u64),
                None => format!("= {value}"),
            },
            Decision::Pick(index) => format!("{index}"),
        }
    }

    /// The object that the next instruction accesses at this offset, if it does.
    fn indexed(&self, way: &Path, offset: TermId) -> Option<ObjId> {
        let (Op::Load { address, .. } | Op::Store { address, .. }) =
            self.engine.program.instruction(way.state.thread(way.thread))?
        else {
            return None;
        };
        match way.state.held(way.thread, *address)? {
            Value::Symbolic { object, offset: at, .. } if at == offset => Some(object),
            _ => None,
        }
    }

    fn returns(&mut self, mut way: Path) {
        self.tree.paths += 1;
        let module = &self.engine.program.module;
        let declared = &module[self.function];
        let result = way.state.thread(way.thread).result().filter(|_| !declared.returns.is_empty());
        let words = self.words(&way.state);
        let text = result.map(|value| words.typed(value, declared.return_type)).unwrap_or_default();
        let at = way.returns_at;
        self.add_at(&mut way, TreeNodeKind::Return, text, at);
    }

    fn end(&mut self, mut way: Path, end: PathEnd) {
        let why = match end {
            PathEnd::Fault(fault) => format!("fails: {}", fault.detail),
            PathEnd::Abandoned(abandoned) => {
                self.given_up(&mut way, *abandoned);
                return;
            }
            PathEnd::Exited { .. } => "does not return".to_owned(),
            PathEnd::Infeasible => return,
            PathEnd::Raced | PathEnd::Repeats { .. } | PathEnd::Spins { .. } | PathEnd::Endless(_) => {
                "never ends".to_owned()
            }
        };
        let backtrace = Backtrace::of(&self.engine.program, way.state.thread(way.thread));
        self.add_at(&mut way, TreeNodeKind::End, why, backtrace.position());
    }

    /// The way goes on, but nobody follows it.
    fn gives_up(&mut self, way: &mut Path, why: String) {
        let backtrace = Backtrace::of(&self.engine.program, way.state.thread(way.thread));
        let site = backtrace.place(&self.engine.program.module).into();
        self.given_up(way, LedgerEntry { kind: LossKind::Unsupported, site, remedy: why.into() });
    }

    fn given_up(&mut self, way: &mut Path, lost: LedgerEntry) {
        self.leave_out(LeftOut::Loss(lost.clone()));
        let backtrace = Backtrace::of(&self.engine.program, way.state.thread(way.thread));
        let node = self.add_at(way, TreeNodeKind::End, String::new(), backtrace.position());
        self.ends.push((node, lost));
    }

    fn leave_out(&mut self, why: LeftOut) {
        *self.left_out.entry(why).or_default() += 1;
    }

    fn words<'s>(&'s self, state: &'s State) -> Words<'s> {
        Words { program: &self.engine.program, engine: self.engine, state }
    }

    /// Adds a node where the way stands.
    fn add(&mut self, way: &mut Path, kind: TreeNodeKind, text: String) -> usize {
        let at = self.engine.program.location(way.state.thread(way.thread).frame());
        self.add_at(way, kind, text, at)
    }

    fn add_at(&mut self, way: &mut Path, kind: TreeNodeKind, text: String, at: Option<ir::LocId>) -> usize {
        let since = std::mem::take(&mut way.since);
        let node = TreeNode {
            kind,
            text,
            location: location(&self.engine.program.module, at),
            on: way.on.take(),
            shape: since.shape,
            reads: since.reads,
            writes: since.writes,
            accesses: since.accesses.into_iter().collect(),
            locks: way.locks.clone(),
            children: Vec::new(),
        };
        let index = self.tree.nodes.len();
        self.tree.nodes.push(node);
        if let Some(parent) = way.parent {
            self.tree.nodes[parent].children.push(index);
        }
        way.parent = Some(index);
        index
    }
}
