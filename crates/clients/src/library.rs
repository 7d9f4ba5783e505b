//! What a client can call, and what it calls that with.

use explore::{ClientArgument, ClientCall, Operation, Root, fresh};
use ir::{DebugType, FuncId, Module, Ty, TypeId};
use machine::{Engine, Program, State};
use memory::{Pointer, Value, functions_of_type};

/// What can be called for two operations.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Library {
    roots: Vec<Root>,
    /// By root: calls that return one, or make one of an object that nobody has written yet.
    makers: Vec<Vec<FuncId>>,
    steps: Vec<FuncId>,
    /// Nothing that clients pass on is left out: each pointer that they get and give is one of the roots, and each function is called.
    is_whole: bool,
}

impl Library {
    /// # Errors
    /// What no public function makes, in words.
    pub(super) fn new(program: &Program, public: &[FuncId], operations: &[Operation; 2]) -> Result<Self, String> {
        let module = &program.module;
        let mut roots = Vec::new();
        for operation in operations {
            let private = |index: &usize| operation.private.contains(index);
            for (index, root) in roots_of(program, operation.function) {
                if !private(&index) && roots.iter().all(|known: &Root| !same(known, &root)) {
                    roots.push(root);
                }
            }
        }
        let mut makers: Vec<Vec<FuncId>> = Vec::new();
        for root in &mut roots {
            let returns = |id: &FuncId| {
                let pointee = module[*id].return_type.and_then(|ty| module.pointee(ty));
                let same = pointee.is_some_and(|ty| program.facts.canonical(module, ty) == root.ty);
                same && roots_of(program, *id).is_empty()
            };
            let this = *root;
            let takes = |id: &FuncId| matches!(roots_of(program, *id).as_slice(), [(_, only)] if same(only, &this));
            let mut all: Vec<FuncId> =
                public.iter().copied().filter(|id| callable(module, *id) && returns(id)).collect();
            root.is_object = all.is_empty();
            if root.is_object && module.is_record(root.ty) {
                all = public.iter().copied().filter(|id| callable(module, *id) && takes(id)).collect();
            }
            if all.is_empty() && module.is_record(root.ty) && !gives_untyped(module, public) {
                return Err(unmade(module, root));
            }
            makers.push(all);
        }
        let known = |id: &FuncId| {
            let needs = roots_of(program, *id);
            !needs.is_empty() && needs.iter().all(|(_, root)| roots.iter().any(|known| same(known, root)))
        };
        let makes = |id: &FuncId| makers.iter().zip(&roots).any(|(all, root)| !root.is_object && all.contains(id));
        let steps = |id: &FuncId| callable(module, *id) && !makes(id) && (known(id) || roots.is_empty());
        let steps = public.iter().copied().filter(steps).collect();
        if let Some(operation) = operations.iter().find(|operation| !callable(module, operation.function)) {
            return Err(format!("`{}` takes what a client would have to make up", operation.name));
        }
        let is_root = |ty: TypeId| {
            let to = module.pointee(ty).map(|to| program.facts.canonical(module, to));
            to.is_none_or(|to| roots.iter().any(|root| root.ty == to) || is_function(module, to))
        };
        let is_followed = |id: &FuncId| {
            let function = &module[*id];
            let given = function.source_params.iter().map(|param| param.ty);
            callable(module, *id) && given.chain(function.return_type).all(is_root) && !holds_pointers(module, *id)
        };
        let is_whole = public.iter().all(is_followed);
        Ok(Library { roots, makers, steps, is_whole })
    }

    /// Whether nothing that clients pass on is left out.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub(super) fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// An earlier root that this one may be as well.
    pub(super) fn earlier(&self, root: usize) -> Option<usize> {
        let wanted = self.roots.get(root)?;
        self.roots[..root].iter().position(|earlier| earlier.ty == wanted.ty)
    }

    pub(super) fn makers(&self, root: usize) -> &[FuncId] {
        &self.makers[root]
    }

    pub(super) fn steps(&self) -> &[FuncId] {
        &self.steps
    }

    /// Whether some call has to make this root.
    pub(super) fn needs_maker(&self, module: &Module, root: usize) -> bool {
        !self.roots[root].is_object || module.is_record(self.roots[root].ty)
    }

    /// A call, and the values of its arguments: numbers are symbols, told apart by the call's number.
    pub(super) fn call(
        &self,
        engine: &mut Engine,
        state: &mut State,
        roots: &[Value],
        function: FuncId,
        number: usize,
    ) -> (ClientCall, Vec<Value>) {
        let program = std::sync::Arc::clone(&engine.program);
        let (module, declared) = (&program.module, &program.module[function]);
        let needs = roots_of(&program, function);
        let mut call = ClientCall::new(function, Vec::new());
        let mut values = Vec::new();
        for (index, param) in declared.params.iter().enumerate() {
            let ty = declared.register(param.reg).ty;
            let source = declared.source_params.get(index);
            let root = needs.iter().find(|need| need.0 == index).and_then(|need| self.position(&need.1));
            let pointee = source.and_then(|source| module.pointee(source.ty));
            let (argument, value) = match (ty, root, pointee) {
                (Ty::Ptr, Some(root), _) => {
                    (ClientArgument::Root(root), roots.get(root).copied().unwrap_or(Value::NULL))
                }
                (Ty::Ptr, None, Some(ty)) if is_plain(module, ty) => {
                    (ClientArgument::Fresh(ty), Value::Ptr(Pointer::to(fresh(module, state, ty))))
                }
                (Ty::Ptr, None, Some(ty)) if is_function(module, ty) => {
                    let passed = function_for(module, ty)
                        .and_then(|id| Some((ClientArgument::Function(id), state.memory.function_object(id)?)));
                    passed.map_or((ClientArgument::Null, Value::NULL), |(argument, object)| {
                        (argument, Value::Ptr(Pointer::to(object)))
                    })
                }
                (Ty::Ptr, ..) => (ClientArgument::Null, Value::NULL),
                _ => {
                    let bits = u32::from(ty.bits(module.pointer));
                    let name = source.map_or("", |source| &source.name);
                    let symbol = engine.terms.var(&format!("call {number}:{index}:{name}"), bits);
                    if source.is_some_and(|source| is_bool(module, source.ty)) {
                        let one = engine.terms.bv(bits, 1);
                        let small = engine.terms.ule(symbol, one);
                        state.path.assume(small);
                    }
                    (ClientArgument::Number(0), Value::Term(symbol))
                }
            };
            call.arguments.push(argument);
            values.push(value);
        }
        (call, values)
    }

    /// That nothing makes what operations are about.
    pub(super) fn unmade(&self, module: &Module) -> String {
        let records = self.roots.iter().filter(|root| module.is_record(root.ty));
        records.map(|root| unmade(module, root)).next().unwrap_or_default()
    }

    /// The parameters of a function that get roots, and which.
    pub(super) fn roots_taken(&self, program: &Program, function: FuncId) -> Vec<(usize, usize)> {
        let taken = roots_of(program, function).into_iter();
        taken.filter_map(|(parameter, root)| Some((parameter, self.position(&root)?))).collect()
    }

    fn position(&self, root: &Root) -> Option<usize> {
        self.roots.iter().position(|known| same(known, root))
    }
}

fn same(one: &Root, other: &Root) -> bool {
    (one.ty, one.ordinal) == (other.ty, other.ordinal)
}

/// The parameters of a function that lead to something that calls share, by index.
fn roots_of(program: &Program, function: FuncId) -> Vec<(usize, Root)> {
    let (module, declared) = (&program.module, &program.module[function]);
    let mut roots: Vec<(usize, Root)> = Vec::new();
    for (index, source) in declared.source_params.iter().enumerate() {
        let Some(named) = module.pointee(source.ty).map(|ty| unqualified(module, ty)) else { continue };
        let ty = program.facts.canonical(module, named);
        // What results are stored in is of each call's own.
        if !module.is_record(ty) && !module.pointee(ty).is_some_and(|to| module.is_record(to)) {
            continue;
        }
        let ordinal = roots.iter().filter(|(_, root)| root.ty == ty).count();
        roots.push((index, Root { named, ty, ordinal, is_object: true, constant: false }));
    }
    roots
}

fn unqualified(module: &Module, mut ty: TypeId) -> TypeId {
    while let DebugType::Qualified { to, .. } = &module[ty] {
        ty = *to;
    }
    ty
}

/// Whether a client can call a function without knowing what it is for.
fn callable(module: &Module, function: FuncId) -> bool {
    let function = &module[function];
    let has_no_function =
        |ty: TypeId| module.pointee(ty).is_some_and(|to| is_function(module, to) && function_for(module, to).is_none());
    !function.is_declaration()
        && !function.library
        && !function.variadic
        && function.name != "main"
        && function.params.len() == function.source_params.len()
        && function.params.iter().all(|param| param.by_value.is_none() && !param.returned_through)
        && !function.source_params.iter().any(|param| has_no_function(param.ty) || module.is_record(param.ty))
}

/// Whether a function returns a structure, which may hold pointers.
fn holds_pointers(module: &Module, function: FuncId) -> bool {
    module[function].return_type.is_some_and(|ty| module.is_record(ty))
}

/// Whether some function gives a pointer of which its declaration does not say where it leads: perhaps to what is needed.
fn gives_untyped(module: &Module, public: &[FuncId]) -> bool {
    let is_untyped =
        |ty: TypeId| module.pointee(ty).is_some_and(|to| matches!(module[module.strip(to)], DebugType::Void));
    let sets = |ty: TypeId| module.pointee(ty).is_some_and(is_untyped);
    public.iter().map(|&id| &module[id]).any(|function| {
        let params = function.source_params.iter().any(|param| sets(param.ty));
        params || function.return_type.is_some_and(|ty| is_untyped(ty) || module.is_record(ty))
    })
}

fn unmade(module: &Module, root: &Root) -> String {
    format!("no public function makes a `{}`", record_name(module, root.named))
}

fn record_name(module: &Module, ty: TypeId) -> String {
    match &module[ty] {
        DebugType::Typedef { name, .. } => name.clone(),
        DebugType::Record { name, union: false, .. } => format!("struct {name}"),
        DebugType::Record { name, .. } => format!("union {name}"),
        _ => "structure".to_owned(),
    }
}

fn is_function(module: &Module, ty: TypeId) -> bool {
    matches!(module[module.strip(ty)], DebugType::Function { .. })
}

/// A function that a client passes where one of this type is taken.
fn function_for(module: &Module, ty: TypeId) -> Option<FuncId> {
    functions_of_type(module, ty).find(|&id| !module[id].library)
}

fn is_plain(module: &Module, ty: TypeId) -> bool {
    let plain = |ty: &DebugType| {
        matches!(
            ty,
            DebugType::Int { .. } | DebugType::Float { .. } | DebugType::Enum { .. } | DebugType::Pointer { .. }
        )
    };
    plain(&module[module.strip(ty)])
}

fn is_bool(module: &Module, ty: TypeId) -> bool {
    matches!(module[module.strip(ty)], DebugType::Int { kind: ir::IntKind::Bool, .. })
}
