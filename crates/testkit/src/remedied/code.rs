//! C of a few forms, as steps: each shared access is one.

/// The members of the structure.
pub const FIELDS: [&str; 2] = ["a", "b"];
pub const LOCKS: [&str; 2] = ["lock", "other"];

/// One step of an operation. Locals are numbered; those behind the named ones are for what an expression has read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    Load {
        to: usize,
        field: usize,
    },
    /// The sum of these locals and of a number.
    Compute {
        to: usize,
        of: Vec<usize>,
        plus: u32,
    },
    Store {
        field: usize,
        from: usize,
    },
    /// Reads and writes in one.
    Increment {
        field: usize,
    },
    /// Goes on there unless a local has a value.
    Unless {
        local: usize,
        is: u32,
        to: usize,
    },
    /// The lock with this number.
    Lock(usize),
    Unlock(usize),
    Return {
        from: usize,
    },
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    pub name: String,
    pub steps: Vec<Step>,
    pub locals: usize,
}

/// Named locals: `t0`, `t1`.
const NAMED: usize = 2;

/// The functions of a source.
///
/// # Errors
/// The line that is of no known form.
pub fn parse(source: &str) -> Result<Vec<Operation>, String> {
    let mut operations: Vec<Operation> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut is_in_body = false;
    for line in source.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        if let Some(name) = line.strip_prefix("unsigned ").and_then(|rest| rest.strip_suffix("(struct pair *q)")) {
            operations.push(Operation { name: name.to_owned(), steps: Vec::new(), locals: NAMED });
            continue;
        }
        let Some(operation) = operations.last_mut() else { continue };
        match line {
            "" | "unsigned t0 = 0, t1 = 0;" => {}
            "{" if !is_in_body => is_in_body = true,
            "}" => match open.pop() {
                Some(at) => {
                    let end = operation.steps.len();
                    if let Step::Unless { to, .. } = &mut operation.steps[at] {
                        *to = end;
                    }
                }
                None => is_in_body = false,
            },
            _ if is_in_body => {
                if let Some(at) = operation.statement(line).ok_or_else(|| line.to_owned())? {
                    open.push(at);
                }
            }
            _ => return Err(line.to_owned()),
        }
    }
    Ok(operations)
}

impl Operation {
    /// Takes in a statement; where it opens a block, the step that leaves it out. None: it is of no known form.
    fn statement(&mut self, line: &str) -> Option<Option<usize>> {
        if let Some(condition) = line.strip_prefix("if (").and_then(|rest| rest.strip_suffix(") {")) {
            let (local, is) = condition.split_once(" == ")?;
            let (local, is) = (named(local)?, is.parse().ok()?);
            self.steps.push(Step::Unless { local, is, to: 0 });
            return Some(Some(self.steps.len() - 1));
        }
        let line = line.strip_suffix(';')?;
        let of_lock = |function: &str| {
            let name = line.strip_prefix(function)?.strip_prefix("(&q->")?.strip_suffix(')')?;
            LOCKS.iter().position(|&lock| lock == name)
        };
        match (of_lock("pthread_mutex_lock"), of_lock("pthread_mutex_unlock")) {
            (Some(lock), _) => self.steps.push(Step::Lock(lock)),
            (None, Some(lock)) => self.steps.push(Step::Unlock(lock)),
            (None, None) => self.expression(line)?,
        }
        Some(None)
    }

    fn expression(&mut self, line: &str) -> Option<()> {
        if let Some(value) = line.strip_prefix("return ") {
            let from = self.value(value)?;
            self.steps.push(Step::Return { from });
        } else if let Some(place) = line.strip_suffix("++") {
            let field = field(place)?;
            let to = self.local();
            self.steps.push(Step::Load { to, field });
            self.steps.push(Step::Compute { to, of: vec![to], plus: 1 });
            self.steps.push(Step::Store { field, from: to });
        } else if let Some(rest) = line.strip_prefix("__atomic_fetch_add(&") {
            let (place, rest) = rest.split_once(", ")?;
            rest.starts_with("1, __ATOMIC_").then_some(())?;
            self.steps.push(Step::Increment { field: field(place)? });
        } else if let Some(rest) = line.strip_prefix("__atomic_store_n(&") {
            let (place, rest) = rest.split_once(", ")?;
            let from = self.value(rest.rsplit_once(", __ATOMIC_")?.0)?;
            self.steps.push(Step::Store { field: field(place)?, from });
        } else {
            let (place, value) = line.split_once(" = ")?;
            let from = self.value(value)?;
            match (named(place), field(place)) {
                (Some(to), _) => self.steps.push(Step::Compute { to, of: vec![from], plus: 0 }),
                (None, Some(field)) => self.steps.push(Step::Store { field, from }),
                (None, None) => return None,
            }
        }
        Some(())
    }

    /// The local that has a sum's value.
    fn value(&mut self, text: &str) -> Option<usize> {
        let (mut of, mut plus) = (Vec::new(), 0u32);
        for part in text.split(" + ") {
            let read = part.strip_prefix("__atomic_load_n(&").and_then(|rest| rest.split_once(", __ATOMIC_"));
            let place = read.map_or(part, |(place, _)| place);
            if let Some(local) = named(part) {
                of.push(local);
            } else if let Some(field) = field(place) {
                let to = self.local();
                self.steps.push(Step::Load { to, field });
                of.push(to);
            } else {
                plus = plus.wrapping_add(part.parse().ok()?);
            }
        }
        let to = self.local();
        self.steps.push(Step::Compute { to, of, plus });
        Some(to)
    }

    fn local(&mut self) -> usize {
        self.locals += 1;
        self.locals - 1
    }
}

fn named(text: &str) -> Option<usize> {
    text.strip_prefix('t').and_then(|number| number.parse().ok()).filter(|&number| number < NAMED)
}

fn field(text: &str) -> Option<usize> {
    let name = text.strip_prefix("q->")?;
    FIELDS.iter().position(|&field| field == name)
}
