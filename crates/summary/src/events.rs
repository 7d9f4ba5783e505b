//! What others may notice of a function: calls, synchronisation, accesses.

use crate::Summarizer;
use crate::way::{Next, Path};
use crate::words::location;
use concurrency::{AccessKind, Action, Place, Range, SyncOp};
use ir::{Callee, Op, Order};
use machine::{Backtrace, Called, Decision, Observed};
use memory::{Binding, LazyId, Pointer, Target, Value};
use report::{Effect, Relation, TreeAccess, TreeNodeKind};
use std::borrow::Cow;

/// An access as the instruction makes it.
struct Made {
    kind: AccessKind,
    order: Option<Order>,
    /// What is written, if it is known before.
    value: Option<Value>,
    /// In words, where it is a node of its own.
    what: Option<&'static str>,
}

impl Summarizer<'_> {
    /// Notes the calls and fences since the last stop.
    pub(super) fn note_observed(&mut self, way: &mut Path) {
        let new = way.state.observed.len().saturating_sub(way.observed);
        let mut all: Vec<Observed> = way.state.observed.iter().take(new).cloned().collect();
        way.observed += new;
        all.reverse();
        for what in all {
            match what {
                Observed::Called { site, callee, arguments, result } => {
                    let words = self.words(&way.state);
                    let list: Vec<String> = arguments.iter().map(|value| words.value(*value)).collect();
                    let name = match callee {
                        Called::Function(function) => self.engine.program.module[function].name.clone(),
                        Called::Through(pointer) => words.value(pointer),
                    };
                    let mut text = format!("{name}({})", list.join(", "));
                    if let Some(result) = result {
                        text = format!("{text} = {}", words.value(result));
                    }
                    let at = self.engine.program.site_location(site);
                    self.add_at(way, TreeNodeKind::Call, text, at);
                    // What it wrote is read anew.
                    way.known.clear();
                }
                Observed::Fenced { site, order } => {
                    let at = self.engine.program.site_location(site);
                    self.add_at(way, TreeNodeKind::Sync, format!("fence ({})", order_name(order)), at);
                }
                _ => {}
            }
        }
    }

    /// Notes what the function is about to do that others may notice, and does it, or passes over it.
    pub(super) fn note_action(&mut self, way: &mut Path, action: Action) -> Next {
        match action {
            Action::Access { range, also, .. } => {
                let made = self.made(way, action);
                if let Some(also) = also {
                    let read = Made { kind: AccessKind::Read, order: None, value: None, what: None };
                    self.note_access(way, also, &read);
                }
                self.note_access(way, range, &made);
                if let Some(what) = made.what {
                    let place = self.words(&way.state).place(range.object, range.offset);
                    let order = made.order.map(|order| format!(" ({})", order_name(order))).unwrap_or_default();
                    self.add(way, TreeNodeKind::Sync, format!("{what} {place}{order}"));
                }
                self.engine.grant(&mut way.state, way.thread);
            }
            Action::Sync { op: SyncOp::OnceDone | SyncOp::KeyEnd | SyncOp::OwnerDies, .. }
            | Action::AtomicBegin
            | Action::Pass(_) => self.engine.grant(&mut way.state, way.thread),
            Action::Leave => {
                let thread = way.state.thread(way.thread);
                // Else it is a block that is left.
                if self.engine.program.instruction(thread).is_none() {
                    way.returns_at = self.engine.program.location(thread.frame());
                }
                self.engine.grant(&mut way.state, way.thread);
            }
            Action::Exit => {
                self.add(way, TreeNodeKind::End, "ends the process".to_owned());
                return Next::Ends;
            }
            Action::Sync { .. }
            | Action::Wait { .. }
            | Action::Wake { .. }
            | Action::GiveUp { .. }
            | Action::Arrive { .. }
            | Action::Join(_)
            | Action::TryJoin { .. } => return self.note_call(way, action),
        }
        Next::GoesOn
    }

    /// A call of the threads library.
    fn note_call(&mut self, way: &mut Path, action: Action) -> Next {
        let name = match self.engine.program.instruction(way.state.thread(way.thread)) {
            Some(Op::Call { callee: Callee::Direct(function), .. }) => {
                self.engine.program.module[*function].name.clone()
            }
            _ => "a library function".to_owned(),
        };
        let places: Vec<Place> = action.places().collect();
        let words = self.words(&way.state);
        let objects: Vec<String> = places.iter().map(|place| format!("&{}", words.lock(*place))).collect();
        let lock = places.first().map(|place| words.lock(*place));
        let may_fail = name.contains("try") || name.contains("timed") || name.contains("clock");
        self.add(way, TreeNodeKind::Sync, format!("{name}({})", objects.join(", ")));
        match (action, lock) {
            (Action::Sync { op, .. }, Some(lock)) if is_lock(op) => way.locks.push(lock),
            (Action::Sync { op: SyncOp::Unlock | SyncOp::ReadUnlock | SyncOp::WriteUnlock, .. }, Some(lock)) => {
                if let Some(at) = way.locks.iter().rposition(|held| *held == lock) {
                    way.locks.remove(at);
                }
            }
            _ => {}
        }
        let fresh = format!("{name}()#{}", self.tree.nodes.len());
        self.engine.pass_over(&mut way.state, way.thread, may_fail.then_some(&*fresh));
        if lets_others_work(&action) {
            way.known.clear();
            if let Err(why) = self.engine.let_others_work(&mut way.state) {
                self.gives_up(way, why.to_owned());
                return Next::Ends;
            }
        }
        Next::GoesOn
    }

    fn made(&self, way: &Path, action: Action) -> Made {
        let writes = matches!(action, Action::Access { write: true, .. });
        let plain = if writes { AccessKind::Write } else { AccessKind::Read };
        let held = |operand| way.state.held(way.thread, operand);
        let made = |kind, order, value, what| Made { kind, order, value, what };
        match self.engine.program.instruction(way.state.thread(way.thread)) {
            Some(Op::Load { order: Some(order), .. }) => {
                made(AccessKind::Read, Some((*order).into()), None, Some("atomic load of"))
            }
            Some(Op::Store { order: Some(order), value, .. }) => {
                made(AccessKind::Write, Some((*order).into()), held(*value), Some("atomic store to"))
            }
            Some(Op::AtomicRmw { order, .. }) => {
                made(AccessKind::ReadWrite, Some(*order), None, Some("atomic read-modify-write of"))
            }
            Some(Op::CompareExchange { success_order, .. }) => {
                made(AccessKind::ReadWrite, Some(*success_order), None, Some("compare-and-exchange of"))
            }
            Some(Op::Store { value, .. }) => made(plain, None, held(*value), None),
            Some(Op::Call { callee: Callee::Direct(function), .. })
                if self.engine.program.module[*function].name == "free" =>
            {
                made(AccessKind::Free, None, None, None)
            }
            _ => made(plain, None, None, None),
        }
    }

    fn note_access(&mut self, way: &mut Path, range: Range, made: &Made) {
        let words = self.words(&way.state);
        let place = words.place(range.object, range.offset);
        let at = Pointer::new(range.object, range.offset as i64);
        let object = way.state.memory.object(range.object);
        let inside = object.is_live() && object.contains(at.offset, range.size);
        let holds = inside.then(|| way.state.memory.known(at, range.size)).flatten().map(|value| words.value(value));
        let written = made.value.map(|value| words.value(value));
        let backtrace = Backtrace::of(&self.engine.program, way.state.thread(way.thread));
        let access = TreeAccess {
            access: Cow::Borrowed(match made.kind {
                AccessKind::Read => "read",
                AccessKind::Write => "write",
                AccessKind::ReadWrite => "read_write",
                AccessKind::Free => "free",
            }),
            place: place.clone(),
            size: range.size,
            atomic: made.order.is_some(),
            order: made.order.map(order_name).map(Cow::Borrowed),
            locks: way.locks.clone(),
            location: location(&self.engine.program.module, backtrace.position()),
        };
        way.since.accesses.insert(access);
        let first = way.known.insert(place.clone());
        if made.kind != AccessKind::Write && made.kind != AccessKind::Free && first {
            let value = holds.unwrap_or_else(|| place.clone());
            way.since.reads.push(Effect { place: place.clone(), value });
        }
        if made.kind.writes() && made.kind != AccessKind::Free {
            way.since.writes.retain(|effect| effect.place != place);
            way.since.writes.push(Effect { place, value: written.unwrap_or_else(|| "a new value".to_owned()) });
        }
    }

    /// Where a pointer leads, once that is decided.
    pub(super) fn relation(&self, way: &Path, pointer: LazyId, decision: &Decision) -> Relation {
        let words = self.words(&way.state);
        let shape = way.state.memory.shape();
        let path = shape.pointer(pointer).path.clone();
        let pointee = match (decision, shape.pointer(pointer).decision) {
            (Decision::Target(_, Target::New), _) => {
                let ty = shape.pointer(pointer).pointee.map(|ty| words.type_name(ty));
                format!("new {}", ty.unwrap_or_else(|| "object".to_owned()))
            }
            (_, Binding::Null) => "NULL".to_owned(),
            (_, Binding::TaggedNull(tag)) => format!("NULL | {tag}"),
            (_, Binding::Target(at)) => words.value(Value::Ptr(at)),
            (_, Binding::Open | Binding::NonNull | Binding::Tagged { .. }) => "open".to_owned(),
        };
        Relation { pointer: path, pointee }
    }
}

/// Whether it comes back when somebody else has done something: a routine that it calls, or those that it has waited for. Those
/// who held a lock before are none: a function that takes one is summarised as if it were alone.
fn lets_others_work(action: &Action) -> bool {
    match action {
        Action::Sync { op, .. } => matches!(op, SyncOp::Once | SyncOp::SemWait | SyncOp::SemTimedWait),
        Action::Wait { .. }
        | Action::Wake { .. }
        | Action::GiveUp { .. }
        | Action::Arrive { .. }
        | Action::Join(_)
        | Action::TryJoin { .. } => true,
        Action::AtomicBegin | Action::Access { .. } | Action::Leave | Action::Exit | Action::Pass(_) => false,
    }
}

fn is_lock(op: SyncOp) -> bool {
    matches!(op, SyncOp::Lock | SyncOp::ReadLock | SyncOp::WriteLock)
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
        Order::SeqCst => "seq_cst",
    }
}
