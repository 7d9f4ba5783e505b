//! A client's C program.

use std::fmt::Write;
use std::path::Path;
use synth::client::Client;

/// How a client comes to what it names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Prelude {
    /// These lines, which include headers.
    Headers(Vec<String>),
    /// The tests' sources.
    Sources(Vec<std::path::PathBuf>),
}

/// The line that stands for the command until that is known.
pub(super) const NO_BUILD: &str = "// build: this test is not ready yet";

/// The program. `title`: what it is for, in sentences.
pub(super) fn source(client: &Client, prelude: &Prelude, title: &str) -> String {
    let mut text = format!("{NO_BUILD}\n//\n");
    for line in title.lines() {
        let _ = writeln!(text, "// {line}");
    }
    text.push_str("\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n");
    match prelude {
        Prelude::Headers(lines) => {
            for line in lines {
                text.push_str(line);
                text.push('\n');
            }
        }
        Prelude::Sources(sources) => {
            text.push('\n');
            for (number, source) in sources.iter().enumerate() {
                let _ = write!(
                    text,
                    "#define main main_of_test{}\n#include \"{}\"\n#undef main\n",
                    number + 1,
                    source.display()
                );
            }
        }
    }
    text.push('\n');
    for variable in &client.variables {
        text.push_str(variable);
        text.push('\n');
    }
    for (number, call) in client.threads.iter().enumerate() {
        let name = number + 1;
        let _ = write!(
            text,
            "\nstatic void *thread{name}(void *unused)\n{{\n    (void)unused;\n    {call}\n    return NULL;\n}}\n"
        );
    }
    text.push_str("\nint main(void)\n{\n    pthread_t threads[2];\n");
    if !client.before.is_empty() {
        text.push('\n');
    }
    for line in client.before.iter().flat_map(|statement| &statement.lines) {
        let _ = writeln!(text, "    {line}");
    }
    text.push_str(
        "\n    pthread_create(&threads[0], NULL, thread1, NULL);\n    pthread_create(&threads[1], NULL, thread2, NULL);\n    \
         pthread_join(threads[0], NULL);\n    pthread_join(threads[1], NULL);\n    return 0;\n}\n",
    );
    text
}

/// Headers of test frameworks: a client needs none.
const FRAMEWORKS: [&str; 6] = ["check.h", "unity.h", "cmocka.h", "minunit.h", "assert.h", "unity_fixture.h"];

/// The lines of a test that include headers; headers beside it are named by their whole path.
pub(super) fn includes(test: &Path, text: &str) -> Vec<String> {
    let beside = test.parent().unwrap_or(Path::new("."));
    let line = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let name = rest.get(1..)?.split(['"', '>']).next()?;
        let last = name.rsplit('/').next().unwrap_or(name);
        if FRAMEWORKS.contains(&last) {
            return None;
        }
        let here = beside.join(name);
        let here = here.canonicalize().ok().filter(|_| rest.starts_with('"'));
        Some(match here {
            Some(path) => format!("#include \"{}\"", path.display()),
            None => format!("#include {}", rest.trim_end()),
        })
    };
    let mut lines: Vec<String> = Vec::new();
    for include in text.lines().filter_map(line) {
        let is_own = ["<pthread.h>", "<stdlib.h>", "<string.h>"].iter().any(|own| include.ends_with(own));
        if !is_own && !lines.contains(&include) {
            lines.push(include);
        }
    }
    lines
}
