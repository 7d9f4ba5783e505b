//! Difference constraints over the integers: `x - y <= bound` and `x - y != bound`.
//!
//! Bounds are longest paths (Bellman 1958): each constraint raises a value until nothing changes, or a cycle that
//! raises itself shows that the constraints contradict each other. Disequalities are decided by trying both sides, which
//! is exact but bounded. The solution is the least one above zero that the constraints allow, so it does not depend on
//! what was asked before.

use smallvec::SmallVec;

/// Positions of the conjuncts that a constraint comes from; none for what always holds.
pub(super) type Reasons = SmallVec<[u32; 3]>;

/// `value(to) >= value(from) + weight`.
#[derive(Clone, Debug)]
struct Edge {
    from: u32,
    to: u32,
    weight: i128,
    reasons: Reasons,
}

/// `value(x) - value(y) != bound`.
#[derive(Clone, Debug)]
struct Apart {
    x: u32,
    y: u32,
    bound: i128,
    reasons: Reasons,
}

/// Constraints over nodes; node 0 has the value zero.
#[derive(Debug)]
pub(super) struct Graph {
    nodes: u32,
    edges: Vec<Edge>,
    apart: Vec<Apart>,
}

pub(super) enum Outcome {
    /// By node.
    Values(Vec<i128>),
    /// The reasons of constraints that contradict each other, ascending.
    Conflict(Vec<u32>),
    /// Too much work.
    Open,
}

/// Relaxations of one solution, and disequalities that one answer may try both sides of.
const MAX_RELAXATIONS: usize = 1 << 20;
const MAX_SPLITS: u32 = 48;

impl Graph {
    pub(super) fn new() -> Graph {
        Graph { nodes: 1, edges: Vec::new(), apart: Vec::new() }
    }

    pub(super) fn node(&mut self) -> u32 {
        self.nodes += 1;
        self.nodes - 1
    }

    pub(super) fn len(&self) -> usize {
        self.nodes as usize
    }

    /// Adds `x - y <= bound`.
    pub(super) fn at_most(&mut self, x: u32, y: u32, bound: i128, reasons: Reasons) {
        self.edges.push(Edge { from: x, to: y, weight: -bound, reasons });
    }

    /// Adds `x - y != bound`.
    pub(super) fn differ(&mut self, x: u32, y: u32, bound: i128, reasons: Reasons) {
        self.apart.push(Apart { x, y, bound, reasons });
    }

    /// A solution, or why there is none. `conjuncts`: reasons are below it.
    pub(super) fn solve(&mut self, conjuncts: u32) -> Outcome {
        let mut splits = MAX_SPLITS;
        let outcome = self.split(vec![0; self.len()], conjuncts, &mut splits);
        match outcome {
            Outcome::Values(mut values) => {
                let zero = values[0];
                values.iter_mut().for_each(|v| *v -= zero);
                Outcome::Values(values)
            }
            other => other,
        }
    }

    fn split(&mut self, start: Vec<i128>, mark: u32, splits: &mut u32) -> Outcome {
        let values = match self.raise(start) {
            Outcome::Values(values) => values,
            other => return other,
        };
        let equal = |a: &&Apart| values[a.x as usize] - values[a.y as usize] == a.bound;
        let Some(Apart { x, y, bound, reasons }) = self.apart.iter().find(equal).cloned() else {
            return Outcome::Values(values);
        };
        if *splits == 0 {
            return Outcome::Open;
        }
        *splits -= 1;
        // x - y > bound first: raising is what this procedure does; a constant cannot be raised.
        let above = Edge { from: y, to: x, weight: bound + 1, reasons: [mark].into_iter().collect() };
        let below = Edge { from: x, to: y, weight: 1 - bound, reasons: [mark].into_iter().collect() };
        let sides = if x == 0 { [below, above] } else { [above, below] };
        let mut core: Vec<u32> = reasons.to_vec();
        for side in sides {
            self.edges.push(side);
            let outcome = self.split(values.clone(), mark + 1, splits);
            self.edges.pop();
            match outcome {
                Outcome::Conflict(reasons) if reasons.contains(&mark) => core.extend(reasons),
                decided => return decided,
            }
        }
        core.retain(|&reason| reason != mark);
        core.sort_unstable();
        core.dedup();
        Outcome::Conflict(core)
    }

    /// The least values that are at least `values` and satisfy every edge.
    fn raise(&self, mut values: Vec<i128>) -> Outcome {
        let mut raised_by: Vec<Option<u32>> = vec![None; self.len()];
        if self.edges.len().saturating_mul(self.len()) > MAX_RELAXATIONS {
            return Outcome::Open;
        }
        for _ in 0..=self.len() {
            let mut last = None;
            for (at, edge) in self.edges.iter().enumerate() {
                let least = values[edge.from as usize] + edge.weight;
                if least > values[edge.to as usize] {
                    values[edge.to as usize] = least;
                    raised_by[edge.to as usize] = Some(at as u32);
                    last = Some(edge.to);
                }
            }
            if last.is_none() {
                return Outcome::Values(values);
            }
        }
        self.cycle(&raised_by)
    }

    /// The cycle that raises itself: what was raised once more than there are nodes hangs on it.
    fn cycle(&self, raised_by: &[Option<u32>]) -> Outcome {
        for start in 0..self.nodes {
            let mut seen = vec![false; self.len()];
            let mut at = start;
            while !seen[at as usize] {
                seen[at as usize] = true;
                match raised_by[at as usize] {
                    Some(edge) => at = self.edges[edge as usize].from,
                    None => break,
                }
            }
            if raised_by[at as usize].is_none() {
                continue;
            }
            let (first, mut core, mut gain) = (at, Vec::new(), 0);
            while let Some(edge) = raised_by[at as usize].map(|e| &self.edges[e as usize]) {
                core.extend(edge.reasons.iter().copied());
                gain += edge.weight;
                at = edge.from;
                if at == first {
                    break;
                }
            }
            if at == first && gain > 0 {
                core.sort_unstable();
                core.dedup();
                return Outcome::Conflict(core);
            }
        }
        Outcome::Open
    }

    /// By node the least and the greatest value that the edges allow; `None` where they set no bound.
    pub(super) fn bounds(&self) -> Vec<(Option<i128>, Option<i128>)> {
        let mut least: Vec<Option<i128>> = vec![None; self.len()];
        let mut most = least.clone();
        (least[0], most[0]) = (Some(0), Some(0));
        for _ in 0..=self.len() {
            let mut changed = false;
            for edge in &self.edges {
                let (from, to) = (edge.from as usize, edge.to as usize);
                if let Some(value) = least[from].map(|v| v + edge.weight)
                    && least[to].is_none_or(|known| value > known)
                {
                    least[to] = Some(value);
                    changed = true;
                }
                if let Some(value) = most[to].map(|v| v - edge.weight)
                    && most[from].is_none_or(|known| value < known)
                {
                    most[from] = Some(value);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        least.into_iter().zip(most).collect()
    }
}

impl Graph {
    /// Every conjunct that an edge comes from.
    pub(super) fn reasons(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.edges.iter().flat_map(|edge| edge.reasons.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
