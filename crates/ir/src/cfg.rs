//! What can be said of a function's control flow before it runs: order, dominators, loops, liveness, and which part of
//! a loop's state decides how the loop runs.
//!
//! Computed once a function, from a function that [`crate::verify`] accepts. Blocks that the entry does not reach have
//! predecessors and live registers, but no dominator and no loop.
//!
//! A loop is a header with the blocks that return to it. An edge to a dominator is a back edge, its target a header
//! (Aho et al., Compilers, 9.6). A function with other retreating edges is irreducible; their targets are headers
//! as well, so that every cycle passes through a header.
//! Knows nothing of values: an edge that is never taken counts like any other.

mod flow;
mod liveness;
mod relevance;

use crate::{BlockId, BlockSet, Callee, FuncId, Function, Op, Operand, Reg, RegSet, Terminator};
pub(crate) use flow::Flow;

/// The analyses of one function.
#[derive(Clone, Debug)]
pub struct Cfg {
    flow: Flow,
    /// In reverse postorder of the headers.
    loops: Vec<Loop>,
    /// By block: the index in `loops` of the loop that it is the header of.
    headed: Vec<Option<usize>>,
    /// By block: the index in `loops` of the innermost loop around it.
    innermost: Vec<Option<usize>>,
    /// By block: the number of loops around it.
    depth: Vec<usize>,
    live_in: Vec<RegSet>,
    /// Registers on which nothing depends.
    faint: RegSet,
    irreducible: bool,
    steers: RegSet,
}

#[derive(Clone, Debug)]
struct Loop {
    header: BlockId,
    blocks: BlockSet,
    control_relevant: RegSet,
    steering: RegSet,
    carried_pointer_exit: bool,
    endless: bool,
    only_fails: bool,
    counts: bool,
    counts_rounds: bool,
    accumulates: bool,
}

impl Cfg {
    /// Analyses a verified function. A declaration has no blocks, and nothing may be asked about any.
    ///
    /// # Panics
    /// If an edge leads to a block, or an instruction uses a register, that the function does not have.
    pub fn new(function: &Function) -> Self {
        Cfg::with_ways_out(function, &|_| WayOut::None)
    }

    /// The same, where functions may be ways out of a loop though they do not return.
    ///
    /// # Panics
    /// As for [`Cfg::new`].
    pub fn with_ways_out(function: &Function, ways_out: &dyn Fn(FuncId) -> WayOut) -> Self {
        let flow = Flow::new(function);
        let (headers, irreducible) = headers(&flow);
        let faint = liveness::faint(function);
        let live_in = liveness::live_in(function, &flow, &faint);
        let slicer = relevance::Slicer::new(function, &flow);
        let failing = failing(function, &flow, ways_out);
        let mut steers = RegSet::default();
        let loops: Vec<Loop> = headers
            .into_iter()
            .map(|(header, latches)| {
                let blocks = loop_blocks(function, &flow, header, &latches);
                let control_relevant = slicer.control_relevant(&blocks, &live_in[header.index()]);
                let steering = slicer.steering(&blocks);
                steers.extend(steering.iter());
                let steering = steering.iter().filter(|reg| live_in[header.index()].contains(*reg)).collect();
                let carried_pointer_exit = slicer.carried_pointer_exit(header, &blocks);
                let leaves = |to: BlockId| !blocks.contains(to);
                let terminators = || blocks.iter().map(|block| &function.block(block).terminator);
                let endless = terminators().all(|terminator| !may_lead(terminator, leaves));
                let only_fails =
                    terminators().all(|terminator| !may_lead(terminator, |to| leaves(to) && !failing.contains(to)));
                let natural = latches.iter().all(|latch| flow.dominates(header, *latch));
                let counts = natural && slicer.counts(header, &blocks, |reg| live_in[header.index()].contains(reg));
                let counts_rounds = counts && slicer.counts(header, &blocks, |reg| control_relevant.contains(reg));
                let live = &live_in[header.index()];
                let adds_up = |reg: &Reg| live.contains(*reg) && !control_relevant.contains(*reg);
                let accumulates = natural && function.block(header).params.iter().any(adds_up);
                Loop {
                    header,
                    blocks,
                    control_relevant,
                    steering,
                    carried_pointer_exit,
                    endless,
                    only_fails,
                    counts,
                    counts_rounds,
                    accumulates,
                }
            })
            .collect();
        let count = function.blocks.len();
        let (mut headed, mut innermost, mut depth) = (vec![None; count], vec![None; count], vec![0; count]);
        for (i, candidate) in loops.iter().enumerate() {
            headed[candidate.header.index()] = Some(i);
            for block in candidate.blocks.iter() {
                depth[block.index()] += 1;
                let slot = &mut innermost[block.index()];
                // Of two loops around a block the smaller is the inner one. Ties occur in irreducible functions only.
                if slot.is_none_or(|known: usize| candidate.blocks.len() < loops[known].blocks.len()) {
                    *slot = Some(i);
                }
            }
        }
        Cfg { flow, loops, headed, innermost, depth, live_in, faint, irreducible, steers }
    }

    /// The blocks with an edge to `block`, each once, ascending.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        self.flow.predecessors(block)
    }

    /// The blocks that the entry reaches, each before its successors except along retreating edges.
    pub fn reverse_postorder(&self) -> &[BlockId] {
        self.flow.reverse_postorder()
    }

    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.flow.is_reachable(block)
    }

    /// The closest block that lies on every way from the entry to `block`; `None` for the entry and for unreachable
    /// blocks.
    pub fn immediate_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.flow.immediate_dominator(block)
    }

    /// Whether every way from the entry to `block` leads through `dominator`. A block dominates itself; an unreachable
    /// block dominates, and is dominated by, no other.
    pub fn dominates(&self, dominator: BlockId, block: BlockId) -> bool {
        self.flow.dominates(dominator, block)
    }

    /// Whether the edge from `from` to `to` is a back edge: `to` dominates `from`.
    pub fn is_back_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.is_reachable(from) && self.dominates(to, from)
    }

    /// Whether the edge from `from` to `to` begins another iteration of a loop: each back edge, and in an irreducible
    /// function the other retreating edges as well. Every cycle has such an edge, and its target is a header.
    pub fn is_retreating_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.flow.is_retreating(from, to)
    }

    /// Whether a cycle can be entered at several blocks.
    pub fn is_irreducible(&self) -> bool {
        self.irreducible
    }

    /// The loop headers, in reverse postorder.
    pub fn headers(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.loops.iter().map(|l| l.header)
    }

    pub fn is_header(&self, block: BlockId) -> bool {
        self.loop_at(block).is_some()
    }

    /// The blocks of the loop with this header, the header and the blocks of inner loops included.
    pub fn loop_blocks(&self, header: BlockId) -> Option<&BlockSet> {
        self.loop_at(header).map(|l| &l.blocks)
    }

    /// The header of the innermost loop around `block`: of its own loop, for a header.
    pub fn innermost_loop(&self, block: BlockId) -> Option<BlockId> {
        self.innermost[block.index()].map(|i| self.loops[i].header)
    }

    /// Whether the edge from `from` to `to` leaves the innermost loop around `from`.
    pub fn leaves_loop(&self, from: BlockId, to: BlockId) -> bool {
        self.innermost[from.index()].is_some_and(|i| !self.loops[i].blocks.contains(to))
    }

    /// How many loops there are around `block`.
    pub fn loop_depth(&self, block: BlockId) -> usize {
        self.depth[block.index()]
    }

    /// The registers that may still be read once control stands before the first instruction of `block`, its own
    /// parameters included.
    pub fn live_in(&self, block: BlockId) -> &RegSet {
        &self.live_in[block.index()]
    }

    /// The registers that may still be read once control stands before instruction `inst` of `block`; one past the last is
    /// the terminator. `function`: the one that was analysed.
    pub fn live_before(&self, function: &Function, block: BlockId, inst: usize) -> RegSet {
        liveness::live_before(function, (&self.live_in, &self.faint), block, inst)
    }

    /// The part of the state at a loop header that decides how the loop runs: the registers, live at the header, on
    /// which (within the loop and over its iterations) a branch, an address, a stored value, an argument of a call, an
    /// operand of an atomic, a division that may fault, or the size of a copy or an allocation depends. What the loop
    /// only accumulates is not in it. Empty for a block that is no header.
    pub fn control_relevant(&self, header: BlockId) -> &RegSet {
        static NONE: RegSet = RegSet::new();
        self.loop_at(header).map_or(&NONE, |l| &l.control_relevant)
    }

    /// The part of [`Cfg::control_relevant`] that is left when the values of stores do not count.
    pub fn steering(&self, header: BlockId) -> &RegSet {
        static NONE: RegSet = RegSet::new();
        self.loop_at(header).map_or(&NONE, |l| &l.steering)
    }

    /// Whether a register's value decides where some loop of the function goes, whatever is stored.
    pub fn steers(&self, reg: Reg) -> bool {
        self.steers.contains(reg)
    }

    /// Whether the loop follows links, as `while (p) p = p->next` does: a condition that may leave it depends on a
    /// pointer that the loop carries round and replaces by what it loaded.
    pub fn carried_pointer_exit(&self, header: BlockId) -> bool {
        self.loop_at(header).is_some_and(|l| l.carried_pointer_exit)
    }

    /// Whether no state comes back at this header before control has left the loop (within 2^20 rounds): every round adds the
    /// same constant to a number or a pointer that is live there.
    pub fn counts(&self, header: BlockId) -> bool {
        self.loop_at(header).is_some_and(|l| l.counts)
    }

    /// Whether nothing that decides how the loop runs comes back at this header before control has left the loop: as
    /// [`Cfg::counts`], of what is [control relevant](Cfg::control_relevant).
    pub fn counts_rounds(&self, header: BlockId) -> bool {
        self.loop_at(header).is_some_and(|l| l.counts_rounds)
    }

    /// Whether a natural loop carries something round that does not decide how it runs.
    pub fn accumulates(&self, header: BlockId) -> bool {
        self.loop_at(header).is_some_and(|l| l.accumulates)
    }

    /// Whether `block` is in a loop that does not count its rounds, so that what decides how it runs may come back: see
    /// [`Cfg::counts_rounds`].
    pub fn is_uncounted(&self, block: BlockId) -> bool {
        self.loops.iter().any(|l| !l.counts_rounds && l.blocks.contains(block))
    }

    /// The header of the innermost loop around `block` that no edge leads out of: calls in it apart, it goes round for ever,
    /// whatever other threads do.
    pub fn endless_around(&self, block: BlockId) -> Option<BlockId> {
        let around = self.loops.iter().filter(|l| l.endless && l.blocks.contains(block));
        around.min_by_key(|l| l.blocks.len()).map(|l| l.header)
    }

    /// Whether the loop with this header is left only where the program fails.
    pub fn is_endless(&self, header: BlockId) -> bool {
        self.loop_at(header).is_some_and(|l| l.only_fails)
    }

    /// Whether there is a loop that is left only where the program fails.
    pub fn has_endless_loop(&self) -> bool {
        self.loops.iter().any(|l| l.only_fails)
    }

    fn loop_at(&self, header: BlockId) -> Option<&Loop> {
        self.headed[header.index()].map(|i| &self.loops[i])
    }
}

/// How a call that does not return leads out of the loop before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WayOut {
    /// The program fails there.
    None,
    /// The process ends with the status that is passed: where it is zero, well.
    Status,
    /// The thread ends.
    Thread,
}

/// Whether the thread ends with this, or the process without a failure.
fn is_way_out(op: &Op, ways_out: &dyn Fn(FuncId) -> WayOut) -> bool {
    let Op::Call { callee: Callee::Direct(callee), args, .. } = op else { return false };
    match ways_out(*callee) {
        WayOut::None => false,
        WayOut::Status => args.first().is_some_and(|status| status.value == Operand::Int(0)),
        WayOut::Thread => true,
    }
}

/// The blocks from which all ways lead to a failure.
fn failing(function: &Function, flow: &Flow, ways_out: &dyn Fn(FuncId) -> WayOut) -> BlockSet {
    let mut failing = BlockSet::default();
    loop {
        let before = failing.len();
        for &id in flow.reverse_postorder().iter().rev() {
            let block = function.block(id);
            let fails = match &block.terminator {
                Terminator::Unreachable => true,
                Terminator::Return { .. } | Terminator::Unsupported { .. } => false,
                terminator => terminator.edges().all(|edge| failing.contains(edge.target)),
            };
            if fails && !block.insts.iter().any(|inst| is_way_out(&inst.op, ways_out)) {
                failing.insert(id);
            }
        }
        if failing.len() == before {
            return failing;
        }
    }
}

/// Whether an edge leads to such a block that is not ruled out by a constant, as in `do { } while (1)`.
fn may_lead(terminator: &Terminator, to: impl Fn(BlockId) -> bool) -> bool {
    match terminator {
        Terminator::Branch { condition: Operand::Int(0), if_false: only, .. }
        | Terminator::Branch { condition: Operand::Int(_), if_true: only, .. } => to(only.target),
        other => other.edges().any(|edge| to(edge.target)),
    }
}

/// The targets of retreating edges with the sources of these, and whether one of the edges is not a back edge.
fn headers(flow: &Flow) -> (Vec<(BlockId, Vec<BlockId>)>, bool) {
    let mut headers = Vec::new();
    let mut irreducible = false;
    for &header in flow.reverse_postorder() {
        let latches: Vec<BlockId> =
            flow.predecessors(header).iter().copied().filter(|from| flow.is_retreating(*from, header)).collect();
        irreducible |= latches.iter().any(|latch| !flow.dominates(header, *latch));
        if !latches.is_empty() {
            headers.push((header, latches));
        }
    }
    (headers, irreducible)
}

/// The natural loop: `header` and what reaches a latch without passing through it. Where the header does not dominate a
/// latch, that walk could leave the cycle through another of its entries, so only blocks that the header reaches count.
fn loop_blocks(function: &Function, flow: &Flow, header: BlockId, latches: &[BlockId]) -> BlockSet {
    let natural = latches.iter().all(|latch| flow.dominates(header, *latch));
    let after = if natural { BlockSet::default() } else { reached(function, header) };
    let mut blocks = BlockSet::default();
    blocks.insert(header);
    let mut pending: Vec<BlockId> = latches.iter().copied().filter(|latch| blocks.insert(*latch)).collect();
    while let Some(block) = pending.pop() {
        for &before in flow.predecessors(block) {
            let belongs = if natural { flow.is_reachable(before) } else { after.contains(before) };
            if belongs && blocks.insert(before) {
                pending.push(before);
            }
        }
    }
    blocks
}

/// `from` and the blocks that it reaches.
fn reached(function: &Function, from: BlockId) -> BlockSet {
    let mut found = BlockSet::default();
    found.insert(from);
    let mut pending = vec![from];
    while let Some(block) = pending.pop() {
        let targets = function.block(block).terminator.edges().map(|edge| edge.target);
        pending.extend(targets.filter(|target| found.insert(*target)));
    }
    found
}

#[cfg(test)]
mod tests;
