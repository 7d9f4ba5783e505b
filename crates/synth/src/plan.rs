//! Which clients are worth a try, for each two calls: on whose objects they may race, and what makes that object one (Narada,
//! section 3.3). All contexts are listed, those with the fewest calls first.

use crate::Test;
use crate::client::{Client, Draft, Held, Instance, Role};
use crate::conflict::{Side, conflict, is_of_global, is_protected, sides};
use crate::paths::{AccessPath, Root, Sources, along, root_of};
use crate::script::{Script, VariableId};
use crate::search::{Move, Search, Wanted, taken};
use crate::settings::{CallId, Fact, Owner, Setting, Settings, Whose, facts, pointee_name};
use concurrency::AccessKind;
use explore::Position;
use ir::DebugType;
use std::collections::{BTreeMap, BTreeSet};

/// Calls of one function that differ in what they access.
const CALLS: usize = 3;

/// Clients for one pair of functions.
const CLIENTS: usize = 16;

/// Settings of one side that are combined with those of the other.
const SETTINGS: usize = 6;

/// Two accesses, in the order of their places.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Candidate {
    pub sides: [(Position, AccessKind); 2],
}

impl Candidate {
    fn of(one: &Side, other: &Side) -> Self {
        let side = |side: &Side| (side.position.clone(), side.kind);
        let mut sides = [side(one), side(other)];
        sides.sort();
        Candidate { sides }
    }
}

/// What there is to try for two functions.
#[derive(Clone, Debug, Default)]
pub struct PairPlan {
    pub functions: [String; 2],
    pub clients: Vec<Planned>,
    /// All accesses that may race.
    pub candidates: BTreeSet<Candidate>,
    /// Those of which the rules make no client, and what would be needed.
    pub unreached: BTreeMap<Candidate, String>,
    /// Drafts that were tried, and which client each became.
    drafts: BTreeMap<Draft, Result<usize, String>>,
}

/// A client, and the accesses that it is for.
#[derive(Clone, Debug)]
pub struct Planned {
    pub draft: Draft,
    pub client: Client,
    pub candidates: BTreeSet<Candidate>,
    /// What is shared, in words.
    pub shares: String,
}

/// What is known of a call.
struct Known {
    id: CallId,
    function: String,
    races: bool,
    sides: Vec<Side>,
}

/// Plans clients.
pub struct Planner<'t> {
    pub(crate) tests: &'t [&'t Test],
    pub(crate) scripts: Vec<&'t Script>,
    settings: Settings,
    /// Names of the library and of the tests.
    pub(crate) taken: BTreeSet<String>,
    /// By function, calls that differ in what they access.
    chosen: BTreeMap<String, Vec<Known>>,
    moves: Vec<Move>,
}

impl<'t> Planner<'t> {
    /// Looks at what tests do. `may_race`: which functions are sides.
    pub fn new(tests: &'t [&'t Test], may_race: impl Fn(&Test, ir::FuncId) -> bool) -> Self {
        let (mut all, mut set) = (Vec::new(), Vec::new());
        let scripts: Vec<&Script> = tests.iter().map(|test| &test.script).collect();
        for (index, test) in tests.iter().enumerate() {
            let module = &test.program.module;
            for (number, call) in test.trace.calls.iter().enumerate() {
                let id = CallId { test: index, call: number };
                let (before, after) = (Sources::before(module, call), Sources::after(module, call));
                set.extend(facts(module, call.function, id, &before, &after));
                let function = module[call.function].name.clone();
                let sides = match may_race(test, call.function) {
                    true => sides(&test.program, call, &before.as_read(call), &after),
                    false => Vec::new(),
                };
                all.push(Known { id, function, races: may_race(test, call.function), sides });
            }
        }
        let taken = tests.iter().flat_map(|test| names(&test.program.module)).cloned().collect();
        let chosen = representative(all, &scripts);
        let moves = chosen.values().flatten().map(|known| a_move(tests, known.id, &set)).collect();
        Planner { tests, scripts, settings: Settings::new(set), taken, chosen, moves }
    }

    /// Sequential clients that make calls which the tests make with one object for several parameters, or with objects that lead to each other,
    /// with an object for each: what they do tells which is accessed by which parameter.
    pub fn probes(&self) -> Vec<Client> {
        let mut clients = Vec::new();
        for (known, made) in self.chosen.values().flatten().zip(&self.moves) {
            let step = self.step(known.id);
            let holders: Vec<&VariableId> = step.holders.iter().flatten().collect();
            let distinct: BTreeSet<&VariableId> = holders.iter().copied().collect();
            let is_plain = distinct.len() == holders.len() && !known.sides.iter().any(is_of_several);
            if is_plain || step.needs_source {
                continue;
            }
            let mut draft = Draft::default();
            draft.instances.push(Instance { call: known.id, role: Role::Sets });
            for parameter in (0..made.takes.len()).filter(|&parameter| made.takes[parameter].is_some()) {
                draft.instances.push(Instance { call: known.id, role: Role::Supplies(parameter) });
                draft.given.insert((0, parameter), (draft.instances.len() - 1, parameter));
            }
            clients.extend(draft.client_with(&self.scripts, &self.taken, &format!("_{}", clients.len())));
        }
        clients
    }

    /// Beside the calls of the tests, these, which no test makes ([`Script::of_unseen`]), may be put on what a test holds.
    pub fn with_unseen(mut self, script: &'t Script) -> Self {
        self.scripts.truncate(self.tests.len());
        self.scripts.push(script);
        self
    }

    /// Calls of a function that differ in what they access, and may be made beside others; and those that no test makes.
    pub(crate) fn calls_of(&self, function: &str) -> Vec<CallId> {
        let all = self.chosen.get(function).into_iter().flatten();
        let seen = all.filter(|known| known.races).map(|known| known.id);
        let test = self.tests.len();
        let steps = self.scripts.get(test).into_iter().flat_map(|script| script.steps.iter().enumerate());
        let unseen = steps.filter(|(_, step)| step.name == function).map(|(call, _)| CallId { test, call });
        seen.chain(unseen).collect()
    }

    /// What to try first, by the rules.
    pub fn plans(&self) -> Vec<PairPlan> {
        let racing = |known: &&Known| known.races;
        let names: Vec<&String> = self.chosen.keys().collect();
        let mut pairs = Vec::new();
        for (index, one) in names.iter().enumerate() {
            for other in &names[index..] {
                let mut plan = PairPlan { functions: [(*one).clone(), (*other).clone()], ..PairPlan::default() };
                for (number, a) in self.chosen[*one].iter().filter(racing).enumerate() {
                    for b in self.chosen[*other].iter().filter(racing).skip(if one == other { number } else { 0 }) {
                        self.pair(a, b, &mut plan);
                    }
                }
                plan.clients.sort_by_key(|planned| planned.client.calls);
                plan.clients.truncate(CLIENTS);
                let reached: BTreeSet<&Candidate> =
                    plan.clients.iter().flat_map(|planned| &planned.candidates).collect();
                plan.unreached.retain(|candidate, _| !reached.contains(candidate));
                if !plan.is_empty() {
                    pairs.push(plan);
                }
            }
        }
        pairs
    }

    /// A client to stand beside others in one file.
    pub fn beside(&self, planned: &Planned, suffix: &str) -> Result<Client, String> {
        planned.draft.client_with(&self.scripts, &self.taken, suffix)
    }

    /// Further clients, for accesses of pairs that are still open, by any calls of the tests: by pair.
    pub fn search(&self, pairs: &[PairPlan], is_open: impl Fn(usize, &Candidate) -> bool) -> Vec<(usize, Planned)> {
        let mut wanted = Vec::new();
        // By number of what is wanted.
        let mut names: Vec<(usize, Candidate)> = Vec::new();
        let numbered: Vec<&Known> = self.chosen.values().flatten().collect();
        for (pair, plan) in pairs.iter().enumerate() {
            let of = |name: &str| -> Vec<(usize, &&Known)> {
                numbered.iter().enumerate().filter(|(_, known)| known.function == name).collect()
            };
            for (a, one) in of(&plan.functions[0]) {
                for (b, other) in of(&plan.functions[1]) {
                    for mine in &one.sides {
                        for theirs in other.sides.iter().filter(|theirs| conflict(mine, theirs)) {
                            let candidate = Candidate::of(mine, theirs);
                            if is_open(pair, &candidate)
                                && !self.is_callers(one.id, mine)
                                && !self.is_callers(other.id, theirs)
                            {
                                for want in interpretations(([a, b], [mine, theirs]), names.len()) {
                                    wanted.push(want);
                                    names.push((pair, candidate.clone()));
                                }
                            }
                        }
                    }
                }
            }
        }
        if wanted.is_empty() {
            return Vec::new();
        }
        let mut search = Search::new(self.tests, &self.scripts, &self.moves);
        let mut found: Vec<(usize, Planned)> = Vec::new();
        let mut known: BTreeMap<(usize, Draft), Option<usize>> = BTreeMap::new();
        for (number, draft) in search.find(&wanted) {
            let (pair, candidate) = &names[number];
            let at = *known.entry((*pair, draft.clone())).or_insert_with(|| {
                let client = draft.client(&self.scripts, &self.taken).ok()?;
                if let Some(at) = found.iter().position(|(other, planned)| other == pair && planned.client == client) {
                    return Some(at);
                }
                let shares = "what its calls make one".to_owned();
                found.push((*pair, Planned { draft, client, candidates: BTreeSet::new(), shares }));
                Some(found.len() - 1)
            });
            if let Some(at) = at {
                found[at].1.candidates.insert(candidate.clone());
            }
        }
        found
    }
}

/// Paths of one side that are tried.
const PATHS: usize = 4;

/// Two accesses in all ways in which they may come to their object and to their locks, numbered from here on.
fn interpretations<'k>((moves, [mine, theirs]): ([usize; 2], [&'k Side; 2]), first: usize) -> Vec<Wanted<'k>> {
    let mut all = Vec::new();
    for p in mine.paths.iter().take(PATHS) {
        for q in theirs.paths.iter().take(PATHS) {
            for held in taken(mine) {
                for others in taken(theirs) {
                    let number = first + all.len();
                    all.push(Wanted { number, moves, paths: [p, q], locks: [held.clone(), others] });
                }
            }
        }
    }
    all
}

/// Of the calls of each function those that differ in their accesses, the shortest first.
fn representative(calls: Vec<Known>, scripts: &[&Script]) -> BTreeMap<String, Vec<Known>> {
    // Which element of an array is accessed tells calls apart as well.
    type Signature = Vec<(Position, AccessKind, bool, u64)>;
    let mut chosen: BTreeMap<String, Vec<Known>> = BTreeMap::new();
    let mut seen: BTreeMap<String, BTreeSet<Signature>> = BTreeMap::new();
    let length = |known: &Known| {
        let script = scripts[known.id.test];
        // A call that gets one object twice tells less of what each is for.
        let step = &script.steps[known.id.call];
        let holders: Vec<_> = step.holders.iter().flatten().collect();
        let distinct: BTreeSet<_> = holders.iter().collect();
        let several = known.sides.iter().filter(|side| is_of_several(side)).count();
        (holders.len() - distinct.len(), several, script.whole_slice(known.id.call).len(), known.id)
    };
    let mut calls: Vec<Known> = calls;
    calls.sort_by_cached_key(length);
    for known in calls {
        let mut signature: Signature = known
            .sides
            .iter()
            .map(|side| (side.position.clone(), side.kind, side.locks.is_empty(), side.offset))
            .collect();
        signature.sort();
        signature.dedup();
        let of = chosen.entry(known.function.clone()).or_default();
        if of.len() < CALLS && seen.entry(known.function.clone()).or_default().insert(signature) {
            of.push(known);
        }
    }
    chosen
}

/// A call as one that clients may make with other objects.
fn a_move(tests: &[&Test], id: CallId, facts: &[Fact]) -> Move {
    let test = tests[id.test];
    let step = &test.script.steps[id.call];
    let takes = |(parameter, holder): (usize, &Option<VariableId>)| {
        if test.script.variables[(*holder)?.index()].is_plain {
            return None;
        }
        let name = pointee_name(&test.program.module, step.function, parameter);
        (!name.is_empty()).then_some(name)
    };
    Move {
        id,
        takes: step.holders.iter().enumerate().map(takes).collect(),
        facts: facts.iter().filter(|fact| fact.by == id && !fact.is_result).cloned().collect(),
    }
}

/// How one side comes to share an object.
#[derive(Clone)]
enum Way<'s> {
    /// The client holds it.
    Own(VariableId),
    /// Calls make its path lead there.
    Set(&'s Setting),
}

/// All that a program's file scope has names for.
fn names(module: &ir::Module) -> impl Iterator<Item = &String> {
    let types = module.types.iter().flat_map(|ty| match ty {
        DebugType::Typedef { name, .. } => vec![name],
        DebugType::Enum { values, .. } => values.iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    });
    let functions = module.functions().map(|(_, function)| &function.name);
    functions.chain(module.globals().map(|(_, global)| &global.name)).chain(types)
}

impl PairPlan {
    /// Nothing is planned yet.
    pub fn of(functions: [String; 2]) -> Self {
        PairPlan { functions, ..PairPlan::default() }
    }

    /// The two access nothing in common.
    pub fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }
}

impl Planner<'_> {
    fn pair(&self, a: &Known, b: &Known, plan: &mut PairPlan) {
        for one in &a.sides {
            for other in &b.sides {
                if conflict(one, other) {
                    self.candidate((a, one), (b, other), plan);
                }
            }
        }
    }

    /// All that makes what two accesses are about one object.
    fn candidate(&self, (a, one): (&Known, &Side), (b, other): (&Known, &Side), plan: &mut PairPlan) {
        // What a caller gives a call to write to it gives no other.
        if self.is_callers(a.id, one) || self.is_callers(b.id, other) {
            return;
        }
        let candidate = Candidate::of(one, other);
        plan.candidates.insert(candidate.clone());
        let mut needed: Option<String> = None;
        let mut protected = Vec::new();
        let mut added = false;
        for p in one.paths.iter().take(2) {
            for q in other.paths.iter().take(2) {
                if is_of_global(p) && is_of_global(q) {
                    let from = |path: &AccessPath| path.follows.iter().map(|follow| follow.from).collect::<Vec<_>>();
                    if self.root_name(a.id, p) != self.root_name(b.id, q) || from(p) != from(q) {
                        continue;
                    }
                    match is_protected((one, p), (other, q), Some((0, 0))) {
                        true => protected.push((p, 0, q, 0)),
                        false => added |= self.nothing_shared((a.id, b.id), &candidate, plan),
                    }
                    continue;
                }
                // Shared as deep as can be first, then what leads there.
                for i in (0..=p.length()).rev() {
                    let Some(j) = (i + q.length()).checked_sub(p.length()) else { break };
                    let rest = |path: &AccessPath, at: usize| -> Vec<u64> {
                        path.follows[at..].iter().map(|follow| follow.from).collect()
                    };
                    if rest(p, i) != rest(q, j) {
                        break;
                    }
                    if i > one.old || j > other.old {
                        continue;
                    }
                    if is_protected((one, p), (other, q), Some((i, j))) {
                        protected.push((p, i, q, j));
                        continue;
                    }
                    let mine = self.settings_of(a.id, p, i);
                    let theirs = self.settings_of(b.id, q, j);
                    let mine = self.ways(a.id, p, i, &mine);
                    let theirs = self.ways(b.id, q, j, &theirs);
                    if mine.is_empty() && needed.is_none() {
                        needed = Some(self.unset(a.id, p, i));
                    }
                    if theirs.is_empty() && needed.is_none() {
                        needed = Some(self.unset(b.id, q, j));
                    }
                    for mine in &mine {
                        for theirs in &theirs {
                            let roots = (Some(p), Some(q));
                            added |= self.add((a.id, b.id), (mine.clone(), theirs.clone()), roots, &candidate, plan);
                        }
                    }
                }
            }
        }
        if added {
            return;
        }
        // That a lock is held in common is what traces say: the client says whether it is so.
        for (p, i, q, j) in protected {
            added |= match is_of_global(p) {
                true => self.nothing_shared((a.id, b.id), &candidate, plan),
                false => {
                    let (mine, theirs) = (self.ways(a.id, p, i, &[]), self.ways(b.id, q, j, &[]));
                    let both = mine.into_iter().next().zip(theirs.into_iter().next());
                    both.is_some_and(|ways| self.add((a.id, b.id), ways, (Some(p), Some(q)), &candidate, plan))
                }
            };
            if added {
                return;
            }
        }
        let needed = needed.unwrap_or_else(|| "nothing that a client holds leads to both".to_owned());
        plan.unreached.entry(candidate).or_insert(needed);
    }

    /// Whether an access is of numbers of the caller's own, which the call is given.
    fn is_callers(&self, id: CallId, side: &Side) -> bool {
        let script = self.scripts[id.test];
        let is_given = |path: &AccessPath| match path.root {
            Root::Parameter(index) if path.length() == 0 => {
                let holder = script.steps[id.call].holders.get(index).copied().flatten();
                holder.is_some_and(|holder| script.variables[holder.index()].is_plain)
            }
            _ => false,
        };
        side.paths.iter().all(is_given)
    }

    fn step(&self, id: CallId) -> &crate::script::Step {
        &self.scripts[id.test].steps[id.call]
    }

    fn parameter_name(&self, id: CallId, parameter: usize) -> String {
        let test = &self.tests[id.test];
        pointee_name(&test.program.module, test.trace.calls[id.call].function, parameter)
    }

    fn root_name(&self, id: CallId, path: &AccessPath) -> Owner {
        match path.root {
            Root::Global(global) => Owner::Global(self.tests[id.test].program.module[global].name.clone()),
            Root::Parameter(index) => Owner::Typed(self.parameter_name(id, index)),
            Root::Result => Owner::Typed(String::new()),
        }
    }

    fn settings_of(&self, id: CallId, path: &AccessPath, steps: usize) -> Vec<Setting> {
        let offsets: Vec<u64> = path.follows[..steps].iter().map(|follow| follow.from).collect();
        let mut found = self.settings.find(&self.root_name(id, path), &offsets);
        found.truncate(SETTINGS);
        found
    }

    /// How a side comes to hold the object that lies so many steps along its path.
    fn ways<'s>(&self, id: CallId, path: &AccessPath, steps: usize, settings: &'s [Setting]) -> Vec<Way<'s>> {
        let call = &self.tests[id.test].trace.calls[id.call];
        let step = self.step(id);
        let own = root_of(call, &call.before, path.root)
            .and_then(|root| along(&call.before, root, path))
            .and_then(|objects| step.known.get(&objects[steps]).copied());
        let script = self.scripts[id.test];
        let is_about = |variable: &VariableId| {
            script.whole_slice(id.call).iter().any(|&step| script.steps[step].mentions.contains(variable))
        };
        let is_callers = |variable: &VariableId| steps == 0 && script.variables[variable.index()].is_plain;
        let own = own.filter(is_about).filter(|variable| !is_callers(variable)).map(Way::Own);
        own.into_iter().chain(settings.iter().map(Way::Set)).collect()
    }

    /// What no call of the tests sets, as C writes it.
    fn unset(&self, id: CallId, path: &AccessPath, steps: usize) -> String {
        let test = &self.tests[id.test];
        let (module, call) = (&test.program.module, &test.trace.calls[id.call]);
        let function = &module[call.function];
        let (mut text, mut ty) = match path.root {
            Root::Parameter(index) => {
                let param = function.source_params.get(index);
                (param.map_or_else(String::new, |param| param.name.clone()), param.and_then(|p| module.pointee(p.ty)))
            }
            Root::Global(id) => (module[id].name.clone(), module[id].ty),
            Root::Result => ("the result".to_owned(), None),
        };
        let mut is_first = true;
        for follow in &path.follows[..steps] {
            let member = ty.map(|ty| module.path_to(ty, follow.from)).unwrap_or_default();
            let arrow = if is_first && matches!(path.root, Root::Global(_)) { "." } else { "->" };
            text.push_str(&member.replacen('.', arrow, 1));
            ty = ty.and_then(|ty| module.scalar_at(ty, follow.from)).and_then(|scalar| module.pointee(scalar.ty));
            is_first = false;
        }
        match steps {
            0 => format!("`{}` gets by `{text}` what the client does not hold", function.name),
            _ => format!(
                "no call in the tests lets `{text}` (as `{}` uses it) lead to an object of the client's",
                function.name
            ),
        }
    }

    /// A client that shares nothing: globals are shared anyway.
    fn nothing_shared(&self, (a, b): (CallId, CallId), candidate: &Candidate, plan: &mut PairPlan) -> bool {
        let draft = racing(a, b);
        self.try_out(&draft, candidate, "nothing but globals".to_owned(), plan)
    }

    /// A client in which both share an object.
    fn add(
        &self,
        (a, b): (CallId, CallId),
        ways: (Way, Way),
        roots: (Option<&AccessPath>, Option<&AccessPath>),
        candidate: &Candidate,
        plan: &mut PairPlan,
    ) -> bool {
        let mut draft = racing(a, b);
        let mine = self.bring((0, a), &ways.0, roots.0, &mut draft);
        let theirs = self.bring((1, b), &ways.1, roots.1, &mut draft);
        let (Some(mine), Some(theirs)) = (mine, theirs) else { return false };
        let declared = |held: Held| {
            let script = self.scripts[draft.instances[held.0].call.test];
            &script.variables[held.1.index()].declared
        };
        if declared(mine) != declared(theirs) {
            return false;
        }
        // Who sets something lets it lead to what the other has. Where both have it, it may be in the state in which either test has it by
        // then.
        let orders = match ways {
            (Way::Set(_), _) => vec![(mine, theirs)],
            (Way::Own(_), Way::Set(_)) => vec![(theirs, mine)],
            (Way::Own(_), Way::Own(_)) => vec![(theirs, mine), (mine, theirs)],
        };
        let mut added = false;
        for (taken, by) in orders {
            let mut draft = draft.clone();
            draft.share(taken, by);
            let shared = draft.whose(by);
            let variable = &self.scripts[draft.instances[shared.0].call.test].variables[shared.1.index()];
            added |= self.try_out(&draft, candidate, format!("`{}`", variable.name), plan);
        }
        added
    }

    /// Adds the calls of a way to a client. The variable that holds what is shared.
    fn bring(
        &self,
        (side, id): (usize, CallId),
        way: &Way,
        path: Option<&AccessPath>,
        draft: &mut Draft,
    ) -> Option<Held> {
        let setting = match way {
            Way::Own(variable) => return Some((side, *variable)),
            Way::Set(setting) => setting,
        };
        let first = draft.instances.len();
        for bound in &setting.calls {
            let role = if bound.fact.is_result { Role::Makes } else { Role::Sets };
            draft.instances.push(Instance { call: bound.fact.by, role });
        }
        let holder = |call: usize, parameter: usize| -> Option<Held> {
            let by = setting.calls[call].fact.by;
            Some((first + call, (*self.step(by).holders.get(parameter)?)?))
        };
        for (call, bound) in setting.calls.iter().enumerate() {
            for &(parameter, whose) in &bound.same {
                let by = match whose {
                    Whose::Parameter { call, parameter } => holder(call, parameter)?,
                    Whose::Result { call } => (first + call, self.step(setting.calls[call].fact.by).defines?),
                };
                draft.share(holder(call, parameter)?, by);
            }
        }
        let owner = &setting.calls[setting.owner].fact;
        if let Some(Root::Parameter(root)) = path.map(|path| path.root) {
            let own: Held = (side, (*self.step(id).holders.get(root)?)?);
            match owner.target {
                Some(parameter) => draft.share(holder(setting.owner, parameter)?, own),
                None => draft.share(own, (first + setting.owner, self.step(owner.by).defines?)),
            };
        }
        holder(setting.object.0, setting.object.1)
    }

    fn try_out(&self, draft: &Draft, candidate: &Candidate, shares: String, plan: &mut PairPlan) -> bool {
        let PairPlan { clients, drafts, unreached, .. } = plan;
        let known = drafts.entry(draft.clone()).or_insert_with(|| {
            let client = draft.client(&self.scripts, &self.taken)?;
            if let Some(at) = clients.iter().position(|planned| planned.client == client) {
                return Ok(at);
            }
            clients.push(Planned { draft: draft.clone(), client, candidates: BTreeSet::new(), shares });
            Ok(clients.len() - 1)
        });
        match known {
            Ok(at) => {
                clients[*at].candidates.insert(candidate.clone());
                true
            }
            Err(why) => {
                unreached.entry(candidate.clone()).or_insert_with(|| why.clone());
                false
            }
        }
    }
}

/// Whether several parameters lead to what is accessed.
fn is_of_several(side: &Side) -> bool {
    let roots: BTreeSet<Root> = side.paths.iter().map(|path| path.root).collect();
    roots.len() > 1
}

fn racing(a: CallId, b: CallId) -> Draft {
    let racing = |call| Instance { call, role: Role::Races };
    Draft { instances: vec![racing(a), racing(b)], ..Draft::default() }
}
