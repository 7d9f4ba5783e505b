//! What a summary asks of the state that it is to be invoked in.

use crate::step::StepCx;
use ir::GlobalId;
use memory::{Binding, LazyId, Life, ObjId, ObjectKind, Pointer, Value};
use smt::TermId;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Question {
    /// What do these bytes hold?
    Held(Pointer, u64),
    /// What is this object?
    Object(ObjId),
    /// Is something in it that a write to these bytes would cut?
    Whole(Pointer, u64),
    /// Where does this pointer lead, as far as is known?
    Target(LazyId),
    /// Is it known what type that is?
    Typed(LazyId),
    Condition(TermId),
    Global(GlobalId),
}

/// What of an object matters to an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub kind: ObjectKind,
    pub life: Life,
    pub address: u64,
    pub size: u64,
    pub constant: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Reply {
    Value(Value),
    Header(Header),
    Binding(Binding),
    Bit(bool),
    Object(ObjId),
}

/// Pointers to one place are equal, but what is right through one may be wrong through another that is kept to a part.
impl PartialEq for Reply {
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Reply::Value(a), Reply::Value(b)) => a == b && a.part() == b.part(),
            (Reply::Binding(Binding::Target(a)), Reply::Binding(Binding::Target(b))) => a == b && a.part == b.part,
            (Reply::Binding(a), Reply::Binding(b)) => a == b,
            (Reply::Header(a), Reply::Header(b)) => a == b,
            (Reply::Bit(a), Reply::Bit(b)) => a == b,
            (Reply::Object(a), Reply::Object(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Reply {}

impl StepCx<'_> {
    /// None where the state does not know.
    #[inline]
    pub(super) fn answer(&self, question: Question) -> Option<Reply> {
        let memory = &self.state.memory;
        Some(match question {
            Question::Held(at, size) => Reply::Value(memory.known(at, size)?),
            Question::Object(id) => {
                if id.index() >= memory.len() {
                    return None;
                }
                let object = memory.object(id);
                let (kind, life, address) = (object.kind, object.life, object.address);
                Reply::Header(Header { kind, life, address, size: object.size, constant: object.constant })
            }
            Question::Whole(at, size) => Reply::Bit(!memory.would_cut(at, size)),
            Question::Target(pointer) => Reply::Binding(memory.shape().decision(pointer)?),
            Question::Typed(pointer) => Reply::Bit(memory.shape().pointee(self.module(), pointer).is_some()),
            Question::Condition(term) => Reply::Bit(self.state.path.decided(term)?),
            Question::Global(global) => Reply::Object(memory.global(global)?),
        })
    }
}
