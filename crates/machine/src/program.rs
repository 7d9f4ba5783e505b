//! A module with everything about it that is computed once.

use crate::client_functions;
use crate::invoke::{self, Candidate};
use crate::models::{self, Model};
use crate::part::InAllParts;
use crate::state::{Frame, Thread};
use crate::step::is_atomic_section;
use concurrency::Site;
use ir::cfg::{Cfg, WayOut};
use ir::{BlockId, Callee, Diamond, Edge, FuncId, GlobalId, LocId, Module, Op, Terminator};
use memory::TypeFacts;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Why a module cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("the program is inconsistent after lowering: {0}")]
    Invalid(String),
}

/// A program that is ready to run.
#[derive(Debug)]
pub struct Program {
    pub module: Module,
    pub facts: TypeFacts,
    pub(crate) cfgs: Vec<Cfg>,
    /// By function and block, once they are asked for.
    diamonds: Vec<OnceLock<Vec<Option<Diamond>>>>,
    /// By function, once it is asked for.
    candidates: OnceLock<Vec<Candidate>>,
    pub(crate) models: Vec<Option<Model>>,
    /// Those of the program's functions that [`crate::Config::error_location`] is about.
    pub(crate) error_locations: Vec<FuncId>,
    /// Without and with symbolic globals, once it is asked for.
    pub(crate) in_all_parts: [OnceLock<InAllParts>; 2],
    /// The C library's `exit`, in programs that have handlers for it to run.
    pub(crate) exit: Option<FuncId>,
    /// The C library's `errno`, in programs that look at it.
    pub(crate) errno: Option<GlobalId>,
    /// Something may be an atomic section of SV-COMP.
    pub has_atomic_sections: bool,
    /// Once they are asked for: globals that atomic operations alone access.
    only_atomic: OnceLock<BTreeSet<GlobalId>>,
    /// Number of the first instruction of each block, by function and block.
    first_site: Vec<Vec<u32>>,
    /// For each site its function, block and index.
    sites: Vec<(FuncId, BlockId, u32)>,
}

/// # Errors
/// When the verifier finds something.
fn verified(module: &Module) -> Result<(), ProgramError> {
    ir::verify::verify(module).map_err(|errors| {
        let text: Vec<String> = errors.iter().take(3).map(ToString::to_string).collect();
        ProgramError::Invalid(text.join("; "))
    })
}

const MAKES_RECURSIVE: &str = "pthread_mutexattr_settype";
const CREATES_THREADS: [&str; 2] = ["pthread_create", "thrd_create"];
const OF_SV_COMP: &str = "__VERIFIER_";

/// Functions that do not return, and through which a loop can be left though the program does not fail.
fn way_out(name: &str) -> WayOut {
    match name {
        "exit" | "_exit" | "_Exit" | "quick_exit" => WayOut::Status,
        "pthread_exit" | "thrd_exit" => WayOut::Thread,
        _ => WayOut::None,
    }
}

impl Program {
    /// Whether it matters for all code that the program has this function.
    pub(crate) fn matters_everywhere(function: &ir::Function) -> bool {
        let tries = function.is_declaration() && models::tries_lock(&function.name);
        tries || function.name == MAKES_RECURSIVE || function.name.starts_with(OF_SV_COMP)
    }

    /// Whether some mutex may be recursive that its static initialiser does not say to be.
    pub fn may_make_recursive_mutexes(&self) -> bool {
        self.module.functions.iter().any(|function| function.name == MAKES_RECURSIVE)
    }

    /// Whether threads may have data of their own that ends with them.
    pub fn makes_keys(&self) -> bool {
        self.module.functions.iter().any(|function| matches!(&*function.name, "pthread_key_create" | "tss_create"))
    }

    /// Whether the program may try to take a lock, or wait for one only for some time.
    pub fn tries_locks(&self) -> bool {
        self.module.functions.iter().any(|function| function.is_declaration() && models::tries_lock(&function.name))
    }

    /// Whether some function of the program's own has a loop that is left only where the program fails.
    pub fn has_endless_loop(&self) -> bool {
        let own = self.module.functions.iter().zip(&self.cfgs).filter(|(function, _)| !function.library);
        own.into_iter().any(|(_, cfg)| cfg.has_endless_loop())
    }

    /// Whether threads are created in a loop that does not count its rounds: nothing in the code says how many there can be.
    pub fn creates_threads_without_number(&self) -> bool {
        let own = || self.module.functions().filter(|(_, function)| !function.library);
        let called = |block: &ir::Block| -> Vec<FuncId> {
            let callee = |op: &Op| match op {
                Op::Call { callee: Callee::Direct(callee), .. } => Some(*callee),
                _ => None,
            };
            block.insts.iter().filter_map(|inst| callee(&inst.op)).collect()
        };
        let is_creation = |id: FuncId| CREATES_THREADS.contains(&self.module[id].name.as_str());
        let mut creating: FxHashSet<FuncId> =
            self.module.functions().map(|(id, _)| id).filter(|&id| is_creation(id)).collect();
        loop {
            let more: Vec<FuncId> = own()
                .filter(|(id, function)| {
                    let calls = |block| called(block).iter().any(|callee| creating.contains(callee));
                    !creating.contains(id) && function.blocks.iter().any(calls)
                })
                .map(|(id, _)| id)
                .collect();
            if more.is_empty() {
                break;
            }
            creating.extend(more);
        }
        own().any(|(id, function)| {
            let cfg = &self.cfgs[id.index()];
            let creates = |block: &ir::Block| called(block).iter().any(|callee| creating.contains(callee));
            let mut blocks = function.blocks.iter().enumerate();
            blocks.any(|(index, block)| creates(block) && cfg.is_uncounted(BlockId::new(index)))
        })
    }

    /// Whether the program uses the names of SV-COMP, whose rules then hold: no spurious wake-ups, and `abort` says that
    /// an assumption does not hold.
    pub fn follows_sv_comp(&self) -> bool {
        self.module.functions.iter().any(|function| function.name.starts_with(OF_SV_COMP))
    }

    /// Whether some function of the program's own synchronises with other threads, or calls what may: a lock, a wait, an atomic access, a
    /// function of which nothing is known.
    pub fn synchronises(&self) -> bool {
        let own = self.module.functions.iter().filter(|function| !function.library);
        own.flat_map(|function| &function.blocks)
            .flat_map(|block| &block.insts)
            .any(|inst| self.may_synchronise(&inst.op))
    }

    /// Whether a function may do so, or what it calls: by a pointer that may be anything.
    pub fn synchronises_in(&self, function: FuncId) -> bool {
        let (mut seen, mut open) = (FxHashSet::default(), vec![function]);
        while let Some(id) = open.pop() {
            let function = &self.module[id];
            if function.library || !seen.insert(id) {
                continue;
            }
            for op in function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op) {
                match op {
                    Op::Call { callee: Callee::Indirect(_), .. } => return true,
                    op if self.may_synchronise(op) => return true,
                    Op::Call { callee: Callee::Direct(callee), .. } => open.push(*callee),
                    _ => {}
                }
            }
        }
        false
    }

    fn may_synchronise(&self, op: &Op) -> bool {
        let is_unknown = |callee: FuncId| {
            let callee = &self.module[callee];
            let name = callee.name.as_str();
            callee.is_declaration() && !models::is_modelled(name) && !name.starts_with("llvm.")
        };
        let calls_unknown = matches!(op, Op::Call { callee: Callee::Direct(callee), .. } if is_unknown(*callee));
        calls_unknown || self.is_synchronisation(op)
    }

    /// Whether an operation synchronises with other threads: a lock, a wait, an atomic access.
    pub fn is_synchronisation(&self, op: &Op) -> bool {
        const FAMILIES: [&str; 8] = ["pthread_", "mtx_", "cnd_", "thrd_", "sem_", "call_once", "__atomic_", OF_SV_COMP];
        match op {
            Op::Load { order, .. } => order.is_some(),
            Op::Store { order, .. } => order.is_some(),
            Op::AtomicRmw { .. } | Op::CompareExchange { .. } | Op::Fence { .. } => true,
            Op::Call { callee: Callee::Direct(callee), .. } => {
                FAMILIES.iter().any(|family| self.module[*callee].name.starts_with(family))
            }
            _ => false,
        }
    }

    /// Verifies the module and prepares it. `array`: elements of an array of unknown length at the end of a record.
    ///
    /// # Errors
    /// When the module does not pass the verifier.
    pub fn new(mut module: Module, array: u64) -> Result<Self, ProgramError> {
        verified(&module)?;
        let tails = ir::give_elements(&mut module, array);
        let facts = TypeFacts::new(&module, tails);
        Ok(Program::of(module, facts))
    }

    /// What has its elements already, with what is known of its types.
    ///
    /// # Errors
    /// As for [`Program::new`].
    pub(crate) fn prepared(module: Module, facts: TypeFacts) -> Result<Self, ProgramError> {
        verified(&module)?;
        Ok(Program::of(module, facts))
    }

    fn of(module: Module, facts: TypeFacts) -> Self {
        let ways_out = |callee: FuncId| way_out(&module[callee].name);
        let cfgs = module.functions.iter().map(|function| Cfg::with_ways_out(function, &ways_out)).collect();
        let diamonds = module.functions.iter().map(|_| OnceLock::new()).collect();
        // Programs of clients have bodies for them.
        let is_modelled = |f: &ir::Function| f.is_declaration() || client_functions::is_client_function(f);
        let models = module.functions.iter().map(|f| is_modelled(f).then(|| models::find(&f.name)).flatten()).collect();
        let is_error = |name: &str| models::ERROR_LOCATIONS.contains(&name);
        let error_locations = module.functions().filter(|(_, f)| is_error(&f.name)).map(|(id, _)| id).collect();
        let mut first_site = Vec::new();
        let mut sites = Vec::new();
        for (id, function) in module.functions() {
            let mut firsts = Vec::new();
            for (index, block) in function.blocks.iter().enumerate() {
                firsts.push(sites.len() as u32);
                // One more for the terminator.
                sites.extend((0..=block.insts.len() as u32).map(|i| (id, BlockId::new(index), i)));
            }
            first_site.push(firsts);
        }
        let ends = |f: &ir::Function| f.library && f.name == "exit" && !f.is_declaration();
        let exit = module.functions().find(|(_, f)| ends(f)).map(|(id, _)| id);
        let is_errno = |g: &ir::Global| g.thread_local && g.name == "__raddle_errno";
        let errno = module.globals.iter().position(is_errno).map(GlobalId::new);
        let (candidates, in_all_parts) = (OnceLock::new(), Default::default());
        let only_atomic = OnceLock::new();
        let has_atomic_sections = module.functions.iter().any(|function| is_atomic_section(&function.name));
        Program {
            module,
            facts,
            cfgs,
            diamonds,
            candidates,
            models,
            error_locations,
            in_all_parts,
            exit,
            errno,
            has_atomic_sections,
            only_atomic,
            first_site,
            sites,
        }
    }

    /// The number of a block's first site.
    pub(crate) fn first_of(&self, function: FuncId, block: BlockId) -> Option<usize> {
        Some(*self.first_site.get(function.index())?.get(block.index())? as usize)
    }

    /// Of each block of a function.
    pub(crate) fn firsts(&self, function: FuncId) -> &[u32] {
        &self.first_site[function.index()]
    }

    /// Globals that atomic operations alone access.
    pub(crate) fn only_atomic(&self) -> &BTreeSet<GlobalId> {
        self.only_atomic.get_or_init(|| ir::only_atomic(&self.module))
    }

    /// The diamond that begins with the branch at a block's end.
    pub(crate) fn diamond(&self, function: FuncId, block: BlockId) -> Option<&Diamond> {
        let is_header = |block| self.cfgs[function.index()].is_header(block);
        let all = self.diamonds[function.index()].get_or_init(|| ir::diamonds(&self.module[function], is_header));
        all[block.index()].as_ref()
    }

    /// Whether calls of a function may be summarised.
    pub(crate) fn candidate(&self, function: FuncId) -> Candidate {
        self.candidates.get_or_init(|| invoke::candidates(self))[function.index()]
    }

    /// The function, block and place in it of an instruction.
    pub(crate) fn place_of(&self, site: Site) -> Option<(FuncId, BlockId, u32)> {
        self.sites.get(site.index()).copied()
    }

    /// The number of the instruction there, if there is one.
    pub(crate) fn site_at(&self, function: FuncId, block: BlockId, inst: u32) -> Option<Site> {
        let first = *self.first_site.get(function.index())?.get(block.index())?;
        Some(Site::new(first as usize + inst as usize))
    }

    /// The terminator that a number is of.
    pub fn terminator(&self, site: Site) -> Option<&Terminator> {
        let &(function, block, inst) = self.sites.get(site.index())?;
        let block = self.module[function].block(block);
        (inst as usize == block.insts.len()).then_some(&block.terminator)
    }

    /// The number of a block's terminator.
    pub fn end_of_block(&self, function: FuncId, block: BlockId) -> Option<Site> {
        self.site_at(function, block, self.module[function].blocks.get(block.index())?.insts.len() as u32)
    }

    /// The numbers of all instructions.
    pub fn sites(&self) -> impl Iterator<Item = Site> + use<> {
        (0..self.sites.len()).map(Site::new)
    }

    /// The number of the instruction that a frame is at.
    pub fn site(&self, frame: &Frame) -> Site {
        let first = self.first_site[frame.function.index()][frame.block.index()];
        Site::new(first as usize + frame.inst)
    }

    /// The innermost frame of the program's own: what happens in raddle's C library is the doing of whoever calls it.
    pub fn own_frame<'t>(&self, thread: &'t Thread) -> &'t Frame {
        let own = |frame: &&std::rc::Rc<Frame>| !self.module[frame.function].library;
        match thread.frames.iter().rev().find(own) {
            Some(frame) => frame,
            None => thread.frame(),
        }
    }

    /// The library function that the program has called, if a thread is in one, and a number that tells this call from
    /// others in which the thread takes a visible action.
    pub fn library_call(&self, thread: &Thread) -> Option<(&str, u64)> {
        let called = |frame: &&std::rc::Rc<Frame>| self.module[frame.function].library;
        let outermost = thread.frames.iter().rev().take_while(called).last()?;
        Some((&self.module[outermost.function].name, outermost.choices))
    }

    /// The source position of an instruction.
    pub fn site_location(&self, site: Site) -> Option<LocId> {
        let &(function, block, inst) = self.sites.get(site.index())?;
        let block = self.module[function].block(block);
        match block.insts.get(inst as usize) {
            Some(inst) => inst.location,
            None => block.terminator_location,
        }
    }

    /// The instruction itself; `None` for the end of a block.
    pub fn site_op(&self, site: Site) -> Option<&Op> {
        let &(function, block, inst) = self.sites.get(site.index())?;
        self.module[function].block(block).insts.get(inst as usize).map(|inst| &inst.op)
    }

    /// The function that an instruction belongs to.
    pub fn site_function(&self, site: Site) -> Option<FuncId> {
        self.sites.get(site.index()).map(|s| s.0)
    }

    pub fn site_count(&self) -> usize {
        self.sites.len()
    }

    /// Whether a thread stands at a branch that goes round a loop once more if its condition holds, and else leaves it.
    pub(crate) fn goes_round(&self, thread: &Thread) -> bool {
        let frame = thread.frame();
        let block = self.module[frame.function].block(frame.block);
        let Terminator::Branch { if_true, if_false, .. } = &block.terminator else { return false };
        let cfg = &self.cfgs[frame.function.index()];
        let leaves = |edge: &Edge| cfg.leaves_loop(frame.block, edge.target);
        frame.inst == block.insts.len() && leaves(if_false) && !leaves(if_true)
    }

    /// The instruction that a thread is at in its innermost function; none at the end of a block.
    pub fn instruction(&self, thread: &Thread) -> Option<&Op> {
        let frame = thread.frame();
        self.module[frame.function].block(frame.block).insts.get(frame.inst).map(|inst| &inst.op)
    }

    /// The source position of what a frame is at.
    pub fn location(&self, frame: &Frame) -> Option<LocId> {
        self.site_location(self.site(frame))
    }

    /// `file:line` of an instruction.
    pub fn place(&self, site: Site) -> String {
        match self.site_location(site) {
            Some(location) => {
                let location = &self.module[location];
                format!("{}:{}", self.module[location.file].path, location.line)
            }
            None => self.site_function(site).map_or_else(String::new, |f| self.module[f].name.clone()),
        }
    }
}
