//! Symbolic input: raddle's own names, KLEE's, and SV-COMP's.

use super::{Model, returns, succeeds};
use crate::state::{Applied, numbered_name};
use crate::step::{Call, Flow, StepCx};
use crate::{LossKind, PathEnd, Stop};
use concurrency::AccessKind;
use ir::{DebugType, Ty};
use memory::{Pointer, Value};
use smt::TermId;

type Done = Result<Flow, Stop>;

pub(super) fn find(name: &str) -> Option<Model> {
    if let Some(kind) = name.strip_prefix("__VERIFIER_nondet_") {
        return match kind {
            "bool" | "_Bool" => Some(nondet_bool),
            _ => Some(nondet),
        };
    }
    if let Some(what) = crate::client_functions::returned(name) {
        return match what {
            "nothing" => Some(succeeds),
            "null" => Some(client_pointer),
            "bool" => Some(client_bool),
            "int8" | "int16" | "int32" | "int64" | "float" | "double" => Some(client_number),
            _ => None,
        };
    }
    Some(match name {
        "raddle_symbolic" | "klee_make_symbolic" => make_symbolic,
        "raddle_structure" | "klee_make_data_structure" => make_structure,
        "raddle_assume" | "klee_assume" | "__VERIFIER_assume" => assume,
        "__raddle_input" => library_input,
        "__raddle_given" => library_given,
        "__raddle_is_known" => library_is_known,
        "__raddle_function" => library_function,
        "__raddle_shown" => library_shown,
        "llvm.readcyclecounter" => clock,
        "klee_int" => klee_int,
        "klee_range" => klee_range,
        _ => return None,
    })
}

/// A name that no input of this path has yet.
pub(super) fn unique_name(cx: &StepCx, name: &str) -> String {
    let me = cx.thread.id;
    let readings = cx.state.inputs.iter().chain(&*cx.state.forgotten).filter(|input| input.thread == me);
    let alike = readings.filter(|input| input.reading.as_ref().is_some_and(|reading| *reading.what == *name));
    let count = alike.count();
    numbered_name(cx.state, (me, &cx.thread.name), name, count as u32)
}

/// `raddle_symbolic(void *at, size_t size, const char *name)`
fn make_symbolic(cx: &mut StepCx, call: &Call) -> Done {
    let size = call.concrete(cx, 1)?;
    let name = call.arg(cx, 2)?;
    let name = super::strings::concrete_string(cx, name).unwrap_or_else(|| b"input".to_vec());
    let hint = call.hint(cx, 0);
    let address = call.arg(cx, 0)?;
    let at = cx.locate_exactly(address, size, hint)?;
    if size > 0 {
        cx.touch(at, size, AccessKind::Write, false)?;
    }
    let name = unique_name(cx, &String::from_utf8_lossy(&name));
    let floating = is_floating(cx, at, size);
    let symbols = write_symbols(cx, at, size, &name)?;
    match symbols[..] {
        [symbol] if floating => cx.add_number(name, size, symbol, None),
        _ => cx.add_input(name, size, symbols),
    }
    succeeds(cx, call)
}

/// Whether the bytes are one floating-point number.
fn is_floating(cx: &StepCx, at: Pointer, size: u64) -> bool {
    let (module, ty) = (cx.module(), cx.state.memory.object(at.object).ty);
    let Some((ty, element)) = ty.and_then(|ty| Some((ty, module.size_of(ty).filter(|&s| s > 0)?))) else {
        return false;
    };
    let scalar = module.scalar_at(ty, at.offset as u64 % element);
    scalar
        .is_some_and(|scalar| scalar.size == size && matches!(module[module.strip(scalar.ty)], DebugType::Float { .. }))
}

/// Fills memory with fresh symbols, one for each scalar that the object's type has there, else one for each byte.
fn write_symbols(cx: &mut StepCx, at: Pointer, size: u64, name: &str) -> Result<Vec<TermId>, Stop> {
    let (module, ty) = (cx.module(), cx.state.memory.object(at.object).ty);
    let mut symbols = Vec::new();
    let mut done = 0;
    while done < size {
        let offset = at.offset as u64 + done;
        // A block's type is that of one of its elements.
        let within = offset % ty.and_then(|ty| module.size_of(ty)).filter(|&s| s > 0).unwrap_or(u64::MAX);
        let scalar = ty.and_then(|ty| module.scalar_at(ty, within)).filter(|s| s.offset == within);
        let width = match (scalar, ty.is_none() && matches!(size, 1 | 2 | 4 | 8)) {
            (Some(scalar), _) if done + scalar.size <= size && scalar.size <= 8 => scalar.size,
            (None, true) => size,
            _ => 1,
        };
        let name = if width == size { name.to_owned() } else { format!("{name}+{done}") };
        let symbol = cx.engine.terms.var(&name, width as u32 * 8);
        cx.write(at.plus(done as i64), width, Value::Term(symbol))?;
        symbols.push(symbol);
        done += width;
    }
    Ok(symbols)
}

/// `raddle_structure(void *root, size_t size, const char *name)`: what lies there, and all that it points to, is any heap
/// within the bounds.
fn make_structure(cx: &mut StepCx, call: &Call) -> Done {
    let size = call.concrete(cx, 1)?;
    let name = call.arg(cx, 2)?;
    let name = super::strings::concrete_string(cx, name).unwrap_or_else(|| b"root".to_vec());
    let hint = call.hint(cx, 0);
    let address = call.arg(cx, 0)?;
    let at = cx.locate_exactly(address, size, hint)?;
    cx.touch(at, size, AccessKind::Write, false)?;
    let ty = cx.state.memory.object(at.object).ty.or(hint);
    let Some(ty) = ty.filter(|_| at.offset == 0 && size == cx.state.memory.object(at.object).size) else {
        return Err(cx.abandon(LossKind::UntypedPointer, "raddle_structure needs a whole variable whose type is known"));
    };
    let program = cx.program;
    cx.state.memory.make_initial(&program.module, at.object, ty, &String::from_utf8_lossy(&name), true);
    succeeds(cx, call)
}

/// `long __raddle_input(const char *name, size_t size)`: what the environment chooses for the C library, sign-extended.
fn library_input(cx: &mut StepCx, call: &Call) -> Done {
    let name = call.arg(cx, 0)?;
    let size = call.concrete(cx, 1)?.clamp(1, 8);
    let name = super::strings::concrete_string(cx, name).unwrap_or_default();
    let name = unique_name(cx, &String::from_utf8_lossy(&name));
    let symbol = cx.engine.terms.var(&name, size as u32 * 8);
    cx.add_input(name, size, vec![symbol]);
    let wide = cx.engine.terms.sext(symbol, 64);
    returns(cx, call, Value::Term(wide))
}

/// `long __raddle_shown(const char *name, size_t size, const void *clock, int more)`: as [`library_input`], what a clock shows,
/// or if there is `more` of it than one number, the next one. Earlier readings may be forgotten.
fn library_shown(cx: &mut StepCx, call: &Call) -> Done {
    let what = call.arg(cx, 0)?;
    let (size, more) = (call.concrete(cx, 1)?.clamp(1, 8), call.concrete(cx, 3)? != 0);
    let clock = call.arg(cx, 2)?;
    let clock = cx.locate_exactly(clock, 1, None)?;
    if !more {
        cx.forget_readings()?;
    }
    let what = super::strings::concrete_string(cx, what).unwrap_or_default();
    let what = String::from_utf8_lossy(&what).into_owned();
    let symbol = cx.read_clock(&what, size, clock, more);
    let wide = cx.engine.terms.sext(symbol, 64);
    returns(cx, call, Value::Term(wide))
}

/// `void __raddle_given(int condition)`: restricts what was chosen. The library asks only for what some choice satisfies.
fn library_given(cx: &mut StepCx, call: &Call) -> Done {
    let value = call.arg(cx, 0)?;
    match cx.integer(value, call.ty(0))? {
        Value::Int(0) => return Err(Stop::End(PathEnd::Infeasible)),
        Value::Int(_) => {}
        other => {
            let term = cx.term_of(other, u32::from(cx.bits(call.ty(0))))?;
            let zero = cx.engine.terms.is_zero(term);
            let holds = cx.engine.terms.not(zero);
            cx.state.path.add(holds);
        }
    }
    succeeds(cx, call)
}

/// `int __raddle_is_known(int64_t value)`
fn library_is_known(cx: &mut StepCx, call: &Call) -> Done {
    let value = call.arg(cx, 0)?;
    let known = !cx.engine.config.dates || matches!(cx.integer(value, call.ty(0))?, Value::Int(_));
    returns(cx, call, Value::Int(u64::from(known)))
}

/// `int64_t __raddle_function(const char *name, int64_t of, size_t size)`: a symbol for a function of a number, defined by
/// what the library goes on to give.
fn library_function(cx: &mut StepCx, call: &Call) -> Done {
    let name = call.arg(cx, 0)?;
    let size = call.concrete(cx, 2)?.clamp(1, 8);
    let name = super::strings::concrete_string(cx, name).unwrap_or_default();
    let of = call.arg(cx, 1)?;
    let of = cx.integer(of, call.ty(1))?;
    let of = cx.term_of(of, u32::from(cx.bits(call.ty(1))))?;
    let symbol = cx.engine.function_of(&String::from_utf8_lossy(&name), of, size as u32 * 8);
    let wide = cx.engine.terms.sext(symbol, 64);
    returns(cx, call, Value::Term(wide))
}

/// `raddle_assume(condition)`
fn assume(cx: &mut StepCx, call: &Call) -> Done {
    let value = call.arg(cx, 0)?;
    if cx.is_zero(value, call.ty(0))? {
        return Err(Stop::End(PathEnd::Infeasible));
    }
    succeeds(cx, call)
}

fn fresh_result(cx: &mut StepCx, call: &Call, name: &str) -> Result<Option<TermId>, Stop> {
    let Some(&dest) = call.dests.first() else { return Ok(None) };
    let bits = u32::from(cx.bits(cx.module()[cx.thread.frame().function].register(dest).ty));
    let ty = cx.module()[cx.thread.frame().function].register(dest).ty;
    let name = unique_name(cx, name);
    let symbol = cx.engine.terms.var(&name, bits);
    let size = u64::from(bits).div_ceil(8);
    match ty {
        Ty::F32 | Ty::F64 => cx.add_number(name, size, symbol, None),
        _ => cx.add_input(name, size, vec![symbol]),
    }
    Ok(Some(symbol))
}

/// What a function of a client's returns.
const RETURNED: &str = "returned";

fn client_number(cx: &mut StepCx, call: &Call) -> Done {
    match fresh_result(cx, call, RETURNED)? {
        Some(symbol) => returns(cx, call, Value::Term(symbol)),
        None => Ok(Flow::Next),
    }
}

/// `_Bool`: what is no number of its own.
fn client_bool(cx: &mut StepCx, call: &Call) -> Done {
    bool_result(cx, call, RETURNED)
}

/// Which pointers a client's function may return, nobody says. The null pointer is one that all may return.
fn client_pointer(cx: &mut StepCx, call: &Call) -> Done {
    if cx.result_is_used() {
        cx.note(LossKind::ExternalCall, "a client's function may return another pointer than a null pointer");
    }
    succeeds(cx, call)
}

/// `__VERIFIER_nondet_*()`
fn nondet(cx: &mut StepCx, call: &Call) -> Done {
    match fresh_result(cx, call, "nondet")? {
        Some(symbol) => returns(cx, call, Value::Term(symbol)),
        None => Ok(Flow::Next),
    }
}

/// `__VERIFIER_nondet_bool()`: 0 or 1.
fn nondet_bool(cx: &mut StepCx, call: &Call) -> Done {
    bool_result(cx, call, "nondet")
}

fn bool_result(cx: &mut StepCx, call: &Call, name: &str) -> Done {
    match fresh_result(cx, call, name)? {
        Some(symbol) => {
            let one = cx.engine.terms.bv(cx.engine.terms.width(symbol), 1);
            let small = cx.engine.terms.ule(symbol, one);
            cx.state.path.add(small);
            returns(cx, call, Value::Term(symbol))
        }
        None => Ok(Flow::Next),
    }
}

/// `rdtsc` and its like: what a clock shows decides nothing that the program may rely on, so it is any value.
pub(super) fn clock(cx: &mut StepCx, call: &Call) -> Done {
    match fresh_result(cx, call, "clock")? {
        Some(symbol) => returns(cx, call, Value::Term(symbol)),
        None => Ok(Flow::Next),
    }
}

/// `float __raddle_gpu_float(const char *function, double x, double y)`, and the same for `double`: what a mathematical function
/// gives of which a device's results are known to so many places only. It is any number, the same for the same arguments.
pub(super) fn approximate(cx: &mut StepCx, call: &Call) -> Done {
    let Some(&dest) = call.dests.first() else { return Ok(Flow::Next) };
    let bits = u32::from(cx.bits(cx.module()[cx.thread.frame().function].register(dest).ty));
    let name = call.arg(cx, 0)?;
    let name = super::strings::concrete_string(cx, name).unwrap_or_default();
    let function = String::from_utf8_lossy(&name).into_owned();
    let applied = Applied { args: [call.arg(cx, 1)?, call.arg(cx, 2)?], function };
    let name = unique_name(cx, &applied.function);
    let alike = cx.state.inputs.iter().find(|input| input.applied.as_ref() == Some(&applied));
    let symbol = match alike.and_then(|input| input.symbols.first().copied()) {
        Some(known) => known,
        None => {
            let symbol = cx.engine.terms.var(&name, bits);
            agree(cx, &applied, symbol)?;
            symbol
        }
    };
    cx.add_number(name, u64::from(bits / 8), symbol, Some(applied));
    returns(cx, call, Value::Term(symbol))
}

/// Whatever the arguments of earlier calls turn out to be: if they are these, the results are one.
fn agree(cx: &mut StepCx, applied: &Applied, symbol: TermId) -> Result<(), Stop> {
    let earlier = cx.state.inputs.clone();
    for input in &*earlier {
        let Some(other) = input.applied.as_ref().filter(|other| other.function == applied.function) else { continue };
        let mut condition = cx.engine.terms.tru();
        for (&mine, &theirs) in applied.args.iter().zip(&other.args) {
            let (mine, theirs) = (cx.term_of(mine, 64)?, cx.term_of(theirs, 64)?);
            let same = cx.engine.terms.eq(mine, theirs);
            condition = cx.engine.terms.and(condition, same);
        }
        let same = cx.engine.terms.eq(symbol, input.symbols[0]);
        let agreed = cx.engine.terms.implies(condition, same);
        if !cx.engine.terms.is_true(agreed) {
            cx.state.path.add(agreed);
        }
    }
    Ok(())
}

/// `int klee_int(const char *name)`
fn klee_int(cx: &mut StepCx, call: &Call) -> Done {
    let name = call.arg(cx, 0)?;
    let name = super::strings::concrete_string(cx, name).unwrap_or_else(|| b"input".to_vec());
    match fresh_result(cx, call, &String::from_utf8_lossy(&name))? {
        Some(symbol) => returns(cx, call, Value::Term(symbol)),
        None => Ok(Flow::Next),
    }
}

/// `int klee_range(int begin, int end, const char *name)`: `begin <= result < end`.
fn klee_range(cx: &mut StepCx, call: &Call) -> Done {
    let (begin, end) = (call.concrete(cx, 0)?, call.concrete(cx, 1)?);
    if begin as i32 >= end as i32 {
        return Err(Stop::End(PathEnd::Infeasible));
    }
    let name = call.arg(cx, 2)?;
    let name = super::strings::concrete_string(cx, name).unwrap_or_else(|| b"input".to_vec());
    match fresh_result(cx, call, &String::from_utf8_lossy(&name))? {
        Some(symbol) => {
            let terms = &mut cx.engine.terms;
            let width = terms.width(symbol);
            let (begin, end) = (terms.bv(width, u128::from(begin)), terms.bv(width, u128::from(end)));
            let (low, high) = (terms.sle(begin, symbol), terms.slt(symbol, end));
            cx.state.path.add(low);
            cx.state.path.add(high);
            returns(cx, call, Value::Term(symbol))
        }
        None => Ok(Flow::Next),
    }
}
