//! Difference constraints over the integers: `x - y <= bound`, `x - y != bound`, and sums that wrap around.
//!
//! Bounds are longest paths (Bellman 1958): each constraint raises a value until nothing changes, or a cycle that
//! raises itself shows that the constraints contradict each other. Disequalities, and whether a sum wraps around, are
//! decided by trying both sides, which is exact but bounded. The solution is the least one above zero that the constraints allow, so it does not depend on
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

/// Either of two sets of constraints holds.
#[derive(Clone, Debug)]
struct Either {
    sides: [Vec<Edge>; 2],
    reasons: Reasons,
}

impl Either {
    /// Whether the values are of either side.
    fn holds(&self, values: &[i128]) -> bool {
        let satisfied = |edge: &Edge| values[edge.to as usize] >= values[edge.from as usize] + edge.weight;
        self.sides.iter().any(|side| side.iter().all(satisfied))
    }
}

/// A sum that may wrap around: `x + offset` while `x` lies from `least` to `most`; otherwise `x + wrapped`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    pub(super) x: u32,
    pub(super) offset: i128,
    pub(super) least: i128,
    pub(super) most: i128,
    /// Where `x` is more than `most`, if it can be; otherwise where it is less than `least`.
    pub(super) over: bool,
    pub(super) wrapped: i128,
}

/// Constraints over nodes; node 0 has the value zero.
#[derive(Debug)]
pub(super) struct Graph {
    nodes: u32,
    edges: Vec<Edge>,
    either: Vec<Either>,
}

pub(super) enum Outcome {
    /// By node.
    Values(Vec<i128>),
    /// The reasons of constraints that contradict each other, ascending.
    Conflict(Vec<u32>),
    /// Too much work.
    Open,
}

/// Relaxations of one solution, and sides that one answer may try.
const MAX_RELAXATIONS: usize = 1 << 20;
const MAX_SPLITS: u32 = 256;

impl Graph {
    pub(super) fn new() -> Graph {
        Graph { nodes: 1, edges: Vec::new(), either: Vec::new() }
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
        self.edges.push(at_most(x, y, bound, reasons));
    }

    /// Adds `x - y != bound`.
    pub(super) fn differ(&mut self, x: u32, y: u32, bound: i128, reasons: Reasons) {
        // x - y > bound first: raising is what this procedure does; a constant cannot be raised.
        let above = vec![at_most(y, x, -bound - 1, Reasons::new())];
        let below = vec![at_most(x, y, bound - 1, Reasons::new())];
        let sides = if x == 0 { [below, above] } else { [above, below] };
        self.either.push(Either { sides, reasons });
    }

    /// A node for what the sum comes to.
    pub(super) fn sum(&mut self, sum: Sum) -> u32 {
        let node = self.node();
        let Sum { x, offset, least, most, over, wrapped } = sum;
        let limit = |x, y, bound| at_most(x, y, bound, Reasons::new());
        let is = |offset| [limit(node, x, offset), limit(x, node, -offset)];
        let fits: Vec<Edge> = [limit(x, 0, most), limit(0, x, -least)].into_iter().chain(is(offset)).collect();
        let past = if over { limit(0, x, -most - 1) } else { limit(x, 0, least - 1) };
        let wraps = std::iter::once(past).chain(is(wrapped)).collect();
        self.either.push(Either { sides: [fits, wraps], reasons: Reasons::new() });
        node
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
        let Some(open) = self.either.iter().position(|either| !either.holds(&values)) else {
            return Outcome::Values(values);
        };
        let mut core: Vec<u32> = self.either[open].reasons.to_vec();
        let kept = self.edges.len();
        for side in 0..2 {
            if *splits == 0 {
                return Outcome::Open;
            }
            *splits -= 1;
            let marked = |edge: &Edge| Edge { reasons: [mark].into_iter().collect(), ..*edge };
            self.edges.extend(self.either[open].sides[side].iter().map(marked));
            let outcome = self.split(values.clone(), mark + 1, splits);
            self.edges.truncate(kept);
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
            let mut raised = false;
            for (at, edge) in self.edges.iter().enumerate() {
                let least = values[edge.from as usize] + edge.weight;
                if least > values[edge.to as usize] {
                    values[edge.to as usize] = least;
                    raised_by[edge.to as usize] = Some(at as u32);
                    raised = true;
                }
            }
            if !raised {
                return Outcome::Values(values);
            }
            if let Some(core) = self.cycle(&raised_by) {
                return Outcome::Conflict(core);
            }
        }
        Outcome::Open
    }

    /// The reasons of a cycle that raises itself: nodes that were last raised by each other are one (Cherkassky & Goldberg,
    /// Negative-cycle detection algorithms, 1999, lemma 2.2).
    fn cycle(&self, raised_by: &[Option<u32>]) -> Option<Vec<u32>> {
        // From which start each node was come by first.
        let mut seen: Vec<Option<u32>> = vec![None; self.len()];
        for start in 0..self.nodes {
            let mut at = start;
            while seen[at as usize].is_none()
                && let Some(edge) = raised_by[at as usize]
            {
                seen[at as usize] = Some(start);
                at = self.edges[edge as usize].from;
            }
            if seen[at as usize] == Some(start) {
                return Some(self.around(raised_by, at));
            }
        }
        None
    }

    /// The reasons of the cycle that a node is on.
    fn around(&self, raised_by: &[Option<u32>], first: u32) -> Vec<u32> {
        let (mut at, mut core, mut gain) = (first, Vec::new(), 0);
        while let Some(edge) = raised_by[at as usize].map(|edge| &self.edges[edge as usize]) {
            core.extend(edge.reasons.iter().copied());
            gain += edge.weight;
            at = edge.from;
            if at == first {
                break;
            }
        }
        debug_assert!(gain > 0, "a cycle that raises nothing");
        core.sort_unstable();
        core.dedup();
        core
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

/// `x - y <= bound`.
fn at_most(x: u32, y: u32, bound: i128, reasons: Reasons) -> Edge {
    Edge { from: x, to: y, weight: -bound, reasons }
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
