//! Order and dominance of blocks.

use crate::{BlockId, Function};

#[derive(Clone, Debug)]
pub(crate) struct Flow {
    predecessors: Vec<Vec<BlockId>>,
    order: Vec<BlockId>,
    /// By block: its index in `order`.
    position: Vec<Option<usize>>,
    /// By position: the position of the immediate dominator. The entry has itself.
    dominator: Vec<usize>,
    /// By position: when a walk of the dominator tree enters and leaves the block.
    interval: Vec<(usize, usize)>,
}

impl Flow {
    pub(crate) fn new(function: &Function) -> Self {
        let count = function.blocks.len();
        let mut predecessors = vec![Vec::new(); count];
        for (i, block) in function.blocks.iter().enumerate() {
            for edge in block.terminator.edges() {
                let list: &mut Vec<BlockId> = &mut predecessors[edge.target.index()];
                // Sources come in ascending order, so a repeated one is the last.
                if list.last().is_none_or(|last| last.index() != i) {
                    list.push(BlockId::new(i));
                }
            }
        }
        let order = reverse_postorder(function);
        let mut position = vec![None; count];
        for (i, block) in order.iter().enumerate() {
            position[block.index()] = Some(i);
        }
        let dominator = dominators(&order, &position, &predecessors);
        let interval = intervals(&dominator);
        Flow { predecessors, order, position, dominator, interval }
    }

    pub(crate) fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.index()]
    }

    pub(crate) fn reverse_postorder(&self) -> &[BlockId] {
        &self.order
    }

    pub(crate) fn is_reachable(&self, block: BlockId) -> bool {
        self.position[block.index()].is_some()
    }

    pub(crate) fn immediate_dominator(&self, block: BlockId) -> Option<BlockId> {
        let position = self.position[block.index()]?;
        (position != 0).then(|| self.order[self.dominator[position]])
    }

    pub(crate) fn dominates(&self, dominator: BlockId, block: BlockId) -> bool {
        match (self.position[dominator.index()], self.position[block.index()]) {
            (Some(upper), Some(lower)) => {
                let (upper, lower) = (self.interval[upper], self.interval[lower]);
                upper.0 <= lower.0 && lower.1 <= upper.1
            }
            _ => dominator == block,
        }
    }

    pub(crate) fn is_retreating(&self, from: BlockId, to: BlockId) -> bool {
        match (self.position[from.index()], self.position[to.index()]) {
            (Some(from), Some(to)) => to <= from,
            _ => false,
        }
    }
}

/// Depth first, without recursion: functions may have very many blocks.
fn reverse_postorder(function: &Function) -> Vec<BlockId> {
    let mut order = Vec::new();
    if function.blocks.is_empty() {
        return order;
    }
    let successors =
        |block: BlockId| -> Vec<BlockId> { function.block(block).terminator.edges().map(|edge| edge.target).collect() };
    let entry = BlockId::new(0);
    let mut seen = vec![false; function.blocks.len()];
    seen[0] = true;
    let mut path = vec![(entry, successors(entry))];
    while let Some((block, rest)) = path.last_mut() {
        match rest.pop() {
            Some(next) => {
                if !std::mem::replace(&mut seen[next.index()], true) {
                    path.push((next, successors(next)));
                }
            }
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm (2001), on positions in reverse postorder.
fn dominators(order: &[BlockId], position: &[Option<usize>], predecessors: &[Vec<BlockId>]) -> Vec<usize> {
    let mut found: Vec<Option<usize>> = vec![None; order.len()];
    if let Some(entry) = found.first_mut() {
        *entry = Some(0);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (i, block) in order.iter().enumerate().skip(1) {
            let mut meet: Option<usize> = None;
            for before in predecessors[block.index()].iter().filter_map(|p| position[p.index()]) {
                if found[before].is_some() {
                    meet = Some(meet.map_or(before, |known| common(&found, known, before)));
                }
            }
            if found[i] != meet {
                found[i] = meet;
                changed = true;
            }
        }
    }
    // Every reachable block has a predecessor that stands before it, so each has been given a dominator.
    found.into_iter().map(|d| d.unwrap_or(0)).collect()
}

/// The closest common dominator of two positions that have one each.
fn common(found: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        // Dominators stand before what they dominate.
        if a < b {
            std::mem::swap(&mut a, &mut b);
        }
        a = found[a].unwrap_or(0);
    }
    a
}

fn intervals(dominator: &[usize]) -> Vec<(usize, usize)> {
    let mut children = vec![Vec::new(); dominator.len()];
    for (i, &parent) in dominator.iter().enumerate().skip(1) {
        children[parent].push(i);
    }
    let mut interval = vec![(0, 0); dominator.len()];
    let mut clock = 0;
    let mut path = if dominator.is_empty() { Vec::new() } else { vec![0] };
    while let Some(&block) = path.last() {
        if interval[block].0 == 0 {
            clock += 1;
            interval[block].0 = clock;
        }
        match children[block].pop() {
            Some(child) => path.push(child),
            None => {
                clock += 1;
                interval[block].1 = clock;
                path.pop();
            }
        }
    }
    interval
}
