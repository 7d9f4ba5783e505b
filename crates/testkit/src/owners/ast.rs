//! What libraries and their tests consist of.

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    Box,
    Holder,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Box => "box",
            Kind::Holder => "holder",
        }
    }
}

/// A member that holds a pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Link {
    /// A holder's box.
    Inner,
    /// A holder's other holder, itself at first.
    Peer,
}

impl Link {
    pub fn name(self) -> &'static str {
        match self {
            Link::Inner => "inner",
            Link::Peer => "peer",
        }
    }

    pub fn leads_to(self) -> Kind {
        match self {
            Link::Inner => Kind::Box,
            Link::Peer => Kind::Holder,
        }
    }
}

/// A variable of a function: a parameter, or a local pointer, in the order in which they come.
pub(super) type Variable = usize;

/// A lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lock {
    Global(usize),
    /// Of the object that a variable leads to.
    Of(Variable),
}

/// One statement, with at most one access to an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    Acquire(Lock),
    /// With others who do so: of libraries whose locks are for readers and writers.
    AcquireShared(Lock),
    Release(Lock),
    /// A new variable gets what a member of another's object holds.
    Follow(Variable, Link),
    /// A member gets what a variable holds.
    Set(Variable, Link, Variable),
    /// Number `0` or `1` of an object is read, or written.
    Read(Variable, usize),
    Write(Variable, usize),
    /// The same, of the number that the function's own one says: even ones the first.
    ReadAt(Variable),
    WriteAt(Variable),
    /// The function returns if its number is less than this.
    ReturnIfLess(i64),
}

/// A function of the library. Its parameters are objects, then one number if it has that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<Kind>,
    pub takes_number: bool,
    pub steps: Vec<Step>,
}

impl Function {
    /// The kinds of all its variables.
    pub fn variables(&self) -> Vec<Kind> {
        let mut kinds = self.parameters.clone();
        for step in &self.steps {
            if let Step::Follow(_, link) = step {
                kinds.push(link.leads_to());
            }
        }
        kinds
    }

    pub fn sets(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Set(..)))
    }
}

/// A call of a test: of a function, with objects of the test by their numbers, and a number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Call {
    pub function: usize,
    pub objects: Vec<usize>,
    pub number: i64,
}

/// A sequential test: makes objects, then calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// Boxes come first.
    pub objects: Vec<Kind>,
    pub calls: Vec<Call>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Library {
    pub global_locks: usize,
    /// Locks are for readers and writers.
    pub shared_locks: bool,
    /// A new holder gets the box that its maker is given, else it has one of its own.
    pub wraps: bool,
    pub functions: Vec<Function>,
    pub tests: Vec<Test>,
}
