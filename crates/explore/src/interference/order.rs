//! A partial order to which edges are added, and alternatives of edges of which one has to hold: event order constraints, decided by
//! propagation and case distinction.
//!
//! Temporal constraints of scenarios (Con2colic, Figure 5) are of this form: a write is before another one or behind a read, a critical
//! section before another or behind it. Times need no numbers: any order that has all edges will do.

use smallvec::SmallVec;

/// An event, by number.
pub(super) type Event = usize;

/// The one before the other.
pub(super) type Before = (Event, Event);

/// Edges that hold together.
pub(super) type Together = SmallVec<[Before; 1]>;

/// What has to hold: one of these. None: it cannot hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Clause(pub SmallVec<[Together; 2]>);

impl Clause {
    /// One of these edges.
    pub(super) fn of(edges: impl IntoIterator<Item = Option<Before>>) -> Self {
        Clause(edges.into_iter().flatten().map(|edge| [edge].into_iter().collect()).collect())
    }
}

/// A strict order, closed under transitivity.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// Words of a row.
    words: usize,
    /// By event, all that is behind it.
    behind: Vec<u64>,
    /// By event, all that is before it.
    before: Vec<u64>,
}

impl Order {
    pub(super) fn new(events: usize) -> Self {
        let words = events.div_ceil(64);
        Order { words, behind: vec![0; events * words], before: vec![0; events * words] }
    }

    pub(super) fn holds(&self, (a, b): Before) -> bool {
        self.behind[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }

    /// Whether the edge can be added.
    fn allows(&self, (a, b): Before) -> bool {
        a != b && !self.holds((b, a))
    }

    /// Adds edges and all that follows. Whether that is possible.
    fn add_all(&mut self, edges: &Together) -> bool {
        edges.iter().all(|&edge| self.add(edge))
    }

    /// Adds an edge and all that follows. Whether that is possible.
    pub(super) fn add(&mut self, edge @ (a, b): Before) -> bool {
        if !self.allows(edge) {
            return false;
        }
        if self.holds(edge) {
            return true;
        }
        let words = self.words;
        let row = |of: &[u64], event: Event| of[event * words..(event + 1) * words].to_vec();
        let (mut first, mut last) = (row(&self.before, a), row(&self.behind, b));
        first[a / 64] |= 1 << (a % 64);
        last[b / 64] |= 1 << (b % 64);
        for event in members(&first) {
            let row = &mut self.behind[event * words..(event + 1) * words];
            row.iter_mut().zip(&last).for_each(|(row, more)| *row |= more);
        }
        for event in members(&last) {
            let row = &mut self.before[event * words..(event + 1) * words];
            row.iter_mut().zip(&first).for_each(|(row, more)| *row |= more);
        }
        true
    }

    /// An order that has all of them, if there is one.
    pub(super) fn with(mut self, clauses: &[Clause]) -> Option<Order> {
        let mut open: Vec<&Clause> = clauses.iter().collect();
        loop {
            let before = open.len();
            let mut at = 0;
            while at < open.len() {
                let alternatives = &open[at].0;
                if alternatives.iter().any(|edges| edges.iter().all(|&edge| self.holds(edge))) {
                    open.swap_remove(at);
                    continue;
                }
                let mut possible = alternatives.iter().filter(|edges| edges.iter().all(|&edge| self.allows(edge)));
                match (possible.next(), possible.next()) {
                    (None, _) => return None,
                    (Some(edges), None) => {
                        if !self.add_all(edges) {
                            return None;
                        }
                        open.swap_remove(at);
                    }
                    (Some(_), Some(_)) => at += 1,
                }
            }
            let Some(&Clause(alternatives)) = open.last() else { return Some(self) };
            if open.len() < before {
                continue;
            }
            open.pop();
            let left: Vec<Clause> = open.into_iter().cloned().collect();
            return alternatives.iter().find_map(|edges| {
                let mut order = self.clone();
                if order.add_all(edges) { order.with(&left) } else { None }
            });
        }
    }

    /// All events in a row that is in this order. Where it leaves a choice, `prefers` says whether the first is better next than the second,
    /// behind the one that came last.
    pub(super) fn row(&self, events: usize, prefers: impl Fn(Option<Event>, Event, Event) -> bool) -> Vec<Event> {
        let mut waits: Vec<usize> = (0..events).map(|event| members(self.before_of(event)).count()).collect();
        let mut row: Vec<Event> = Vec::with_capacity(events);
        let mut ready: Vec<Event> = (0..events).filter(|&event| waits[event] == 0).collect();
        while !ready.is_empty() {
            let last = row.last().copied();
            let mut best = 0;
            for at in 1..ready.len() {
                if prefers(last, ready[at], ready[best]) {
                    best = at;
                }
            }
            let next = ready.swap_remove(best);
            row.push(next);
            for event in members(&self.behind[next * self.words..(next + 1) * self.words]) {
                waits[event] -= 1;
                if waits[event] == 0 {
                    ready.push(event);
                }
            }
        }
        row
    }

    fn before_of(&self, event: Event) -> &[u64] {
        &self.before[event * self.words..(event + 1) * self.words]
    }
}

/// The members of a set of events.
fn members(set: &[u64]) -> impl Iterator<Item = Event> + '_ {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        let mut bits = bits;
        std::iter::from_fn(move || {
            let at = bits.trailing_zeros();
            (at < 64).then(|| {
                bits &= bits - 1;
                word * 64 + at as usize
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether some permutation satisfies all clauses: by trying all.
    fn by_force(events: usize, clauses: &[Clause]) -> bool {
        fn extend(row: &mut Vec<Event>, events: usize, clauses: &[Clause]) -> bool {
            if row.len() == events {
                let place = |event: Event| row.iter().position(|&other| other == event);
                let holds = |&(a, b): &Before| place(a) < place(b);
                return clauses.iter().all(|clause| clause.0.iter().any(|edges| edges.iter().all(holds)));
            }
            (0..events).any(|event| {
                if row.contains(&event) {
                    return false;
                }
                row.push(event);
                let found = extend(row, events, clauses);
                row.pop();
                found
            })
        }
        extend(&mut Vec::new(), events, clauses)
    }

    /// One edge or two that are to hold together.
    fn some_edges(events: usize, random: &mut impl FnMut(usize) -> usize) -> Together {
        let edges = (0..1 + random(4) / 3).map(|_| (random(events), random(events)));
        edges.collect()
    }

    #[test]
    fn random_clauses_as_by_trying_all_rows() {
        let mut seed = 1_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        let mut satisfied = 0;
        for _ in 0..4000 {
            let events = 2 + random(4);
            let clauses: Vec<Clause> = (0..1 + random(7))
                .map(|_| Clause((0..1 + random(3)).map(|_| some_edges(events, &mut random)).collect()))
                .collect();
            let found = Order::new(events).with(&clauses);
            assert_eq!(found.is_some(), by_force(events, &clauses), "{clauses:?}");
            let Some(order) = found else { continue };
            satisfied += 1;
            let row = order.row(events, |_, a, b| a < b);
            assert_eq!(row.len(), events);
            let place = |event: Event| row.iter().position(|&other| other == event);
            let holds = |&(a, b): &Before| place(a) < place(b);
            let hold = |clause: &Clause| clause.0.iter().any(|edges| edges.iter().all(holds));
            assert!(clauses.iter().all(hold), "{clauses:?}: {row:?}");
        }
        assert!((500..3500).contains(&satisfied), "{satisfied}");
    }
}
