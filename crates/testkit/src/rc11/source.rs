//! Programs as C.

use super::{Op, Program, REGISTERS};
use std::fmt::Write;

impl Program {
    /// As C.
    pub fn source(&self) -> String {
        self.source_and_lines().0
    }

    /// As C, and the line of each operation.
    pub fn source_and_lines(&self) -> (String, Vec<Vec<u32>>) {
        let mut lines = Vec::new();
        let mut text =
            String::from("#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n");
        text.push_str("static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n");
        text.push_str("struct node { int v; };\nstatic struct node *_Atomic p;\nstatic int y, out[6];\n");
        for place in 0..self.places {
            let _ = writeln!(text, "static _Atomic int x{place};");
        }
        for (number, ops) in self.threads.iter().enumerate() {
            let _ = writeln!(
                text,
                "static void *thread{number}(void *unused)\n{{\n    int r0 = 0, r1 = 0, e;\n    struct node *q = 0;\n    (void)unused, (void)e, (void)q;"
            );
            let mut ends = Vec::new();
            let mut of_thread = Vec::new();
            for (at, op) in ops.iter().enumerate() {
                of_thread.push(1 + text.lines().count() as u32);
                let _ = writeln!(text, "    {}", statement(op));
                if let Op::Unless { skip, .. } = op {
                    ends.push(at + skip);
                }
                let closing = ends.iter().filter(|&&end| end == at).count();
                ends.retain(|&end| end != at);
                (0..closing).for_each(|_| text.push_str("    }\n"));
            }
            ends.iter().for_each(|_| text.push_str("    }\n"));
            let _ = writeln!(text, "    out[{}] = r0, out[{}] = r1;\n    return 0;\n}}", 2 * number, 2 * number + 1);
            lines.push(of_thread);
        }
        text.push_str("int main(void)\n{\n");
        let count = self.threads.len();
        let _ = writeln!(text, "    pthread_t t[{count}];");
        (0..count).for_each(|number| _ = writeln!(text, "    pthread_create(&t[{number}], 0, thread{number}, 0);"));
        (0..count).for_each(|number| _ = writeln!(text, "    pthread_join(t[{number}], 0);"));
        let _ = writeln!(text, "    for (int i = 0; i < {}; i++) putchar('0' + out[i]);", REGISTERS * count);
        text.push_str("    return 0;\n}\n");
        (text, lines)
    }
}

fn statement(op: &Op) -> String {
    match op {
        Op::Load { to, place, order } => format!("r{to} = atomic_load_explicit(&x{place}, {});", order.name()),
        Op::Store { place, value, order } => format!("atomic_store_explicit(&x{place}, {value}, {});", order.name()),
        Op::Exchange { to, place, value, order } => {
            format!("r{to} = atomic_exchange_explicit(&x{place}, {value}, {});", order.name())
        }
        Op::Add { to, place, value, order } => {
            format!("r{to} = atomic_fetch_add_explicit(&x{place}, {value}, {});", order.name())
        }
        Op::Compare { to, place, expected, value, success, failure } => format!(
            "e = {expected}; r{to} = atomic_compare_exchange_strong_explicit(&x{place}, &e, {value}, {}, {});",
            success.name(),
            failure.name()
        ),
        Op::Await { place, value, order } => {
            format!("while (atomic_load_explicit(&x{place}, {}) != {value}) ;", order.name())
        }
        Op::Take { place, order } => format!("while (atomic_exchange_explicit(&x{place}, 1, {}) == 1) ;", order.name()),
        Op::Lock => "pthread_mutex_lock(&m);".to_owned(),
        Op::Unlock => "pthread_mutex_unlock(&m);".to_owned(),
        Op::Fence(order) => format!("atomic_thread_fence({});", order.name()),
        Op::Unless { register, value, .. } => format!("if (r{register} == {value}) {{"),
        Op::Peek { to } => format!("r{to} = y;"),
        Op::Poke { value } => format!("y = {value};"),
        Op::Make { node, value } => {
            format!("struct node *n{node} = malloc(sizeof(struct node)); n{node}->v = {value};")
        }
        Op::Hand { node, order } => format!("atomic_store_explicit(&p, n{node}, {});", order.name()),
        Op::LookUp { order } => format!("q = atomic_load_explicit(&p, {});", order.name()),
        Op::Follow { to } => format!("if (q) r{to} = q->v;"),
        Op::Change { value } => format!("if (q) q->v = {value};"),
    }
}
