//! Ending the process, assertions, and calls that only take time.

use super::{Model, succeeds};
use crate::step::{Call, Flow, StepCx, exit_process, leave_process};
use crate::{FaultKind, PathEnd, Stop};
use memory::Value;

type Done = Result<Flow, Stop>;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "exit" => exit,
        "_exit" | "_Exit" => exit_at_once,
        "abort" => abort,
        "llvm.trap" => trap,
        "__assert_fail" | "__assert" => assert_fail,
        "raddle_assert" | "__VERIFIER_assert" => assert,
        name if ERROR_LOCATIONS.contains(&name) => |cx, _| reach_error(cx),
        "klee_silent_exit" => silent_exit,
        "usleep" | "sleep" => |cx, call| succeeds(cx, call),
        "nanosleep" => super::errors::nanosleep,
        _ => return None,
    })
}

/// `exit`
fn exit(cx: &mut StepCx, call: &Call) -> Done {
    let code = call.arg(cx, 0)?;
    leave_process(cx, Some(code))
}

/// `_exit`, `_Exit`: without destructors.
fn exit_at_once(cx: &mut StepCx, call: &Call) -> Done {
    let code = call.arg(cx, 0)?;
    Err(exit_process(cx, Some(code))?)
}

/// `abort`: the program says that it cannot go on. Programs of SV-COMP say by it that an assumption does not hold.
fn abort(cx: &mut StepCx, _call: &Call) -> Done {
    if cx.program.follows_sv_comp() {
        return Err(Stop::End(PathEnd::Infeasible));
    }
    Err(cx.fault(FaultKind::Assertion, "abort is called"))
}

fn trap(cx: &mut StepCx, _call: &Call) -> Done {
    Err(cx.fault(FaultKind::UnreachableReached, "a trap instruction is reached"))
}

/// What `assert` calls when it fails.
fn assert_fail(cx: &mut StepCx, call: &Call) -> Done {
    let text = call.arg(cx, 0)?;
    let text = super::strings::concrete_string(cx, text).unwrap_or_default();
    Err(cx.fault(FaultKind::Assertion, format!("assertion `{}` fails", String::from_utf8_lossy(&text))))
}

/// `raddle_assert(condition)`
fn assert(cx: &mut StepCx, call: &Call) -> Done {
    let value = call.arg(cx, 0)?;
    if cx.is_zero(value, call.ty(0))? {
        return Err(cx.fault(FaultKind::Assertion, "an assertion fails"));
    }
    succeeds(cx, call)
}

/// Functions that SV-COMP's programs call where they must not come to. Most define them.
pub(crate) const ERROR_LOCATIONS: [&str; 2] = ["__VERIFIER_error", "reach_error"];

/// SV-COMP's error location.
pub(crate) fn reach_error(cx: &mut StepCx) -> Done {
    Err(cx.fault(FaultKind::Assertion, "the error location is reached"))
}

/// KLEE's way to end a path without a word.
fn silent_exit(_cx: &mut StepCx, _call: &Call) -> Done {
    Err(Stop::End(PathEnd::Infeasible))
}

impl StepCx<'_> {
    /// Whether an integer is zero; stops when that is open.
    pub(crate) fn is_zero(&mut self, value: Value, ty: ir::Ty) -> Result<bool, Stop> {
        match self.integer(value, ty)? {
            Value::Int(word) => Ok(word == 0),
            other => {
                let term = self.term_of(other, u32::from(self.bits(ty)))?;
                let zero = self.engine.terms.is_zero(term);
                self.condition(zero)
            }
        }
    }
}
