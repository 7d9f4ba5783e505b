//! Clients: programs that call a library's functions, one call after the other, and then several at once.
//!
//! What a client holds are *roots*: objects of its own, and what calls have returned. Numbers that it passes are symbols, one for
//! each parameter of each call; a model makes them numbers.
//!
//! Knows nothing of which clients there are.

use ir::{FuncId, TypeId};
use serde::{Deserialize, Serialize};

/// Something that calls are about and that a client holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Root {
    /// What it points to, as a declaration names it.
    pub named: TypeId,
    /// The same, one for all copies of the type.
    pub ty: TypeId,
    /// Which one of its type.
    pub ordinal: usize,
    /// Of a client's own, passed by address; else a pointer that a call returns.
    pub is_object: bool,
    /// What it leads to is constant to the client, who passes it where nothing else is asked for.
    #[serde(default)]
    pub constant: bool,
}

/// What a parameter gets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ClientArgument {
    /// By index.
    Root(usize),
    Number(u128),
    Null,
    /// The address of an object of this type, all zero, that nothing else knows.
    Fresh(TypeId),
    /// The address of a byte of the client's own, that nothing else knows.
    Opaque,
    /// The address of so many of them.
    Bytes(u64),
    /// The address of so many objects of this type, all zero, one behind the other, that nothing else knows.
    Several(TypeId, u64),
    /// The same of characters, of which the first is a [digit](TEXT), so that they are a string which is not empty.
    Text(TypeId, u64),
    /// A function of the program.
    Function(FuncId),
}

/// What strings of clients begin with, where they are not empty: a file's name, a number, and a document in many formats.
pub const TEXT: u8 = b'1';

/// One call.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ClientCall {
    pub function: FuncId,
    /// Scalar by scalar ([`ir::Module::leaves`]).
    pub arguments: Vec<ClientArgument>,
    /// The root that becomes what it returns.
    pub makes: Option<usize>,
    /// Arguments that lead to variables of the client's, and the roots that become what stands in these behind the call.
    #[serde(default)]
    pub sets: Vec<(usize, usize)>,
}

/// What a call gives a client.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Makes {
    /// What it returns becomes something that the client holds.
    pub result: Option<Root>,
    /// So does what it sets: by the argument that leads there.
    pub sets: Vec<(usize, Root)>,
}

impl ClientCall {
    /// A call of which nothing is held yet.
    pub fn new(function: FuncId, arguments: Vec<ClientArgument>) -> Self {
        ClientCall { function, arguments, makes: None, sets: Vec::new() }
    }

    /// Whether it is the call behind which a client holds something.
    pub fn gives(&self, root: usize) -> bool {
        self.makes == Some(root) || self.sets.iter().any(|&(_, set)| set == root)
    }

    /// With so many elements in memory of its own, but for variables that it `sets`.
    pub fn with_elements(&self, many: u64, sets: &[(usize, Root)]) -> ClientCall {
        let wide = |(index, argument): (usize, &ClientArgument)| match *argument {
            ClientArgument::Opaque => ClientArgument::Bytes(many),
            ClientArgument::Fresh(ty) if sets.iter().all(|&(set, _)| set != index) => ClientArgument::Several(ty, many),
            ClientArgument::Text(ty, least) => ClientArgument::Text(ty, many.max(least)),
            other => other,
        };
        ClientCall { arguments: self.arguments.iter().enumerate().map(wide).collect(), ..self.clone() }
    }

    /// With these numbers.
    pub fn with_numbers(&self, numbers: impl Iterator<Item = Option<u128>>) -> ClientCall {
        let number = |(argument, number): (&ClientArgument, Option<u128>)| match (argument, number) {
            (ClientArgument::Number(_), Some(number)) => ClientArgument::Number(number),
            (other, _) => *other,
        };
        ClientCall { arguments: self.arguments.iter().zip(numbers).map(number).collect(), ..self.clone() }
    }

    /// Whether it is the same call, with other numbers at most.
    fn is_alike(&self, other: &ClientCall) -> bool {
        let alike = |(one, other): (&ClientArgument, &ClientArgument)| {
            one == other || matches!((one, other), (ClientArgument::Number(_), ClientArgument::Number(_)))
        };
        let (ours, others) = (&self.arguments, &other.arguments);
        (self.function, self.makes, &self.sets) == (other.function, other.makes, &other.sets)
            && ours.len() == others.len()
            && ours.iter().zip(others).all(alike)
    }
}

/// Calls that lead to a race.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Client {
    pub roots: Vec<Root>,
    /// One after the other.
    pub calls: Vec<ClientCall>,
    /// At the same time.
    pub threads: Vec<ClientCall>,
}

impl Client {
    /// Whether it makes the same calls, with other numbers at most.
    pub fn is_alike(&self, other: &Client) -> bool {
        let alike = |[ours, others]: [&[ClientCall]; 2]| {
            ours.len() == others.len() && ours.iter().zip(others).all(|(one, other)| one.is_alike(other))
        };
        self.roots == other.roots && alike([&self.calls, &other.calls]) && alike([&self.threads, &other.threads])
    }
}

/// How a call went, in a form that any engine can follow ([`crate::Reached::by`]).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CallWay(pub(crate) Box<[u8]>);

/// What a client has done, and how it went: all that it takes to bring another engine there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Recipe {
    pub roots: Vec<Root>,
    pub calls: Vec<(ClientCall, CallWay)>,
}
