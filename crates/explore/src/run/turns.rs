//! Whose turn it was: a schedule by names, as witnesses have it.

use concurrency::Action;
use machine::{Decision, State, Step};
use serde::{Deserialize, Serialize};

/// A thread's turn: it carries out one visible action, during which the environment makes these picks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Turn {
    /// The thread's name: numbers depend on the order in which threads were created.
    pub thread: String,
    pub picks: Vec<u32>,
}

/// Whether an action takes a turn. Others are carried out as soon as they can be, whoever's turn it is.
pub(crate) fn takes_turn(action: &Action) -> bool {
    !matches!(action, Action::Join(_) | Action::Pass(_))
}

/// What the environment picked before the first turn, and the turns that led to a state.
pub fn turns_of(state: &State) -> (Vec<u32>, Vec<Turn>) {
    let mut first = Vec::new();
    let mut turns: Vec<Turn> = Vec::new();
    for step in &state.history.steps() {
        match step {
            Step::Grant(thread, action, _) if takes_turn(action) => {
                turns.push(Turn { thread: state.thread(*thread).name.to_string(), picks: Vec::new() });
            }
            Step::Decide(_, Decision::Pick(pick)) => {
                turns.last_mut().map_or(&mut first, |turn| &mut turn.picks).push(*pick);
            }
            Step::Grant(..) | Step::Schedule(_) | Step::Decide(..) => {}
        }
    }
    (first, turns)
}
