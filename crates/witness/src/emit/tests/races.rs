//! Data races.

use super::programs::{
    C11, CALLED, CALLER, CONDITION, EXITS, FLAG, FREED, GLOBALS, LOOP, LOST_UPDATE, READY, RELAXED, SKIP_LIST,
};
use super::*;
use StepKind::{Call, Load, Store, Update, Wake};

#[test]
fn skip_list_of_listing_2() {
    let p = Program::new("skip-list", SKIP_LIST);
    let mut witness = p.race(
        Command::Races,
        [p.access(0, "write", "write", "="), p.access(1, "read", "read", "prev[1]->next[0]")],
        vec![
            p.call(0, "init", "pthread_mutex_init"),
            p.call(0, "lock", "pthread_mutex_lock"),
            p.step(0, Store, "write", "="),
            p.step(1, Load, "read", "prev[1]->next[0]"),
        ],
    );
    let args = |key| {
        vec![argument("h", "struct node *", to(0)), argument("k", "int", number(key)), argument("v", "int", number(0))]
    };
    witness.operations = vec![p.operation("insert", false, args(2)), p.operation("insert", false, args(5))];
    witness.heap.objects = vec![
        object("N1", "struct node", 64, vec![cell(48, 8, ".next[0]", to(1))]),
        object("N2", "struct node", 64, vec![cell(0, 4, ".key", number(5))]),
    ];
    p.shows_race(&witness);
}

/// Both threads read before either writes.
fn lost_update(p: &Program) -> Witness {
    let mut witness = p.race(
        Command::Check,
        [p.access(1, "read", "count", "++"), p.access(2, "write", "count", "++")],
        vec![p.step(1, Load, "count", "++"), p.step(2, Load, "count", "++"), p.step(2, Store, "count", "++")],
    );
    for step in &mut witness.schedule {
        step.thread_name = format!("main.{}", step.thread);
    }
    witness
}

#[test]
fn an_update_is_lost() {
    let p = Program::new("lost-update", LOST_UPDATE);
    let witness = lost_update(&p);
    p.shows_race(&witness);
}

#[test]
fn after_two_switches() {
    let p = Program::new("ready", READY);
    let mut witness = p.race(
        Command::Races,
        [p.access(1, "read", "read", "data"), p.access(0, "write", "write", "=")],
        vec![
            p.call(0, "put_lock", "pthread_mutex_lock"),
            p.call(0, "put_unlock", "pthread_mutex_unlock"),
            p.call(1, "get_lock", "pthread_mutex_lock"),
            p.call(1, "get_unlock", "pthread_mutex_unlock"),
            p.step(1, Load, "read", "data"),
            p.step(0, Store, "write", "="),
        ],
    );
    let shared = || argument("b", "struct box *", to(0));
    witness.operations = vec![
        p.operation("put", false, vec![shared(), argument("value", "int", number(9))]),
        p.operation("get", false, vec![shared()]),
    ];
    witness.heap.objects = vec![object("N1", "struct box", 48, vec![])];
    p.shows_race(&witness);
    // The accesses need not be steps.
    witness.failure.accesses.reverse();
    witness.schedule.truncate(4);
    p.shows_race(&witness);
    // What both do under the lock is no race.
    let mut locked = witness.clone();
    locked.failure.accesses = vec![p.access(0, "write", "ready", "="), p.access(1, "read", "see", "ready;")];
    p.ends(&locked, 0, "nothing happened");
    // The lock of the reader comes first, and it sees nothing.
    witness.schedule.rotate_left(2);
    p.ends(&witness, 0, "nothing happened");
}

#[test]
fn free_and_read() {
    let p = Program::new("freed", FREED);
    let mut witness = p.race(
        Command::Races,
        [p.access(0, "free", "free", "free"), p.access(1, "read", "read", "value;")],
        vec![
            p.call(1, "read_lock", "pthread_mutex_lock"),
            p.call(1, "read_unlock", "pthread_mutex_unlock"),
            p.call(0, "drop_lock", "pthread_mutex_lock"),
            p.call(0, "drop_unlock", "pthread_mutex_unlock"),
            p.step(0, Store, "free", "free"),
            p.step(1, Load, "read", "value;"),
        ],
    );
    let shared = || vec![argument("l", "struct list *", to(0))];
    witness.operations = vec![p.operation("drop", false, shared()), p.operation("read_first", false, shared())];
    witness.heap.objects = vec![
        object("N1", "struct list", 48, vec![cell(40, 8, ".first", to(1))]),
        object("N2", "struct node", 16, vec![]),
    ];
    p.shows_race(&witness);
    witness.schedule.swap(4, 5);
    witness.failure.accesses.reverse();
    p.shows_race(&witness);
}

#[test]
fn second_iteration() {
    let p = Program::new("loop", LOOP);
    let mut witness = p.race(
        Command::Races,
        [p.access(0, "read", "read", "value"), p.access(1, "write", "write", "+=")],
        vec![p.step(0, Load, "read", "value"), p.step(0, Load, "read", "value"), p.step(1, Store, "write", "+=")],
    );
    let shared = || argument("n", "struct node *", to(0));
    witness.operations = vec![
        p.operation("sum", false, vec![shared()]),
        // The type of `by` has no name outside of the source, which therefore becomes part of the test.
        p.operation("bump", false, vec![shared(), argument("by", "number", number(2))]),
    ];
    witness.heap.objects = vec![
        object("N1", "struct node", 16, vec![cell(8, 8, ".next", to(1))]),
        object("N2", "struct node", 16, vec![]),
    ];
    p.shows_race(&witness);
}

#[test]
fn static_operation_and_c11_mutex() {
    let p = Program::new("static", C11);
    let mut witness = p.race(
        Command::Races,
        [p.access(0, "write", "value", "++"), p.access(1, "read", "value", "++")],
        vec![
            p.call(0, "lock", "mtx_lock"),
            p.step(0, Load, "value", "++"),
            p.step(0, Store, "value", "++"),
            p.step(1, Load, "value", "++"),
        ],
    );
    let args = |locked| vec![argument("c", "struct counter *", to(0)), argument("locked", "int", number(locked))];
    witness.operations = vec![p.operation("bump", true, args(1)), p.operation("bump", true, args(0))];
    let mut counter = object("N1", "struct counter", 48, vec![]);
    counter.locks.push((".lock".to_owned(), "mtx_t".to_owned()));
    witness.heap.objects = vec![counter];
    p.shows_race(&witness);
}

#[test]
fn c11_threads() {
    let p = Program::new("c11", C11);
    let mut once_done = p.call(1, "init", "mtx_init");
    once_done.action = "completes once once".to_owned();
    let witness = p.race(
        Command::Check,
        [p.access(1, "write", "value", "++"), p.access(2, "write", "value", "++")],
        vec![
            p.call(1, "once", "call_once"),
            p.call(1, "init", "mtx_init"),
            once_done,
            p.call(2, "once", "call_once"),
            p.step(2, Load, "value", "++"),
            p.call(1, "lock", "mtx_lock"),
            p.step(1, Load, "value", "++"),
            p.step(1, Store, "value", "++"),
            p.step(2, Store, "value", "++"),
        ],
    );
    p.shows_race(&named(witness));
}

/// Names the threads of a program whose `main` creates all others.
fn named(mut witness: Witness) -> Witness {
    let name = |number: u32| if number == 0 { "main".to_owned() } else { format!("main.{number}") };
    witness.schedule.iter_mut().for_each(|s| s.thread_name = name(s.thread));
    witness.failure.accesses.iter_mut().for_each(|a| a.thread_name = name(a.thread));
    witness
}

#[test]
fn globals_functions_strings() {
    let p = Program::new("globals", GLOBALS);
    let mut witness = p.race(
        Command::Races,
        [p.access(0, "write", "write", "="), p.access(1, "read", "read", "state")],
        vec![p.step(1, Load, "read", "state"), p.step(0, Store, "write", "=")],
    );
    witness.operations = vec![
        p.operation("run", false, vec![]),
        p.operation(
            "length",
            false,
            vec![
                argument("s", "const char *", to(2)),
                argument("scale", "double", number(0.5f64.to_bits())),
                argument("n", "short", number(0xfffd)),
            ],
        ),
    ];
    let mut current = object("current", "struct task *", 8, vec![cell(0, 8, "", to(1))]);
    (current.global, current.is_static) = (true, true);
    let text = vec![cell(0, 1, "[0]", number(97)), cell(1, 1, "[1]", number(98)), cell(2, 1, "[2]", number(0))];
    let mut string = object("N2", "char", 3, text);
    string.count = 3;
    witness.heap.objects = vec![
        current,
        object("N1", "struct task", 16, vec![cell(0, 8, ".step", CellValue::Function("advance".to_owned()))]),
        string,
    ];
    p.shows_race(&witness);
}

#[test]
fn condition_variable() {
    let p = Program::new("condition", CONDITION);
    let witness = p.race(
        Command::Check,
        [p.access(1, "read", "read", "data"), p.access(0, "write", "write", "=")],
        vec![
            p.call(1, "lock", "pthread_mutex_lock"),
            p.call(1, "wait", "pthread_cond_wait"),
            p.call(0, "main_lock", "pthread_mutex_lock"),
            p.call(0, "signal", "pthread_cond_signal"),
            p.call(0, "main_unlock", "pthread_mutex_unlock"),
            p.step(1, Wake, "wait", "pthread_cond_wait"),
            p.step(1, Load, "read", "data"),
            p.step(0, Store, "write", "="),
        ],
    );
    p.shows_race(&named(witness));
}

#[test]
fn relaxed_atomics() {
    let p = Program::new("relaxed", RELAXED);
    let mut witness = p.race(
        Command::Check,
        [p.access(0, "write", "write", "="), p.access(1, "read", "read", "data")],
        vec![
            p.step(0, Store, "write", "="),
            p.step(1, Update, "ticket", "atomic_fetch_add_explicit"),
            p.step(0, Store, "store", "atomic_store_explicit"),
            p.step(1, Load, "load", "atomic_load_explicit"),
            p.step(1, Load, "read", "data"),
        ],
    );
    for (step, size) in witness.schedule.iter_mut().zip([4, 8, 4, 4, 4]) {
        step.size = size;
    }
    p.shows_race(&named(witness));
}

#[test]
fn a_thread_stops_at_the_next_access_that_is_a_step() {
    let p = Program::new("flag", FLAG);
    let mut witness = p.race(
        Command::Check,
        [p.access(2, "write", "write", "="), p.access(1, "write", "write", "=")],
        vec![p.step(2, Load, "test", "done"), p.step(1, Load, "test", "done")],
    );
    // To set the flag is a step too; the schedule does not come to it.
    let set = p.at("set", "=");
    let access = "write".to_owned();
    witness.visible_sites = vec![AccessSite { file: set.file, line: set.line, column: set.column, access }];
    p.shows_race(&named(witness));
}

#[test]
fn two_sources_in_old_c() {
    let caller = Program::new("caller", CALLER);
    let p = Program::new("called", CALLED);
    let step = |thread, kind, mark: &str, code| {
        let mut step = p.step(thread, kind, mark, code);
        step.thread_name = (thread + 1).to_string();
        step
    };
    let mut witness = p.race(
        Command::Races,
        [p.access(0, "write", "copy", "memcpy"), p.access(1, "read", "found", "key ==")],
        vec![
            step(0, Call, "replace_lock", "pthread_rwlock_wrlock"),
            step(0, Call, "replace_unlock", "pthread_rwlock_unlock"),
            step(1, Call, "find_lock", "pthread_rwlock_rdlock"),
            step(0, Store, "copy", "memcpy"),
        ],
    );
    witness.program.sources = vec![caller.path(), p.path()];
    // A macro of the program must not hit the test's own names.
    let flags = ["-std=gnu89", "-pedantic-errors", "-Dme=1", "-D", "size=2", "-Dat(x)=x"];
    witness.program.flags = flags.map(str::to_owned).to_vec();
    witness.operations = vec![
        p.operation("replace", false, vec![argument("e", "const struct entry *", to(0))]),
        p.operation("find", false, vec![argument("key", "int", number(0xffff_fff9))]),
    ];
    let mut uses = object("uses", "int", 4, vec![cell(0, 4, "", number(1))]);
    (uses.global, uses.is_static) = (true, true);
    let mut last = object("find.last", "int", 4, vec![cell(0, 4, "", number(1))]);
    (last.global, last.is_static) = (true, true);
    witness.heap.objects = vec![object("N1", "struct entry", 28, vec![]), uses, last];
    p.shows_race(&witness);
    // Another value leads to the other element of the table.
    witness.heap.objects[1].cells[0].value = number(2);
    p.ends(&witness, 0, "nothing happened");
}

#[test]
fn ends_of_threads_and_processes() {
    let p = Program::new("exits", EXITS);
    let race = [p.access(1, "write", "write", "="), p.access(0, "read", "read", "data")];
    let witness =
        p.race(Command::Check, race.clone(), vec![p.step(1, Store, "write", "="), p.step(0, Load, "read", "data")]);
    p.shows_race(&named(witness));
    let other = [race[0].clone(), p.access(2, "write", "write", "=")];
    let steps = vec![p.step(1, Store, "write", "="), p.step(0, Load, "read", "data"), p.step(2, Store, "write", "=")];
    p.shows_race(&named(p.race(Command::Check, other, steps)));
    let steps = vec![p.step(0, Load, "read", "data"), p.step(1, Store, "write", "=")];
    p.ends(&named(p.race(Command::Check, [race[1].clone(), race[1].clone()], steps)), 0, "nothing happened");
}

#[test]
fn a_schedule_of_another_program() {
    let p = Program::new("other", LOST_UPDATE);
    // Ordered by the join: there is nothing to report on the way.
    let race = || [p.access(1, "write", "count", "++"), p.access(0, "read", "check", "count")];
    let steps = |last: u32| {
        let step = |thread| p.step(thread, Call, "count", "++");
        vec![step(1), step(last)]
    };
    p.ends(&named(p.race(Command::Check, race(), steps(2))), 3, "the schedule was not reached");
    p.ends(&named(p.race(Command::Check, race(), steps(3))), 3, "the schedule was not reached");
}

#[test]
fn built_otherwise() {
    let p = Program::new("otherwise", LOST_UPDATE);
    let race = [p.access(1, "write", "count", "++"), p.access(2, "write", "count", "++")];
    let test = p.emit(&named(p.race(Command::Check, race, vec![])));
    for part in [" -fsanitize=thread", " -g", "--wrap=__tsan_write4,", "--wrap=pthread_join,", "--wrap=main,"] {
        assert!(test.build.contains(part), "{part} in {}", test.build);
        let output = p.shell(&test.build.replacen(part, if part.starts_with('-') { "" } else { " " }, 1));
        assert!(!output.status.success(), "builds without {part}");
    }
    assert!(!p.shell(&test.build.replace("-O0", "-O1")).status.success(), "builds with -O1");
    assert!(p.shell(&test.build.replacen(" -mllvm -tsan-instrument-read-before-write", "", 1)).status.success());
    let (code, stderr) = p.run();
    assert_eq!(code, Some(3), "{stderr}");
}

/// Each source of a program is compiled with its own flags, in its own directory, the test with those of the source that is
/// part of it.
#[test]
fn sources_with_flags_of_their_own() {
    let p = Program::new("own-flags", LOST_UPDATE);
    let mut witness = lost_update(&p);
    let other = p.directory.join("other.c");
    std::fs::write(&other, "#ifndef OTHER\n#error flags\n#endif\nint other;\n").expect("a source");
    std::fs::write(p.directory.join("own.flags"), "-DOTHER").expect("flags");
    witness.program.sources.push(other.to_string_lossy().into_owned());
    let own = |flag: &str| SourceFlags {
        directory: p.directory.to_string_lossy().into_owned(),
        flags: vec![flag.to_owned(), "-lm".to_owned()],
    };
    witness.program.own = vec![own("-DFIRST"), own("@own.flags")];
    p.shows_race(&witness);
    let build = p.emit(&witness).build;
    assert_eq!(
        (build.matches("-DFIRST").count(), build.matches("@own.flags").count(), build.matches(" && ").count()),
        (1, 1, 5)
    );
    assert_eq!(conflict(&witness), None);
    // Two static functions make both sources part of the test, which has one list of flags.
    witness.operations = vec![p.operation("f", true, vec![]), p.operation("g", true, vec![])];
    assert_eq!(conflict(&witness), None);
    witness.operations[1].file = "other.c".to_owned();
    let sources = &witness.program.sources;
    assert_eq!(conflict(&witness), Some((sources[0].as_str(), sources[1].as_str())));
    assert!(
        p.emit(&Witness { operations: vec![p.operation("f", true, vec![])], ..witness })
            .build
            .matches("-DFIRST")
            .count()
            == 1
    );
}
