//! The command that builds a test.

use super::plan::Plan;
use crate::format::ProgramRef;
use std::path::{Path, PathBuf};

/// What the linker sends to the test's hooks.
pub(super) const WRAPPED: &str = "main __tsan_read1 __tsan_read2 __tsan_read4 __tsan_read8 __tsan_read16 __tsan_write1 \
    __tsan_write2 __tsan_write4 __tsan_write8 __tsan_write16 __tsan_unaligned_read2 __tsan_unaligned_read4 \
    __tsan_unaligned_read8 __tsan_unaligned_read16 __tsan_unaligned_write2 __tsan_unaligned_write4 \
    __tsan_unaligned_write8 __tsan_unaligned_write16 __tsan_memcpy __tsan_memmove __tsan_memset memcpy memmove memset \
    memcmp strlen strcmp strncmp strcpy strcat strncat strncpy stpcpy strchr strrchr strchrnul strstr strcasestr strspn \
    strcspn strpbrk strcasecmp strncasecmp strnlen memchr memrchr memmem strdup strndup strtok strtok_r strsep bcmp bzero \
    strtol strtoul atoi rand random rand_r time clock clock_gettime gettimeofday getenv getpid malloc calloc aligned_alloc \
    memalign posix_memalign realloc free abort __assert_fail exit _exit _Exit usleep sleep nanosleep \
    pthread_create pthread_join pthread_exit pthread_once pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock \
    pthread_mutex_trylock pthread_mutex_unlock pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock \
    pthread_rwlock_wrlock pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_unlock pthread_cond_init \
    pthread_cond_destroy pthread_cond_wait pthread_cond_signal pthread_cond_broadcast thrd_create thrd_join thrd_detach \
    thrd_exit thrd_sleep mtx_init mtx_destroy mtx_lock mtx_trylock mtx_unlock cnd_init cnd_destroy cnd_wait cnd_signal \
    cnd_broadcast call_once pthread_spin_init pthread_spin_destroy pthread_spin_lock pthread_spin_trylock \
    pthread_spin_unlock pthread_mutex_timedlock pthread_mutex_clocklock pthread_rwlock_timedrdlock \
    pthread_rwlock_timedwrlock mtx_timedlock pthread_cond_timedwait cnd_timedwait sem_init sem_destroy sem_wait sem_trywait \
    sem_timedwait sem_post sem_getvalue pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait \
    pthread_tryjoin_np pthread_timedjoin_np pthread_key_create pthread_key_delete pthread_getspecific pthread_setspecific \
    tss_create tss_delete tss_get tss_set __tsan_func_entry";

/// What asks the system, where the witness has answers. A call of theirs is no step.
const OF_SYSTEM: &str = "isatty sched_getcpu setpriority mlockall mlock sched_setaffinity pthread_setaffinity_np \
    sched_setscheduler pthread_setschedparam getrlimit fopen open access stat lstat";

/// Whether a witness has an answer of the system's.
pub(super) fn asks_system(plan: &Plan) -> bool {
    plan.witness.inputs.iter().any(|input| {
        // `main.1:isatty#2`, `file:/etc/passwd`
        let parts = input.name.split(['#', '.', ':']);
        parts.clone().any(|part| part == "file" || OF_SYSTEM.split_whitespace().any(|name| name == part))
    })
}

/// Whether a function of the C library comes by a hook.
pub(super) fn has_hook(function: &str) -> bool {
    WRAPPED.split_whitespace().any(|name| name == function)
}

const ATOMIC: &str =
    "load store exchange fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_nand compare_exchange_val";

/// What every part of a test is compiled with. `x++` reads and writes: without the last option the read is not instrumented.
const COMMON: &str = "-g -O0 -w -pthread -fsanitize=thread -mllvm -tsan-instrument-read-before-write";

/// The program that a test is built into: it lies beside the test.
pub fn program_of(test: &Path) -> PathBuf {
    let test = std::path::absolute(test).unwrap_or_else(|_| test.to_owned());
    match test.extension() {
        Some(_) => test.with_extension(""),
        None => test.with_extension("out"),
    }
}

/// `clang-22 FLAGS TEST SOURCES -o PROGRAM`, for a shell; where sources have flags of their own, a command for each of them,
/// one for the test, and one that links.
pub(super) fn build(plan: &Plan, output_path: &Path, includes: &[PathBuf]) -> String {
    let test = std::path::absolute(output_path).unwrap_or_else(|_| output_path.to_owned());
    let program = program_of(output_path);
    let program_ref = &plan.witness.program;
    let (test, program) = (test.to_string_lossy().into_owned(), program.to_string_lossy().into_owned());
    if !program_ref.own.is_empty() {
        return build_apart(plan, &test, &program, includes);
    }
    let mut words = compiler(includes, &program_ref.flags, &program_ref.directory);
    words.push(hooks(plan));
    words.push(test);
    words.extend(plan.separate.iter().map(|s| (*s).to_owned()));
    words.push("-o".to_owned());
    words.push(program);
    for_shell(&words)
}

fn build_apart(plan: &Plan, test: &str, program: &str, includes: &[PathBuf]) -> String {
    let program_ref = &plan.witness.program;
    let mut commands = Vec::new();
    let mut objects = Vec::new();
    // The test itself needs flags only for the source that is part of it.
    let of_test = plan.included.first().map(|source| program_ref.flags_of(source));
    let parts = plan.separate.iter().map(|source| (*source, Some(program_ref.flags_of(source))));
    for (number, (source, how)) in [(test, of_test)].into_iter().chain(parts).enumerate() {
        let object = format!("{program}.{number}.o");
        let (flags, directory) = how.unwrap_or((&[], ""));
        let mut words = compiler(includes, flags, directory);
        words.extend(["-c", source, "-o", &object].map(str::to_owned));
        let command = for_shell(&words);
        commands.push(match directory {
            "" => command,
            directory => format!("(cd {} && {command})", quoted(directory)),
        });
        objects.push(object);
    }
    let mut words = vec!["clang-22".to_owned()];
    words.extend(COMMON.split(' ').map(str::to_owned));
    words.push(hooks(plan));
    words.extend(objects);
    for (flags, directory) in program_ref.sources.iter().map(|source| program_ref.flags_of(source)) {
        let linking = |flag: &String| ["-l", "-L", "-Wl,"].iter().any(|prefix| flag.starts_with(prefix));
        for flag in user_flags(flags, directory).into_iter().filter(linking) {
            if !words.contains(&flag) {
                words.push(flag);
            }
        }
    }
    words.extend(["-o".to_owned(), program.to_owned()]);
    commands.push(for_shell(&words));
    commands.join(" && ")
}

/// The command that builds a client of a program; some of its sources are included.
pub(super) fn build_client(program: &ProgramRef, included: &[String], output: &Path, includes: &[PathBuf]) -> String {
    let output = std::path::absolute(output).unwrap_or_else(|_| output.to_owned());
    let (flags, directory) = match included.first() {
        Some(first) => program.flags_of(first),
        None => (program.flags.as_slice(), program.directory.as_str()),
    };
    let mut words = compiler(includes, flags, directory);
    words.push(output.to_string_lossy().into_owned());
    words.extend(program.sources.iter().filter(|source| !included.contains(source)).cloned());
    words.push("-o".to_owned());
    words.push(output.with_extension("").to_string_lossy().into_owned());
    for_shell(&words)
}

/// The compiler with a user's flags and what a test needs.
fn compiler(includes: &[PathBuf], flags: &[String], directory: &str) -> Vec<String> {
    let mut words: Vec<String> = vec!["clang-22".to_owned()];
    words.extend(includes.iter().flat_map(|dir| ["-I".to_owned(), dir.to_string_lossy().into_owned()]));
    words.extend(user_flags(flags, directory));
    words.extend(COMMON.split(' ').map(str::to_owned));
    words
}

fn hooks(plan: &Plan) -> String {
    format!("-Wl,{}", wrapped(plan).iter().map(|n| format!("--wrap={n}")).collect::<Vec<_>>().join(","))
}

fn for_shell(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn wrapped(plan: &Plan) -> Vec<String> {
    let atomic = plan
        .atomic_sizes
        .iter()
        .flat_map(|size| ATOMIC.split(' ').map(move |name| format!("__tsan_atomic{}_{name}", size * 8)));
    let system = OF_SYSTEM.split_whitespace().filter(|_| asks_system(plan));
    WRAPPED.split_whitespace().chain(system).map(str::to_owned).chain(atomic).collect()
}

/// The user's flags without those that ask for another output or other code. Paths that were typed relative to a
/// directory are made absolute: the test is built wherever it lies.
fn user_flags(flags: &[String], directory: &str) -> Vec<String> {
    let absolute = |path: &str| Path::new(directory).join(path).to_string_lossy().into_owned();
    let mut kept = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        match flag.as_str() {
            "-o" => {
                flags.next();
            }
            "-c" | "-S" | "-E" | "-emit-llvm" | "--coverage" | "-coverage" | "-s" | "-Wl,-s" => {}
            f if ["-O", "-fsanitize", "-fprofile", "-flto", "-g0"].iter().any(|prefix| f.starts_with(prefix)) => {}
            // One that is not there is looked for where headers are.
            "-include" | "-imacros" => {
                kept.push(flag.clone());
                let found = |path: &String| Path::new(directory).join(path).exists();
                kept.extend(flags.next().map(|path| if found(path) { absolute(path) } else { path.clone() }));
            }
            "-I" | "-L" | "-isystem" | "-iquote" | "-idirafter" => {
                kept.push(flag.clone());
                kept.extend(flags.next().map(|path| absolute(path)));
            }
            f => match ["-I", "-L"].iter().find_map(|prefix| Some((prefix, f.strip_prefix(prefix)?))) {
                Some((prefix, path)) => kept.push(format!("{prefix}{}", absolute(path))),
                None => kept.push(f.to_owned()),
            },
        }
    }
    kept
}

/// Ends the macros that the user's flags define: they are meant for the program, and might hit the test's own names.
pub(super) fn undefined(plan: &Plan) -> String {
    let program = &plan.witness.program;
    let flags = match plan.included.first() {
        Some(source) => program.flags_of(source).0,
        None => &program.flags,
    };
    let following =
        flags.iter().zip(flags.iter().skip(1)).filter(|(flag, _)| *flag == "-D").map(|(_, next)| next.as_str());
    let joined = flags.iter().filter_map(|flag| flag.strip_prefix("-D"));
    let name = |definition: &str| definition.split(['=', '(']).next().unwrap_or_default().to_owned();
    // Names that begin with an underscore are for the C library's headers.
    let mut names: Vec<String> =
        joined.chain(following).map(name).filter(|n| !n.is_empty() && !n.starts_with('_')).collect();
    names.sort();
    names.dedup();
    names.iter().map(|name| format!("#undef {name}\n")).collect()
}

/// A word for a POSIX shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,+:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_shell() {
        assert_eq!(quoted("-DX=1"), "-DX=1");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    /// What is wrapped has a hook, and what has a hook is wrapped.
    #[test]
    fn each_hook_is_wrapped() {
        let hooks = [super::super::HOOKS, super::super::ENVIRONMENT].concat();
        let hooks = hooks.as_str();
        let names = |pattern: &str| -> Vec<String> {
            let word =
                |rest: &str| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().map(str::to_owned);
            hooks.split(pattern).skip(1).filter_map(word).collect()
        };
        // In front of a comma the result comes first: the name is the second word.
        let second = |line: &str| line.split(", ").nth(1).map(str::to_owned);
        let of_hook = hooks
            .lines()
            .filter(|l| l.starts_with("RADDLE_HOOK(") || l.starts_with("RADDLE_ON_ALLOCATION("))
            .filter_map(second);
        let mut hooked: Vec<String> = [
            "RADDLE_ON_ACCESS(",
            "RADDLE_ON_LOCK(",
            "RADDLE_ON_INIT(",
            "RADDLE_ON_DESTROY(",
            "RADDLE_ON_SPIN(",
            "RADDLE_ON_LIMIT(",
            "RADDLE_ON_RWLOCK_LIMIT(",
            "RADDLE_ON_CLOCK(",
        ]
        .into_iter()
        .chain(["RADDLE_C11(", "RADDLE_NUMBER(", "__wrap_"])
        .flat_map(names)
        .chain(of_hook)
        .filter(|name| !name.is_empty() && name != "name" && name != "NAME")
        .collect();
        hooked.push("main".to_owned());
        hooked.sort();
        hooked.dedup();
        let mut wrapped: Vec<&str> = WRAPPED.split_whitespace().collect();
        wrapped.sort_unstable();
        assert_eq!(wrapped, hooked);
    }

    #[test]
    fn flags_against_the_test_are_left_out() {
        let flags =
            ["-O2", "-DX=1", "-o", "x.o", "-c", "-lm", "-fsanitize=address", "-std=c11", "-Iinclude", "-I", "/a"];
        assert_eq!(
            user_flags(&flags.map(str::to_owned), "/src"),
            ["-DX=1", "-lm", "-std=c11", "-I/src/include", "-I", "/a"]
        );
    }
}
