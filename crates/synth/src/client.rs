//! Clients: calls of several tests put together, with some of their objects shared (Narada, Algorithm 1 and Table 2).

use crate::script::{Script, Step, Template, VariableId};
use crate::settings::CallId;
use std::collections::{BTreeMap, BTreeSet};

/// A call that a client makes, with the calls of its test that it rests on, in the client's own copies of all its objects but those that
/// it shares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Instance {
    pub call: CallId,
    pub role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// It is one of the two that are made at once.
    Races,
    /// It sets something of what others are about.
    Sets,
    /// It makes something that others are about.
    Makes,
    /// What it gets by this parameter is there before it, and it is not made itself.
    Supplies(usize),
    /// All that its test does up to it is done, whatever that is about, and it is made itself where that is wanted: the heap of a test.
    Ends { is_made: bool },
}

impl Role {
    /// Whether the call is made among those that come first.
    fn is_made_first(self) -> bool {
        matches!(self, Role::Makes | Role::Ends { is_made: true })
    }
}

/// A variable of an instance.
pub type Held = (usize, VariableId);

/// Which calls, and what they share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Draft {
    /// The two that race come first.
    pub instances: Vec<Instance>,
    /// What takes whose place.
    pub same: BTreeMap<Held, Held>,
    /// What the call of an instance gets by a parameter instead of what it got in its test: what another instance's call gets by one.
    pub given: BTreeMap<(usize, usize), (usize, usize)>,
    /// Numbers that the call of an instance gets by a parameter instead of those of its test.
    pub numbers: BTreeMap<(usize, usize), Number>,
}

/// A number of the client's own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Number {
    /// Any of this type: an input of this name.
    Open { named: String, input: String },
    /// As C writes it.
    Is(String),
}

/// A client, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Client {
    pub variables: Vec<Declaration>,
    /// Statements, by what they are for.
    pub before: Vec<Statement>,
    /// What each thread does: two calls, or none.
    pub threads: Vec<String>,
    /// The types of what those return.
    pub returns: Vec<Option<String>>,
    /// Tests whose sources it needs.
    pub sources: BTreeSet<usize>,
    /// Tests whose calls it makes.
    pub tests: BTreeSet<usize>,
    /// Calls that it makes.
    pub calls: usize,
}

/// A variable of a client's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    pub name: String,
    /// As C writes it.
    pub text: String,
}

/// Statements that belong together: a call, and what has to be done before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    pub lines: Vec<String>,
    /// The variable that its result becomes.
    pub makes: Option<String>,
}

impl Client {
    /// With some of the statements before the two calls only, by their numbers, and without variables that nothing else names.
    #[must_use]
    pub fn only(&self, is_kept: impl Fn(usize) -> bool) -> Client {
        let kept = self.before.iter().enumerate().filter(|(index, _)| is_kept(*index));
        let before: Vec<Statement> = kept.map(|(_, statement)| statement.clone()).collect();
        let text = Client::text(&before, &self.threads);
        let words = words(&text);
        let is_named = |declared: &&Declaration| words.contains(declared.name.as_str());
        let variables = self.variables.iter().filter(is_named).cloned().collect();
        let removed = self.before.len() - before.len();
        Client { variables, before, calls: self.calls - removed, ..self.clone() }
    }

    fn text(before: &[Statement], threads: &[String]) -> String {
        before.iter().flat_map(|statement| &statement.lines).chain(threads).map(|line| format!("{line} ")).collect()
    }

    /// Whether another statement, or one of the two calls, is about what a statement makes.
    pub fn is_used(&self, index: usize) -> bool {
        let Some(made) = &self.before[index].makes else { return false };
        let others: Vec<Statement> = self
            .before
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .map(|(_, other)| other.clone())
            .collect();
        words(&Client::text(&others, &self.threads)).contains(made.as_str())
    }
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect()
}

impl Draft {
    /// Lets a variable take another's place. False where that leads in a circle.
    pub fn share(&mut self, taken: Held, by: Held) -> bool {
        let (from, to) = (self.whose(taken), self.whose(by));
        if from != to {
            self.same.insert(from, to);
        }
        true
    }

    /// Which variable stands for this one.
    pub fn whose(&self, mut held: Held) -> Held {
        while let Some(&other) = self.same.get(&held) {
            held = other;
        }
        held
    }

    /// Which instances come first: those whose objects others have. None where each has one of the other's.
    fn order(&self) -> Option<Vec<usize>> {
        let mut needs: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.instances.len()];
        for &held in self.same.keys() {
            let owner = self.whose(held).0;
            if owner != held.0 {
                needs[held.0].insert(owner);
            }
        }
        let mut order: Vec<usize> = Vec::new();
        for (&(instance, _), &(owner, _)) in &self.given {
            if self.instances[instance].role.is_made_first() && owner != instance {
                needs[instance].insert(owner);
            }
        }
        while order.len() < needs.len() {
            let ready = |index: &usize| !order.contains(index) && needs[*index].iter().all(|need| order.contains(need));
            let next = (0..needs.len()).find(ready)?;
            order.push(next);
        }
        Some(order)
    }

    /// What the steps before an instance's call are for.
    fn about(&self, index: usize, script: &Script) -> BTreeSet<VariableId> {
        let Instance { call, role } = self.instances[index];
        let step = &script.steps[call.call];
        if let Role::Supplies(parameter) = role {
            return step.holders.get(parameter).copied().flatten().into_iter().collect();
        }
        if let Role::Ends { .. } = role {
            return script.steps[..call.call].iter().flat_map(|step| step.mentions.iter().copied()).collect();
        }
        let is_own = |(parameter, _): &(usize, &Template)| !self.given.contains_key(&(index, *parameter));
        let own = step.arguments.iter().enumerate().filter(is_own).flat_map(|(_, argument)| argument.variables());
        own.chain(step.before.iter().flat_map(|(_, statement)| statement.variables())).collect()
    }

    /// Steps of an instance's test that are made for it, oldest first, and its call: that of which all is another instance's has been made for
    /// that one. Numbers that a step writes for its caller alone are no reason to make it again: nothing that is made asks for them, and it
    /// would change what is shared.
    fn rests_on(&self, index: usize, script: &Script) -> Vec<usize> {
        let last = self.instances[index].call.call;
        let mut asked_for = self.about(index, script);
        let mut rest = script.slice(last, asked_for.clone());
        rest.pop();
        let mut made = BTreeSet::from([last]);
        loop {
            let known = made.len();
            for &step in &rest {
                let mentions = &script.steps[step].mentions;
                let is_reason = |id: &VariableId| {
                    let is_own = self.whose((index, *id)) == (index, *id);
                    is_own && (!script.variables[id.index()].is_plain || asked_for.contains(id))
                };
                if mentions.is_empty() || mentions.iter().any(is_reason) {
                    made.insert(step);
                    asked_for.extend(mentions);
                }
            }
            if made.len() == known {
                return made.into_iter().collect();
            }
        }
    }

    /// The client's text, or why it cannot be written. `taken`: names that no variable can have.
    pub fn client(&self, scripts: &[&Script], taken: &BTreeSet<String>) -> Result<Client, String> {
        self.client_with(scripts, taken, "")
    }

    /// The same, with something behind the name of each variable, to stand beside other clients in one file.
    pub fn client_with(&self, scripts: &[&Script], taken: &BTreeSet<String>, suffix: &str) -> Result<Client, String> {
        let order = self.order().ok_or("objects would have to be there before each other")?;
        let (names, used) = (BTreeMap::new(), taken.clone());
        let (variables, open) = (Vec::new(), BTreeMap::new());
        let mut writer = Writer { draft: self, scripts, names, used, suffix, variables, open };
        let mut before = Vec::new();
        let mut sources = BTreeSet::new();
        let mut once: BTreeSet<String> = BTreeSet::new();
        let mut allocated: BTreeSet<Held> = BTreeSet::new();
        let mut made: BTreeSet<(usize, usize)> = BTreeSet::new();
        for &index in &order {
            let Instance { call, role } = self.instances[index];
            let script = scripts[call.test];
            for step in self.rests_on(index, script) {
                let is_last = step == call.call;
                if is_last && !role.is_made_first() {
                    continue;
                }
                if let Some(statement) = writer.prefix(index, step, is_last, &mut (&mut once, &mut allocated))? {
                    made.insert((index, step));
                    before.push(statement);
                    if script.steps[step].needs_source {
                        sources.insert(call.test);
                    }
                }
            }
        }
        before.extend(writer.open_numbers());
        for (index, instance) in self.instances.iter().enumerate().filter(|(_, one)| one.role == Role::Sets) {
            before.push(writer.last(index, &mut allocated, true)?);
            made.insert((index, instance.call.call));
        }
        let (mut threads, mut returns) = (Vec::new(), Vec::new());
        for (index, _) in self.instances.iter().enumerate().filter(|(_, one)| one.role == Role::Races) {
            let mut statement = writer.last(index, &mut allocated, false)?;
            threads.push(statement.lines.pop().unwrap_or_default());
            let call = self.instances[index].call;
            returns.push(scripts[call.test].steps[call.call].returns.clone());
            if !statement.lines.is_empty() {
                before.push(statement);
            }
        }
        for instance in &self.instances {
            if scripts[instance.call.test].steps[instance.call.call].needs_source {
                sources.insert(instance.call.test);
            }
        }
        let calls = made.len() + threads.len();
        let tests = self.instances.iter().map(|instance| instance.call.test).collect();
        Ok(Client { variables: writer.variables, before, threads, returns, sources, tests, calls })
    }
}

struct Writer<'a> {
    draft: &'a Draft,
    scripts: &'a [&'a Script],
    names: BTreeMap<Held, String>,
    used: BTreeSet<String>,
    suffix: &'a str,
    variables: Vec<Declaration>,
    /// The variables of numbers that are open.
    open: BTreeMap<(usize, usize), String>,
}

/// Makes a variable an input.
const INPUT: &str = "raddle_symbolic";

impl Writer<'_> {
    fn script(&self, instance: usize) -> &Script {
        self.scripts[self.draft.instances[instance].call.test]
    }

    /// What a variable is called; it is declared when it is used first.
    fn name(&mut self, held: Held) -> String {
        let held = self.draft.whose(held);
        if let Some(name) = self.names.get(&held) {
            return name.clone();
        }
        let variable = self.script(held.0).variables[held.1.index()].clone();
        let mut name = format!("{}{}", variable.name, self.suffix);
        let mut number = 1;
        while is_reserved(&name) || !self.used.insert(name.clone()) {
            number += 1;
            name = format!("{}{number}{}", variable.name, self.suffix);
        }
        let (before, after) = &variable.declared;
        let text = format!("static {before}{name}{after};");
        self.variables.push(Declaration { name: name.clone(), text });
        self.names.insert(held, name.clone());
        name
    }

    /// The statements that make inputs of numbers that are open.
    fn open_numbers(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        for (&at, number) in &self.draft.numbers {
            let Number::Open { named, input } = number else { continue };
            if statements.is_empty() {
                let text = format!("void {INPUT}(void *at, size_t size, const char *name);");
                self.variables.push(Declaration { name: INPUT.to_owned(), text });
            }
            let name = format!("number{}{}{}", at.0, at.1, self.suffix);
            self.variables.push(Declaration { name: name.clone(), text: format!("static {named} {name};") });
            let line = format!("{INPUT}(&{name}, sizeof {name}, \"{input}\");");
            statements.push(Statement { lines: vec![line], makes: Some(name.clone()) });
            self.open.insert(at, name);
        }
        statements
    }

    /// What the call that an instance is for gets by a parameter instead of what it got in its test.
    fn own_number(&self, at: (usize, usize)) -> Option<String> {
        match self.draft.numbers.get(&at)? {
            Number::Open { .. } => self.open.get(&at).cloned(),
            Number::Is(text) => Some(text.clone()),
        }
    }

    fn text(&mut self, instance: usize, template: &Template) -> String {
        let names: BTreeMap<VariableId, String> =
            template.variables().map(|id| (id, self.name((instance, id)))).collect();
        template.with(|id| names.get(&id).cloned().unwrap_or_default())
    }

    /// Whether a variable is another instance's.
    fn is_foreign(&self, held: Held) -> bool {
        self.draft.whose(held) != held
    }

    /// A step before the last; none where what it is for is there.
    fn prefix(
        &mut self,
        instance: usize,
        index: usize,
        is_last: bool,
        (once, allocated): &mut (&mut BTreeSet<String>, &mut BTreeSet<Held>),
    ) -> Result<Option<Statement>, String> {
        let step = self.script(instance).steps[index].clone();
        if let Some(why) = &step.unknown {
            return Err(why.clone());
        }
        let is_foreign = |id: VariableId| self.is_foreign((instance, id));
        let is_made = step.defines.is_some_and(is_foreign);
        if !is_last && is_made {
            return Ok(None);
        }
        let mut lines = self.stores(instance, &step, allocated);
        let call = self.call(instance, &step, is_last, true);
        // What is about no object runs once.
        if step.mentions.is_empty() && !once.insert(call.clone()) {
            return Ok(None);
        }
        lines.push(call);
        let makes = step.defines.map(|made| self.name((instance, made)));
        Ok(Some(Statement { lines, makes }))
    }

    /// The call that an instance is for.
    fn last(
        &mut self,
        instance: usize,
        allocated: &mut BTreeSet<Held>,
        keeps_result: bool,
    ) -> Result<Statement, String> {
        let call = self.draft.instances[instance].call.call;
        let step = self.script(instance).steps[call].clone();
        if let Some(why) = &step.unknown {
            return Err(why.clone());
        }
        let mut lines = self.stores(instance, &step, allocated);
        lines.push(self.call(instance, &step, true, keeps_result));
        let makes = step.defines.filter(|_| keeps_result).map(|made| self.name((instance, made)));
        Ok(Statement { lines, makes })
    }

    /// A call as a statement. `is_own`: it is the one that the instance is for.
    fn call(&mut self, instance: usize, step: &Step, is_own: bool, keeps_result: bool) -> String {
        let mut arguments = Vec::new();
        for (parameter, argument) in step.arguments.iter().enumerate() {
            let at = (instance, parameter);
            if let Some(number) = self.own_number(at).filter(|_| is_own) {
                arguments.push(number);
                continue;
            }
            let given = self.draft.given.get(&at).filter(|_| is_own).copied();
            arguments.push(match given {
                Some((other, parameter)) => {
                    let call = self.draft.instances[other].call.call;
                    let argument = self.script(other).steps[call].arguments[parameter].clone();
                    self.text(other, &argument)
                }
                None => self.text(instance, argument),
            });
        }
        let result = step.defines.filter(|_| keeps_result).map(|made| self.name((instance, made)) + " = ");
        format!("{}{}({});", result.unwrap_or_default(), step.name, arguments.join(", "))
    }

    /// What has to be done before a call, to objects of the instance's own.
    fn stores(&mut self, instance: usize, step: &Step, allocated: &mut BTreeSet<Held>) -> Vec<String> {
        let mut lines = Vec::new();
        for &id in &step.mentions {
            let held = (instance, id);
            let memory = self.script(instance).variables[id.index()].allocated.clone();
            if let Some(memory) = memory
                && !self.is_foreign(held)
                && allocated.insert(held)
            {
                lines.push(format!("{} = {memory};", self.name(held)));
            }
        }
        for (written, statement) in &step.before {
            if !self.is_foreign((instance, *written)) {
                lines.push(self.text(instance, statement));
            }
        }
        lines
    }
}

/// Words that no variable can be called.
fn is_reserved(name: &str) -> bool {
    const WORDS: [&str; 12] = [
        "main", "default", "switch", "case", "register", "static", "struct", "union", "enum", "signed", "auto",
        "threads",
    ];
    WORDS.contains(&name)
}
