//! Functions of a client's: what a pointer to a function leads to where the program has none that fits.
//!
//! Such a function reads the numbers and the bytes that it is given, and returns anything; there is one for each type. Each is a declaration in the
//! module, whose name says what it returns and reads, so that reports and tests can name it; the model makes an input of each result.
//!
//! Guarantee: it reads no structures, of which a client knows which members are the library's own, and nothing where a pointer of the initial heap
//! is untyped.

use crate::Stop;
use crate::models;
use crate::step::{Call, StepCx};
use concurrency::{AccessKind, Range};
use ir::{DebugType, Function, IntKind, Module, Qualifier, SourceParam, Ty, TypeId};
use memory::{Binding, ObjectKind, Pointer, Value, functions_of_type};

/// How the names begin; what it returns comes next, then what it reads, and a number if there are several. Tests and clients' programs
/// define them.
const PREFIX: &str = "raddle_returns_";

/// What stands before the bytes that it reads of each argument, 0 for those that are no pointers, in a name.
const READS: &str = "_reads";

/// A floating-point number among what it takes.
const FLOATING: &str = "f";

/// What stands before the number of a function, where there are several of one name.
const NUMBER: &str = "_n";

/// What a function of a client's takes, as far as its name says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// Of what a pointer leads to, it reads so many bytes; 0: it is none, or nothing of it is read.
    Read(u64),
    /// A floating-point number.
    Floating,
}

/// What a function of this name takes; nothing where it reads nothing.
pub fn given(name: &str) -> Vec<Given> {
    let reads = name.strip_prefix(PREFIX).and_then(|name| name.split_once(READS)).map_or("", |(_, reads)| reads);
    let given = |word| match word {
        FLOATING => Some(Given::Floating),
        // The number of the function is none.
        word => word.parse().ok().map(Given::Read),
    };
    reads.split('_').filter_map(given).collect()
}

/// What a function of this name returns, in a word.
pub fn returned(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX)?.split('_').next()
}

/// Whether this is one of them.
pub fn is_client_function(function: &Function) -> bool {
    function.name.starts_with(PREFIX) && models::is_modelled(&function.name)
}

/// Adds one for each type of functions that pointers lead to and none of the program has. Records as arguments or results, and
/// results of `long double`, are left out.
pub fn add_client_functions(module: &mut Module) {
    for index in 0..module.types.len() {
        let DebugType::Pointer { to } = module[TypeId::new(index)] else { continue };
        let DebugType::Function { ret, ref params, variadic } = module[module.strip(to)] else { continue };
        let is_taken = functions_of_type(module, to).next().is_some();
        let Some(name) = name(module, ret).filter(|_| !is_taken && !params.iter().any(|&ty| module.holds_records(ty)))
        else {
            continue;
        };
        let name = name + &what_is_read(module, params);
        let alike = module.functions.iter().filter(|known| known.name.strip_prefix(&*name).is_some_and(is_numbered));
        let name = match alike.count() {
            0 => name,
            count => format!("{name}{NUMBER}{}", count + 1),
        };
        let source_params = params.iter().map(|&ty| SourceParam { name: String::new(), ty }).collect();
        let is_void = matches!(module[module.strip(ret)], DebugType::Void);
        module.functions.push(Function {
            name,
            file: None,
            external: false,
            variadic,
            no_return: false,
            library: false,
            kernel: false,
            most_threads: None,
            device: false,
            stands_for: None,
            excess_precision: false,
            params: Vec::new(),
            returns: Vec::new(),
            return_type: (!is_void).then_some(ret),
            source_params,
            pieces: Vec::new(),
            registers: Vec::new(),
            address_taken: true,
            location: None,
            blocks: Vec::new(),
        });
    }
}

fn is_numbered(rest: &str) -> bool {
    rest.is_empty() || rest.strip_prefix(NUMBER).is_some_and(|number| number.parse::<u32>().is_ok())
}

/// What functions with such parameters take, as a part of their names; empty where they read nothing.
fn what_is_read(module: &Module, params: &[TypeId]) -> String {
    let taken = params.iter().map(|&param| match &module[module.strip(param)] {
        DebugType::Float { .. } => Given::Floating,
        // Such a variable is for others to change meanwhile: a flag, a spin lock.
        DebugType::Pointer { to } if is_shared(module, *to) => Given::Read(0),
        DebugType::Pointer { to } => Given::Read(match &module[module.strip(*to)] {
            DebugType::Void => 1,
            DebugType::Int { size, .. } | DebugType::Enum { size, .. } | DebugType::Float { size, .. } => *size,
            DebugType::Pointer { .. } => u64::from(module.pointer.bits() / 8),
            _ => 0,
        }),
        _ => Given::Read(0),
    });
    let taken: Vec<Given> = taken.collect();
    let reads = |given: &Given| matches!(given, Given::Read(1..));
    // A number of more than a word takes the places of two.
    let is_wide =
        |&param: &TypeId| module.pointee(param).is_none() && module.size_of(param).is_some_and(|size| size > 8);
    if !taken.iter().any(reads) || params.iter().any(is_wide) {
        return String::new();
    }
    let words = taken.into_iter().map(|given| match given {
        Given::Read(bytes) => format!("_{bytes}"),
        Given::Floating => format!("_{FLOATING}"),
    });
    words.fold(READS.to_owned(), |name, word| name + &word)
}

/// Whether a type is qualified `_Atomic` or `volatile` (C11 6.7.3).
fn is_shared(module: &Module, ty: TypeId) -> bool {
    match &module[ty] {
        DebugType::Qualified { qualifier: Qualifier::Atomic | Qualifier::Volatile, .. } => true,
        DebugType::Qualified { to, .. } | DebugType::Typedef { to, .. } => is_shared(module, *to),
        _ => false,
    }
}

/// Reads what a client's function is given, at the call: of two arguments at most.
pub(crate) fn read_given(cx: &mut StepCx, name: &str, call: &Call) -> Result<(), Stop> {
    let mut given: Vec<(Pointer, u64)> = Vec::new();
    for (index, what) in self::given(name).into_iter().enumerate().take(call.args.len()) {
        if let Given::Read(bytes @ 1..) = what
            && given.len() < 2
        {
            let value = call.arg(cx, index)?;
            let hint = call.hint(cx, index);
            given.extend(leads_to(cx, (value, call.ty(index)), bytes, hint)?.map(|at| (at, bytes)));
        }
    }
    let range = |(at, size): (Pointer, u64)| Range { object: at.object, offset: at.offset as u64, size };
    let Some(&first) = given.first() else { return Ok(()) };
    cx.before_accesses(range(first), false, given.get(1).copied().map(range))?;
    given.into_iter().try_for_each(|(at, size)| cx.touch(at, size, AccessKind::Read, false))
}

/// Where a pointer leads of which a client's function reads so many bytes, if it is not null. Where nobody says what it leads to, nothing is read.
fn leads_to(
    cx: &mut StepCx,
    (value, ty): (Value, Ty),
    bytes: u64,
    hint: Option<TypeId>,
) -> Result<Option<Pointer>, Stop> {
    let memory = &cx.state.memory;
    match value {
        Value::Ptr(at) => {
            let object = memory.object(at.object);
            let end = u64::try_from(at.offset).ok().and_then(|offset| offset.checked_add(bytes));
            let is_there = end.is_some_and(|end| end <= object.size) && !matches!(object.kind, ObjectKind::Function(_));
            Ok(is_there.then_some(at))
        }
        Value::Lazy { pointer, .. } => {
            let known = memory.shape().pointer(pointer);
            let is_known = known.pointee.is_some() || matches!(known.decision, Binding::Target(_));
            if !is_known || cx.is_zero(value, ty)? {
                return Ok(None);
            }
            cx.locate_exactly(value, bytes, hint).map(Some)
        }
        Value::Symbolic { .. } => cx.locate_exactly(value, bytes, hint).map(Some),
        Value::Int(_) | Value::Term(_) => Ok(None),
    }
}

/// What a function with such a result is called, the number apart.
fn name(module: &Module, result: TypeId) -> Option<String> {
    let what = match &module[module.strip(result)] {
        DebugType::Void => "nothing".to_owned(),
        DebugType::Pointer { .. } => "null".to_owned(),
        DebugType::Int { kind: IntKind::Bool, .. } => "bool".to_owned(),
        DebugType::Int { size: size @ 1..=8, .. } | DebugType::Enum { size: size @ 1..=8, .. } => {
            format!("int{}", 8 * size)
        }
        DebugType::Float { size: 4, .. } => "float".to_owned(),
        DebugType::Float { size: 8, .. } => "double".to_owned(),
        _ => return None,
    };
    Some(format!("{PREFIX}{what}")).filter(|name| models::is_modelled(name))
}
