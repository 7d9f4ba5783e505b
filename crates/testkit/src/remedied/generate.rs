//! Random libraries in which something is locked here and not there.

use super::code::{FIELDS, LOCKS};
use crate::rng::Rng;
use std::fmt::Write;

/// A library of two operations, by its seed.
pub fn generate(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut source = format!(
        "#include <pthread.h>\n\nstruct pair {{\n    pthread_mutex_t {};\n    unsigned {};\n}};\n",
        LOCKS.join(", "),
        FIELDS.join(", ")
    );
    for name in ["one", "two"] {
        let _ = write!(source, "\nunsigned {name}(struct pair *q)\n{{\n    unsigned t0 = 0, t1 = 0;\n");
        body(&mut rng, name == "one", &mut source);
        let result = rng.pick(&["t0", "t0 + t1", "1"]);
        let _ = write!(source, "    return {result};\n}}\n");
    }
    source
}

/// The same library without one of its statements, or with a section around one, by a seed.
pub fn without_a_statement(source: &str, seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    let is_statement = |line: &String| line.contains("q->") && line.ends_with(';') && !line.contains("pthread");
    let statements: Vec<usize> = (0..lines.len()).filter(|&at| is_statement(&lines[at])).collect();
    if statements.is_empty() {
        return source.to_owned();
    }
    let at = rng.pick(&statements);
    if rng.chance(30) {
        let line = std::mem::take(&mut lines[at]);
        lines[at] = format!("    pthread_mutex_lock(&q->other);\n{line}\n    pthread_mutex_unlock(&q->other);");
    } else {
        lines[at].clear();
    }
    lines.join("\n") + "\n"
}

/// Statements, each of which is in a critical section or is not. `is_kept`: as a rule all of them are in one.
fn body(rng: &mut Rng, is_kept: bool, source: &mut String) {
    let count = rng.between(2, 4) as usize;
    let is_whole = is_kept && rng.chance(60);
    let mut is_locked = false;
    for _ in 0..count {
        // One section goes on with the next statement more often than not.
        let locks = is_whole || if is_locked { rng.chance(55) } else { rng.chance(45) };
        let begins_anew = is_locked && locks && !is_whole && rng.chance(30);
        if is_locked && (!locks || begins_anew) {
            source.push_str("    pthread_mutex_unlock(&q->lock);\n");
        }
        if locks && (!is_locked || begins_anew) {
            source.push_str("    pthread_mutex_lock(&q->lock);\n");
        }
        is_locked = locks;
        if rng.chance(15) {
            let _ = writeln!(source, "    if (t{} == {}) {{", rng.below(2), rng.below(3));
            if is_locked {
                source.push_str("        pthread_mutex_unlock(&q->lock);\n");
            }
            source.push_str("        return 2;\n    }\n");
        } else if rng.chance(25) {
            let _ = writeln!(source, "    if (t{} == {}) {{", rng.below(2), rng.below(3));
            let _ = writeln!(source, "        {}", statement(rng));
            source.push_str("    }\n");
        } else {
            let _ = writeln!(source, "    {}", statement(rng));
        }
    }
    if is_locked {
        source.push_str("    pthread_mutex_unlock(&q->lock);\n");
    }
}

fn statement(rng: &mut Rng) -> String {
    let field = rng.pick(&FIELDS);
    let local = rng.below(2);
    match rng.weighted(&[(4, 0), (3, 1), (3, 2), (2, 3), (1, 4)]) {
        0 => format!("t{local} = q->{field};"),
        1 => format!("q->{field} = t{local} + {};", rng.below(3)),
        2 => format!("q->{field}++;"),
        3 => format!("q->{field} = {};", rng.below(3)),
        _ => format!("q->{field} = t0 + t1;"),
    }
}
