//! Calls that no test makes, as tests that know the library's objects could make them.

use super::text::{name_of, number, spaced};
use super::{Script, Step, Template, Variable, VariableId};
use ir::{DebugType, FuncId, Module, TypeId, c_type};
use rustc_hash::FxHashMap;

/// A string that such a call passes.
const TEXT: &str = "\"a\"";

/// How an object is held: by a pointer to it, or itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Pointer,
    Object,
}

/// A parameter's argument.
struct Argument {
    text: Template,
    holder: Option<VariableId>,
}

impl Script {
    /// A script of calls that nobody has made, each in the ways in which clients may hold what it takes: objects are variables that nothing
    /// has set, for which those of a test have to be taken; buffers are the call's own. `number`: what a function gets by a parameter.
    pub fn of_unseen(module: &Module, functions: &[FuncId], of_number: &dyn Fn(FuncId, usize) -> u64) -> Self {
        let mut script = Script::default();
        for &function in functions {
            let first = script.steps.len();
            for holds in [Holds::Pointer, Holds::Object] {
                let step = step(module, &mut script, function, (holds, of_number));
                // Where it takes no object, one way is all there is.
                let is_other = script.steps.len() == first || step.holders.iter().flatten().next().is_some();
                if is_other && step.unknown.is_none() {
                    script.steps.push(step);
                }
            }
        }
        script
    }
}

fn step(
    module: &Module,
    script: &mut Script,
    function: FuncId,
    (holds, of_number): (Holds, &dyn Fn(FuncId, usize) -> u64),
) -> Step {
    let declared = &module[function];
    let mut unknown = None;
    let by_value = |param: &ir::Param| param.by_value.is_some() || param.returned_through;
    if !declared.pieces.is_empty() || declared.params.iter().any(by_value) || declared.variadic {
        unknown = Some("it takes or returns what such a call cannot give".to_owned());
    }
    let (mut arguments, mut holders) = (Vec::new(), Vec::new());
    for (index, param) in declared.source_params.iter().enumerate() {
        let argument = argument(module, script, param.ty, holds, of_number(function, index));
        let argument = argument.unwrap_or_else(|| {
            unknown.get_or_insert_with(|| format!("nobody knows what to pass as `{}`", param.name));
            Argument { text: Template::text("0"), holder: None }
        });
        arguments.push(argument.text);
        holders.push(argument.holder);
    }
    Step {
        function,
        before: Vec::new(),
        name: declared.name.clone(),
        returns: None,
        defines: None,
        mentions: holders.iter().flatten().copied().collect(),
        arguments,
        holders,
        known: FxHashMap::default(),
        needs_source: false,
        unknown,
    }
}

/// What a call passes of a type; none where that is anybody's guess.
fn argument(module: &Module, script: &mut Script, ty: TypeId, holds: Holds, value: u64) -> Option<Argument> {
    let plain = |text: String| Some(Argument { text: Template::text(text), holder: None });
    let to = match &module[module.strip(ty)] {
        DebugType::Int { .. } | DebugType::Enum { .. } | DebugType::Float { .. } => {
            return plain(number(module, Some(ty), value));
        }
        DebugType::Pointer { to } => *to,
        _ => return None,
    };
    let is_const = matches!(module[to], DebugType::Qualified { qualifier: ir::Qualifier::Const, .. });
    let mut to = to;
    while let DebugType::Qualified { to: inner, .. } = module[to] {
        to = inner;
    }
    let named = c_type(module, to);
    let (declared, is_plain, is_address) = match &module[module.strip(to)] {
        DebugType::Int { size: 1, .. } if is_const => return plain(TEXT.to_owned()),
        DebugType::Int { .. } | DebugType::Enum { .. } | DebugType::Float { .. } => {
            ((spaced(&named), "[16]".to_owned()), true, false)
        }
        DebugType::Void => (("_Alignas(16) unsigned char ".to_owned(), "[16]".to_owned()), true, false),
        // What a call sets there its caller reads.
        DebugType::Pointer { .. } => ((spaced(&named), String::new()), true, true),
        DebugType::Record { .. } | DebugType::Opaque { .. } => match holds {
            Holds::Pointer => ((format!("{named} *"), String::new()), false, false),
            Holds::Object => ((spaced(&named), String::new()), false, true),
        },
        _ => return None,
    };
    if named.is_empty() {
        return None;
    }
    let variable = Variable { name: name_of(&named), declared, allocated: None, is_result: false, is_plain };
    script.variables.push(variable);
    let id = VariableId::new(script.variables.len() - 1);
    let text = if is_address { Template::variable(id).around("&", "") } else { Template::variable(id) };
    Some(Argument { text, holder: Some(id) })
}
