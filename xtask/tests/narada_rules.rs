//! What raddle derives from a test's run, step by step, beside what Narada (PLDI 2015) prints for its Figures 1, 2, 8 and 13: `H` as in Table
//! 1, `A` and `D`, and the calls that set a context.
//!
//! The paper abstracts from variables: `b := this` makes two of them aliases. Here a variable is the object that it leads to, so that aliases
//! are one entry: `a`, `this` and `b` of Table 1 are `I1`, `t` is `I1.x`.

use concurrency::{AccessKind, LockMode};
use machine::{Boundary, Config, Engine, External, Program, Weak};
use memory::{HeapRules, Limits, Memory, ObjId, ObjectKind, Pointer, Value};
use rules::paths::{Root, Sources};
use rules::settings::{CallId, Fact, Owner, Setting, Settings, facts, pointee_name};
use rules::trace::{Access, LibraryCall, Trace};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use xtask::engine::lower_file;

/// A test with its library, and what its calls did.
struct Ran {
    program: Arc<Program>,
    trace: Trace,
    /// The library's source.
    text: String,
}

impl Ran {
    /// The example of this name; of a test's source that is the library's client.
    fn of(example: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/narada");
        let scratch = tempfile::tempdir().expect("a directory");
        let whole = scratch.path().join("whole.c");
        let part = |name: &str| format!("#include \"{}\"\n", folder.join(name).display());
        std::fs::write(&whole, part(&format!("{example}.c")) + &part(&format!("{example}_test.c"))).expect("written");
        let module = lower_file(&whole, &["-w"]).expect("it compiles");
        let is_client = |id: ir::FuncId| {
            let file = module[id].file.map(|file| module[file].path.clone());
            file.is_some_and(|file| file.ends_with("_test.c"))
        };
        let boundary = Boundary::new(&module, is_client);
        let main = module.functions_named("main").next().expect("a main");
        let program = Arc::new(Program::new(module, 2).expect("a program"));
        let config = Config { external: External::Havoc, weak: Weak::Accept, ..Config::default() };
        let solver = smt::Solving::set_up(smt::Setup::default()).expect("a solver");
        let mut engine = Engine::new(Arc::clone(&program), solver, config);
        let limits = Limits { depth: 3, array: 2, rules: HeapRules::default() };
        let trace = Trace::of(&mut engine, (None, main), boundary, limits).expect("it runs");
        let text = std::fs::read_to_string(folder.join(format!("{example}.c"))).expect("read");
        Ran { program, trace, text }
    }

    /// The first call of a function.
    fn call(&self, name: &str) -> &LibraryCall {
        let is_it = |call: &&LibraryCall| self.program.module[call.function].name == name;
        self.trace.calls.iter().find(is_it).unwrap_or_else(|| panic!("{name} is called"))
    }

    /// The first line of the library that has this text.
    fn line(&self, text: &str) -> u32 {
        self.text.lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}")) as u32 + 1
    }

    /// Accesses of a call on a line to what others may have, in order.
    fn accesses<'r>(&'r self, call: &'r LibraryCall, text: &str) -> Vec<&'r Access> {
        let line = self.line(text);
        let memory = call.after.as_ref().expect("it returns");
        let is_there = |access: &&Access| {
            let at = explore::Position::of_site(&self.program, access.site);
            at.line == line && memory.object(access.range.object).kind != ObjectKind::Stack
        };
        call.accesses.iter().filter(is_there).collect()
    }

    fn facts(&self) -> Vec<Fact> {
        let module = &self.program.module;
        let of = |(call, known): (usize, &LibraryCall)| {
            let (before, after) = (Sources::before(module, known), Sources::after(module, known));
            facts(module, known.function, CallId { test: 0, call }, &before, &after)
        };
        self.trace.calls.iter().enumerate().flat_map(of).collect()
    }

    /// The calls of the ways in which a path can be set, by their names.
    fn sequences(&self, owner: &str, path: &[u64]) -> BTreeSet<Vec<String>> {
        let name = |fact: &Fact| {
            let call = &self.trace.calls[fact.by.call];
            self.program.module[call.function].name.clone()
        };
        let all = Settings::new(self.facts()).find(&Owner::Typed(owner.to_owned()), path);
        all.iter().map(|Setting { calls, .. }| calls.iter().map(|bound| name(&bound.fact)).collect()).collect()
    }
}

/// A field of an example's structure: its name, where it lies, and what it leads to, which is nothing if it is a number.
struct Field {
    of: &'static str,
    name: &'static str,
    offset: u64,
    to: &'static str,
}

/// `H`: by access path, whether its value is controllable, and whether a lock of the object that it leads to is held (`C` or `NC`, `L` or `U`).
type Heap = BTreeMap<String, &'static str>;

/// The abstraction of a call, label by label: its accesses have been made as far as they go.
struct Abstraction<'r> {
    ran: &'r Ran,
    call: &'r LibraryCall,
    sources: Sources,
    fields: &'r [Field],
    written: BTreeMap<(ObjId, u64), Value>,
    held: BTreeSet<ObjId>,
}

impl<'r> Abstraction<'r> {
    /// INVOKE: what the client gives is controllable and unlocked.
    fn new(ran: &'r Ran, call: &'r LibraryCall, fields: &'r [Field]) -> Self {
        let sources = Sources::before(&ran.program.module, call);
        Abstraction { ran, call, sources, fields, written: BTreeMap::new(), held: BTreeSet::new() }
    }

    /// Makes the accesses up to the end of a line.
    fn go_to(&mut self, text: &str) {
        let last = self.ran.line(text);
        for access in &self.call.accesses {
            let at = explore::Position::of_site(&self.ran.program, access.site);
            if at.line > last {
                break;
            }
            self.held = locked(access);
            if let (AccessKind::Write, Some(value)) = (access.kind, access.written) {
                self.written.insert((access.range.object, access.range.offset), value);
            }
        }
    }

    /// The value of a place: as it was before the call, or what the call has written.
    fn value(&self, object: ObjId, offset: u64) -> Option<Value> {
        let before: &Memory = &self.call.before;
        let place = Pointer { offset: offset as i64, ..Pointer::to(object) };
        let size = (before.object(object).size - offset).min(8);
        self.written.get(&(object, offset)).copied().or_else(|| before.peek(place, size))
    }

    /// The heap from the parameters on.
    fn heap(&self) -> Heap {
        let mut heap = Heap::new();
        for (index, argument) in self.call.arguments.iter().enumerate() {
            if let Value::Ptr(pointer) = argument {
                self.add(&format!("I{}", index + 1), (pointer.object, &self.class(index)), &mut heap);
            }
        }
        heap
    }

    /// What a parameter leads to.
    fn class(&self, parameter: usize) -> String {
        pointee_name(&self.ran.program.module, self.call.function, parameter)
    }

    fn add(&self, path: &str, (object, class): (ObjId, &str), heap: &mut Heap) {
        let is_known = !self.sources.of(object).is_empty();
        heap.insert(path.to_owned(), flags(is_known, self.held.contains(&object)));
        for field in self.fields.iter().filter(|field| field.of == class) {
            let path = format!("{path}.{}", field.name);
            match self.value(object, field.offset) {
                Some(Value::Ptr(pointer)) => self.add(&path, (pointer.object, field.to), heap),
                // A number is the client's until the library writes one.
                _ => drop(heap.insert(path, flags(!self.written.contains_key(&(object, field.offset)), false))),
            }
        }
    }

    /// `I1.x` for an object, and its class; none where no parameter leads to it (`⊥`).
    fn source(&self, object: ObjId) -> Option<(String, String)> {
        let mut ways = self.sources.of(object).iter();
        let (path, index) = ways.find_map(|path| match path.root {
            Root::Parameter(index) => Some((path, index)),
            Root::Global(_) | Root::Result => None,
        })?;
        let (mut text, mut class) = (format!("I{}", index + 1), self.class(index));
        for follow in &path.follows {
            let field = self.field(&class, follow.from);
            text += &format!(".{}", field.name);
            class = field.to.to_owned();
        }
        Some((text, class))
    }

    fn field(&self, class: &str, offset: u64) -> &Field {
        let is_it = |field: &&Field| field.of == class && field.offset == offset;
        self.fields.iter().find(is_it).unwrap_or_else(|| panic!("{class} + {offset}"))
    }

    /// `A` and `D` of an access: writeable, unprotected, and `LHS ← RHS`.
    fn access(&self, access: &Access) -> (bool, bool, String) {
        let owner = self.source(access.range.object);
        let place = owner.as_ref().map_or_else(
            || "⊥".to_owned(),
            |(path, class)| format!("{path}.{}", self.field(class, access.range.offset).name),
        );
        let value = match access.written {
            Some(Value::Ptr(pointer)) => self.source(pointer.object),
            _ => None,
        };
        let is_write = access.kind == AccessKind::Write;
        let writeable = is_write && owner.is_some() && value.is_some();
        let value = value.map_or_else(|| "⊥".to_owned(), |(path, _)| path);
        let summary = if is_write { format!("{place} ← {value}") } else { format!("⊥ ← {place}") };
        (writeable, owner.is_some() && !locked(access).contains(&access.range.object), summary)
    }
}

fn flags(is_controllable: bool, is_locked: bool) -> &'static str {
    match (is_controllable, is_locked) {
        (true, false) => "C,U",
        (true, true) => "C,L",
        (false, false) => "NC,U",
        (false, true) => "NC,L",
    }
}

/// The objects whose locks are held alone at an access.
fn locked(access: &Access) -> BTreeSet<ObjId> {
    access.held.iter().filter(|held| held.mode == LockMode::Exclusive).map(|held| held.place.object).collect()
}

const FIELDS: [Field; 4] = [
    Field { of: "A", name: "x", offset: 40, to: "X" },
    Field { of: "A", name: "y", offset: 48, to: "Y" },
    Field { of: "X", name: "o", offset: 0, to: "" },
    Field { of: "Z", name: "w", offset: 0, to: "X" },
];

fn heap(entries: &[(&str, &'static str)]) -> Heap {
    entries.iter().map(|(path, flags)| ((*path).to_owned(), *flags)).collect()
}

/// Table 1, `A` and `D` of Figure 8, which Figure 13 has as `foo`.
#[test]
fn figure_8_label_by_label() {
    let ran = Ran::of("figure13");
    let call = ran.call("a_foo");
    let mut at = Abstraction::new(&ran, call, &FIELDS);
    // 1: what the client gives.
    let first = heap(&[("I1", "C,U"), ("I1.x", "C,U"), ("I1.x.o", "C,U"), ("I2", "C,U")]);
    // The table has `a.y` from the first on, where it is null here.
    let with_y = |mut heap: Heap, flags| {
        heap.insert("I1.y".to_owned(), flags);
        heap
    };
    assert_eq!(at.heap(), with_y(first.clone(), "C,U"));
    // 2 and 3: the receiver is locked; `b` is another name of it.
    at.go_to("A *b = a;");
    let locked = heap(&[("I1", "C,L"), ("I1.x", "C,U"), ("I1.x.o", "C,U"), ("I2", "C,U")]);
    // 4: `t` is another name of `I1.x`.
    at.go_to("X *t = b->x;");
    assert_eq!(at.heap(), with_y(locked.clone(), "C,U"));
    // 5: what is written is the library's.
    at.go_to("t->o = rand();");
    let written = Heap::from_iter(locked.into_iter().chain([("I1.x.o".to_owned(), "NC,U")]));
    assert_eq!(at.heap(), with_y(written.clone(), "C,U"));
    // 6: what is written is the client's.
    at.go_to("b->y = y;");
    assert_eq!(at.heap(), with_y(written.clone(), "C,U"));
    // A and D.
    let of = |text: &str| match ran.accesses(call, text).as_slice() {
        [access] => at.access(access),
        other => panic!("{text}: {} accesses", other.len()),
    };
    assert_eq!(of("X *t = b->x;"), (false, false, "⊥ ← I1.x".to_owned()));
    assert_eq!(of("t->o = rand();"), (false, true, "I1.x.o ← ⊥".to_owned()));
    assert_eq!(of("b->y = y;"), (true, false, "I1.y ← I2".to_owned()));
    // 7: no access is left behind the unlock; whoever comes next begins with nothing held.
    let last = call.accesses.iter().map(|access| explore::Position::of_site(&ran.program, access.site).line).max();
    assert!(last.is_some_and(|line| line <= ran.line("b->y = y;") + 1), "{last:?}");
}

/// Figure 13: a field of a parameter is the source, and SET after SET makes the path lead to the client's own object.
#[test]
fn figure_13_baz_then_bar() {
    let ran = Ran::of("figure13");
    let at = |name: &str, text: &str| {
        let call = ran.call(name);
        let accesses = ran.accesses(call, text);
        let last = accesses.last().expect("it writes");
        Abstraction::new(&ran, call, &FIELDS).access(last)
    };
    assert_eq!(at("a_bar", "a->x = z->w;"), (true, true, "I1.x ← I2.w".to_owned()));
    assert_eq!(at("z_baz", "z->w = x;"), (true, true, "I1.w ← I2".to_owned()));
    let words = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    // Q(I.x) = baz.bar, and nothing else sets it.
    assert_eq!(ran.sequences("A", &[40]), BTreeSet::from([words(&["z_baz", "a_bar"])]));
    // Q(I.y) = foo, by its own write.
    assert_eq!(ran.sequences("A", &[48]), BTreeSet::from([words(&["a_foo"])]));
    assert_eq!(ran.sequences("Z", &[0]), BTreeSet::from([words(&["z_baz"])]));
}

/// Figure 1: `set` is writeable and protected, what `update` counts lies behind another object's lock.
#[test]
fn figure_1_set_and_update() {
    let ran = Ran::of("figure1");
    let fields = [
        Field { of: "struct lib", name: "c", offset: 40, to: "struct counter" },
        Field { of: "struct counter", name: "count", offset: 0, to: "" },
    ];
    let call = ran.call("lib_set");
    let set = ran.accesses(call, "void lib_set");
    let write = set.iter().rfind(|access| access.written.is_some_and(|value| matches!(value, Value::Ptr(_))));
    let at = Abstraction::new(&ran, call, &fields);
    assert_eq!(at.access(write.expect("it writes")), (true, false, "I1.c ← I2".to_owned()));
    let call = ran.call("lib_update");
    let at = Abstraction::new(&ran, call, &fields);
    let count: Vec<_> = ran.accesses(call, "static void inc").into_iter().map(|access| at.access(access)).collect();
    let read = (false, true, "⊥ ← I1.c.count".to_owned());
    assert_eq!(count, [read, (false, true, "I1.c.count ← ⊥".to_owned())]);
    assert_eq!(ran.sequences("struct lib", &[40]), BTreeSet::from([vec!["lib_set".to_owned()]]));
}

/// Figure 2: a constructor is a setter of what it returns (RETURN).
#[test]
fn figure_2_what_a_constructor_sets() {
    let ran = Ran::of("figure2");
    let offset = 48;
    let of_result: Vec<Fact> = ran.facts().into_iter().filter(|fact| fact.is_result).collect();
    let [fact] = of_result.as_slice() else { panic!("{of_result:?}") };
    assert_eq!((fact.path.as_slice(), fact.source, fact.source_path.as_slice()), (&[offset][..], 0, &[][..]));
    assert_eq!(ran.sequences("struct wbq", &[offset]), BTreeSet::from([vec!["safe_new".to_owned()]]));
}
