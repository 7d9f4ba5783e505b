//! Barriers: who is let through together.
//!
//! Arrivals at a barrier for n threads are told off as they come: n of them, whoever they are, let each other through. With whom a thread
//! that has passed arrived is part of a [scenario](super::scenario): its pass takes what it waits for from the arrivals of the others.

use super::forest::{Forest, Label, NodeId};
use super::scenario::Expanded;
use concurrency::{Action, Place};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Arrivals that let each other through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Meeting {
    pub barrier: Place,
    /// In ascending order.
    pub arrivals: SmallVec<[NodeId; 4]>,
}

/// What there is of barriers in a scenario.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    pub all: Vec<Meeting>,
    /// Arrivals of threads that have not passed, and that nobody is said to have met.
    pub open: Vec<(Place, NodeId)>,
}

/// The barrier at which a thread arrives.
pub(super) fn arrives(action: &Action) -> Option<Place> {
    match *action {
        Action::Arrive { barrier, .. } => Some(barrier),
        _ => None,
    }
}

/// The action without the round of its barrier, which others have a part in.
pub(super) fn of_any_round(action: Action) -> Action {
    match action {
        Action::Arrive { barrier, .. } => Action::Arrive { barrier, round: 0, last: false },
        other => other,
    }
}

/// A scenario's meetings. None where somebody would have met two companies at once, or where one company has two serial threads, or none.
pub(super) fn meetings(forest: &Forest, expanded: &Expanded, counts: &FxHashMap<Place, u32>) -> Option<Meetings> {
    let mut found = Meetings::default();
    let mut serial: FxHashMap<NodeId, bool> = FxHashMap::default();
    let mut arrivals: Vec<(Place, NodeId)> = Vec::new();
    for path in &expanded.paths {
        let mut arrived: Option<(Place, NodeId)> = None;
        for (at, &node) in path.nodes.iter().enumerate() {
            let (Label::Act { action, .. } | Label::Pending { action, .. }) = forest.label(node) else { continue };
            match (action, forest.label(node), arrived) {
                (Action::Arrive { barrier, .. }, Label::Act { .. }, _) => {
                    arrived = Some((*barrier, node));
                    arrivals.extend(arrived);
                }
                (Action::Pass(_), _, Some((barrier, own))) => {
                    let others = expanded.scenario.edges.iter().filter(|edge| edge.reader == node);
                    let mut all: SmallVec<[NodeId; 4]> = others.map(|edge| edge.source).collect();
                    if all.is_empty() && counts.get(&barrier) != Some(&1) {
                        continue;
                    }
                    all.push(own);
                    all.sort_unstable();
                    found.add(Meeting { barrier, arrivals: all })?;
                    if let Some(Label::Serial(is)) = path.nodes.get(at + 1).map(|&next| forest.label(next)) {
                        serial.insert(own, *is);
                    }
                }
                _ => {}
            }
        }
    }
    let met = |node: &NodeId| found.all.iter().any(|meeting| meeting.arrivals.contains(node));
    let open: Vec<(Place, NodeId)> = arrivals.into_iter().filter(|(_, node)| !met(node)).collect();
    found.open = open;
    let is_told_apart = |meeting: &Meeting| {
        let known = || meeting.arrivals.iter().filter_map(|node| serial.get(node));
        let chosen = known().filter(|is| **is).count();
        chosen == 1 || chosen == 0 && known().count() < meeting.arrivals.len()
    };
    found.all.iter().all(is_told_apart).then_some(found)
}

impl Meetings {
    /// None if one of them is in another one.
    fn add(&mut self, meeting: Meeting) -> Option<()> {
        let overlaps = |other: &&Meeting| other.arrivals.iter().any(|node| meeting.arrivals.contains(node));
        match self.all.iter().find(overlaps) {
            Some(other) => (*other == meeting).then_some(()),
            None => {
                self.all.push(meeting);
                Some(())
            }
        }
    }
}
