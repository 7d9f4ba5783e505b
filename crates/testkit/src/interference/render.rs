//! Programs as C, one statement a line.

use super::ast::{Condition, LOCALS, Looks, Operand, Program, Relation, Stmt, Value, VarKind};
use std::fmt::Write;

/// A program's source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendered {
    pub source: String,
    /// The lines of its branches, in the order in which they stand: `main` last.
    pub branches: Vec<u32>,
    /// Likewise, the lines of statements that access something.
    pub accesses: Vec<u32>,
}

/// The program as C11.
pub fn render(program: &Program) -> Rendered {
    let mut writer = Writer { program, text: String::new(), branches: Vec::new(), accesses: Vec::new() };
    writer.program();
    Rendered { source: writer.text, branches: writer.branches, accesses: writer.accesses }
}

struct Writer<'p> {
    program: &'p Program,
    text: String,
    branches: Vec<u32>,
    accesses: Vec<u32>,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn next_line(&self) -> u32 {
        self.text.lines().count() as u32 + 1
    }

    fn program(&mut self) {
        let program = self.program;
        self.line("#define _GNU_SOURCE\n#include <errno.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stddef.h>\n#include <time.h>\n#include \"raddle.h\"");
        self.line("void __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);");
        for (index, kind) in program.vars.iter().enumerate() {
            match kind {
                VarKind::Plain => self.line(&format!("static int x{index};")),
                VarKind::Atomic => self.line(&format!("static _Atomic int x{index};")),
            }
        }
        self.line("static int c0, c1;\nstatic int *p = &c0;");
        for mutex in 0..program.mutexes {
            self.line(&format!("static pthread_mutex_t m{mutex} = PTHREAD_MUTEX_INITIALIZER;"));
        }
        for condition in 0..program.conditions {
            self.line(&format!("static pthread_cond_t d{condition} = PTHREAD_COND_INITIALIZER;"));
        }
        for semaphore in 0..program.semaphores.len() {
            self.line(&format!("static sem_t s{semaphore};"));
        }
        for barrier in 0..program.barriers.len() {
            self.line(&format!("static pthread_barrier_t b{barrier};"));
        }
        for input in 0..program.inputs {
            self.line(&format!("static unsigned char in{input};"));
        }
        self.line("static const struct timespec limit = {1, 0};");
        for (number, body) in program.once.iter().enumerate() {
            self.line(&format!("static pthread_once_t o{number} = PTHREAD_ONCE_INIT;"));
            self.line(&format!("static void once{number}(void) {{"));
            self.body(body);
            self.line("}");
        }
        if let Some(nested) = &program.nested {
            self.function("nested", &[nested], &[]);
        }
        for (number, body) in program.threads.iter().enumerate() {
            let creates = number == 0 && program.nested.is_some();
            let before: &[&str] =
                if creates { &["pthread_t t;", "pthread_create(&t, NULL, nested, NULL);"] } else { &[] };
            self.function(&format!("t{number}"), &[body], before);
        }
        self.main();
    }

    fn locals(&mut self) {
        let locals: Vec<String> = (0..LOCALS).map(|local| format!("r{local} = 0")).collect();
        self.line(&format!("int {};", locals.join(", ")));
        let used: String = (0..LOCALS).fold(String::new(), |mut text, local| {
            let _ = write!(text, "(void)r{local};");
            text
        });
        self.line(&used);
    }

    fn function(&mut self, name: &str, bodies: &[&Vec<Stmt>], before: &[&str]) {
        self.line(&format!("static void *{name}(void *arg) {{"));
        self.locals();
        before.iter().for_each(|line| self.line(line));
        bodies.iter().for_each(|body| self.body(body));
        self.line("return arg;\n}");
    }

    fn main(&mut self) {
        let program = self.program;
        self.line("int main(void) {");
        self.locals();
        for input in 0..program.inputs {
            self.line(&format!("raddle_symbolic(&in{input}, sizeof in{input}, \"in{input}\");"));
        }
        for (semaphore, count) in program.semaphores.iter().enumerate() {
            self.line(&format!("sem_init(&s{semaphore}, 0, {count});"));
        }
        for (barrier, count) in program.barriers.iter().enumerate() {
            self.line(&format!("pthread_barrier_init(&b{barrier}, NULL, {count});"));
        }
        self.line(&format!("pthread_t t[{}];", program.threads.len()));
        self.body(&program.first);
        for number in 0..program.threads.len() {
            self.line(&format!("pthread_create(&t[{number}], NULL, t{number}, NULL);"));
            if number == 0 {
                self.body(&program.between);
            }
        }
        for (number, _) in program.joined.iter().enumerate().filter(|(_, joined)| **joined) {
            self.line(&format!("pthread_join(t[{number}], NULL);"));
        }
        for (number, looks) in program.looks.iter().enumerate() {
            if let Some(looks) = looks {
                self.looks(number, looks);
            }
        }
        self.body(&program.last);
        self.line("pthread_exit(NULL);\n}");
    }

    fn body(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn looks(&mut self, number: usize, looks: &Looks) {
        let call = match looks.timed {
            true => format!("pthread_timedjoin_np(t[{number}], NULL, &limit)"),
            false => format!("pthread_tryjoin_np(t[{number}], NULL)"),
        };
        self.either(&format!("{call} == 0"), &looks.ended, &looks.otherwise);
    }

    fn either(&mut self, condition: &str, then: &[Stmt], otherwise: &[Stmt]) {
        self.branches.push(self.next_line());
        self.line(&format!("if ({condition}) {{"));
        self.body(then);
        self.line("} else {");
        self.body(otherwise);
        self.line("}");
    }

    fn is_atomic(&self, var: usize) -> bool {
        self.program.vars[var] == VarKind::Atomic
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if stmt.accesses() {
            self.accesses.push(self.next_line());
        }
        match stmt {
            Stmt::Read { dst, var } if self.is_atomic(*var) => self.line(&format!("r{dst} = atomic_load(&x{var});")),
            Stmt::Read { dst, var } => self.line(&format!("r{dst} = x{var};")),
            Stmt::Write { var, value } if self.is_atomic(*var) => {
                self.line(&format!("atomic_store(&x{var}, {});", in_c(*value)));
            }
            Stmt::Write { var, value } => self.line(&format!("x{var} = {};", in_c(*value))),
            Stmt::FetchAdd { dst, var, by } => self.line(&format!("r{dst} = atomic_fetch_add(&x{var}, {by});")),
            Stmt::Exchange { dst, var, expected, desired } => self.line(&format!(
                "{{ int e = {expected}; r{dst} = atomic_compare_exchange_strong(&x{var}, &e, {desired}); }}"
            )),
            Stmt::Point { cell } => self.line(&format!("p = &c{cell};")),
            Stmt::ReadThrough { dst } => self.line(&format!("r{dst} = *p;")),
            Stmt::WriteThrough { value } => self.line(&format!("*p = {};", in_c(*value))),
            Stmt::Post(semaphore) => self.line(&format!("sem_post(&s{semaphore});")),
            Stmt::Down(semaphore) => self.line(&format!("sem_wait(&s{semaphore});")),
            Stmt::Barrier { barrier, dst: Some(dst) } => {
                self.line(&format!("r{dst} = pthread_barrier_wait(&b{barrier}) != 0;"));
            }
            Stmt::Barrier { barrier, dst: None } => self.line(&format!("pthread_barrier_wait(&b{barrier});")),
            Stmt::Once(number) => self.line(&format!("pthread_once(&o{number}, once{number});")),
            Stmt::Wait { condition, mutex, limit: Some(dst) } => {
                self.line(&format!("r{dst} = pthread_cond_timedwait(&d{condition}, &m{mutex}, &limit) != 0;"));
            }
            Stmt::Wait { condition, mutex, limit: None } => {
                self.line(&format!("pthread_cond_wait(&d{condition}, &m{mutex});"))
            }
            Stmt::Signal { condition, all: true } => self.line(&format!("pthread_cond_broadcast(&d{condition});")),
            Stmt::Signal { condition, all: false } => self.line(&format!("pthread_cond_signal(&d{condition});")),
            Stmt::Lock(mutex) => self.line(&format!("pthread_mutex_lock(&m{mutex});")),
            Stmt::Unlock(mutex) => self.line(&format!("pthread_mutex_unlock(&m{mutex});")),
            Stmt::TryLock { mutex, taken, busy } => {
                self.branches.push(self.next_line());
                self.line(&format!("if (pthread_mutex_trylock(&m{mutex}) == 0) {{"));
                self.body(taken);
                self.line(&format!("pthread_mutex_unlock(&m{mutex});\n}} else {{"));
                self.body(busy);
                self.line("}");
            }
            Stmt::TryDown { semaphore, timed, taken, busy } => {
                let call = match timed {
                    true => format!("sem_timedwait(&s{semaphore}, &limit)"),
                    false => format!("sem_trywait(&s{semaphore})"),
                };
                self.either(&format!("{call} == 0"), taken, busy);
            }
            Stmt::Count { dst, semaphore } => {
                self.line(&format!("{{ int v; sem_getvalue(&s{semaphore}, &v); r{dst} = v; }}"));
            }
            Stmt::Section(body) => {
                self.line("__VERIFIER_atomic_begin();");
                self.body(body);
                self.line("__VERIFIER_atomic_end();");
            }
            Stmt::If { condition, then, otherwise } => self.either(&condition_in_c(condition), then, otherwise),
        }
    }
}

fn in_c(value: Value) -> String {
    match value {
        Value::Const(number) => number.to_string(),
        Value::Local(local) => format!("r{local}"),
        Value::Sum(local, number) => format!("r{local} + {number}"),
        Value::Input(input) => format!("in{input}"),
    }
}

fn operand_in_c(operand: Operand) -> String {
    match operand {
        Operand::Local(local) => format!("r{local}"),
        Operand::Input(input) => format!("in{input}"),
    }
}

fn condition_in_c(condition: &Condition) -> String {
    let relation = match condition.relation {
        Relation::Equal => "==",
        Relation::Less => "<",
    };
    let to = condition.to.map_or_else(operand_in_c, |number| number.to_string());
    format!("{} {relation} {to}", operand_in_c(condition.operand))
}
