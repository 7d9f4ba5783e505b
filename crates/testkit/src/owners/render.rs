//! Libraries and tests as C.

use super::ast::{Kind, Library, Lock, Step, Test};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The files, and where steps stand.
pub struct Rendered {
    pub header: String,
    pub library: String,
    pub tests: Vec<String>,
    /// By function and step, the line in the library.
    pub lines: BTreeMap<(usize, usize), u32>,
}

/// Writes a library as `lib.h`, `lib.c` and its tests.
pub fn render(library: &Library) -> Rendered {
    let mut text = String::from("#include \"lib.h\"\n#include <pthread.h>\n#include <stdlib.h>\n\n");
    let mut header = String::from("struct box;\nstruct holder;\nstruct box *box_new(void);\n");
    let (lock, initial) = match library.shared_locks {
        true => ("rwlock", "PTHREAD_RWLOCK_INITIALIZER"),
        false => ("mutex", "PTHREAD_MUTEX_INITIALIZER"),
    };
    for number in 0..library.global_locks {
        let _ = writeln!(text, "static pthread_{lock}_t lock{number} = {initial};");
    }
    let members = format!("    pthread_{lock}_t m;\n    int v[2];\n");
    let _ = write!(text, "struct box {{\n{members}}};\n");
    let _ = write!(text, "struct holder {{\n{members}    struct box *inner;\n    struct holder *peer;\n}};\n\n");
    let begin = |object: &str| {
        format!("    pthread_{lock}_init(&{object}->m, NULL);\n    {object}->v[0] = 0;\n    {object}->v[1] = 0;\n")
    };
    let _ = write!(
        text,
        "struct box *box_new(void)\n{{\n    struct box *b = malloc(sizeof *b);\n{}    return b;\n}}\n\n",
        begin("b")
    );
    let (parameter, inner) = if library.wraps { ("struct box *b", "b") } else { ("void", "box_new()") };
    let _ = writeln!(header, "struct holder *holder_new({parameter});");
    let _ = write!(
        text,
        "struct holder *holder_new({parameter})\n{{\n    struct holder *h = malloc(sizeof *h);\n{}    \
         h->inner = {inner};\n    h->peer = h;\n    return h;\n}}\n",
        begin("h")
    );
    let mut lines = BTreeMap::new();
    for (number, function) in library.functions.iter().enumerate() {
        let parameters = function.parameters.iter().enumerate();
        let mut all: Vec<String> =
            parameters.map(|(index, kind)| format!("struct {} *p{index}", kind.name())).collect();
        all.extend(function.takes_number.then(|| "int number".to_owned()));
        let prototype = format!("void {}({})", function.name, all.join(", "));
        let _ = writeln!(header, "{prototype};");
        let _ = write!(text, "\n{prototype}\n{{\n");
        let mut next = function.parameters.len();
        for (at, step) in function.steps.iter().enumerate() {
            let taken = if library.shared_locks { "wrlock" } else { "lock" };
            let name = |lock: &Lock| match lock {
                Lock::Global(lock) => format!("&lock{lock}"),
                Lock::Of(variable) => format!("&p{variable}->m"),
            };
            let line = match step {
                Step::Acquire(held) => format!("pthread_{lock}_{taken}({});", name(held)),
                Step::AcquireShared(held) => format!("pthread_{lock}_rdlock({});", name(held)),
                Step::Release(held) => format!("pthread_{lock}_unlock({});", name(held)),
                Step::Follow(from, link) => {
                    next += 1;
                    format!("struct {} *p{} = p{from}->{};", link.leads_to().name(), next - 1, link.name())
                }
                Step::Set(target, link, source) => format!("p{target}->{} = p{source};", link.name()),
                Step::Read(object, member) => format!("(void)*(volatile int *)&p{object}->v[{member}];"),
                Step::Write(object, member) => format!("p{object}->v[{member}] = 7;"),
                Step::ReadAt(object) => format!("(void)*(volatile int *)&p{object}->v[number % 2 != 0];"),
                Step::WriteAt(object) => format!("p{object}->v[number % 2 != 0] = 7;"),
                Step::ReturnIfLess(least) => format!("if (number < {least}) return;"),
            };
            lines.insert((number, at), text.lines().count() as u32 + 1);
            let _ = writeln!(text, "    {line}");
        }
        text.push_str("}\n");
    }
    let tests = library.tests.iter().map(|test| render_test(library, test)).collect();
    Rendered { header, library: text, tests, lines }
}

fn render_test(library: &Library, test: &Test) -> String {
    let mut text = String::from("#include \"lib.h\"\n\nint main(void)\n{\n");
    let boxes: Vec<usize> = (0..test.objects.len()).filter(|&object| test.objects[object] == Kind::Box).collect();
    for (number, kind) in test.objects.iter().enumerate() {
        let given = match kind {
            Kind::Holder if library.wraps => format!("o{}", boxes[number % boxes.len()]),
            Kind::Box | Kind::Holder => String::new(),
        };
        let _ = writeln!(text, "    struct {0} *o{number} = {0}_new({given});", kind.name());
    }
    for call in &test.calls {
        let function = &library.functions[call.function];
        let mut given: Vec<String> = call.objects.iter().map(|object| format!("o{object}")).collect();
        given.extend(function.takes_number.then(|| call.number.to_string()));
        let _ = writeln!(text, "    {}({});", function.name, given.join(", "));
    }
    text.push_str("    return 0;\n}\n");
    text
}
