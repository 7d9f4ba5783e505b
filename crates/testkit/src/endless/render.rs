//! Programs as C, each step on a line of its own, and as code with these lines.

use super::ast::{LOCALS, Program, Stmt, Value};
use super::code::{Code, Op};
use std::fmt::Write;

/// The program in C11.
pub fn render(program: &Program) -> String {
    translate(program).0
}

/// The program in C11, and each thread's code.
pub(super) fn translate(program: &Program) -> (String, Vec<Code>) {
    let mut text = Text { source: String::new(), line: 0, depth: 0, code: Code::new() };
    for line in [
        "#include <assert.h>",
        "#include <pthread.h>",
        "#include <semaphore.h>",
        "#include <stdatomic.h>",
        "#include <stdlib.h>",
        "static int x0, x1;",
        "static _Atomic int a0, a1;",
        "static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;",
        "static pthread_cond_t c0 = PTHREAD_COND_INITIALIZER, c1 = PTHREAD_COND_INITIALIZER;",
        "static sem_t s;",
        "static int *_Atomic box;",
        "extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);",
        "void raddle_symbolic(void *at, unsigned long size, const char *name);",
        "static int ask(void) { int input; raddle_symbolic(&input, sizeof input, \"input\"); return input & 1; }",
    ] {
        text.line(line);
    }
    let mut codes = Vec::new();
    for (number, body) in program.threads.iter().enumerate() {
        text.line(&format!("static void *thread{number}(void *arg)"));
        text.open("{");
        let locals: Vec<String> = (0..LOCALS).map(|local| format!("r{local} = 0")).collect();
        text.line(&format!("int {};", locals.join(", ")));
        text.open("for (;;) {");
        text.stmts(body);
        text.push(text.line, Op::Jump(0));
        text.close("}");
        text.line(&format!("return r0 + r{} ? arg : 0;", LOCALS - 1));
        text.close("}");
        codes.push(std::mem::take(&mut text.code));
    }
    text.line("int main(void)");
    text.open("{");
    text.line(&format!("sem_init(&s, 0, {});", program.semaphore));
    text.line(&format!("pthread_t t[{}];", program.threads.len()));
    for number in 0..program.threads.len() {
        text.line(&format!("pthread_create(&t[{number}], 0, thread{number}, 0);"));
    }
    for number in 0..program.threads.len() {
        text.line(&format!("pthread_join(t[{number}], 0);"));
    }
    text.line("return 0;");
    text.close("}");
    (text.source, codes)
}

fn in_c(value: &Value) -> String {
    match value {
        Value::Constant(number) => number.to_string(),
        Value::Local(local) => format!("r{local}"),
    }
}

struct Text {
    source: String,
    line: u32,
    depth: usize,
    code: Code,
}

impl Text {
    fn line(&mut self, words: &str) -> u32 {
        let _ = writeln!(self.source, "{:1$}{words}", "", self.depth * 4);
        self.line += 1;
        self.line
    }

    fn open(&mut self, words: &str) -> u32 {
        let line = self.line(words);
        self.depth += 1;
        line
    }

    fn close(&mut self, words: &str) -> u32 {
        self.depth -= 1;
        self.line(words)
    }

    fn push(&mut self, line: u32, op: Op) -> usize {
        self.code.push((line, op));
        self.code.len() - 1
    }

    /// Sets the target of a jump to what comes next.
    fn land(&mut self, at: usize) {
        let here = self.code.len();
        match &mut self.code[at].1 {
            Op::Jump(to) | Op::TryLock(_, to) | Op::TryDown(to) | Op::Branch { otherwise: to, .. } => *to = here,
            other => unreachable!("{other:?} goes nowhere"),
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Section { mutex, body } => {
                let line = self.line(&format!("pthread_mutex_lock(&m{mutex});"));
                self.push(line, Op::Lock(*mutex));
                self.stmts(body);
                self.unlock(*mutex);
            }
            Stmt::Atomic { body } => {
                let line = self.line("__VERIFIER_atomic_begin();");
                self.push(line, Op::Enter);
                self.stmts(body);
                let line = self.line("__VERIFIER_atomic_end();");
                self.push(line, Op::Leave);
            }
            Stmt::Try { mutex, body } => {
                let line = self.open(&format!("if (pthread_mutex_trylock(&m{mutex}) == 0) {{"));
                let tried = self.push(line, Op::TryLock(*mutex, 0));
                self.stmts(body);
                self.unlock(*mutex);
                self.close("}");
                self.land(tried);
            }
            Stmt::TryDown { body } => {
                let line = self.open("if (sem_trywait(&s) == 0) {");
                let tried = self.push(line, Op::TryDown(0));
                self.stmts(body);
                self.close("}");
                self.land(tried);
            }
            Stmt::If { local, equals, then, otherwise } => {
                let line = self.open(&format!("if (r{local} == {equals}) {{"));
                let branch = self.push(line, Op::Branch { register: *local, equals: *equals, otherwise: 0 });
                self.stmts(then);
                let over = self.push(line, Op::Jump(0));
                self.depth -= 1;
                self.open("} else {");
                self.land(branch);
                self.stmts(otherwise);
                self.close("}");
                self.land(over);
            }
            Stmt::Wait { condition, mutex, place, until, again } => {
                let word = if *again { "while" } else { "if" };
                let start = self.code.len();
                let line = self.open(&format!("{word} (x{place} != {until})"));
                self.push(line, Op::Read(LOCALS as u8, *place));
                let met = self.push(line, Op::Branch { register: LOCALS as u8, equals: *until, otherwise: 0 });
                let out = self.push(line, Op::Jump(0));
                self.land(met);
                let line = self.line(&format!("pthread_cond_wait(&c{condition}, &m{mutex});"));
                self.push(line, Op::Wait(*condition, *mutex));
                if *again {
                    self.push(line, Op::Jump(start));
                }
                self.depth -= 1;
                self.land(out);
            }
            Stmt::Give { value } => self.on_block(&[
                ("int *p = malloc(sizeof *p);".to_owned(), Op::Make),
                (format!("*p = {};", in_c(value)), Op::Fill(*value)),
                ("p = atomic_exchange(&box, p);".to_owned(), Op::Swap),
                ("free(p);".to_owned(), Op::Free),
            ]),
            Stmt::Take { to } => self.on_block(&[
                ("int *p = atomic_exchange(&box, 0);".to_owned(), Op::Swap),
                (format!("if (p) r{to} = *p;"), Op::Look(*to, false)),
                ("free(p);".to_owned(), Op::Free),
            ]),
            Stmt::Peek { to, behind } => {
                let look = behind.map(|from| (format!("r{to} = a{from};"), Op::Load(*to, from, true)));
                let point = ("int *p = atomic_load(&box);".to_owned(), Op::Point);
                let read = (format!("if (p) r{to} = *p;"), Op::Look(*to, true));
                self.on_block(&[Some(point), look, Some(read)].into_iter().flatten().collect::<Vec<_>>());
            }
            _ => self.simple(stmt),
        }
    }

    /// What is done with a block, a line each.
    fn on_block(&mut self, lines: &[(String, Op)]) {
        self.open("{");
        for (words, op) in lines {
            let line = self.line(words);
            self.push(line, *op);
        }
        self.close("}");
    }

    /// Statements of one line.
    fn simple(&mut self, stmt: &Stmt) {
        let value = in_c;
        let (words, ops) = match stmt {
            Stmt::Read { to, from } => (format!("r{to} = x{from};"), vec![Op::Read(*to, *from)]),
            Stmt::Write { to, value: v } => (format!("x{to} = {};", value(v)), vec![Op::Write(*to, *v)]),
            Stmt::Step { place } => {
                let scratch = LOCALS as u8;
                let ops = vec![Op::Read(scratch, *place), Op::Next(scratch), Op::Write(*place, Value::Local(scratch))];
                (format!("x{place} = (x{place} + 1) % 3;"), ops)
            }
            Stmt::Load { to, from, relaxed } => {
                let order = if *relaxed { "memory_order_relaxed" } else { "memory_order_seq_cst" };
                (format!("r{to} = atomic_load_explicit(&a{from}, {order});"), vec![Op::Load(*to, *from, !relaxed)])
            }
            Stmt::Store { to, value: v } => (format!("a{to} = {};", value(v)), vec![Op::Store(*to, *v)]),
            Stmt::Flip { to, place } => {
                (format!("r{to} = atomic_fetch_xor(&a{place}, 1) % 3;"), vec![Op::Flip(*to, *place)])
            }
            Stmt::Exchange { to, place, expected, new } => (
                format!("r{to} = atomic_compare_exchange_strong(&a{place}, &(int){{{expected}}}, {new});"),
                vec![Op::Exchange { to: *to, place: *place, expected: *expected, new: *new }],
            ),
            Stmt::Await { place, until } => (format!("while (a{place} != {until});"), vec![Op::Await(*place, *until)]),
            Stmt::Wake { condition, all } => {
                let verb = if *all { "broadcast" } else { "signal" };
                (format!("pthread_cond_{verb}(&c{condition});"), vec![Op::Wake(*condition, *all)])
            }
            Stmt::Down => ("sem_wait(&s);".to_owned(), vec![Op::Down]),
            Stmt::Up => ("sem_post(&s);".to_owned(), vec![Op::Up]),
            Stmt::Turn { local } => (format!("r{local} = (r{local} + 1) % 3;"), vec![Op::Next(*local)]),
            Stmt::Ask { to } => (format!("r{to} = ask();"), vec![Op::Ask(*to)]),
            Stmt::Assert { local, differs } => {
                (format!("assert(r{local} != {differs});"), vec![Op::Assert(*local, *differs)])
            }
            other => unreachable!("{other:?} has lines inside"),
        };
        let line = self.line(&words);
        for op in ops {
            self.push(line, op);
        }
    }

    fn unlock(&mut self, mutex: u8) {
        let line = self.line(&format!("pthread_mutex_unlock(&m{mutex});"));
        self.push(line, Op::Unlock(mutex));
    }
}
