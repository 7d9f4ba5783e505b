//! The bugs to plant: what the text of a file is replaced with.
//!
//! A test keeps the list in step with the sources.

use anyhow::bail;

/// A bug.
pub(super) struct Mutant {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    /// Occurs once in the file.
    original: &'static str,
    changed: &'static str,
}

impl Mutant {
    /// The file's text with the bug in it.
    ///
    /// # Errors
    /// When the text to be changed does not occur exactly once.
    pub(super) fn plant(&self, source: &str) -> anyhow::Result<String> {
        match source.matches(self.original).count() {
            1 => Ok(source.replacen(self.original, self.changed, 1)),
            count => bail!("{}: its text occurs {count} times in {}", self.name, self.file),
        }
    }
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "a wait with a time limit ends only while the mutex is free",
        file: "crates/machine/src/state.rs",
        original: "if timed && !signalled {",
        changed: "if timed && !signalled && self.sync.mutex_available(mutex, thread) {",
    },
    Mutant {
        name: "a wait with a time limit never wakes spuriously",
        file: "crates/machine/src/models/sync.rs",
        original: "let how = if may_wake && cx.pick(2)? == 1",
        changed: "let how = if may_wake && false && cx.pick(2)? == 1",
    },
    Mutant {
        name: "who goes in circles does not wait",
        file: "crates/explore/src/joint/hang.rs",
        original: "if circling.is_empty() || !circling.iter().all(may_come_back) {",
        changed: "if true || circling.is_empty() || !circling.iter().all(may_come_back) {",
    },
    Mutant {
        name: "rounds that show others something are circles all the same",
        file: "crates/explore/src/joint/hang.rs",
        original: "if steps > LONGEST || state.shown_to_others(thread) != shown || !self.keeps_waiting(&state) {",
        changed: "if steps > LONGEST {",
    },
    Mutant {
        name: "a kept lock is like one that an unlucky schedule keeps",
        file: "crates/explore/src/tasks/search.rs",
        original: "keeps_locks: keepers.is_some() && self.origin.valid().is_some(),",
        changed: "keeps_locks: false,",
    },
    Mutant {
        name: "no heap fails anyway",
        file: "crates/explore/src/tasks/search.rs",
        original: "let in_doubt = !rest.is_empty() || findings.values().any(is_failure);",
        changed: "let in_doubt = false && findings.values().any(is_failure);",
    },
    Mutant {
        name: "threads that do different things are interchangeable",
        file: "crates/explore/src/origin/roots.rs",
        original: "let next = threads.iter().skip(index + 1).position(|other| other == sequence);",
        changed: "let next = threads.iter().skip(index + 1).position(|other| other == sequence || true);",
    },
    Mutant {
        name: "code that is called by pointers is left out of the part",
        file: "crates/machine/src/part.rs",
        original: "    let mut types = wanted.types().iter();",
        changed: "    if !wanted.functions().is_empty() {\n        return false;\n    }\n    let mut types = wanted.types().iter();",
    },
    Mutant {
        name: "results are known by their types",
        file: "crates/summary/src/content.rs",
        original: "        hasher.update(&bytes);",
        changed: "        hasher.update(&postcard::to_stdvec(&in_place(module).types).unwrap_or_default());\n        drop(bytes);",
    },
    Mutant {
        name: "results are where they were",
        file: "crates/raddle/src/analysis/stored.rs",
        original: "if !moved.is_nothing() {",
        changed: "if false && !moved.is_nothing() {",
    },
    Mutant {
        name: "predicted threads read what the other has written",
        file: "crates/explore/src/joint/predict/grid.rs",
        original: "if mine.reads && other.writes {",
        changed: "if false && mine.reads && other.writes {",
    },
    Mutant {
        name: "every exchange only reads",
        file: "crates/machine/src/state.rs",
        original: "let write = is_there.is_none_or(replaced);",
        changed: "let write = is_there.is_none_or(replaced) && false;",
    },
    Mutant {
        name: "what threads do after a value that was never set is no gap",
        file: "crates/explore/src/joint/mod.rs",
        original: "} else if fault.kind == FaultKind::UninitializedRead {",
        changed: "} else if fault.kind == FaultKind::InvalidFree {",
    },
    Mutant {
        name: "of three threads only the one that depends is tried earlier",
        file: "crates/explore/src/joint/reduction.rs",
        original: "moment.want(|other| other == thread || without.contains(&other));",
        changed: "drop(without);\n                    moment.want(|other| other == thread);",
    },
    Mutant {
        name: "a second call is given the numbers of the first",
        file: "crates/explore/src/origin/roots.rs",
        original: "_ => format!(\"{}.{}:{parameter}\", thread + 1, call + 1),",
        changed: "_ => format!(\"{}:{parameter}\", thread + 1),",
    },
    Mutant {
        name: "a NaN is equal to itself",
        file: "crates/machine/src/float/mod.rs",
        original: "FloatPredicate::Une => !equal,",
        changed: "FloatPredicate::Une => less || greater,",
    },
    Mutant {
        name: "a number in text that lies in the middle is rounded up",
        file: "crates/machine/src/float/read.rs",
        original: "(rest == half && (inexact || kept & 1 == 1))",
        changed: "rest == half",
    },
    Mutant {
        name: "a mathematical function sets no error number",
        file: "crates/frontend/libc/math.c",
        original: "    if (error)\n        errno = error;",
        changed: "    (void)error;",
    },
    Mutant {
        name: "a locked instruction orders nothing",
        file: "crates/frontend/src/lower/asm.rs",
        original: "self.body.emit(Op::AtomicRmw { dest, op, ty, address, value, order: Order::SeqCst });",
        changed: "self.body.emit(Op::AtomicRmw { dest, op, ty, address, value, order: Order::Relaxed });",
    },
    Mutant {
        name: "unlocking a mutex orders nothing",
        file: "crates/concurrency/src/sync.rs",
        original: "*released = clock;",
        changed: "drop(clock);",
    },
    Mutant {
        name: "unlocking for reading orders nothing",
        file: "crates/concurrency/src/sync.rs",
        original: "read.join(&clock);",
        changed: "drop(clock);",
    },
    Mutant {
        name: "unlocking for writing orders nothing",
        file: "crates/concurrency/src/sync.rs",
        original: "*written = clock;",
        changed: "drop(clock);",
    },
    Mutant {
        name: "creating a thread orders nothing",
        file: "crates/concurrency/src/order.rs",
        original: "clocks.now.join(&self.threads[creator.index()].now);",
        changed: "",
    },
    Mutant {
        name: "joining a thread orders nothing",
        file: "crates/concurrency/src/order.rs",
        original: "let clock = self.clock(other).clone();\n        self.acquire(thread, &clock);",
        changed: "let _ = (thread, other);",
    },
    Mutant {
        name: "a signal orders nothing",
        file: "crates/concurrency/src/sync.rs",
        original: "waiter.signalled = Some(clock.clone());",
        changed: "let _ = clock;\n            waiter.signalled = Some(VectorClock::default());",
    },
    Mutant {
        name: "a once routine orders nothing",
        file: "crates/machine/src/models/sync.rs",
        original: "*done = clock;",
        changed: "drop((done, clock));",
    },
    Mutant {
        name: "a relaxed load acquires",
        file: "crates/concurrency/src/order.rs",
        original: "LoadOrder::Relaxed => clocks.seen.join(&clock),",
        changed: "LoadOrder::Relaxed => clocks.now.join(&clock),",
    },
    Mutant {
        name: "a relaxed store goes on with other threads' release sequences",
        file: "crates/concurrency/src/order.rs",
        original: "heads.retain(|(owner, _)| *owner == thread);",
        changed: "",
    },
    Mutant {
        name: "a fence does not acquire",
        file: "crates/concurrency/src/order.rs",
        original: "clocks.now.join(&seen);",
        changed: "drop(seen);",
    },
    Mutant {
        name: "a read and a write commute",
        file: "crates/concurrency/src/action.rs",
        original: "(wa || wb) && a.overlaps(&b)",
        changed: "wa && wb && a.overlaps(&b)",
    },
    Mutant {
        name: "two lock calls commute",
        file: "crates/concurrency/src/action.rs",
        original: "p == q && !a.commutes(*b)",
        changed: "p == q && !a.commutes(*b) && (*a, *b) != (SyncOp::Lock, SyncOp::Lock)",
    },
    Mutant {
        name: "accesses of different sizes do not overlap",
        file: "crates/concurrency/src/action.rs",
        original: "self.object == other.object && self.offset < other.offset + other.size && other.offset < self.offset + self.size",
        changed: "self == other",
    },
    Mutant {
        name: "the race check keeps one access per range",
        file: "crates/concurrency/src/races.rs",
        original: "match records.iter_mut().find(same) {",
        changed: "let _ = same;\n        match records.first_mut() {",
    },
    Mutant {
        name: "atomic and plain accesses do not race",
        file: "crates/concurrency/src/races.rs",
        original: "!(earlier.atomic && later.atomic)",
        changed: "!(earlier.atomic || later.atomic)",
    },
    Mutant {
        name: "free is no access",
        file: "crates/machine/src/access.rs",
        original: "self.record(range, AccessKind::Free, false);",
        changed: "",
    },
    Mutant {
        name: "sections of one lock never depend on each other",
        file: "crates/explore/src/joint/sleep.rs",
        original: "(Some(one), Some(two)) => one.conflicts(two),",
        changed: "(Some(_), Some(_)) => false,",
    },
    Mutant {
        name: "a section orders all others of its lock",
        file: "crates/concurrency/src/sync/fused.rs",
        original: "footprint.is_none_or(|footprint| footprint.conflicts(&fused.footprint))",
        changed: "footprint.is_none_or(|_| true)",
    },
    Mutant {
        name: "a section that is no single step takes up nothing from those that were",
        file: "crates/machine/src/fused.rs",
        original: "state.order.acquire(*thread, &state.sync.fused_before(*place, *mode, footprint));",
        changed: "if footprint.is_some() {\n        state.order.acquire(*thread, &state.sync.fused_before(*place, *mode, footprint));\n    }",
    },
    Mutant {
        name: "a sleeping thread is never woken",
        file: "crates/explore/src/joint/sleep.rs",
        original: "            if !sleeper.action.dependent(&event.action) {\n                return true;\n            }",
        changed: "            if !sleeper.dozes.is_empty() || event.section.is_none() {\n                return true;\n            }",
    },
    Mutant {
        name: "siblings do not fall asleep",
        file: "crates/explore/src/joint/mod.rs",
        original: "let sleep = sleep.and(before);",
        changed: "let sleep = sleep.and(&before[..0]);",
    },
    Mutant {
        name: "a thread is not tried where what it does matters",
        file: "crates/explore/src/joint/reduction.rs",
        original: "moment.want(|other| other == thread || without.contains(&other));",
        changed: "moment.want(|other| without.contains(&other));",
    },
    Mutant {
        name: "a lock that is held hides who took it",
        file: "crates/explore/src/joint/reduction.rs",
        original: "Some((_, same, false)) if *same == event.action => {}",
        changed: "Some((_, same, false)) if *same == event.action => return,",
    },
    Mutant {
        name: "where a run is cut, nobody else is tried",
        file: "crates/explore/src/joint/mod.rs",
        original: "PathEnd::Exited { .. } | PathEnd::Infeasible | PathEnd::Repeats { .. }) {",
        changed: "PathEnd::Exited { .. }) {",
    },
    Mutant {
        name: "a thread that goes round for ever has no precondition that holds",
        file: "crates/machine/src/engine.rs",
        original: "Stop::End(PathEnd::Abandoned(abandoned)) if endless(abandoned) => Stuck::Endless,",
        changed: "Stop::End(PathEnd::Abandoned(abandoned)) if !endless(abandoned) => Stuck::Endless,",
    },
    Mutant {
        name: "a loop whose states come back is taken for one without an end",
        file: "crates/machine/src/repeat.rs",
        original: "if followed.rounds > most {",
        changed: "if followed.rounds > 1 {",
    },
    Mutant {
        name: "objects that a path tells apart become one",
        file: "crates/explore/src/guided/integrate.rs",
        original: "return Err(Infeasible::Distinct);",
        changed: "continue;",
    },
    Mutant {
        name: "the fixpoint stops after one round",
        file: "crates/explore/src/fixpoint.rs",
        original: "if round.racy.iter().all(|site| visible.contains(site)) {",
        changed: "if !round.racy.is_empty() || round.racy.is_empty() {",
    },
    Mutant {
        name: "what is running when a search is put aside is lost",
        file: "crates/explore/src/tasks/pool.rs",
        original: "let tasks = self.waiting.iter().chain(&self.running);",
        changed: "let tasks = self.waiting.iter();",
    },
    Mutant {
        name: "a search that goes on counts from nothing",
        file: "crates/explore/src/tasks/pool.rs",
        original: "let gathered = left.gathered.into_owned();",
        changed: "let gathered = Gathered::default();",
    },
    Mutant {
        name: "states are known whatever sleeps in them",
        file: "crates/explore/src/joint/mod.rs",
        original: "Fingerprint::of((identity, asleep, printed))",
        changed: "Fingerprint::of((identity, asleep == asleep, printed))",
    },
    Mutant {
        name: "states are known whatever may race in them",
        file: "crates/machine/src/identity.rs",
        original: "(races, self.branches(), self.path.terms()",
        changed: "(races == races, self.branches(), self.path.terms()",
    },
    Mutant {
        name: "states are known although parts of what follows were cut",
        file: "crates/explore/src/joint/known.rs",
        original: "if open.before.cut == now.cut {",
        changed: "if open.before.cut <= now.cut {",
    },
    Mutant {
        name: "races on heaps that never complete are reported",
        file: "crates/explore/src/tasks/task.rs",
        original: "found.keeps_locks || completed && (ended || !found.waits_for_signal)",
        changed: "found.keeps_locks || ended || !found.waits_for_signal",
    },
    Mutant {
        name: "a lock that is waited for alone is a failure",
        file: "crates/explore/src/tasks/task.rs",
        original: "found.keeps_locks || completed && (ended || !found.waits_for_signal)",
        changed: "found.keeps_locks || completed",
    },
    Mutant {
        name: "of what a task sees on one heap only one thing counts",
        file: "crates/explore/src/tasks/search.rs",
        original: "if seen.wants(&what, found.difficulty()) {",
        changed: "if seen.wants(&what, found.difficulty()) && seen.found.is_empty() {",
    },
    Mutant {
        name: "of what tasks see of one heap only the first counts",
        file: "crates/explore/src/tasks/gathered.rs",
        original: "for (what, found) in seen.found {",
        changed: "for (what, found) in seen.found.into_iter().filter(|_| index == 0) {",
    },
    Mutant {
        name: "the rest of a round is left out although no other follows",
        file: "crates/explore/src/tasks/pool.rs",
        original: "if !path.is_empty() || !needs_another {",
        changed: "if !path.is_empty() {",
    },
    Mutant {
        name: "what sleeps is forgotten where a search is divided",
        file: "crates/explore/src/joint/mod.rs",
        original: "let item = Item { sleep: part.sleep.clone(), entered, ..Item::new(state) };",
        changed: "let item = Item { entered, ..Item::new(state) };",
    },
    Mutant {
        name: "each part of a divided heap counts for itself",
        file: "crates/explore/src/tasks/search.rs",
        original: "(JointLeft::all(), rest.is_empty() && *left == JointLeft::all());",
        changed: "(JointLeft::all(), rest.is_empty());",
    },
    Mutant {
        name: "parts that a task has not begun are lost",
        file: "crates/explore/src/tasks/search.rs",
        original: "outcome.left.extend(parts.cloned());",
        changed: "outcome.left.extend(parts.cloned().take(0));",
    },
    Mutant {
        name: "the fast path writes constants",
        file: "crates/machine/src/step/fast.rs",
        original: " && !(write && object.constant)",
        changed: "",
    },
    Mutant {
        name: "threads that nobody joined are past when they have ended",
        file: "crates/machine/src/models/threads.rs",
        original: "thread.status == Status::Ended && is_past(thread.id)",
        changed: "thread.status == Status::Ended || is_past(thread.id)",
    },
    Mutant {
        name: "a choice loses its last alternative",
        file: "crates/explore/src/tree/agenda.rs",
        original: "if decisions.len() == 0 {",
        changed: "if decisions.len() <= 1 {",
    },
    Mutant {
        name: "a heap on which an operation waits for good is dropped",
        file: "crates/explore/src/joint/waiting.rs",
        original: "Status::Ended | Status::Running => true,",
        changed: "Status::Ended | Status::Running => false,",
    },
    Mutant {
        name: "what a loop reads to find its way may change",
        file: "crates/machine/src/access_log.rs",
        original: "false if steers || frames > depth",
        changed: "false if frames > depth",
    },
    Mutant {
        name: "a variable's end is no access",
        file: "crates/machine/src/step/memory.rs",
        original: "if known.escaped && cx.state.concurrent {",
        changed: "if known.escaped && !cx.state.concurrent {",
    },
    Mutant {
        name: "a copy depends on its target alone",
        file: "crates/machine/src/step/memory.rs",
        original: "cx.before_accesses(range_at(to, length), true, Some(range_at(from, length)))?;",
        changed: "cx.before_accesses(range_at(to, length), true, None)?;",
    },
    Mutant {
        name: "what lies behind a structure is out of bounds",
        file: "crates/machine/src/access.rs",
        original: "if record && initial.count == 1 && !tail {",
        changed: "if record && initial.count == 0 && !tail {",
    },
    Mutant {
        name: "circles of locks are overlooked",
        file: "crates/explore/src/joint/deadlock.rs",
        original: "if circle.is_empty() && all.len() == alive { all } else { circle }",
        changed: "if all.len() == alive { all } else { Vec::new() }",
    },
    Mutant {
        name: "an operation that relocks is within its precondition",
        file: "crates/explore/src/alone/mod.rs",
        original: "AloneEnd::Returned(_) | AloneEnd::Waits)",
        changed: "AloneEnd::Returned(_) | AloneEnd::Waits | AloneEnd::Relocks)",
    },
    Mutant {
        name: "a lazy pointer never leads to the first object",
        file: "crates/memory/src/shape.rs",
        original: "for object in &self.objects {\n            let size",
        changed: "for object in self.objects.iter().skip(1) {\n            let size",
    },
    Mutant {
        name: "a lazy pointer never leads into the middle of an object",
        file: "crates/memory/src/shape.rs",
        original: "let offset = element * size + inner;",
        changed: "let offset = element * size + inner;\n                    if offset > 0 {\n                        continue;\n                    }",
    },
    Mutant {
        name: "a lazy pointer is never null",
        file: "crates/machine/src/engine.rs",
        original: "Ok(vec![Decision::Null(pointer), Decision::NonNull(pointer)])",
        changed: "Ok(vec![Decision::NonNull(pointer)])",
    },
    Mutant {
        name: "pointer chains are one object too short",
        file: "crates/memory/src/shape.rs",
        original: "self.depth(module, object) < self.limits.depth",
        changed: "self.depth(module, object) + 1 < self.limits.depth",
    },
    Mutant {
        name: "calls that fail do not say why",
        file: "crates/machine/src/models/errors.rs",
        original: "cx.write(at, 4, Value::Int(number))",
        changed: "cx.write(at, 4, Value::Int(number * 0))",
    },
    Mutant {
        name: "any number of nanoseconds is a time",
        file: "crates/machine/src/models/errors.rs",
        original: "Value::Int(number) => Ok(number < BILLION),",
        changed: "Value::Int(number) => Ok(number < BILLION || BILLION > 0),",
    },
    Mutant {
        name: "private parameters are shared",
        file: "crates/explore/src/origin/roots.rs",
        original: "operation.private.contains(&index)",
        changed: "operation.private.contains(&(index + 9))",
    },
    Mutant {
        name: "what is private may be in the shared heap",
        file: "crates/memory/src/shape.rs",
        original: "if self.private_to(object.territory) != self.private_to(pointer.territory) {",
        changed: "if self.limits.depth == 0 {",
    },
    Mutant {
        name: "owners share what hangs on them",
        file: "crates/memory/src/shape.rs",
        original: "self.limits.share_owners\n            //",
        changed: "self.limits.depth > 0\n            //",
    },
    Mutant {
        name: "the negated branch leaves no constraint",
        file: "crates/machine/src/engine.rs",
        original: "path.add(if holds { term } else { negated });",
        changed: "if holds {\n                path.add(term);\n            }",
    },
    Mutant {
        name: "slices are not transitive",
        file: "crates/smt/src/solver/sliced.rs",
        original: "self.reach(terms.vars(assertion), &mut class.variables);",
        changed: "let _ = terms.vars(assertion);",
    },
    Mutant {
        name: "part of an unsatisfiable set is taken for unsatisfiable",
        file: "crates/smt/src/solver/cached.rs",
        original: "small.iter().all(|t| rest.by_ref().any(|u| u == t))",
        changed: "small.iter().any(|t| rest.by_ref().any(|u| u == t))",
    },
    Mutant {
        name: "a core may be smaller than what cannot hold together",
        file: "crates/smt/src/solver/order/graph.rs",
        original: "core.extend(edge.reasons.iter().copied());",
        changed: "core = edge.reasons.to_vec();",
    },
    Mutant {
        name: "less is no more than less or equal",
        file: "crates/smt/src/solver/order/literal.rs",
        original: "[Some(key.a()), Some(key.b())], -1, &mut literals)",
        changed: "[Some(key.a()), Some(key.b())], 0, &mut literals)",
    },
    Mutant {
        name: "signed and unsigned order are one",
        file: "crates/smt/src/solver/order/literal.rs",
        original: "_ => (Reading { term, signed }, 0),",
        changed: "_ => (Reading { term, signed: false }, 0),",
    },
    Mutant {
        name: "bounds of a product are those of a sum",
        file: "crates/smt/src/facts.rs",
        original: "Facts::range(w, a.lo * b.lo, hi)",
        changed: "Facts::range(w, a.lo * b.lo, a.hi)",
    },
    Mutant {
        name: "a carry is lost",
        file: "crates/smt/src/solver/bits/words.rs",
        original: "carry = self.majority(x, y, carry);",
        changed: "carry = self.and(x, y);",
    },
    Mutant {
        name: "a remainder steps past its divisor",
        file: "crates/smt/src/solver/arithmetic/lemmas.rs",
        original: "let fits = t.ult(d.remainder, room);",
        changed: "let fits = t.ule(d.remainder, room);",
    },
    Mutant {
        name: "a small model's unsatisfiable is believed",
        file: "crates/smt/src/solver/arithmetic/mod.rs",
        original: "Answer::Unsat if question.exact => Some(Answer::Unsat),",
        changed: "Answer::Unsat => Some(Answer::Unsat),",
    },
    Mutant {
        name: "a core forgets what replaced variables",
        file: "crates/smt/src/solver/arithmetic/refine.rs",
        original: "core.extend(&self.question.used);",
        changed: "",
    },
    Mutant {
        name: "elements of an array are independent",
        file: "crates/smt/src/solver/bits/circuit.rs",
        original: "if same != super::gates::FALSE {",
        changed: "if same == super::gates::TRUE {",
    },
    Mutant {
        name: "a model is believed",
        file: "crates/smt/src/solver/guarded.rs",
        original: "evaluator.eval(terms, a) != 1)",
        changed: "evaluator.eval(terms, a) > 1)",
    },
    Mutant {
        name: "x * -1 => x",
        file: "crates/smt/src/rewrite/bv.rs",
        original: "is_const(t, k.b(), mask(k.w())).then(|| t.neg(k.a())), |g| g.two(\n        Op::Mul",
        changed: "is_const(t, k.b(), mask(k.w())).then(|| k.a()), |g| g.two(\n        Op::Mul",
    },
    Mutant {
        name: "signed comparison compares unsigned",
        file: "crates/machine/src/step/arithmetic.rs",
        original: "Predicate::Slt => sa < sb,",
        changed: "Predicate::Slt => a < b,",
    },
    Mutant {
        name: "sign extension fills with zeros",
        file: "crates/machine/src/step/arithmetic.rs",
        original: "Value::Int(truncate(sign_extend(word, from_bits) as u64, to_bits))",
        changed: "Value::Int(truncate(word, to_bits))",
    },
    Mutant {
        name: "objects are one byte too long",
        file: "crates/memory/src/object.rs",
        original: "end <= self.size",
        changed: "end <= self.size + 1",
    },
    Mutant {
        name: "a repeated state is told by its control alone",
        file: "crates/machine/src/repeat.rs",
        original: "Fingerprint::of((memory, self.without_memory(registers)))",
        changed: "Fingerprint::of((0u8, self.without_memory(registers)))",
    },
    Mutant {
        name: "waits never wake up spuriously",
        file: "crates/machine/src/state.rs",
        original: "Enabled::Spuriously\n                } else",
        changed: "Enabled::No\n                } else",
    },
    Mutant {
        name: "freed memory may be freed again",
        file: "crates/machine/src/access.rs",
        original: "if life != Life::Live {",
        changed: "if life == Life::Ended {",
    },
    Mutant {
        name: "a spinning thread ends the path",
        file: "crates/machine/src/repeat.rs",
        original: "Some(time) if time == self.state.time => {",
        changed: "Some(time) if time > self.state.time => {",
    },
    Mutant {
        name: "constructors run in the order of the list",
        file: "crates/ir/src/module.rs",
        original: "found.sort_by_key(|(priority, _)| *priority);",
        changed: "",
    },
    Mutant {
        name: "the zeros of calloc are no write",
        file: "crates/machine/src/models/heap.rs",
        original: "cx.record(Range { object: block.object, offset: 0, size }, AccessKind::Write, false);",
        changed: "",
    },
    Mutant {
        name: "that realloc ends the old block orders nothing",
        file: "crates/machine/src/models/heap.rs",
        original: "cx.before_accesses(whole, true, None)?;",
        changed: "let _ = whole;",
    },
    Mutant {
        name: "many iterations come before few",
        file: "crates/machine/src/engine.rs",
        original: "if self.program.goes_round(state.thread(id)) {",
        changed: "if false && self.program.goes_round(state.thread(id)) {",
    },
    Mutant {
        name: "a lock that an operation misuses alone is no loss",
        file: "crates/explore/src/alone/starts.rs",
        original: "FaultKind::LockMisuse => (LossKind::LockMisuse, fault.backtrace.clone(), fault.detail.as_str()),",
        changed: "FaultKind::LockMisuse => return,",
    },
    Mutant {
        name: "a post orders nothing",
        file: "crates/concurrency/src/sync/counted.rs",
        original: "posted.join(clock);",
        changed: "let _ = (posted, clock);",
    },
    Mutant {
        name: "a barrier orders nothing",
        file: "crates/concurrency/src/sync/counted.rs",
        original: "members.iter().for_each(|member| clock.join(&member.clock));",
        changed: "clock.join(&members[0].clock);",
    },
    Mutant {
        name: "arrivals of different rounds commute",
        file: "crates/concurrency/src/action.rs",
        original: "p == q && (r != s || *a && *b)",
        changed: "p == q && *a && *b && r == s && false",
    },
    Mutant {
        name: "a wait and a post commute",
        file: "crates/concurrency/src/action.rs",
        original: "| (SemPost, SemPost)",
        changed: "| (SemPost, _) | (_, SemPost)",
    },
    Mutant {
        name: "a spin lock that is given back orders nothing",
        file: "crates/concurrency/src/sync/robust.rs",
        original: "*owner = None;\n                    *released = clock;",
        changed: "*owner = None;\n                    let _ = (released, clock);",
    },
    Mutant {
        name: "what the dead owner of a mutex did is not ordered",
        file: "crates/concurrency/src/sync/robust.rs",
        original: "(*owner, *depth, *released, *health) = (None, 0, clock, Some(Health::OwnerDied));",
        changed: "let _ = (clock, released);\n            (*owner, *depth, *health) = (None, 0, Some(Health::OwnerDied));",
    },
    Mutant {
        name: "an atomic section keeps nobody back",
        file: "crates/machine/src/state.rs",
        original: "self.sync.section().is_some_and(|owner| owner != thread)",
        changed: "self.sync.section().is_some_and(|owner| owner != thread) && false",
    },
    Mutant {
        name: "variables outlive their thread's destructors",
        file: "crates/machine/src/models/ending.rs",
        original: "if returned {",
        changed: "if returned && false {",
    },
    Mutant {
        name: "the first thread at a barrier is the serial one",
        file: "crates/machine/src/models/counting.rs",
        original: "{ cx.pick(members.len() as u32)? as usize } else { 0 };",
        changed: "{ cx.pick(members.len() as u32)? as usize * 0 } else { 0 };",
    },
    Mutant {
        name: "allocations never fail",
        file: "crates/machine/src/models/heap.rs",
        original: "if !cx.engine.config.fail_alloc {",
        changed: "if !cx.engine.config.fail_alloc || true {",
    },
    Mutant {
        name: "offsets do not wrap where addresses are short",
        file: "crates/ir/src/types.rs",
        original: "PointerSize::Four => i64::from(distance as i32),",
        changed: "PointerSize::Four => distance,",
    },
    Mutant {
        name: "an i386 rounds what it computes to its type",
        file: "crates/machine/src/step/float.rs",
        original: "if has_excess_precision(cx, ty) && !float::is_plain(op, ty, &bits) {",
        changed: "if has_excess_precision(cx, ty) && false {",
    },
    Mutant {
        name: "arguments behind `...` lie where fixed ones do",
        file: "crates/machine/src/step/call.rs",
        original: "let first = Pointer { object, offset: first_extra(cx.module(), frame.function) as i64 };",
        changed: "let first = Pointer { object, offset: 0 };",
    },
    Mutant {
        name: "who writes what others reach only reads",
        file: "crates/ir/src/readers.rs",
        original: "Op::Store { address, .. } => is_own(address),",
        changed: "Op::Store { .. } => true,",
    },
    Mutant {
        name: "ways that meet have changed places",
        file: "crates/machine/src/step/merge.rs",
        original: "let either = cx.engine.terms.ite(condition, a, b);",
        changed: "let either = cx.engine.terms.ite(condition, b, a);",
    },
    Mutant {
        name: "to go both ways at once always pays",
        file: "crates/ir/src/diamonds.rs",
        original: "100.0 * dependent()[join.index()] >= MOST_DEPENDENT * all[join.index()]",
        changed: "100.0 * dependent()[join.index()] > 100.0 * all[join.index()]",
    },
    Mutant {
        name: "what a summary read may hold anything by now",
        file: "crates/machine/src/invoke/mod.rs",
        original: "self.answer(question) == Some(answer))",
        changed: "self.answer(question).is_some() || Some(answer).is_none())",
    },
    Mutant {
        name: "accesses of calls that are not carried out are unseen",
        file: "crates/machine/src/invoke/mod.rs",
        original: "self.record_from(touched.site, touched.range, touched.kind);",
        changed: "let _ = touched;",
    },
    Mutant {
        name: "the first write to a place remains",
        file: "crates/machine/src/invoke/record.rs",
        original: "Some(&index) => self.done.writes[index].2 = value,",
        changed: "Some(_) => {}",
    },
    Mutant {
        name: "ways that a summary takes leave no trace",
        file: "crates/machine/src/invoke/mod.rs",
        original: "self.take_way(way.site, way.way, false);",
        changed: "let _ = way;",
    },
    Mutant {
        name: "a summary only returns",
        file: "crates/machine/src/invoke/record.rs",
        original: "self.done.writes.push((at, size, value));",
        changed: "",
    },
    Mutant {
        name: "going up and down is counting",
        file: "crates/ir/src/cfg/relevance.rs",
        original: "BinaryOp::Sub => by.wrapping_neg(),",
        changed: "BinaryOp::Sub => by,",
    },
    Mutant {
        name: "accesses that are alike are of one kind",
        file: "crates/concurrency/src/races.rs",
        original: "total.add(Fingerprint::of((name(object), thread, side, rank(*thread, *epoch), ranges)));",
        changed: "total.add(Fingerprint::of((name(object), thread, side, rank(*thread, *epoch).min(0), ranges)));",
    },
    Mutant {
        name: "a call that is not followed changes nothing",
        file: "crates/machine/src/opaque.rs",
        original: "if declared.is_none_or(|(function, _)| !ir::only_read(module, [function])) {",
        changed: "if false {",
    },
    Mutant {
        name: "behind a call all is called what it was before",
        file: "crates/memory/src/shape.rs",
        original: "self.age += 1;",
        changed: "",
    },
    Mutant {
        name: "a frame that has changed is known by what it was",
        file: "crates/machine/src/state.rs",
        original: "frame.mixed.set(None);",
        changed: "",
    },
    Mutant {
        name: "where calls were not followed there is no client",
        file: "crates/explore/src/reach/mod.rs",
        original: " && self.engine.ledger.is_empty()",
        changed: "",
    },
    Mutant {
        name: "sums never wrap around",
        file: "crates/smt/src/solver/order/graph.rs",
        original: "sides: [fits, wraps]",
        changed: "sides: [fits.clone(), Some::<Vec<Edge>>(wraps).map_or_else(Vec::new, |_| fits)]",
    },
    Mutant {
        name: "where readers are cut short their pairs are safe",
        file: "crates/raddle/src/analysis/races.rs",
        original: "entry.cause = std::mem::take(&mut entry.cause).or(cause);",
        changed: "drop(cause);",
    },
    Mutant {
        name: "sources share the flags of the first",
        file: "crates/frontend/src/compile.rs",
        original: "let driver = new(own.as_deref().unwrap_or(flags))?;",
        changed: "let driver = new(flags)?;",
    },
];

#[cfg(test)]
mod tests {
    use super::MUTANTS;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_bug_can_be_planted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for mutant in MUTANTS {
            let source = fs::read_to_string(root.join(mutant.file)).expect(mutant.file);
            let changed = mutant.plant(&source).expect("its text occurs once");
            assert_ne!(source, changed, "{}", mutant.name);
        }
    }
}
