//! What a client can call, and with what: it makes objects as the library lets it, and passes what it holds.
//!
//! A record that a public function returns, or initialises, is made by that. One that neither does is an object of the client's
//! own, all zero, if its members are known; if they are not, what takes it cannot be called.

use crate::roles::{RoleKind, Roles, Subject};
use explore::{ClientArgument, ClientCall, Makes, Root};
use ir::{DebugType, FuncId, Leaf, Module, Qualifier, Ty, TypeId};
use machine::Program;
use memory::functions_of_type;
use std::collections::{BTreeMap, BTreeSet};

/// What a client may do with something that it holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Life {
    /// It has to be initialised.
    Raw,
    Made,
    /// Its destructor was called: nobody uses it any more.
    Ended,
}

/// A function that clients can call.
#[derive(Clone, Debug)]
pub(crate) struct Callable {
    pub function: FuncId,
    /// What is given, and what that takes.
    leaves: Vec<Leaf>,
    params: Vec<Param>,
    /// Of the parameters those that lead to what is constant to the function.
    reads: BTreeSet<usize>,
    /// What the client holds behind a call.
    pub makes: Makes,
    /// Arguments by which it gives back nothing but new objects.
    new_at: BTreeSet<usize>,
    /// Those of them whose objects it initialises, and whose it ends.
    starts: BTreeSet<usize>,
    pub ends: BTreeSet<usize>,
}

/// What a parameter takes.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Param {
    /// Something that is held, of this type.
    Held(TypeId),
    /// One of these.
    OneOf(Vec<ClientArgument>),
}

/// A library's functions, as clients call them.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    callables: Vec<Callable>,
    /// Objects of a client's own, and what they are at first.
    own: Vec<(Root, Life)>,
    /// Functions that clients may call, but not those that are looked at, and why.
    pub left_out: Vec<(FuncId, String)>,
    /// Functions that take what no public function makes.
    pub unmade: Vec<(FuncId, String)>,
}

impl Interface {
    /// Of these public functions. `calls`: what a client makes in all.
    pub fn new(program: &Program, public: &[FuncId], roles: &Roles, calls: usize) -> Self {
        let module = &program.module;
        let mut interface = Interface::default();
        let mut wanted: BTreeMap<TypeId, (TypeId, usize)> = BTreeMap::new();
        for &function in public {
            match callable(program, function, roles) {
                Ok(callable) => {
                    for (class, named) in callable.classes(module) {
                        let many = callable.params.iter().filter(|param| **param == Param::Held(class)).count();
                        let known = wanted.entry(class).or_insert((named, 0));
                        known.1 = known.1.max(many);
                    }
                    interface.callables.push(callable);
                }
                Err(why) => interface.left_out.push((function, why)),
            }
        }
        for (&class, &(named, many)) in &wanted {
            let starts =
                |callable: &Callable| callable.starts.iter().any(|&at| callable.params[at] == Param::Held(class));
            let is_complete = module.size_of(named).is_some();
            // What gives back an object by an argument may have it from somebody else.
            let is_made = interface.making(class).any(|callable| !is_complete || callable.constructs(class));
            let is_started = interface.callables.iter().any(starts);
            if is_complete && (is_started || !is_made) {
                let life = if is_started { Life::Raw } else { Life::Made };
                let root = |ordinal| (Root { named, ty: class, ordinal, is_object: true, constant: false }, life);
                // Each call may be given others.
                interface.own.extend((0..many * calls).map(root));
            } else if !is_made {
                let name = crate::roles::name(module, named);
                let (kept, out): (Vec<Callable>, Vec<Callable>) =
                    std::mem::take(&mut interface.callables).into_iter().partition(|callable| !callable.takes(class));
                interface.callables = kept;
                let why = |callable: Callable| (callable.function, format!("no public function makes a `{name}`"));
                interface.unmade.extend(out.into_iter().map(why));
            }
        }
        interface
    }

    /// The functions from which clients have objects of a type.
    pub(crate) fn makers(&self, class: TypeId) -> impl Iterator<Item = FuncId> {
        self.making(class).map(|callable| callable.function)
    }

    fn making(&self, class: TypeId) -> impl Iterator<Item = &Callable> {
        let makes = move |callable: &&Callable| {
            let all = callable.makes.result.iter().chain(callable.makes.sets.iter().map(|(_, root)| root));
            all.into_iter().any(|root| root.ty == class && !root.constant) && !callable.takes(class)
        };
        self.callables.iter().filter(makes)
    }

    pub(crate) fn callables(&self) -> &[Callable] {
        &self.callables
    }

    pub(crate) fn callable(&self, function: FuncId) -> Option<&Callable> {
        self.callables.iter().find(|callable| callable.function == function)
    }

    pub(crate) fn own(&self) -> &[(Root, Life)] {
        &self.own
    }
}

impl Callable {
    fn takes(&self, class: TypeId) -> bool {
        self.params.contains(&Param::Held(class))
    }

    /// Whether clients have all their objects of a type from such a function.
    fn constructs(&self, class: TypeId) -> bool {
        let sets = |&(argument, root): &(usize, Root)| root.ty == class && self.new_at.contains(&argument);
        self.makes.result.is_some_and(|root| root.ty == class) || self.makes.sets.iter().any(sets)
    }

    /// What it takes, and what a declaration calls that.
    pub(crate) fn classes(&self, module: &Module) -> Vec<(TypeId, TypeId)> {
        let of = |(param, leaf): (&Param, &Leaf)| match param {
            Param::Held(class) => Some((*class, unqualified(module, module.pointee(leaf.ty)?))),
            Param::OneOf(_) => None,
        };
        self.params.iter().zip(&self.leaves).filter_map(of).collect()
    }

    /// All calls with these roots: two parameters of one type get different ones. Of objects of the client's own that it has not
    /// used, one is like the other.
    pub(crate) fn calls(
        &self,
        roots: &[Root],
        is_there: impl Fn(usize, Life) -> bool,
        used: &BTreeSet<usize>,
    ) -> Vec<ClientCall> {
        let mut all = vec![Vec::new()];
        for (index, param) in self.params.iter().enumerate() {
            let mut next = Vec::new();
            for arguments in all {
                let choices: Vec<ClientArgument> = match param {
                    Param::OneOf(choices) => choices.clone(),
                    Param::Held(class) => {
                        let life = if self.starts.contains(&index) { Life::Raw } else { Life::Made };
                        let fits = |&root: &usize| {
                            let taken = arguments.contains(&ClientArgument::Root(root));
                            let may = !roots[root].constant || self.reads.contains(&index);
                            roots[root].ty == *class && may && !taken && is_there(root, life)
                        };
                        let is_new = |root: usize| roots[root].is_object && !used.contains(&root);
                        let (new, others): (Vec<usize>, Vec<usize>) =
                            (0..roots.len()).filter(fits).partition(|&root| is_new(root));
                        others.into_iter().chain(new.into_iter().next()).map(ClientArgument::Root).collect()
                    }
                };
                for choice in choices {
                    let mut arguments: Vec<ClientArgument> = arguments.clone();
                    arguments.push(choice);
                    next.push(arguments);
                }
            }
            all = next;
        }
        all.into_iter().map(|arguments| ClientCall::new(self.function, arguments)).collect()
    }

    /// What becomes of what is held.
    pub(crate) fn after(&self, call: &ClientCall, lives: &mut [Life]) {
        for (index, argument) in call.arguments.iter().enumerate() {
            let ClientArgument::Root(root) = *argument else { continue };
            if self.ends.contains(&index) {
                lives[root] = Life::Ended;
            } else if self.starts.contains(&index) {
                lives[root] = Life::Made;
            }
        }
    }
}

/// How clients call a function.
///
/// # Errors
/// Why none can.
fn callable(program: &Program, function: FuncId, roles: &Roles) -> Result<Callable, String> {
    let module = &program.module;
    let declared = &module[function];
    if declared.variadic {
        return Err("it takes any number of arguments".to_owned());
    }
    let Some(leaves) = module.leaves(function) else {
        return Err("it takes a structure by value that is not known member by member".to_owned());
    };
    let given = module.given(function);
    let mut params = Vec::new();
    for leaf in &leaves {
        let name = || given[leaf.param].source.map_or("", |source| &source.name);
        params.push(match module.pointee(leaf.ty) {
            Some(to) => pointer(program, to)
                .ok_or_else(|| format!("its parameter `{}` takes what a client would have to make up", name()))?,
            None if given[leaf.param].ty == Some(Ty::Ptr) => {
                return Err(format!("the type of its parameter `{}` is not known", name()));
            }
            None => Param::OneOf(vec![ClientArgument::Number(0)]),
        });
    }
    let subject = |kind: RoleKind| -> BTreeSet<usize> {
        let of_kind = roles.roles(function).iter().filter(|role| role.kind == kind && role.always);
        let parameters = of_kind.filter_map(|role| match role.subject {
            Subject::Parameter(index) => leaves.iter().position(|leaf| leaf.param == index),
            Subject::Global(_) => None,
        });
        parameters.collect()
    };
    let held = |ty: TypeId| {
        let to = module.pointee(ty)?;
        let named = unqualified(module, to);
        let (class, constant) = (program.facts.canonical(module, named), is_constant(module, to));
        module.is_record(class).then_some(Root { named, ty: class, ordinal: 0, is_object: false, constant })
    };
    let reads = |(index, leaf): (usize, &Leaf)| {
        module.pointee(leaf.ty).is_some_and(|to| is_constant(module, to)).then_some(index)
    };
    let reads = leaves.iter().enumerate().filter_map(reads).collect();
    let (starts, ends) = (subject(RoleKind::Constructor), subject(RoleKind::Destructor));
    let sets = leaves.iter().enumerate().filter_map(|(index, leaf)| Some((index, held(set_by(module, leaf.ty)?)?)));
    let makes = Makes { result: declared.return_type.and_then(held), sets: sets.collect() };
    let is_new = |&index: &usize| roles.sets_new(function).contains(&leaves[index].param);
    let new_at = (0..leaves.len()).filter(is_new).collect();
    Ok(Callable { function, leaves, params, reads, makes, new_at, starts, ends })
}

/// The type of a pointer that a function can set by an argument: `T *` of a `T **`.
fn set_by(module: &Module, argument: TypeId) -> Option<TypeId> {
    let variable = module.pointee(argument)?;
    (!is_constant(module, variable)).then(|| unqualified(module, variable))
}

/// What a client passes to a pointer.
fn pointer(program: &Program, to: TypeId) -> Option<Param> {
    let module = &program.module;
    let stripped = module.strip(to);
    Some(match &module[stripped] {
        DebugType::Record { .. } | DebugType::Opaque { .. } => Param::Held(program.facts.canonical(module, to)),
        DebugType::Void => Param::OneOf(vec![ClientArgument::Opaque]),
        DebugType::Function { .. } => {
            let own = |id: &FuncId| !module[*id].library;
            let all: Vec<ClientArgument> =
                functions_of_type(module, to).filter(own).map(ClientArgument::Function).collect();
            if all.is_empty() {
                return None;
            }
            Param::OneOf(all)
        }
        DebugType::Int { .. } | DebugType::Float { .. } | DebugType::Enum { .. } | DebugType::Pointer { .. } => {
            Param::OneOf(vec![ClientArgument::Fresh(unqualified(module, to))])
        }
        DebugType::Array { .. } | DebugType::Typedef { .. } | DebugType::Qualified { .. } => return None,
    })
}

fn is_constant(module: &Module, mut ty: TypeId) -> bool {
    while let DebugType::Qualified { to, qualifier } = &module[ty] {
        if *qualifier == Qualifier::Const {
            return true;
        }
        ty = *to;
    }
    false
}

fn unqualified(module: &Module, mut ty: TypeId) -> TypeId {
    while let DebugType::Qualified { to, .. } = &module[ty] {
        ty = *to;
    }
    ty
}
