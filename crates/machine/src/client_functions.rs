//! Functions of a client's: what a pointer to a function leads to where the program has none that fits.
//!
//! Such a function touches nothing and returns anything, and there is one for each type. Each is a declaration in the module, whose
//! name says what it returns, so that reports and tests can name it; the model makes an input of each result.

use crate::models;
use ir::{DebugType, Function, IntKind, Module, SourceParam, TypeId};
use memory::functions_of_type;

/// How the names begin; what it returns comes next, and a number if there are several. Tests and clients' programs define them.
pub const PREFIX: &str = "raddle_returns_";

/// Whether this is one of them.
pub fn is_client_function(function: &Function) -> bool {
    function.name.starts_with(PREFIX) && models::is_modelled(&function.name)
}

/// Adds one for each type of functions that pointers lead to and none of the program has. Records as arguments or results, and
/// floating-point results, are left out.
pub fn add_client_functions(module: &mut Module) {
    for index in 0..module.types.len() {
        let DebugType::Pointer { to } = module[TypeId::new(index)] else { continue };
        let DebugType::Function { ret, ref params, variadic } = module[module.strip(to)] else { continue };
        let is_taken = functions_of_type(module, to).next().is_some();
        let Some(name) = name(module, ret).filter(|_| !is_taken && !params.iter().any(|&ty| module.holds_records(ty)))
        else {
            continue;
        };
        let alike = module.functions.iter().filter(|known| known.name.strip_prefix(&*name).is_some_and(is_numbered));
        let name = match alike.count() {
            0 => name,
            count => format!("{name}_{}", count + 1),
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
    rest.is_empty() || rest.strip_prefix('_').is_some_and(|number| number.parse::<u32>().is_ok())
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
        _ => return None,
    };
    Some(format!("{PREFIX}{what}")).filter(|name| models::is_modelled(name))
}
