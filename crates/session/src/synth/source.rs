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
    text.push('\n');
    begin(&mut text, prelude);
    body(&mut text, client, ["main", "thread1", "thread2"].map(str::to_owned));
    text
}

/// What the main function of one of several sequential clients in a file is called.
pub(super) fn main_of(number: usize) -> String {
    format!("main_of_client{number}")
}

/// Several sequential programs, whose variables have different names.
pub(super) fn several(clients: &[Client], prelude: &Prelude) -> String {
    let mut text = String::new();
    begin(&mut text, prelude);
    for (number, client) in clients.iter().enumerate() {
        body(&mut text, client, [main_of(number), format!("thread1_{number}"), format!("thread2_{number}")]);
    }
    text
}

/// The functions of one of several clients in a file.
pub(super) fn prefix_of(number: usize) -> String {
    format!("raddle_client{number}_")
}

/// The function that does what a statement before the two calls does.
pub(super) fn step_of(number: usize, statement: usize) -> String {
    format!("{}step{statement}", prefix_of(number))
}

/// What a client's main function does with its two calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Makes {
    /// Two threads make them at once.
    Both,
    /// The same, and then it prints what they return.
    BothAndPrints,
    /// One after the other, in both orders; it prints what they return.
    InOrder,
    InReverse,
}

impl Makes {
    pub(super) const ALL: [Makes; 4] = [Makes::Both, Makes::BothAndPrints, Makes::InOrder, Makes::InReverse];

    /// What the main function is called.
    pub(super) fn name(self, number: usize) -> String {
        let what = match self {
            Makes::Both => "both",
            Makes::BothAndPrints => "both_and_prints",
            Makes::InOrder => "in_order",
            Makes::InReverse => "in_reverse",
        };
        prefix_of(number) + what
    }
}

/// Clients whose variables have different names, each with a function for every statement and main functions for all that is asked of it.
pub(super) fn together(clients: &[Client], prelude: &Prelude) -> String {
    let mut text = String::new();
    begin(&mut text, prelude);
    text.push_str("int printf(const char *, ...);\n");
    for (number, client) in clients.iter().enumerate() {
        in_steps(&mut text, number, client);
    }
    text
}

fn in_steps(text: &mut String, number: usize, client: &Client) {
    text.push('\n');
    for variable in &client.variables {
        let _ = writeln!(text, "{}", variable.text);
    }
    let mut steps = String::new();
    for (index, statement) in client.before.iter().enumerate() {
        let step = step_of(number, index);
        let lines: String = statement.lines.iter().map(|line| format!("    {line}\n")).collect();
        let _ = write!(text, "static void {step}(void)\n{{\n{lines}}}\n");
        let _ = writeln!(steps, "    {step}();");
    }
    let mut shown = String::new();
    let prefix = prefix_of(number);
    for (index, call) in client.threads.iter().enumerate() {
        let named = client.returns.get(index).and_then(Option::as_deref).unwrap_or_default();
        let is_pointer = named.trim_end().ends_with('*');
        let is_kept = is_pointer || is_number(named);
        let result = format!("{prefix}result{index}");
        if is_kept {
            let _ = writeln!(text, "static {named} {result};");
            let (format, value) = match is_pointer {
                true => ("%s", format!("{result} ? \"a pointer\" : \"NULL\"")),
                false => ("%ld", format!("(long){result}")),
            };
            let _ = writeln!(shown, "    printf(\"call {} returns {format} \", {value});", index + 1);
        }
        let kept = if is_kept { format!("{result} = ") } else { String::new() };
        for (name, kept) in [("thread", ""), ("prints", &kept)] {
            let head = format!("static void *{prefix}{name}{index}(void *unused)");
            let _ = write!(text, "{head}\n{{\n    (void)unused;\n    {kept}{call}\n    return NULL;\n}}\n");
        }
    }
    for makes in Makes::ALL {
        let name = if makes == Makes::Both { "thread" } else { "prints" };
        let create =
            |index: usize| format!("    pthread_create(&threads[{index}], NULL, {prefix}{name}{index}, NULL);\n");
        let join = |index: usize| format!("    pthread_join(threads[{index}], NULL);\n");
        let calls = match makes {
            Makes::Both | Makes::BothAndPrints => create(0) + &create(1) + &join(0) + &join(1),
            Makes::InOrder => create(0) + &join(0) + &create(1) + &join(1),
            Makes::InReverse => create(1) + &join(1) + &create(0) + &join(0),
        };
        let shown = if makes == Makes::Both { "" } else { &shown };
        let main = makes.name(number);
        let _ =
            write!(text, "int {main}(void)\n{{\n    pthread_t threads[2];\n{steps}{calls}{shown}    return 0;\n}}\n");
    }
}

/// Whether a type is one of the usual numbers.
fn is_number(named: &str) -> bool {
    const NAMES: [&str; 12] = [
        "int",
        "unsigned",
        "unsigned int",
        "long",
        "unsigned long",
        "size_t",
        "ssize_t",
        "short",
        "char",
        "bool",
        "_Bool",
        "int64_t",
    ];
    let named = named.trim();
    NAMES.contains(&named) || named.starts_with("int") && named.ends_with("_t") || named.starts_with("uint")
}

fn begin(text: &mut String, prelude: &Prelude) {
    text.push_str("#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n");
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
                let number = number + 1;
                let source = source.display();
                let _ = write!(text, "#define main main_of_test{number}\n#include \"{source}\"\n#undef main\n");
            }
        }
    }
}

fn body(text: &mut String, client: &Client, [main, one, other]: [String; 3]) {
    text.push('\n');
    for variable in &client.variables {
        text.push_str(&variable.text);
        text.push('\n');
    }
    for (name, call) in [&one, &other].into_iter().zip(&client.threads) {
        let _ = write!(
            text,
            "\nstatic void *{name}(void *unused)\n{{\n    (void)unused;\n    {call}\n    return NULL;\n}}\n"
        );
    }
    let _ = write!(text, "\nint {main}(void)\n{{\n");
    if !client.threads.is_empty() {
        text.push_str("    pthread_t threads[2];\n\n");
    }
    for line in client.before.iter().flat_map(|statement| &statement.lines) {
        let _ = writeln!(text, "    {line}");
    }
    if client.threads.is_empty() {
        text.push_str("    return 0;\n}\n");
        return;
    }
    if !client.before.is_empty() {
        text.push('\n');
    }
    for (number, name) in [&one, &other].into_iter().enumerate() {
        let _ = writeln!(text, "    pthread_create(&threads[{number}], NULL, {name}, NULL);");
    }
    text.push_str("    pthread_join(threads[0], NULL);\n    pthread_join(threads[1], NULL);\n    return 0;\n}\n");
}

/// Headers of test frameworks: a client needs none.
const FRAMEWORKS: [&str; 6] = ["check.h", "unity.h", "cmocka.h", "minunit.h", "assert.h", "unity_fixture.h"];

/// What a line includes, with its quotes or brackets.
fn included(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include").map(str::trim_start)
}

/// Whether a text includes a header of this name, wherever it lies.
pub(super) fn includes_header(text: &str, name: &str) -> bool {
    let is_it =
        |header: &str| header.get(1..).and_then(|rest| rest.split(['"', '>']).next()?.rsplit('/').next()) == Some(name);
    text.lines().filter_map(included).any(is_it)
}

/// The lines of a test that include headers; headers beside it are named by their whole path.
pub(super) fn includes(test: &Path, text: &str) -> Vec<String> {
    let beside = test.parent().unwrap_or(Path::new("."));
    let line = |line: &str| {
        let rest = included(line)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use synth::client::{Declaration, Statement};

    #[test]
    fn each_statement_is_a_function_and_each_order_a_main_function() {
        let statement = |line: &str| Statement { lines: vec![line.to_owned()], makes: None };
        let client = Client {
            variables: vec![Declaration { name: "q".to_owned(), text: "static struct queue *q;".to_owned() }],
            before: vec![statement("q = queue_new();"), statement("queue_add(q, 1);")],
            threads: vec!["queue_get(q);".to_owned(), "queue_clear(q);".to_owned()],
            returns: vec![Some("int".to_owned()), None],
            sources: Default::default(),
            tests: Default::default(),
            calls: 4,
        };
        let text = together(&[client.clone(), client], &Prelude::Headers(vec!["#include \"queue.h\"".to_owned()]));
        assert!(text.contains("static void raddle_client1_step1(void)\n{\n    queue_add(q, 1);\n}\n"), "{text}");
        assert!(text.contains("    raddle_client0_result0 = queue_get(q);\n"), "{text}");
        assert!(!text.contains("result1"), "`queue_clear` returns nothing");
        for makes in Makes::ALL {
            let (_, main) = text.split_once(&format!("int {}(void)\n", makes.name(1))).expect("a main function");
            let main = main.split_once("\n}\n").map_or(main, |(main, _)| main);
            let at = |word: &str| main.find(word).unwrap_or_else(|| panic!("{word} in {main}"));
            assert!(at("step0();") < at("step1();") && at("step1();") < at("pthread_create"), "{main}");
            let (first, second) = (at("pthread_create(&threads[0]"), at("pthread_create(&threads[1]"));
            let is_alone = at("pthread_join(threads[0]").max(at("pthread_join(threads[1]")) > first.max(second)
                && at("pthread_join(threads[0]").min(at("pthread_join(threads[1]")) < first.max(second);
            assert_eq!(
                (first < second, is_alone),
                match makes {
                    Makes::Both | Makes::BothAndPrints => (true, false),
                    Makes::InOrder => (true, true),
                    Makes::InReverse => (false, true),
                }
            );
        }
    }
}
