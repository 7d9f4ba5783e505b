//! What a client can call, and with what: it makes objects as the library lets it, and passes what it holds.
//!
//! A record that a public function returns, or initialises, is made by that. One that neither does is an object of the client's
//! own, all zero, if its members are known; if they are not, what takes it cannot be called.

use super::takes::{Fit, Takes, held, is_constant, unqualified};
use super::unpassed;
use crate::roles::{RoleKind, Roles, Subject};
use crate::uses;
use explore::{ClientArgument, ClientCall, Makes, Root};
use ir::{DebugType, FuncId, Leaf, Module, Ty, TypeId};
use machine::Program;
use memory::{TypeFacts, functions_of_type};
use std::collections::{BTreeMap, BTreeSet};

/// So many strings of one call are empty or not independently of each other.
const MOST_STRINGS: usize = 2;

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
    pub(super) leaves: Vec<Leaf>,
    pub(super) params: Vec<Param>,
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

/// What a parameter gets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Param {
    /// Something that is held.
    pub(super) takes: Option<Takes>,
    /// One of these.
    one_of: Vec<ClientArgument>,
    /// Somebody makes just what it takes, or sets it up: nothing is passed of which that is not known.
    pub(super) made: bool,
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
    /// What clients could pass as well, but those that are looked at do not: functions that would get it, and what it is.
    pub not_passed: Vec<(FuncId, String)>,
    /// Objects of which nobody is taken to pass the bytes: to which function, and what they are.
    pub as_bytes: Vec<(FuncId, String)>,
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
                        let many = callable.params.iter().filter(|param| param.is_about(class)).count();
                        let known = wanted.entry(class).or_insert((named, 0));
                        known.1 = known.1.max(many);
                    }
                    interface.callables.push(callable);
                }
                Err(why) => interface.left_out.push((function, why)),
            }
        }
        for (&class, &(named, many)) in &wanted {
            let starts = |callable: &Callable| callable.starts.iter().any(|&at| callable.params[at].is_about(class));
            let is_complete = module.size_of(named).is_some();
            // What gives back an object by an argument may have it from somebody else.
            let is_made = interface.making(class).any(|callable| !is_complete || callable.constructs(class));
            let is_started = interface.callables.iter().any(starts);
            if is_complete && (is_started || !is_made) {
                let life = if is_started { Life::Raw } else { Life::Made };
                let root = |ordinal| (Root { named, ty: class, ordinal, is_object: true, constant: false }, life);
                // Each call may be given others.
                interface.own.extend((0..many * calls).map(root));
            } else if !is_made && !interface.is_passed(module, class) {
                let name = crate::roles::name(module, named);
                let (kept, out): (Vec<Callable>, Vec<Callable>) =
                    std::mem::take(&mut interface.callables).into_iter().partition(|callable| !callable.takes(class));
                interface.callables = kept;
                let why = |callable: Callable| (callable.function, format!("no public function makes a `{name}`"));
                interface.unmade.extend(out.into_iter().map(why));
            }
            if is_made || is_started {
                let params = interface.callables.iter_mut().flat_map(|callable| &mut callable.params);
                params.filter(|param| param.is_about(class)).for_each(|param| param.made = true);
            }
        }
        interface.note_scalars_made(module);
        interface.not_passed = unpassed::all(program, &interface.callables);
        interface.as_bytes = unpassed::as_bytes(module, &interface.callables);
        interface.forget_what_nobody_takes(module);
        interface
    }

    /// Whether something that goes where such an object is taken comes from somewhere, though nobody says that it is one.
    fn is_passed(&self, module: &Module, class: TypeId) -> bool {
        let takes = Takes::Records { classes: vec![class], untyped: false };
        let given = self.callables.iter().filter(|callable| !callable.takes(class)).flat_map(Callable::given);
        given.into_iter().any(|root| takes.fit(module, root).is_some())
    }

    /// Where somebody gives pointers of the very type, nothing else goes.
    fn note_scalars_made(&mut self, module: &Module) {
        let given: Vec<Root> = self.callables.iter().flat_map(Callable::given).copied().collect();
        for param in self.callables.iter_mut().flat_map(|callable| &mut callable.params) {
            if let Some(takes @ Takes::Scalars(_)) = &param.takes {
                param.made = given.iter().any(|root| takes.fit(module, root) == Some(Fit::Typed));
            }
        }
    }

    /// A pointer to a number that goes nowhere is nothing that a client has to keep.
    fn forget_what_nobody_takes(&mut self, module: &Module) {
        let takes: Vec<Takes> =
            self.callables.iter().flat_map(|one| &one.params).filter_map(|one| one.takes.clone()).collect();
        let is_record = |ty: TypeId| matches!(module[ty], DebugType::Record { .. } | DebugType::Opaque { .. });
        let is_kept = |root: &Root| is_record(root.ty) || takes.iter().any(|takes| takes.fit(module, root).is_some());
        for makes in self.callables.iter_mut().map(|callable| &mut callable.makes) {
            makes.result = makes.result.filter(is_kept);
            makes.sets.retain(|(_, root)| is_kept(root));
        }
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
    pub(super) fn takes(&self, class: TypeId) -> bool {
        self.params.iter().any(|param| param.is_about(class))
    }

    /// What clients hold behind it.
    pub(super) fn given(&self) -> impl Iterator<Item = &Root> {
        self.makes.result.iter().chain(self.makes.sets.iter().map(|(_, root)| root))
    }

    /// Whether clients have all their objects of a type from such a function.
    fn constructs(&self, class: TypeId) -> bool {
        let sets = |&(argument, root): &(usize, Root)| root.ty == class && self.new_at.contains(&argument);
        self.makes.result.is_some_and(|root| root.ty == class) || self.makes.sets.iter().any(sets)
    }

    /// The structures that it takes, and what a declaration calls them.
    pub(crate) fn classes(&self, module: &Module) -> Vec<(TypeId, TypeId)> {
        let of = |(param, leaf): (&Param, &Leaf)| -> Vec<(TypeId, TypeId)> {
            match &param.takes {
                Some(Takes::Records { classes, untyped: true }) => {
                    classes.iter().map(|&class| (class, class)).collect()
                }
                Some(Takes::Records { classes, .. }) => {
                    let named = module.pointee(leaf.ty).map(|to| unqualified(module, to));
                    classes.iter().copied().zip(named).collect()
                }
                _ => Vec::new(),
            }
        };
        self.params.iter().zip(&self.leaves).flat_map(of).collect()
    }

    /// All calls with these roots: two parameters of one type get different ones. Of objects of the client's own that it has not
    /// used, one is like the other. `is_there`: whether a root can be used so, and leads to so many bytes.
    pub(crate) fn calls(
        &self,
        module: &Module,
        roots: &[Root],
        is_there: impl Fn(usize, Life, u64) -> bool,
        used: &BTreeSet<usize>,
    ) -> Vec<ClientCall> {
        let mut all = vec![Vec::new()];
        for (index, param) in self.params.iter().enumerate() {
            let life = if self.starts.contains(&index) { Life::Raw } else { Life::Made };
            let may = |root: usize| {
                let bytes = param.bytes(module, &roots[root])?;
                let is_kept = roots[root].constant && !self.reads.contains(&index);
                (!is_kept && is_there(root, life, bytes)).then_some(root)
            };
            let fitting: Vec<usize> = (0..roots.len()).filter_map(may).collect();
            let mut next = Vec::new();
            for arguments in all {
                let is_free = |root: &&usize| !arguments.contains(&ClientArgument::Root(**root));
                let is_new = |root: usize| roots[root].is_object && !used.contains(&root);
                let (new, others): (Vec<usize>, Vec<usize>) =
                    fitting.iter().filter(is_free).copied().partition(|&root| is_new(root));
                // Where anything goes, what nobody knows is a byte of the client's own.
                let first = |&&root: &&usize| {
                    !matches!(param.takes, Some(Takes::Anything | Takes::Characters))
                        && new.iter().find(|&&other| roots[other].ty == roots[root].ty) == Some(&root)
                };
                let held = others.iter().chain(new.iter().filter(first)).map(|&root| ClientArgument::Root(root));
                for choice in held.chain(param.one_of.iter().copied()) {
                    let mut arguments: Vec<ClientArgument> = arguments.clone();
                    arguments.push(choice);
                    next.push(arguments);
                }
            }
            all = next;
        }
        all.retain(|arguments| self.is_in_moderation(arguments));
        all.into_iter().map(|arguments| ClientCall::new(self.function, arguments)).collect()
    }

    /// Of many strings all are empty, or none is.
    fn is_in_moderation(&self, arguments: &[ClientArgument]) -> bool {
        let is_text = |argument: &ClientArgument| matches!(argument, ClientArgument::Text(..));
        let strings = self.params.iter().zip(arguments).filter(|(param, _)| param.one_of.iter().any(is_text));
        let (texts, others): (Vec<_>, Vec<_>) = strings.partition(|(_, argument)| is_text(argument));
        texts.len() + others.len() <= MOST_STRINGS || texts.is_empty() || others.is_empty()
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

impl Param {
    /// Whether it takes such objects.
    fn is_about(&self, class: TypeId) -> bool {
        self.takes.as_ref().is_some_and(|takes| takes.classes().contains(&class))
    }

    /// How many bytes have to be there for what is held to go there; none: it does not.
    fn bytes(&self, module: &Module, root: &Root) -> Option<u64> {
        match self.takes.as_ref()?.fit(module, root)? {
            Fit::Typed => Some(0),
            Fit::Untyped(bytes) => (!self.made).then_some(bytes),
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
            Some(to) => pointer(program, (function, leaf, to))
                .ok_or_else(|| format!("its parameter `{}` takes what a client would have to make up", name()))?,
            None if given[leaf.param].ty == Some(Ty::Ptr) => {
                return Err(format!("the type of its parameter `{}` is not known", name()));
            }
            None => Param { takes: None, one_of: vec![ClientArgument::Number(0)], made: false },
        });
    }
    let subject = |kind: RoleKind| -> BTreeSet<usize> {
        let of_kind = roles.roles(function).iter().filter(|role| role.kind == kind && role.always);
        let parameters = of_kind.filter_map(|role| match role.subject {
            Subject::Parameter(index) => leaves.iter().position(|leaf| leaf.param == index),
            // A client passes a variable of its own there, that leads nowhere.
            Subject::Pointed(_) | Subject::Global(_) => None,
        });
        parameters.collect()
    };
    let reads = |(index, leaf): (usize, &Leaf)| {
        module.pointee(leaf.ty).is_some_and(|to| is_constant(module, to)).then_some(index)
    };
    let reads = leaves.iter().enumerate().filter_map(reads).collect();
    let (starts, ends) = (subject(RoleKind::Constructor), subject(RoleKind::Destructor));
    let set = |(index, leaf): (usize, &Leaf)| {
        let led = || uses::of_set(program, function, leaf.param);
        Some((index, held(program, set_by(module, leaf.ty)?, led)?))
    };
    let sets = leaves.iter().enumerate().filter_map(set).collect();
    let led = || uses::of_result(program, function);
    let result = result_type(module, function).and_then(|ty| held(program, ty, led));
    let makes = Makes { result, sets };
    let is_new = |&index: &usize| roles.sets_new(function).contains(&leaves[index].param);
    let new_at = (0..leaves.len()).filter(is_new).collect();
    Ok(Callable { function, leaves, params, reads, makes, new_at, starts, ends })
}

/// The type of a pointer that a function can set by an argument: `T *` of a `T **`.
fn set_by(module: &Module, argument: TypeId) -> Option<TypeId> {
    let variable = module.pointee(argument)?;
    (!is_constant(module, variable)).then(|| unqualified(module, variable))
}

/// The pointer that a function returns, perhaps as the first member of a structure.
fn result_type(module: &Module, function: FuncId) -> Option<TypeId> {
    let function = &module[function];
    let mut ty = function.return_type.filter(|_| function.returns.first() == Some(&Ty::Ptr))?;
    while let DebugType::Record { fields, union: false, .. } = &module[module.strip(ty)] {
        ty = fields.iter().find(|field| field.offset == 0)?.ty;
    }
    Some(ty)
}

/// What a client passes to a pointer.
fn pointer(program: &Program, (function, leaf, to): (FuncId, &Leaf, TypeId)) -> Option<Param> {
    let module = &program.module;
    let stripped = module.strip(to);
    if let DebugType::Function { .. } = &module[stripped] {
        let own = |id: &FuncId| !module[*id].library;
        let all: Vec<ClientArgument> =
            functions_of_type(module, to).filter(own).map(ClientArgument::Function).collect();
        return (!all.is_empty()).then_some(Param { takes: None, one_of: all, made: false });
    }
    let takes = Takes::of(program, (function, leaf, to))?;
    let one_of = match &takes {
        Takes::Records { .. } => Vec::new(),
        // A string that nobody writes may be empty or not.
        Takes::Scalars(_) if is_constant(module, to) && TypeFacts::is_char(module, to) => {
            let ty = unqualified(module, to);
            vec![ClientArgument::Fresh(ty), ClientArgument::Text(ty, 2)]
        }
        Takes::Scalars(_) => vec![ClientArgument::Fresh(unqualified(module, to))],
        Takes::Anything | Takes::Characters => vec![ClientArgument::Opaque],
    };
    Some(Param { takes: Some(takes), one_of, made: false })
}
