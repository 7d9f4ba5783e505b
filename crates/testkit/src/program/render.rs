//! Writes a program as C11 and, in the same walk, translates it for the oracle.
//!
//! One match writes the C line and the instruction that has its number, so the two cannot drift apart: a race that
//! the oracle names by line is at that line of the source.
//!
//! Guarantee: one shared access per source line (both halves of `x++` aside); standard headers only.

use std::fmt::Write as _;

use super::ast::*;
use super::code::{Code, Instr, Op, Operand, Pc, Reg, Update};

/// The C11 source of `program`.
pub fn render(program: &Program) -> String {
    translate(program).source
}

pub(super) struct Translation {
    pub(super) source: String,
    /// One per entry of [`Program::threads`]; empty for threads that nobody creates.
    pub(super) threads: Vec<Code>,
}

const ONCE_BASE: u8 = LOCALS as u8;
const SCRATCH: Reg = Reg(ONCE_BASE + ONCE_LOCALS as u8);
const COUNTER_BASE: u8 = SCRATCH.0 + 1;
const PRINT_BASE: u8 = COUNTER_BASE + 2;

pub(super) fn translate(program: &Program) -> Translation {
    let mut writer = Writer::new(program);
    writer.globals();
    writer.once_function();
    let created = created_threads(program);
    for thread in &created {
        writer.line(&format!("static void *thread{}(void *arg);", thread.0));
    }
    let mut threads = vec![Code::new(); program.threads.len()];
    for &thread in &created {
        threads[thread.index()] = writer.thread(thread);
    }
    threads[0] = writer.main();
    Translation { source: writer.source, threads }
}

/// Threads that some created thread creates, in order of their numbers, `main` aside.
fn created_threads(program: &Program) -> Vec<ThreadId> {
    let mut reached = vec![false; program.threads.len()];
    let mut left = vec![ThreadId::MAIN];
    while let Some(thread) = left.pop() {
        for stmt in &program.threads[thread.index()] {
            if let Stmt::Create(child) = stmt {
                reached[child.index()] = true;
                left.push(*child);
            }
        }
    }
    (1..program.threads.len()).filter(|&index| reached[index]).map(|index| ThreadId(index as u8)).collect()
}

struct Writer<'a> {
    program: &'a Program,
    source: String,
    /// The number that the next line will have.
    next_line: u32,
    indent: usize,
    heap: bool,
    once_code: Code,
}

/// The function being translated.
struct Body {
    code: Code,
    /// Where its `r0` lies among the registers.
    base: u8,
    loop_depth: u8,
    waits: u8,
}

impl Body {
    fn new(base: u8) -> Body {
        Body { code: Code::new(), base, loop_depth: 0, waits: 0 }
    }

    fn push(&mut self, line: u32, op: Op) {
        self.code.push(Instr { op, line });
    }

    fn here(&self) -> Pc {
        Pc(self.code.len() as u16)
    }

    fn reg(&self, local: Local) -> Reg {
        Reg(self.base + local.0)
    }

    fn operand(&self, value: Value) -> Operand {
        match value {
            Value::Const(constant) => Operand::Const(constant),
            Value::Local(local) => Operand::Reg(self.reg(local)),
            Value::Sum(local, constant) => Operand::Sum(self.reg(local), constant),
        }
    }

    /// Points the jump at `at` to the next instruction.
    fn land(&mut self, at: Pc) {
        let here = self.here();
        match &mut self.code[at.index()].op {
            Op::Jump(target)
            | Op::Branch { otherwise: target, .. }
            | Op::TryLock { busy: target, .. }
            | Op::TrySpin { busy: target }
            | Op::TrySem { busy: target, .. }
            | Op::OnceEnter { done: target } => *target = here,
            other => unreachable!("{other:?} does not jump"),
        }
    }

    /// A jump whose target comes later, by [`Body::land`].
    fn jump_ahead(&mut self, line: u32) -> Pc {
        let at = self.here();
        self.push(line, Op::Jump(at));
        at
    }
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program) -> Writer<'a> {
        Writer {
            program,
            source: String::new(),
            next_line: 1,
            indent: 0,
            heap: program.uses_heap(),
            once_code: Code::new(),
        }
    }

    /// Writes one line and returns its number.
    fn line(&mut self, text: &str) -> u32 {
        if !text.is_empty() {
            let width = 4 * self.indent;
            // Writing to a string cannot fail.
            let _ = write!(self.source, "{:width$}{text}", "");
        }
        self.source.push('\n');
        self.next_line += 1;
        self.next_line - 1
    }

    fn open(&mut self, text: &str) -> u32 {
        let line = self.line(text);
        self.indent += 1;
        line
    }

    fn close(&mut self, text: &str) -> u32 {
        self.indent -= 1;
        self.line(text)
    }

    fn globals(&mut self) {
        // Read-write locks and the kinds of mutexes are no part of what `-std=c11` alone declares.
        self.line("#define _XOPEN_SOURCE 700");
        for header in ["assert", "pthread", "semaphore", "stdatomic", "stdio", "stdlib", "time"] {
            self.line(&format!("#include <{header}.h>"));
        }
        self.line("");
        for index in 0..self.program.vars.len() {
            let place = Place::Global(Var(index as u8));
            let kind = if self.program.vars[index] == VarKind::Atomic { "_Atomic int" } else { "int" };
            self.line(&format!("static {kind} {};", self.name(place)));
        }
        for (index, kind) in self.program.mutexes.iter().enumerate() {
            match kind {
                MutexKind::Normal => {
                    self.line(&format!("static pthread_mutex_t m{index} = PTHREAD_MUTEX_INITIALIZER;"))
                }
                MutexKind::Recursive | MutexKind::ErrorCheck => self.line(&format!("static pthread_mutex_t m{index};")),
            };
        }
        for index in 0..self.program.rwlocks {
            self.line(&format!("static pthread_rwlock_t w{index} = PTHREAD_RWLOCK_INITIALIZER;"));
        }
        if self.uses(|stmt| {
            matches!(stmt, Stmt::WaitWhile { .. } | Stmt::TimedWait { .. } | Stmt::Signal | Stmt::Broadcast)
        }) {
            self.line("static pthread_cond_t c0 = PTHREAD_COND_INITIALIZER;");
        }
        if self.uses(|stmt| matches!(stmt, Stmt::Once)) {
            self.line("static pthread_once_t o0 = PTHREAD_ONCE_INIT;");
        }
        if self.uses_semaphore() {
            self.line("static sem_t p0;");
        }
        if self.uses_spin_lock() {
            self.line("static pthread_spinlock_t s0;");
        }
        if self.uses_barrier() {
            self.line("static pthread_barrier_t b0;");
        }
        if self.uses(|stmt| {
            matches!(
                stmt,
                Stmt::TryLock { timed: true, .. }
                    | Stmt::TrySem { timed: true, .. }
                    | Stmt::TimedWait { .. }
                    | Stmt::SpinWhile { rounds: Rounds::Sleeps, .. }
            )
        }) {
            self.line("static const struct timespec soon;");
        }
        if self.uses_kept_lock() {
            self.line("static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;");
        }
        self.line("");
    }

    fn uses_kept_lock(&self) -> bool {
        self.uses(|stmt| matches!(stmt, Stmt::SpinWhile { rounds: Rounds::Tries, .. }))
    }

    fn uses_semaphore(&self) -> bool {
        self.uses(|stmt| matches!(stmt, Stmt::SemWait | Stmt::SemPost | Stmt::TrySem { .. }))
    }

    fn uses_spin_lock(&self) -> bool {
        self.uses(|stmt| matches!(stmt, Stmt::SpinLock | Stmt::SpinUnlock | Stmt::TrySpin { .. }))
    }

    fn uses_barrier(&self) -> bool {
        self.uses(|stmt| matches!(stmt, Stmt::Barrier { .. }))
    }

    /// What has no static initialiser, and the lock that `main` keeps.
    fn initialisations(&mut self) {
        if self.uses_kept_lock() {
            self.line("pthread_mutex_lock(&kept);");
        }
        if self.uses_semaphore() {
            self.line(&format!("sem_init(&p0, 0, {});", self.program.semaphore));
        }
        if self.uses_spin_lock() {
            self.line("pthread_spin_init(&s0, PTHREAD_PROCESS_PRIVATE);");
        }
        if self.uses_barrier() {
            self.line(&format!("pthread_barrier_init(&b0, NULL, {});", self.program.barrier));
        }
    }

    fn uses(&self, wanted: impl Fn(&Stmt) -> bool) -> bool {
        let mut found = false;
        self.program.walk(|stmt| found |= wanted(stmt));
        found
    }

    fn once_function(&mut self) {
        if !self.uses(|stmt| matches!(stmt, Stmt::Once)) {
            return;
        }
        let mut body = Body::new(ONCE_BASE);
        self.open("static void init(void) {");
        self.locals(&self.program.once, ONCE_LOCALS);
        for stmt in &self.program.once {
            self.stmt(stmt, &mut body);
        }
        self.close("}");
        self.line("");
        self.once_code = body.code;
    }

    fn thread(&mut self, thread: ThreadId) -> Code {
        let stmts = &self.program.threads[thread.index()];
        let mut body = Body::new(0);
        self.line("");
        self.open(&format!("static void *thread{}(void *arg) {{", thread.0));
        if self.heap {
            self.line("int *cell = arg;");
        }
        self.locals(stmts, LOCALS);
        self.handles(stmts);
        self.stmts(stmts, &mut body);
        let line = self.line(if self.heap { "return NULL;" } else { "return arg;" });
        body.push(line, Op::End);
        self.close("}");
        body.code
    }

    fn main(&mut self) -> Code {
        let stmts = &self.program.threads[0];
        let mut body = Body::new(0);
        self.line("");
        self.open("int main(void) {");
        self.locals(stmts, LOCALS);
        self.handles(stmts);
        self.mutex_attributes();
        self.initialisations();
        if self.heap {
            match self.program.cell {
                Cell::Allocated => drop(self.line("int *cell = malloc(sizeof *cell);")),
                Cell::OfBlock => {
                    self.line("int *cell, ended;");
                    self.open("{");
                    self.line("int here;");
                    self.line("cell = &here;");
                }
            }
            let line = self.line("*cell = 0;");
            body.push(line, Op::Write { place: Place::Heap, value: Operand::Const(0) });
        }
        self.stmts(stmts, &mut body);
        self.print(&mut body);
        let line = self.line("return 0;");
        body.push(line, Op::End);
        self.close("}");
        body.code
    }

    /// Mutexes of the other kinds have no portable initialiser.
    fn mutex_attributes(&mut self) {
        let mut declared = false;
        for (index, kind) in self.program.mutexes.iter().enumerate() {
            let kind = match kind {
                MutexKind::Normal => continue,
                MutexKind::Recursive => "PTHREAD_MUTEX_RECURSIVE",
                MutexKind::ErrorCheck => "PTHREAD_MUTEX_ERRORCHECK",
            };
            if !declared {
                self.line("pthread_mutexattr_t attributes;");
                self.line("pthread_mutexattr_init(&attributes);");
                declared = true;
            }
            self.line(&format!("pthread_mutexattr_settype(&attributes, {kind});"));
            self.line(&format!("pthread_mutex_init(&m{index}, &attributes);"));
        }
    }

    fn print(&mut self, body: &mut Body) {
        let count = self.program.vars.len();
        for index in 0..count {
            let place = Place::Global(Var(index as u8));
            let dst = Reg(PRINT_BASE + index as u8);
            if self.program.vars[index] == VarKind::Atomic {
                let line = self.line(&format!("int f{index} = atomic_load(&{});", self.name(place)));
                body.push(line, Op::Load { place, dst, order: LoadOrder::SeqCst });
            } else {
                let line = self.line(&format!("int f{index} = {};", self.name(place)));
                body.push(line, Op::Read { place, dst });
            }
        }
        let formats = vec!["%d"; count].join(" ");
        let values: String = (0..count).map(|index| format!(", f{index}")).collect();
        let line = self.line(&format!("printf(\"{formats}\\n\"{values});"));
        body.push(line, Op::Print { first: Reg(PRINT_BASE), count: count as u8 });
    }

    /// Declares the locals that the statements use.
    fn locals(&mut self, stmts: &[Stmt], limit: usize) {
        let mut used = vec![false; limit];
        for stmt in stmts {
            stmt.walk(&mut |stmt| {
                for local in locals_of(stmt) {
                    used[usize::from(local.0)] = true;
                }
            });
        }
        let names: Vec<String> = (0..limit).filter(|&index| used[index]).map(|index| format!("r{index} = 0")).collect();
        if !names.is_empty() {
            self.line(&format!("int {};", names.join(", ")));
        }
    }

    fn handles(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if let Stmt::Create(thread) = stmt {
                self.line(&format!("pthread_t h{};", thread.0));
            }
        }
    }

    fn name(&self, place: Place) -> String {
        match place {
            Place::Heap => "*cell".to_owned(),
            Place::Global(Var(index)) => match self.program.vars[usize::from(index)] {
                VarKind::Atomic => format!("a{index}"),
                VarKind::Plain | VarKind::Mixed => format!("x{index}"),
            },
        }
    }

    fn stmts(&mut self, stmts: &[Stmt], body: &mut Body) {
        for stmt in stmts {
            self.stmt(stmt, body);
        }
    }

    fn tried(&mut self, stmt: &Stmt, body: &mut Body) {
        match stmt {
            Stmt::TryLock { mutex, timed, taken, busy } => {
                let (mutex, timed) = (*mutex, *timed);
                let call = if timed { "timedlock" } else { "trylock" };
                let limit = if timed { ", &soon" } else { "" };
                let call = format!("pthread_mutex_{call}(&m{}{limit})", mutex.0);
                self.attempt(&call, |busy| Op::TryLock { mutex, timed, busy }, [taken, busy], body);
            }
            Stmt::TrySpin { taken, busy } => {
                self.attempt("pthread_spin_trylock(&s0)", |busy| Op::TrySpin { busy }, [taken, busy], body);
            }
            Stmt::TrySem { timed, taken, busy } => {
                let timed = *timed;
                let call = if timed { "sem_timedwait(&p0, &soon)" } else { "sem_trywait(&p0)" };
                self.attempt(call, |busy| Op::TrySem { timed, busy }, [taken, busy], body);
            }
            _ => unreachable!("{stmt:?} tries nothing"),
        }
    }

    fn stmt(&mut self, stmt: &Stmt, body: &mut Body) {
        match stmt {
            Stmt::Read { .. }
            | Stmt::Write { .. }
            | Stmt::Increment { .. }
            | Stmt::Free
            | Stmt::Load { .. }
            | Stmt::Store { .. }
            | Stmt::FetchAdd { .. }
            | Stmt::Exchange { .. }
            | Stmt::CompareExchange { .. }
            | Stmt::SpinWhile { .. }
            | Stmt::Fence { .. } => self.access(stmt, body),
            Stmt::Lock(MutexId(id)) => self.call(body, &format!("pthread_mutex_lock(&m{id});"), Op::Lock(MutexId(*id))),
            Stmt::Unlock(MutexId(id)) => {
                self.call(body, &format!("pthread_mutex_unlock(&m{id});"), Op::Unlock(MutexId(*id)))
            }
            Stmt::ReadLock(lock) => {
                self.call(body, &format!("pthread_rwlock_rdlock(&w{});", lock.0), Op::ReadLock(*lock))
            }
            Stmt::WriteLock(lock) => {
                self.call(body, &format!("pthread_rwlock_wrlock(&w{});", lock.0), Op::WriteLock(*lock))
            }
            Stmt::RwUnlock(lock) => {
                self.call(body, &format!("pthread_rwlock_unlock(&w{});", lock.0), Op::RwUnlock(*lock))
            }
            Stmt::Signal => self.call(body, "pthread_cond_signal(&c0);", Op::Signal),
            Stmt::Broadcast => self.call(body, "pthread_cond_broadcast(&c0);", Op::Broadcast),
            Stmt::Create(thread) => {
                let (id, arg) = (thread.0, if self.heap { "cell" } else { "NULL" });
                let text = format!("pthread_create(&h{id}, NULL, thread{id}, {arg});");
                self.call(body, &text, Op::Create(*thread));
            }
            Stmt::Join(thread) => self.call(body, &format!("pthread_join(h{}, NULL);", thread.0), Op::Join(*thread)),
            Stmt::Once => self.once(body),
            Stmt::TryLock { .. } | Stmt::TrySpin { .. } | Stmt::TrySem { .. } => self.tried(stmt, body),
            Stmt::SpinLock => self.call(body, "pthread_spin_lock(&s0);", Op::SpinLock),
            Stmt::SpinUnlock => self.call(body, "pthread_spin_unlock(&s0);", Op::SpinUnlock),
            Stmt::SemWait => self.call(body, "sem_wait(&p0);", Op::SemWait),
            Stmt::SemPost => self.call(body, "sem_post(&p0);", Op::SemPost),
            Stmt::Barrier { dst: None } => self.call(body, "pthread_barrier_wait(&b0);", Op::Barrier { dst: None }),
            Stmt::Barrier { dst: Some(dst) } => {
                let text = format!("r{} = pthread_barrier_wait(&b0) != 0;", dst.0);
                let op = Op::Barrier { dst: Some(body.reg(*dst)) };
                self.call(body, &text, op);
            }
            Stmt::WaitWhile { mutex, place, equals } => self.wait_while(*mutex, *place, *equals, body),
            Stmt::TimedWait { mutex, dst } => {
                let text = format!("r{} = pthread_cond_timedwait(&c0, &m{}, &soon) != 0;", dst.0, mutex.0);
                let op = Op::Wait { mutex: *mutex, site: body.waits, timed: Some(body.reg(*dst)) };
                body.waits += 1;
                self.call(body, &text, op);
            }
            Stmt::If { local, equal, constant, then, otherwise } => {
                let sign = if *equal { "==" } else { "!=" };
                let line = self.open(&format!("if (r{} {sign} {constant}) {{", local.0));
                let at = body.here();
                let reg = body.reg(*local);
                body.push(line, Op::Branch { reg, equal: *equal, constant: *constant, otherwise: at });
                self.arms(at, then, otherwise, body);
            }
            Stmt::Repeat { times, body: inner } => self.repeat(*times, inner, body),
            Stmt::Assert { local, not } => {
                let line = self.line(&format!("assert(r{} != {not});", local.0));
                body.push(line, Op::Assert { reg: body.reg(*local), not: *not });
            }
        }
    }

    fn call(&mut self, body: &mut Body, text: &str, op: Op) {
        let line = self.line(text);
        body.push(line, op);
    }

    fn once(&mut self, body: &mut Body) {
        let line = self.line("pthread_once(&o0, init);");
        let at = body.here();
        body.push(line, Op::OnceEnter { done: at });
        body.code.extend(self.once_code.iter().copied());
        body.push(line, Op::OnceExit);
        body.land(at);
    }

    /// `if (call == 0) taken else busy`
    fn attempt(&mut self, call: &str, op: impl Fn(Pc) -> Op, [taken, busy]: [&[Stmt]; 2], body: &mut Body) {
        let line = self.open(&format!("if ({call} == 0) {{"));
        let at = body.here();
        body.push(line, op(at));
        self.arms(at, taken, busy, body);
    }

    /// The two bodies behind the branch at `at`, whose line is written.
    fn arms(&mut self, at: Pc, then: &[Stmt], otherwise: &[Stmt], body: &mut Body) {
        self.stmts(then, body);
        if otherwise.is_empty() {
            self.close("}");
            body.land(at);
            return;
        }
        self.indent -= 1;
        let line = self.open("} else {");
        let over = body.jump_ahead(line);
        body.land(at);
        self.stmts(otherwise, body);
        self.close("}");
        body.land(over);
    }

    fn wait_while(&mut self, mutex: MutexId, place: Place, equals: i32, body: &mut Body) {
        let condition = self.open(&format!("while ({} == {equals})", self.name(place)));
        let start = body.here();
        body.push(condition, Op::Read { place, dst: SCRATCH });
        let branch = body.here();
        body.push(condition, Op::Branch { reg: SCRATCH, equal: true, constant: equals, otherwise: branch });
        let wait = self.close_with(&format!("pthread_cond_wait(&c0, &m{});", mutex.0));
        body.push(wait, Op::Wait { mutex, site: body.waits, timed: None });
        body.waits += 1;
        body.push(wait, Op::Jump(start));
        body.land(branch);
    }

    /// An indented line that ends its block without a brace.
    fn close_with(&mut self, text: &str) -> u32 {
        let line = self.line(text);
        self.indent -= 1;
        line
    }

    fn repeat(&mut self, times: u8, inner: &[Stmt], body: &mut Body) {
        let counter = Reg(COUNTER_BASE + body.loop_depth);
        let name = ["i", "j"][usize::from(body.loop_depth)];
        let line = self.open(&format!("for (int {name} = 0; {name} < {times}; {name}++) {{"));
        body.loop_depth += 1;
        body.push(line, Op::Set { dst: counter, value: Operand::Const(0) });
        let start = body.here();
        // The counter only steps by one, so `!=` bounds it as `<` does.
        body.push(line, Op::Branch { reg: counter, equal: false, constant: i32::from(times), otherwise: start });
        self.stmts(inner, body);
        body.push(line, Op::Set { dst: counter, value: Operand::Sum(counter, 1) });
        body.push(line, Op::Jump(start));
        body.land(start);
        body.loop_depth -= 1;
        self.close("}");
    }

    fn access(&mut self, stmt: &Stmt, body: &mut Body) {
        let place = stmt.place();
        let name = place.map(|place| self.name(place)).unwrap_or_default();
        match *stmt {
            Stmt::Read { dst, from } => {
                let line = self.line(&format!("r{} = {name};", dst.0));
                body.push(line, Op::Read { place: from, dst: body.reg(dst) });
            }
            Stmt::Write { to, value } => {
                let line = self.line(&format!("{name} = {};", value_text(value)));
                body.push(line, Op::Write { place: to, value: body.operand(value) });
            }
            Stmt::Increment { place } => {
                let line = self.line(&if place == Place::Heap { format!("({name})++;") } else { format!("{name}++;") });
                body.push(line, Op::Read { place, dst: SCRATCH });
                body.push(line, Op::Write { place, value: Operand::Sum(SCRATCH, 1) });
            }
            Stmt::Free => {
                let line = match self.program.cell {
                    Cell::Allocated => self.line("free(cell);"),
                    // The block is over where the next instruction is.
                    Cell::OfBlock => self.close("} ended = 1;"),
                };
                body.push(line, Op::Free);
            }
            _ => self.atomic(stmt, body),
        }
    }

    fn atomic(&mut self, stmt: &Stmt, body: &mut Body) {
        let (text, op) = match *stmt {
            Stmt::Load { dst, from, order } => (
                self.atomic_call(Some(dst), "load", from, &[], load_order(order)),
                Op::Load { place: from, dst: body.reg(dst), order },
            ),
            Stmt::Store { to, value, order } => (
                self.atomic_call(None, "store", to, &[value_text(value)], store_order(order)),
                Op::Store { place: to, value: body.operand(value), order },
            ),
            Stmt::FetchAdd { dst, place, operand, order } => (
                self.atomic_call(Some(dst), "fetch_add", place, &[operand.to_string()], rmw_order(order)),
                Op::Rmw { place, dst: body.reg(dst), update: Update::Add(operand), order },
            ),
            Stmt::Exchange { dst, place, value, order } => (
                self.atomic_call(Some(dst), "exchange", place, &[value.to_string()], rmw_order(order)),
                Op::Rmw { place, dst: body.reg(dst), update: Update::Swap(value), order },
            ),
            Stmt::CompareExchange { dst, place, expected, desired, order, failure } => {
                // A compound literal is an object of the enclosing block: local, like a variable.
                let address = self.address(place);
                let (success, on_failure) = (rmw_order(order), load_order(failure));
                let text = if self.is_c_atomic(place) {
                    format!(
                        "r{} = atomic_compare_exchange_strong_explicit({address}, &(int){{{expected}}}, {desired}, \
                         memory_order_{success}, memory_order_{on_failure});",
                        dst.0
                    )
                } else {
                    let (success, on_failure) = (success.to_uppercase(), on_failure.to_uppercase());
                    format!(
                        "r{} = __atomic_compare_exchange_n({address}, &(int){{{expected}}}, {desired}, 0, \
                         __ATOMIC_{success}, __ATOMIC_{on_failure});",
                        dst.0
                    )
                };
                (text, Op::CompareExchange { place, dst: body.reg(dst), expected, desired, order, failure })
            }
            Stmt::SpinWhile { place, equals, takes, rounds, order } => {
                let address = self.address(place);
                let condition = if takes {
                    let order = rmw_order(order);
                    format!("atomic_exchange_explicit({address}, {equals}, memory_order_{order}) == {equals}")
                } else {
                    let order = load_order(order.of_load());
                    format!("atomic_load_explicit({address}, memory_order_{order}) == {equals}")
                };
                // On one line, for all of it is one place to the oracle.
                let text = match rounds {
                    Rounds::Sleeps => format!(
                        "{{ static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t never = \
                         PTHREAD_COND_INITIALIZER; static int rounds; while ({condition}) {{ pthread_mutex_lock(&own); \
                         rounds++; pthread_cond_timedwait(&never, &own, &soon); rounds--; pthread_mutex_unlock(&own); }} }}"
                    ),
                    Rounds::Tries => format!("while ({condition}) {{ pthread_mutex_trylock(&kept); }}"),
                    Rounds::Counts => format!("{{ int rounds = 0; while ({condition}) {{ rounds++; }} }}"),
                    Rounds::Idle => format!("while ({condition}) {{}}"),
                };
                (text, Op::SpinWhile { place, equals, takes, sleeps: rounds == Rounds::Sleeps, order })
            }
            Stmt::Fence { order } => {
                (format!("atomic_thread_fence(memory_order_{});", rmw_order(order)), Op::Fence { order })
            }
            _ => unreachable!("{stmt:?} is no atomic access"),
        };
        self.call(body, &text, op);
    }

    fn is_c_atomic(&self, place: Place) -> bool {
        matches!(place, Place::Global(var) if self.program.vars[usize::from(var.0)] == VarKind::Atomic)
    }

    fn address(&self, place: Place) -> String {
        match place {
            Place::Heap => "cell".to_owned(),
            Place::Global(_) => format!("&{}", self.name(place)),
        }
    }

    /// `dst = atomic_operation_explicit(..)`, or the builtin where the object is a plain `int`.
    fn atomic_call(&self, dst: Option<Local>, operation: &str, place: Place, args: &[String], order: &str) -> String {
        let result = dst.map(|local| format!("r{} = ", local.0)).unwrap_or_default();
        let args: String = args.iter().map(|arg| format!(", {arg}")).collect();
        let address = self.address(place);
        if self.is_c_atomic(place) {
            return format!("{result}atomic_{operation}_explicit({address}{args}, memory_order_{order});");
        }
        let builtin = if operation == "fetch_add" { "fetch_add".to_owned() } else { format!("{operation}_n") };
        format!("{result}__atomic_{builtin}({address}{args}, __ATOMIC_{});", order.to_uppercase())
    }
}

fn value_text(value: Value) -> String {
    match value {
        Value::Const(constant) => constant.to_string(),
        Value::Local(local) => format!("r{}", local.0),
        Value::Sum(local, constant) => format!("r{} + {constant}", local.0),
    }
}

fn locals_of(stmt: &Stmt) -> Vec<Local> {
    match *stmt {
        Stmt::Read { dst, .. }
        | Stmt::Load { dst, .. }
        | Stmt::FetchAdd { dst, .. }
        | Stmt::Exchange { dst, .. }
        | Stmt::CompareExchange { dst, .. }
        | Stmt::TimedWait { dst, .. }
        | Stmt::Barrier { dst: Some(dst) } => vec![dst],
        Stmt::Write { value, .. } | Stmt::Store { value, .. } => match value {
            Value::Const(_) => Vec::new(),
            Value::Local(local) | Value::Sum(local, _) => vec![local],
        },
        Stmt::If { local, .. } | Stmt::Assert { local, .. } => vec![local],
        _ => Vec::new(),
    }
}

fn load_order(order: LoadOrder) -> &'static str {
    match order {
        LoadOrder::Relaxed => "relaxed",
        LoadOrder::Acquire => "acquire",
        LoadOrder::SeqCst => "seq_cst",
    }
}

fn store_order(order: StoreOrder) -> &'static str {
    match order {
        StoreOrder::Relaxed => "relaxed",
        StoreOrder::Release => "release",
        StoreOrder::SeqCst => "seq_cst",
    }
}

fn rmw_order(order: RmwOrder) -> &'static str {
    match order {
        RmwOrder::Relaxed => "relaxed",
        RmwOrder::Acquire => "acquire",
        RmwOrder::Release => "release",
        RmwOrder::AcqRel => "acq_rel",
        RmwOrder::SeqCst => "seq_cst",
    }
}
