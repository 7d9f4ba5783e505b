//! What public functions are to their callers: those that make an object and those that end it.
//!
//! A *constructor* initialises on all its ways (a lock, a member that is declared atomic, or all of it with memory of its own) and reads nothing of the
//! object before; a *destructor* frees on all its ways what
//! a constructor returns, or destroys its lock, and neither locks nor waits on the object before. A caller has an object to
//! itself when it calls one of them: they are not explored beside others that take the same object.
//!
//! What does so only in the end, behind a lock or a wait, or only where it succeeds, is explored beside others; that all it races with
//! has one cause is told ([`Role::exclusive`]).
//!
//! Guarantee: where a role is not certain from the code ([`effects`]), there is none, and the function is explored as all others.
//! No destructor is: what ends elements that other operations reach by their own; what a result of another operation says who may
//! call (`if (wait(b) > 0) destroy(b)`, `if (release(o)) destroy(o)`). What sets up objects that others make without it is explored, too.

mod effects;
mod elements;
mod externals;
mod follow;
mod results;
mod verdict;
mod way;

use crate::uses::{self, Uses};
use effects::Analysis;
use externals::External;
use ir::{Callee, DebugType, Field, FuncId, GlobalId, LocId, Module, Op, Operand, Qualifier, TypeId};
use machine::Program;
use memory::TypeFacts;
use std::collections::{BTreeMap, BTreeSet};
use way::{Deed, What};

pub(crate) use externals::is_about_it;
pub use results::only_sets;
pub use way::Subject;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RoleKind {
    Constructor,
    Destructor,
}

/// What a function is for an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Role {
    pub kind: RoleKind,
    pub subject: Subject,
    /// Its caller has the object to itself: it is not explored beside others. Otherwise it may be written to run beside them up
    /// to some point, and what it races with is only told to have one cause.
    pub exclusive: bool,
    /// It does so wherever it is called for that: clients use an object behind its constructor, and not behind its destructor.
    pub always: bool,
    /// Of what a parameter leads to, one for all copies of the type.
    class: Option<TypeId>,
    /// The parameter is declared as `void *`.
    untyped: bool,
    /// As the program calls the object: `struct queue`, or a global's name.
    pub of: String,
    /// What it does that makes it one: `frees it`.
    pub evidence: &'static str,
    pub at: Option<LocId>,
}

/// The roles of a library's functions, and what each of them is about.
#[derive(Debug, Default)]
pub struct Roles {
    roles: BTreeMap<FuncId, Vec<Role>>,
    about: BTreeMap<FuncId, About>,
    /// By which parameters functions give back new objects.
    sets_new: BTreeMap<FuncId, BTreeSet<usize>>,
}

/// What a function takes and uses.
#[derive(Debug, Default)]
struct About {
    /// Records that its parameters lead to, and all that pointers lead to from there or from globals.
    takes: BTreeSet<TypeId>,
    /// It takes an untyped pointer of which it is not known what it is used as.
    untyped: bool,
    reaches: BTreeSet<TypeId>,
    globals: BTreeSet<GlobalId>,
}

impl Roles {
    /// Of these functions, which are those that callers have.
    pub fn of(program: &Program, public: &[FuncId]) -> Self {
        let module = &program.module;
        let about: BTreeMap<FuncId, About> = public.iter().map(|&id| (id, About::of(program, id))).collect();
        let mut finder = Finder { program, analysis: Analysis::new(module), about: &about };
        let mut roles: BTreeMap<FuncId, Vec<Role>> = BTreeMap::new();
        let sets_new = public.iter().map(|&id| (id, finder.analysis.sets_new(id))).collect();
        for &id in public {
            let found = finder.roles(id, public);
            if !found.is_empty() {
                roles.insert(id, found);
            }
        }
        Roles { roles, about, sets_new }
    }

    /// The parameters by which a function gives back objects, all of which are new: `make(struct thing **out)`.
    pub fn sets_new(&self, function: FuncId) -> &BTreeSet<usize> {
        static NONE: BTreeSet<usize> = BTreeSet::new();
        self.sets_new.get(&function).unwrap_or(&NONE)
    }

    /// What a function is for the objects that it takes.
    pub fn roles(&self, function: FuncId) -> &[Role] {
        self.roles.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The role for which two functions are not called at once on one object, and whose it is.
    pub fn exclusive(&self, one: FuncId, other: FuncId) -> Option<(FuncId, &Role)> {
        let of = |this: FuncId, that: FuncId| {
            let about = self.about.get(&that)?;
            self.roles(this).iter().find(|role| role.keeps_from(about)).map(|role| (this, role))
        };
        of(one, other).or_else(|| of(other, one))
    }

    /// The parameters, by index, whose objects a function's caller has to itself, so that it is not called beside another one on them;
    /// none where that is about a variable.
    pub fn alone(&self, function: FuncId, other: FuncId) -> Option<Vec<usize>> {
        let Some(about) = self.about.get(&other) else { return Some(Vec::new()) };
        let concerning = self.roles(function).iter().filter(|role| role.keeps_from(about));
        concerning
            .map(|role| match role.subject {
                Subject::Parameter(index) | Subject::Pointed(index) => Some(index),
                Subject::Global(_) => None,
            })
            .collect()
    }

    /// Whether a function takes, or names, such an object as a role is about.
    pub fn takes(&self, function: FuncId, role: &Role) -> bool {
        self.about.get(&function).is_some_and(|about| match (role.subject, role.class) {
            (Subject::Global(global), _) => about.globals.contains(&global),
            (Subject::Parameter(_) | Subject::Pointed(_), class) => {
                class.is_some_and(|class| about.takes.contains(&class)) || role.untyped && about.untyped
            }
        })
    }
}

impl Role {
    /// Whether it keeps its function from being called beside another one on one object.
    fn keeps_from(&self, other: &About) -> bool {
        self.exclusive
            && match (self.subject, self.class) {
                (Subject::Global(global), _) => other.globals.contains(&global),
                (Subject::Parameter(_) | Subject::Pointed(_), Some(class)) => {
                    other.takes.contains(&class)
                        || self.untyped && other.untyped
                        || self.kind == RoleKind::Constructor && other.reaches.contains(&class)
                }
                (Subject::Parameter(_) | Subject::Pointed(_), None) => false,
            }
    }
}

impl About {
    fn of(program: &Program, id: FuncId) -> Self {
        let module = &program.module;
        let mut about = About::default();
        for (index, source) in module[id].source_params.iter().enumerate() {
            let class = taken(program, id, index);
            about.takes.extend(class);
            about.takes.extend(pointed(program, id, index).map(|(class, _)| class));
            about.untyped |= class.is_none() && is_untyped(module, source.ty);
        }
        about.globals = globals(module, id);
        let of_globals = about.globals.iter().filter_map(|&global| module[global].ty);
        let mut open: Vec<TypeId> = of_globals.collect();
        for &ty in &about.takes {
            open.extend(members(module, ty));
        }
        let mut seen = BTreeSet::new();
        while let Some(ty) = open.pop() {
            let ty = program.facts.canonical(module, ty);
            if !seen.insert(ty) {
                continue;
            }
            match &module[ty] {
                DebugType::Pointer { to } => open.push(*to),
                DebugType::Array { of, .. } => open.push(*of),
                DebugType::Record { .. } => {
                    about.reaches.insert(ty);
                    open.extend(members(module, ty));
                }
                _ => {}
            }
        }
        about
    }
}

/// Whether a type is `void *`.
fn is_untyped(module: &Module, ty: TypeId) -> bool {
    module.pointee(ty).is_some_and(|to| matches!(module[module.strip(to)], DebugType::Void))
}

/// The record that a parameter leads to: what it is declared to, or, if that is `void`, what its function uses it as.
fn taken(program: &Program, id: FuncId, index: usize) -> Option<TypeId> {
    let module = &program.module;
    let to = module.pointee(module[id].source_params.get(index)?.ty)?;
    match module[module.strip(to)] {
        DebugType::Void => uses::of_parameter(program, id, (index, 0)).only(),
        _ => record(program, to),
    }
}

/// The record that a variable's pointer leads to, to which a parameter leads that is no result: `struct queue **q`; and as it is named.
fn pointed(program: &Program, id: FuncId, index: usize) -> Option<(TypeId, TypeId)> {
    let module = &program.module;
    let named = module.pointee(module.pointee(module[id].source_params.get(index)?.ty)?)?;
    let class = record(program, named)?;
    (!only_sets(module, id, index)).then_some((class, named))
}

/// The record that a pointer leads to which a function gives, as it is declared or, if that tells nothing, as `led` says.
fn given(program: &Program, ty: TypeId, led: impl Fn() -> Uses) -> Option<TypeId> {
    let module = &program.module;
    let to = module.pointee(ty)?;
    match module[module.strip(to)] {
        DebugType::Void => led().only(),
        _ => record(program, to),
    }
}

/// The record that a type is, if it is one.
fn record(program: &Program, ty: TypeId) -> Option<TypeId> {
    let ty = program.facts.canonical(&program.module, ty);
    matches!(program.module[ty], DebugType::Record { .. }).then_some(ty)
}

fn members(module: &Module, ty: TypeId) -> Vec<TypeId> {
    match &module[module.strip(ty)] {
        DebugType::Record { fields, .. } => fields.iter().map(|field| field.ty).collect(),
        _ => Vec::new(),
    }
}

/// All functions that a function may come to by calls of names.
fn callees(module: &Module, function: FuncId) -> BTreeSet<FuncId> {
    let (mut found, mut open) = (BTreeSet::new(), vec![function]);
    while let Some(id) = open.pop() {
        let insts = module[id].blocks.iter().flat_map(|block| &block.insts);
        let called = insts.filter_map(|inst| match inst.op {
            Op::Call { callee: Callee::Direct(callee), .. } => Some(callee),
            _ => None,
        });
        open.extend(called.filter(|&callee| found.insert(callee)));
    }
    found
}

/// Whether a function may come to a call through a pointer of the program's. What the C library calls so is its own, but for what it is
/// given to call (`qsort`).
fn calls_pointers(module: &Module, id: FuncId) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![id]);
    while let Some(id) = open.pop() {
        let function = &module[id];
        if !seen.insert(id) {
            continue;
        }
        if function.library {
            let is_given = |ty: TypeId| {
                module.pointee(ty).is_some_and(|to| matches!(module[module.strip(to)], DebugType::Function { .. }))
            };
            if function.source_params.iter().any(|param| is_given(param.ty)) {
                return true;
            }
            continue;
        }
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            match inst.op {
                Op::Call { callee: Callee::Indirect(_), .. } => return true,
                Op::Call { callee: Callee::Direct(callee), .. } => open.push(callee),
                _ => {}
            }
        }
    }
    false
}

/// Whether a function may lock something, or make an atomic access, itself or in what it calls.
fn synchronises(module: &Module, id: FuncId) -> bool {
    let does = |function: FuncId| {
        let function = &module[function];
        let known = function.is_declaration().then(|| externals::external(&function.name)).flatten();
        let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
        matches!(known, Some(External::Locks | External::Waits))
            || insts.any(|inst| {
                let calls_anything = matches!(inst.op, Op::Call { callee: Callee::Indirect(_), .. });
                calls_anything || matches!(inst.op, Op::AtomicRmw { .. } | Op::CompareExchange { .. })
            })
    };
    does(id) || callees(module, id).into_iter().any(does)
}

/// Globals that are not constant, which a function names or comes to.
fn globals(module: &Module, function: FuncId) -> BTreeSet<GlobalId> {
    let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![function]);
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let mut note = |operand: Operand| match operand {
            Operand::Global(global, _) if !module[global].constant && !module[global].library => {
                found.insert(global);
            }
            Operand::Func(callee) => open.push(callee),
            _ => {}
        };
        let mut called = Vec::new();
        for block in &module[id].blocks {
            for inst in &block.insts {
                inst.op.for_each_operand(&mut note);
                if let Op::Call { callee: Callee::Direct(callee), .. } = inst.op {
                    called.push(callee);
                }
            }
            block.terminator.for_each_operand(&mut note);
        }
        open.extend(called);
    }
    found
}

struct Finder<'p> {
    program: &'p Program,
    analysis: Analysis<'p>,
    about: &'p BTreeMap<FuncId, About>,
}

impl Finder<'_> {
    fn roles(&mut self, id: FuncId, public: &[FuncId]) -> Vec<Role> {
        let module = &self.program.module;
        let function = &module[id];
        let mut found = Vec::new();
        // Of a structure that is passed by value parameters keep no names.
        if function.params.len() == function.source_params.len() {
            for (index, source) in function.source_params.iter().enumerate() {
                if let Some((class, named)) = pointed(self.program, id, index) {
                    let of = name(module, named);
                    let role = self.role(id, Subject::Pointed(index), Some(class), class, of, public);
                    // What sets up an object that a variable leads to already is nothing that callers make one by.
                    found.extend(role.filter(|role| role.kind == RoleKind::Destructor));
                }
                let Some(named) = module.pointee(source.ty) else { continue };
                let Some(class) = taken(self.program, id, index) else { continue };
                let named = if is_untyped(module, source.ty) { class } else { named };
                let subject = Subject::Parameter(index);
                let of = name(module, named);
                found.extend(self.role(id, subject, Some(class), class, of, public));
            }
        }
        let about = self.about.get(&id).map(|about| about.globals.clone()).unwrap_or_default();
        for global in about {
            let Some(ty) = module[global].ty else { continue };
            if self.has_sync(ty) {
                let of = module[global].name.clone();
                found.extend(self.role(id, Subject::Global(global), None, ty, of, public));
            }
        }
        found
    }

    fn role(
        &mut self,
        id: FuncId,
        subject: Subject,
        class: Option<TypeId>,
        ty: TypeId,
        of: String,
        public: &[FuncId],
    ) -> Option<Role> {
        let module = &self.program.module;
        let effects = self.analysis.effects(id, subject);
        let role = |kind, (exclusive, always), Deed { what, at }| {
            let evidence = match what {
                What::Frees => "frees it",
                What::DestroysLock => "destroys its lock",
                What::InitialisesLock => "initialises its lock",
                What::InitialisesAtomic => "initialises its atomic members",
                What::Fills => "sets all of it",
                What::Overwrites => "overwrites it",
                What::SetsMembers => "sets all its members",
            };
            let at = at.or(module[id].location);
            let untyped = match subject {
                Subject::Parameter(index) => is_untyped(module, module[id].source_params[index].ty),
                Subject::Pointed(_) | Subject::Global(_) => false,
            };
            Role { kind, subject, exclusive, always: exclusive || always, class, untyped, of, evidence, at }
        };
        let mut bytes = BTreeSet::new();
        self.bytes(ty, 0, &mut bytes);
        if let Some(deed) = effects.starts(&bytes) {
            // A second one may begin anew with what others use.
            let others_do = |finder: &mut Self, class| {
                finder.is_made_otherwise(id, (class, &bytes), public)
                    || deed.what == What::InitialisesAtomic && finder.is_set_up_otherwise(id, (class, &bytes), public)
            };
            let exclusive = class.is_none_or(|class| !others_do(self, class));
            return Some(role(RoleKind::Constructor, (exclusive, true), deed));
        }
        if let Some(deed) = effects.ends_at_last() {
            // The variable stays. What locks anything may be written for callers who share it.
            let shares = matches!(subject, Subject::Pointed(_)) && synchronises(module, id);
            let ends = effects.ends().is_some() && !shares;
            let exclusive = ends && class.is_none_or(|class| self.may_end(id, class, deed, public));
            return Some(role(RoleKind::Destructor, (exclusive, effects.always_ends()), deed));
        }
        let deed = effects.starts_over(&bytes)?;
        let over = matches!(deed.what, What::Overwrites | What::SetsMembers);
        if deed.what == What::SetsMembers && !self.is_about(id, subject) {
            return None;
        }
        let is_first =
            !over || class.is_some_and(|class| self.has_sync(class) || !self.is_made(id, (class, &bytes), public));
        is_first.then(|| role(RoleKind::Constructor, (false, !over), deed))
    }

    /// Whether a function takes no other object than this one, and names no variable: what it writes of others besides are results, or
    /// elements of what it is about.
    fn is_about(&self, id: FuncId, subject: Subject) -> bool {
        let module = &self.program.module;
        let takes = |index: &usize| taken(self.program, id, *index).is_some();
        let names_none = self.about.get(&id).is_some_and(|about| about.globals.is_empty());
        match subject {
            Subject::Parameter(_) | Subject::Pointed(_) => {
                names_none && (0..module[id].source_params.len()).filter(takes).count() == 1
            }
            Subject::Global(_) => true,
        }
    }

    fn has_sync(&self, ty: TypeId) -> bool {
        TypeFacts::contains_sync(&self.program.module, ty)
    }

    /// Whether a function gives back new objects of a type.
    fn constructs(&mut self, id: FuncId, class: TypeId) -> bool {
        let (program, module) = (self.program, &self.program.module);
        let function = &module[id];
        let returned = function.return_type.and_then(|ty| given(program, ty, || uses::of_result(program, id)));
        if returned == Some(class) && self.analysis.makes(id) {
            return true;
        }
        let sets = |&index: &usize| {
            let variable = module.pointee(function.source_params[index].ty);
            variable.and_then(|ty| given(program, ty, || uses::of_set(program, id, index))) == Some(class)
        };
        self.analysis.sets_new(id).iter().any(sets)
    }

    /// Whether a function other than this one makes objects of a type, or sets them up.
    fn is_made(&mut self, id: FuncId, (class, bytes): (TypeId, &BTreeSet<u64>), public: &[FuncId]) -> bool {
        public.iter().any(|&other| other != id && self.constructs(other, class))
            || self.is_set_up_otherwise(id, (class, bytes), public)
    }

    /// Whether a function other than this one sets up objects of a type.
    fn is_set_up_otherwise(&mut self, id: FuncId, (class, bytes): (TypeId, &BTreeSet<u64>), public: &[FuncId]) -> bool {
        let (program, module) = (self.program, &self.program.module);
        public.iter().copied().filter(|&other| other != id).any(|other| {
            let params = 0..module[other].source_params.len();
            params.filter(|&index| taken(program, other, index) == Some(class)).any(|index| {
                let effects = self.analysis.effects(other, Subject::Parameter(index));
                effects.starts(bytes).is_some() || effects.starts_over(bytes).is_some()
            })
        })
    }

    /// Whether a function returns new objects of a type without this one, or what that is made of: then objects that others use may be
    /// set up by it once more.
    fn is_made_otherwise(&mut self, id: FuncId, (class, bytes): (TypeId, &BTreeSet<u64>), public: &[FuncId]) -> bool {
        let (program, module) = (self.program, &self.program.module);
        let mut parts: BTreeSet<FuncId> = callees(module, id);
        parts.retain(|&part| {
            let of_class = |&index: &usize| taken(program, part, index) == Some(class);
            let subjects: Vec<usize> = (0..module[part].source_params.len()).filter(of_class).collect();
            let starts = |index: usize| self.analysis.effects(part, Subject::Parameter(index)).starts(bytes).is_some();
            subjects.into_iter().any(starts)
        });
        parts.insert(id);
        let mut makers = public.iter().copied().filter(|&other| other != id && self.constructs(other, class));
        makers.any(|maker| callees(module, maker).is_disjoint(&parts))
    }

    /// Whether what ends objects of this type does so for a caller who has them to itself.
    fn may_end(&mut self, id: FuncId, class: TypeId, deed: Deed, public: &[FuncId]) -> bool {
        let (program, about) = (self.program, self.about);
        let module = &program.module;
        let others = || public.iter().copied().filter(|&other| other != id);
        let is_element = others().any(|other| {
            about.get(&other).is_some_and(|about| !about.takes.contains(&class) && about.reaches.contains(&class))
        });
        if is_element || program.facts.is_recursive(module, class) {
            return false;
        }
        let is_made = deed.what != What::Frees || others().any(|other| self.constructs(other, class));
        let tells = others().any(|other| {
            if !about.get(&other).is_some_and(|about| about.takes.contains(&class)) {
                return false;
            }
            // Where it takes one thing alone, that is the object.
            verdict::says_who_is_last(module, other)
                || verdict::is_verdict(module, other) && self.analysis.effects(other, Subject::Parameter(0)).waits()
        });
        is_made && !tells
    }

    /// The bytes of a type's members.
    fn bytes(&self, ty: TypeId, offset: u64, found: &mut BTreeSet<u64>) {
        let module = &self.program.module;
        let ty = module.strip(ty);
        match &module[ty] {
            DebugType::Record { fields, union: false, .. } => {
                for field in fields {
                    self.bytes(field.ty, offset + field.offset, found);
                }
            }
            DebugType::Array { of, count: Some(count) } => {
                let Some(size) = module.size_of(*of) else { return };
                (0..*count).for_each(|index| self.bytes(*of, offset + index * size, found));
            }
            _ => found.extend(offset..offset + module.size_of(ty).unwrap_or(0)),
        }
    }
}

/// The bytes of the member that is declared atomic at this offset, if there is one.
fn atomic_at(module: &Module, ty: TypeId, offset: u64) -> Option<u64> {
    match &module[ty] {
        DebugType::Qualified { qualifier: Qualifier::Atomic, to } => (offset == 0).then(|| module.size_of(*to))?,
        DebugType::Typedef { to, .. } | DebugType::Qualified { to, .. } => atomic_at(module, *to, offset),
        DebugType::Array { of, .. } => {
            let size = module.size_of(*of).filter(|&size| size > 0)?;
            atomic_at(module, *of, offset % size)
        }
        DebugType::Record { fields, union: false, .. } => {
            let is_there = |field: &&Field| {
                field.offset <= offset && module.size_of(field.ty).is_some_and(|size| offset < field.offset + size)
            };
            let field = fields.iter().find(is_there)?;
            atomic_at(module, field.ty, offset - field.offset)
        }
        _ => None,
    }
}

/// As the program calls a type.
pub(crate) fn name(module: &Module, ty: TypeId) -> String {
    match &module[ty] {
        DebugType::Typedef { name, .. } => name.clone(),
        DebugType::Qualified { to, .. } => name(module, *to),
        DebugType::Record { name, union: false, .. } => format!("struct {name}"),
        DebugType::Record { name, .. } => format!("union {name}"),
        DebugType::Opaque { name } => format!("struct {name}"),
        _ => "object".to_owned(),
    }
}
