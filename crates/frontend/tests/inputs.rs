//! The command line: inputs, failures, several files, cache.

mod support;

use support::{Folder, function, read};

const TWO: &str = "int two(void) { return 2; }\n";

#[test]
fn a_syntax_error_keeps_clangs_message_and_position() {
    let folder = Folder::new(&[("lib/bad.c", "int f(void)\n{\n    return missing;\n}\n")]);
    let ran = folder.run(&["compile", "--output", "o.rir", "lib/bad.c"]);
    let failure = ran.fails("compile", "lib/bad.c:3:12: error: use of undeclared identifier 'missing'");
    assert_eq!((failure["file"].as_str(), failure["line"].as_u64()), (Some("lib/bad.c"), Some(3)));
    assert!(!folder.path("o.rir").exists());
}

#[test]
fn an_error_in_a_header_names_the_header() {
    let folder = Folder::new(&[("a.c", "#include \"a.h\"\n"), ("inc/a.h", "\nint x\nint y;\n")]);
    let failure =
        folder.run(&["compile", "--output", "o.rir", "--include", "inc", "a.c"]).fails("compile", "expected ';'");
    assert_eq!((failure["file"].as_str(), failure["line"].as_u64()), (Some("inc/a.h"), Some(2)));
}

#[test]
fn inputs_that_are_no_sources() {
    let folder = Folder::new(&[("x.cpp", ""), ("x.cc", ""), ("k.cu", ""), ("m.rs", ""), ("d.c/x", ""), ("n", "")]);
    let run = |source: &str| folder.run(&["compile", "--output", "o.rir", source]);
    let failure = run("none.c").fails("missing_file", "none.c: no such file");
    assert_eq!(failure["file"], "none.c");
    run("d.c").fails("missing_file", "is a directory");
    run("x.cpp").fails("unsupported_source", "C++ is not supported yet");
    run("x.cc").fails("unsupported_source", "C++");
    run("k.cu").fails("unsupported_source", "CUDA");
    run("m.rs").fails("unsupported_source", "Rust");
    run("n").fails("unsupported_source", "extension");
    folder.run(&["compile", "--output", "o.rir"]).fails("usage", "no source");
    folder.run(&["compile", "x.c"]).fails("usage", "--output");
    folder.run(&["compile", "--frobnicate"]).fails("usage", "--frobnicate");
}

#[test]
fn bitcode_is_read_when_it_is_ours_and_whole() {
    let folder = Folder::new(&[("t.c", TWO)]);
    folder.clang(&["-g", "-c", "-emit-llvm", "t.c", "-o", "t.bc"]);
    let module = folder.compile(&["t.bc"]);
    assert_eq!(function(&module, "two").blocks.len(), 1);
    let bytes = std::fs::read(folder.path("t.bc")).expect("bitcode");
    for length in [0, 3, 4, 16, 60, bytes.len() / 2, bytes.len() - 4] {
        folder.write("cut.bc", &bytes[..length]);
        let failure = folder.run(&["compile", "--output", "o.rir", "cut.bc"]).fails("bitcode_damaged", "cut.bc");
        assert_eq!(failure["file"], "cut.bc", "{length} bytes");
    }
    folder.write("text.bc", b"int main;");
    folder.run(&["compile", "--output", "o.rir", "text.bc"]).fails("bitcode_damaged", "no LLVM bitcode");
}

/// One number of the file was changed by a fuzzer; LLVM makes a table of that many entries, of 16 GiB, for it.
#[test]
fn damaged_bitcode_does_not_take_all_memory() {
    let folder = Folder::new(&[]);
    folder.write("large.bc", include_bytes!("inputs/large_number.bc"));
    folder.run(&["compile", "--output", "o.rir", "large.bc"]).fails("lower", "LLVM crashed");
}

/// As above; LLVM counts up to that number.
#[test]
fn damaged_bitcode_does_not_take_all_time() {
    let folder = Folder::new(&[]);
    folder.write("endless.bc", include_bytes!("inputs/endless.bc"));
    folder.run(&["compile", "--output", "o.rir", "endless.bc"]).fails("lower", "LLVM comes to no end");
}

/// Replaces bits that spell `from` in LLVM's six-bit characters.
fn respell(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    const CHAR6: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    let spell = |text: &str| -> Vec<u8> {
        text.chars()
            .flat_map(|c| (0..6).map(move |i| (CHAR6.find(c).expect("a six-bit character") >> i & 1) as u8))
            .collect()
    };
    let mut bits: Vec<u8> = bytes.iter().flat_map(|b| (0..8).map(move |i| b >> i & 1)).collect();
    let (from, to) = (spell(from), spell(to));
    let at = bits.windows(from.len()).position(|w| w == from).expect("the producer");
    bits[at..at + to.len()].copy_from_slice(&to);
    bits.chunks(8).map(|b| b.iter().enumerate().fold(0, |byte, (i, bit)| byte | bit << i)).collect()
}

#[test]
fn bitcode_of_another_version_is_refused() {
    let folder = Folder::new(&[("t.c", TWO)]);
    folder.clang(&["-c", "-emit-llvm", "t.c", "-o", "t.bc"]);
    let bytes = std::fs::read(folder.path("t.bc")).expect("bitcode");
    for other in ["LLVM23", "LLVM14"] {
        folder.write("other.bc", &respell(&bytes, "LLVM22", other));
        let ran = folder.run(&["compile", "--output", "o.rir", "other.bc"]);
        let failure = ran.fails("bitcode_version", &format!("written by {}", other.replace("LLVM", "LLVM ")));
        assert_eq!(failure["file"], "other.bc");
    }
}

#[test]
fn assembly_errors_have_a_position() {
    let folder = Folder::new(&[("t.ll", "define i32 @f() {\n  ret i64 0\n}\n")]);
    let failure = folder.run(&["compile", "--output", "o.rir", "t.ll"]).fails("compile", "t.ll:2:7: error:");
    assert_eq!((failure["file"].as_str(), failure["line"].as_u64()), (Some("t.ll"), Some(2)));
}

#[test]
fn static_functions_and_variables_of_two_files_keep_their_names() {
    let a =
        "static int n = 1;\nstatic int get(void) { return n++; }\nint a(void) { static int k; return get() + k++; }\n";
    let b = "static int n = 2;\nstatic int get(void) { return n--; }\nint a(void);\nint main(void) { return a() + get(); }\n";
    let folder = Folder::new(&[("a.c", a), ("sub/b.c", b)]);
    let module = folder.compile(&["a.c", "sub/b.c"]);
    let getters: Vec<_> = module.functions_named("get").map(|id| &module[id]).collect();
    let files: Vec<_> = getters.iter().map(|f| module[f.file.expect("a file")].path.as_str()).collect();
    assert_eq!(files, ["a.c", "sub/b.c"]);
    assert!(getters.iter().all(|f| !f.external));
    let firsts: Vec<u8> = module
        .globals
        .iter()
        .filter(|g| g.name == "n")
        .map(|g| match &g.init {
            ir::Init::Data { bytes, .. } => bytes[0],
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(firsts, [1, 2]);
    assert_eq!(module.globals.iter().filter(|g| g.name == "a.k").count(), 1);
    // The declaration in b.c and the definition in a.c are one function.
    assert_eq!(module.functions_named("a").count(), 1);
}

#[test]
fn two_definitions_are_a_link_error() {
    let folder = Folder::new(&[("a.c", TWO), ("b.c", TWO)]);
    let failure = folder.run(&["compile", "--output", "o.rir", "a.c", "b.c"]).fails("link", "`two`");
    assert!(failure["message"].as_str().is_some_and(|m| m.contains("a.c") && m.contains("b.c")), "{failure}");
}

#[test]
fn sources_of_all_languages_link() {
    let main = "int two(void); int three(void);\nint main(void) { return two() + three(); }\n";
    let three = "define i32 @three() {\n  ret i32 3\n}\n";
    let folder = Folder::new(&[("main.c", main), ("two.c", TWO), ("three.ll", three)]);
    folder.clang(&["-c", "-emit-llvm", "two.c", "-o", "two.bc"]);
    let module = folder.compile(&["main.c", "two.bc", "three.ll"]);
    assert!(module.functions.iter().all(|f| !f.is_declaration()));
}

#[test]
fn warnings_pass_and_optimisation_is_refused_with_a_notice() {
    let folder = Folder::new(&[("t.c", "int f(int *p) { int unused; return *p + *p; }\n")]);
    let ran = folder.run(&["compile", "--output", "o.rir", "t.c", "--", "-Wall", "-O2"]);
    assert_eq!(ran.output.status.code(), Some(0));
    assert!(ran.stderr.contains("notice: `-O2` is ignored"), "{}", ran.stderr);
    assert!(ran.stderr.contains("t.c:1:21: warning: unused variable 'unused'"), "{}", ran.stderr);
    let module = read(&folder.path("o.rir"));
    let loads = support::ops(function(&module, "f")).filter(|op| matches!(op, ir::Op::Load { .. })).count();
    assert_eq!(loads, 2);
}

#[test]
fn include_folders_and_macros_reach_clang() {
    let source = "#include <raddle_test.h>\nint f(void) { return FROM_HEADER + FROM_FLAG; }\n";
    let folder = Folder::new(&[("t.c", source), ("i/raddle_test.h", "#define FROM_HEADER 1\n")]);
    folder.compile(&["--include", "i", "t.c", "--", "-DFROM_FLAG=2"]);
}

#[test]
fn the_cache_answers_only_what_it_was_asked() {
    let folder =
        Folder::new(&[("t.c", "#include \"t.h\"\nint f(void) { int w; return N; }\n"), ("t.h", "#define N 1\n")]);
    let entries = || std::fs::read_dir(folder.path("cache")).map_or(0, Iterator::count);
    let run = |flags: &[&str]| {
        let ran =
            folder.run(&[&["compile", "--cache", "cache", "--output", "o.rir", "t.c", "--", "-Wall"], flags].concat());
        assert_eq!(ran.output.status.code(), Some(0), "{}", ran.stderr);
        assert!(ran.stderr.contains("unused variable"), "warnings are repeated: {}", ran.stderr);
        read(&folder.path("o.rir"))
    };
    let first = run(&[]);
    assert_eq!((run(&[]), entries()), (first.clone(), 1));
    run(&["-DOTHER"]);
    assert_eq!(entries(), 2);
    // A header counts through the preprocessed text, a moved line through its line markers.
    folder.write("t.h", b"#define N 2\n");
    assert_ne!(run(&[]), first);
    folder.write("t.c", b"#include \"t.h\"\n\nint f(void) { int w; return N; }\n");
    run(&[]);
    assert_eq!(entries(), 4);
}

#[test]
fn a_damaged_cache_entry_is_made_again() {
    let folder = Folder::new(&[("t.c", TWO)]);
    let module = folder.compile(&["--cache", "cache", "t.c"]);
    let entry =
        std::fs::read_dir(folder.path("cache")).expect("cache").next().expect("an entry").expect("readable").path();
    let whole = std::fs::read(&entry).expect("entry");
    for damaged in [&whole[..whole.len() / 2], b"", b"something else entirely, and long enough to hold a hash"] {
        std::fs::write(&entry, damaged).expect("damage");
        assert_eq!(folder.compile(&["--cache", "cache", "t.c"]), module);
        assert_eq!(std::fs::read(&entry).expect("entry"), whole);
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_a_notice() {
    let folder = Folder::new(&[("t.c", TWO), ("file", "")]);
    let ran = folder.run(&["compile", "--cache", "file/cache", "--output", "o.rir", "t.c"]);
    assert_eq!(ran.output.status.code(), Some(0));
    assert!(ran.stderr.contains("notice: nothing is cached"), "{}", ran.stderr);
    read(&folder.path("o.rir"));
}

#[test]
fn the_output_is_the_same_each_time() {
    let source = "struct s { struct s *n; int a[3]; }; static struct s x, y = { &x, { 1 } };\n\
                  int f(struct s *p, int k) { for (int i = 0; i < k; i++) p->a[i] += y.a[0]; return p->n->a[1]; }\n";
    let folder = Folder::new(&[("t.c", source)]);
    folder.compile(&["t.c"]);
    let first = std::fs::read(folder.path("out.rir")).expect("output");
    folder.compile(&["t.c"]);
    assert_eq!(std::fs::read(folder.path("out.rir")).expect("output"), first);
}

#[test]
fn versions_for_doctor() {
    let ran = Folder::new(&[]).run(&["version"]);
    assert_eq!(ran.output.status.code(), Some(0));
    let versions: serde_json::Value = serde_json::from_slice(&ran.output.stdout).expect("JSON");
    assert!(versions["llvm"].as_str().is_some_and(|v| v.starts_with("22.")), "{versions}");
    assert!(versions["clang"].as_str().is_some_and(|v| v.contains("clang version 22")), "{versions}");
}

#[test]
fn clang_is_missed_by_name() {
    // Debian's folder is looked into as well; where that has clang, an empty PATH changes nothing.
    let folder = Folder::new(&[("t.c", TWO)]);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_raddle-frontend"))
        .args(["compile", "--output", "o.rir", "t.c"])
        .current_dir(folder.path(""))
        .env("PATH", "")
        .output()
        .expect("raddle-frontend starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if !std::path::Path::new("/usr/lib/llvm-22/bin/clang-22").exists() {
        support::Ran { output, stderr }.fails("clang_missing", "apt install clang-22");
    } else {
        assert_eq!(output.status.code(), Some(0), "{stderr}");
    }
}

#[test]
fn of_targets_with_short_pointers_only_i386_is_known() {
    let text = |triple: &str| {
        format!(
            "target datalayout = \"e-m:e-p:32:32\"\ntarget triple = \"{triple}\"\ndefine void @f() {{\n  ret void\n}}\n"
        )
    };
    let folder = Folder::new(&[("arm.ll", &text("armv7-linux-gnueabihf")), ("i386.ll", &text("i386-pc-linux-gnu"))]);
    folder.run(&["compile", "--output", "o.rir", "arm.ll"]).fails("lower", "armv7-linux-gnueabihf");
    assert_eq!(folder.compile(&["i386.ll"]).pointer, ir::PointerSize::Four);
}

#[test]
fn sources_have_flags_of_their_own() {
    let folder = Folder::new(&[
        ("a.c", "int a = N;\n#ifdef M\n#error both\n#endif\n"),
        ("below/b.c", "int b = M;\n#ifdef N\n#error both\n#endif\n"),
        ("below/flags", "-DM=7"),
    ]);
    let below = folder.path("below").display().to_string();
    let sources = |first| {
        ["--cache", "kept", "--own", "1", first, "a.c", "--in", &below, "--own", "1", "@flags", "below/b.c", "--"]
    };
    // The second run finds what the first has kept; another flag of one source is another program.
    for (flag, bytes) in [("-DN=3", 3), ("-DN=3", 3), ("-DN=4", 4)] {
        let module = folder.compile(&sources(flag));
        let value = |name: &str| match &support::global(&module, name).init {
            ir::Init::Data { bytes, .. } => bytes[0],
            other => panic!("{other:?}"),
        };
        assert_eq!((value("a"), value("b")), (bytes, 7));
        assert!(module.files.iter().any(|file| file.path == "below/b.c"), "{:?}", module.files);
    }
    let own = ["--own", "2", "-DN=1", "-m32", "a.c", "--own", "1", "-DM=1", "below/b.c"];
    folder.run(&[&["compile", "--output", "o.rir"][..], &own].concat()).fails("link", "a program has one target");
}

/// The front end gets a signal when it has begun to read.
fn killed_by(signal: &str) -> support::Ran {
    let folder = Folder::new(&[]);
    let pipe = folder.path("t.ll");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts");
    assert!(made.success());
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_raddle-frontend"))
        .args(["compile", "--output", "o.rir", "t.ll"])
        .current_dir(folder.path(""))
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("raddle-frontend starts");
    // Opening for writing waits for the reader, which has its signal handlers by then.
    let writer = std::fs::OpenOptions::new().write(true).open(&pipe).expect("the pipe");
    let killed =
        std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill starts");
    assert!(killed.success());
    let output = child.wait_with_output().expect("the child ends");
    drop(writer);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    support::Ran { output, stderr }
}

#[test]
fn a_crash_is_reported() {
    for signal in ["-SEGV", "-TRAP", "-ABRT"] {
        killed_by(signal).fails("lower", "crashed");
    }
}
