//! Heaps of tests: how far a test has come is where clients of any two functions may begin, which no rule has to lead to.
//!
//! A library whose objects take a configuration, a file or twenty calls to make is used by its tests as it is meant to be. So two calls are
//! put behind what a test does up to some point of it, on objects that the test holds there.

use crate::client::{Draft, Held, Instance, Role};
use crate::plan::{Planned, Planner};
use crate::script::VariableId;
use crate::settings::CallId;
use std::collections::BTreeSet;

/// Objects that the parameters of one call may get at one point of a test.
const CHOICES: usize = 3;

/// A point of a test, and what the test holds there.
struct Moment {
    end: Instance,
    held: Vec<VariableId>,
}

/// A call that may be made there.
struct Placed {
    call: CallId,
    /// By variable that its arguments are about, what takes its place.
    same: Vec<(VariableId, VariableId)>,
}

impl Planner<'_> {
    /// Clients in which two threads call these functions, behind what a test does up to some point of it: the latest points first. An argument
    /// that is an object is one of the test's, declared as what the function got where a test called it; all others are as they were there.
    /// `is_own`: what a function gets by a parameter is its caller's alone.
    pub fn on_heaps(&self, functions: [&str; 2], is_own: &dyn Fn(&str, usize) -> bool, most: usize) -> Vec<Planned> {
        let mut found: Vec<Planned> = Vec::new();
        let calls = functions.map(|function| self.calls_of(function));
        for Moment { end, held } in self.moments() {
            for (index, &one) in calls[0].iter().enumerate() {
                // Of one function with itself each two once.
                let first = if functions[0] == functions[1] { index } else { 0 };
                for &other in calls[1].iter().skip(first) {
                    for one in self.placed(one, end.call.test, &held) {
                        for other in self.placed(other, end.call.test, &held) {
                            let draft = draft([&one, &other], end);
                            if self.keeps_own(&draft, functions, is_own) {
                                self.add_client(draft, &mut found);
                            }
                            if found.len() >= most {
                                return found;
                            }
                        }
                    }
                }
            }
        }
        found
    }

    /// The points of all tests between their calls, one of each test in turn.
    fn moments(&self) -> Vec<Moment> {
        let longest = self.tests.iter().map(|test| test.trace.calls.len()).max().unwrap_or(0);
        let mut all = Vec::new();
        for back in 0..=longest {
            for (test, known) in self.tests.iter().enumerate() {
                let Some(number) = known.trace.calls.len().checked_sub(back.max(1)) else { continue };
                let role = Role::Ends { is_made: back == 0 };
                let end = Instance { call: CallId { test, call: number }, role };
                all.extend(self.held(end).map(|held| Moment { end, held }));
            }
        }
        all
    }

    /// What a test holds, of what is still there. None where it does not come so far.
    fn held(&self, Instance { call, role }: Instance) -> Option<Vec<VariableId>> {
        let script = self.scripts[call.test];
        let made = &self.tests[call.test].trace.calls[call.call];
        let (count, memory) = match role {
            Role::Ends { is_made: true } => (call.call + 1, made.after.as_ref()?),
            _ => (call.call, &made.before),
        };
        let mut held: BTreeSet<VariableId> =
            script.steps[..count].iter().flat_map(|step| step.mentions.iter().copied()).collect();
        // What a call returned may be gone; what is the test's own stays.
        for (&object, variable) in &script.steps[call.call].known {
            let is_result = script.variables[variable.index()].is_result;
            if is_result && !(object.index() < memory.len() && memory.object(object).is_live()) {
                held.remove(variable);
            }
        }
        held.retain(|variable| !script.variables[variable.index()].is_plain);
        Some(held.into_iter().collect())
    }

    /// A call on what a test holds, in some ways.
    fn placed(&self, call: CallId, test: usize, held: &[VariableId]) -> Vec<Placed> {
        let own = self.scripts[call.test];
        let objects: BTreeSet<VariableId> = own.steps[call.call].holders.iter().flatten().copied().collect();
        let objects = objects.into_iter().filter(|variable| !own.variables[variable.index()].is_plain);
        let mut all = vec![Placed { call, same: Vec::new() }];
        for object in objects {
            let declared = &own.variables[object.index()].declared;
            let fits = |variable: &&VariableId| self.scripts[test].variables[variable.index()].declared == *declared;
            let choices: Vec<VariableId> = held.iter().filter(fits).copied().collect();
            // What the test does not hold there the call brings along, unless nobody has made it.
            if choices.is_empty() && call.test == self.tests.len() {
                return Vec::new();
            }
            if !choices.is_empty() {
                let with = |placed: &Placed| {
                    let same = placed.same.clone();
                    let one =
                        move |&choice| Placed { call, same: same.iter().copied().chain([(object, choice)]).collect() };
                    choices.iter().map(one).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(with).take(CHOICES).collect();
            }
        }
        // On nothing of the test's there is nothing to see.
        all.retain(|placed| !placed.same.is_empty() || own.steps[call.call].holders.iter().all(Option::is_none));
        all
    }

    /// Whether what is its caller's alone goes to one of the two calls only.
    pub fn keeps_own(&self, draft: &Draft, functions: [&str; 2], is_own: &dyn Fn(&str, usize) -> bool) -> bool {
        let given = |instance: usize, wanted: &dyn Fn(usize) -> bool| -> BTreeSet<Held> {
            let call = draft.instances[instance].call;
            let of = |(index, holder): (usize, &Option<VariableId>)| {
                if !wanted(index) {
                    return None;
                }
                let held = match draft.given.get(&(instance, index)) {
                    Some(&(other, parameter)) => {
                        let call = draft.instances[other].call;
                        (other, self.scripts[call.test].steps[call.call].holders[parameter]?)
                    }
                    None => (instance, (*holder)?),
                };
                Some(draft.whose(held))
            };
            self.scripts[call.test].steps[call.call].holders.iter().enumerate().filter_map(of).collect()
        };
        [(0, 1), (1, 0)].into_iter().all(|(mine, theirs)| {
            given(mine, &|index| is_own(functions[mine], index)).is_disjoint(&given(theirs, &|_| true))
        })
    }

    fn add_client(&self, draft: Draft, found: &mut Vec<Planned>) {
        let Ok(client) = draft.client(&self.scripts, &self.taken) else { return };
        if !found.iter().any(|planned| planned.client == client) {
            let shares = "what a test holds by then".to_owned();
            found.push(Planned { draft, client, candidates: BTreeSet::new(), shares });
        }
    }
}

/// Two calls behind a point of a test.
fn draft(placed: [&Placed; 2], end: Instance) -> Draft {
    let mut draft = Draft::default();
    draft.instances.extend(placed.map(|placed| Instance { call: placed.call, role: Role::Races }));
    draft.instances.push(end);
    for (instance, placed) in placed.iter().enumerate() {
        for &(object, choice) in &placed.same {
            let (taken, by): (Held, Held) = ((instance, object), (2, choice));
            draft.share(taken, by);
        }
    }
    draft
}
