//! The readers. One entry of [`TARGETS`] is all that a further one takes.

use super::subprocess::{beside, ended, lowered, run};
use super::{Reader, Seen, Target};
use anyhow::{Context, bail};
use std::fs;
use std::path::{Path, PathBuf};

pub(super) const TARGETS: &[Target] = &[
    Target { name: "witness", prepare: witness },
    Target { name: "toml", prepare: toml },
    Target { name: "rir", prepare: rir },
    Target { name: "ir-text", prepare: ir_text },
    Target { name: "cache", prepare: cache },
    Target { name: "ll", prepare: |scratch| llvm(scratch, "ll") },
    Target { name: "bc", prepare: |scratch| llvm(scratch, "bc") },
    Target { name: "part", prepare: part },
    Target { name: "done", prepare: done },
];

/// A reader in this process.
struct InProcess<F> {
    seeds: Vec<Vec<u8>>,
    read: F,
}

impl<F: FnMut(&[u8]) -> Seen> Reader for InProcess<F> {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn read(&mut self, input: &[u8]) -> anyhow::Result<Seen> {
        Ok((self.read)(input))
    }
}

/// A program with most of what modules hold, and failures to make witnesses of.
const PROGRAM: &str = "#include <pthread.h>\n#include <stdlib.h>\nstruct node { int key; struct node *next; \
                       pthread_mutex_t lock; };\nstatic pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = \
                       PTHREAD_MUTEX_INITIALIZER;\nint shared; struct node *head;\nvoid insert(struct node *h, int key) {\n \
                       struct node *n = h->next;\n  if (n && n->key < key)\n    n->key = key;\n}\nstatic void *worker(void \
                       *arg) {\n  pthread_mutex_lock(&b);\n  pthread_mutex_lock(&a);\n  shared += arg != 0;\n  \
                       pthread_mutex_unlock(&a);\n  pthread_mutex_unlock(&b);\n  return arg;\n}\nint main(void) {\n  pthread_t \
                       t;\n  pthread_create(&t, 0, worker, &shared);\n  shared = 3;\n  pthread_mutex_lock(&a);\n  \
                       pthread_mutex_lock(&b);\n  pthread_mutex_unlock(&b);\n  pthread_mutex_unlock(&a);\n  pthread_join(t, \
                       0);\n  return 0;\n}\n";

/// Lowers [`PROGRAM`] in `scratch`; the bytes of the module.
fn module(scratch: &Path) -> anyhow::Result<Vec<u8>> {
    fs::write(scratch.join("program.c"), PROGRAM)?;
    let output = run(&beside("raddle-frontend")?, &["compile", "--output", "program.rir", "program.c"], scratch)?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(fs::read(scratch.join("program.rir"))?)
}

/// Witness files: their format, and what they say of a program.
fn witness(scratch: &Path) -> anyhow::Result<Box<dyn Reader>> {
    let module = ir::binary::read(&module(scratch)?)?;
    let raddle = beside("raddle")?;
    let mut seeds = Vec::new();
    for (out, arguments) in [("c", ["check", "program.c", "--out", "c"]), ("r", ["races", "program.c", "--out", "r"])] {
        ended(&run(&raddle, &arguments, scratch)?, &[10]).map_err(anyhow::Error::msg)?;
        for entry in fs::read_dir(scratch.join(out))? {
            let path = entry?.path();
            if path.to_string_lossy().ends_with(".witness.json") {
                seeds.push(fs::read(path)?);
            }
        }
    }
    // The order of a directory is nobody's.
    seeds.sort();
    let read = move |input: &[u8]| {
        let text = String::from_utf8_lossy(input);
        match ::witness::Witness::parse(&text) {
            Err(error) if error.to_string().is_empty() => Seen::Wrong("refused without a word".to_owned()),
            Err(_) => Seen::Refused,
            Ok(witness) => {
                // As `raddle test` does: after the fingerprint, which a mutated file rarely changes.
                let emitted = ::witness::emit::emit_test(&witness, Path::new("test.c"), &[], None);
                let read = ::witness::read_witness(&module, &witness);
                if read.is_ok() && !emitted.source.is_empty() { Seen::Accepted } else { Seen::Refused }
            }
        }
    };
    Ok(Box::new(InProcess { seeds, read }))
}

/// `raddle.toml`, by a source that does not exist: it is read before.
fn toml(scratch: &Path) -> anyhow::Result<Box<dyn Reader>> {
    struct Toml {
        seeds: Vec<Vec<u8>>,
        raddle: PathBuf,
        directory: PathBuf,
    }
    impl Reader for Toml {
        fn seeds(&self) -> &[Vec<u8>] {
            &self.seeds
        }

        fn read(&mut self, input: &[u8]) -> anyhow::Result<Seen> {
            fs::write(self.directory.join("raddle.toml"), input)?;
            let output = run(&self.raddle, &["races", "missing.c", "--format", "json"], &self.directory)?;
            let text = String::from_utf8_lossy(&output.stdout);
            Ok(match ended(&output, &[1, 2]) {
                Err(why) => Seen::Wrong(why),
                // What it asks for may be more than there is: three threads.
                Ok(_) if text.contains("\"missing_file\"") || text.contains("\"unsupported_threads\"") => {
                    Seen::Accepted
                }
                Ok(_) if text.contains("\"kind\": \"config\"") && text.contains("raddle.toml") => Seen::Refused,
                Ok(_) => Seen::Wrong(format!("neither read nor refused: {text}")),
            })
        }
    }
    let full = "operations = [\"f\", \"a.c:g\"]\nvalid = \"ok\"\nglobals = \"initial\"\n[bounds]\ndepth = 4\narray = 3\n\
                unroll = 9\nthreads = 2\npreemptions = 0\n[shapes]\nshare_owners = true\n[parameters]\nprivate = [\"f.p\"]\n[[suppress]]\nkind = \
                \"data_race\"\nplace = \"a.c:3:4\"\nfield = \"node.next[0]\"\nfunction = \"f\"\nreason = \"known\"\n";
    let small = "[[suppress]]\nplace = \"a.c:3\"\nreason = \"\"\"\nlong\n\"\"\"\n";
    let seeds = [full, small, ""].map(|text| text.as_bytes().to_vec()).to_vec();
    Ok(Box::new(Toml { seeds, raddle: beside("raddle")?, directory: scratch.to_owned() }))
}

/// The IR's binary format, and its verifier.
fn rir(scratch: &Path) -> anyhow::Result<Box<dyn Reader>> {
    let read = |input: &[u8]| match ir::binary::read(input) {
        Ok(module) if ir::verify::verify(&module).is_ok() => {
            // What the verifier accepts can be printed.
            if ir::text::print(&module).is_empty() { Seen::Refused } else { Seen::Accepted }
        }
        Ok(_) | Err(_) => Seen::Refused,
    };
    Ok(Box::new(InProcess { seeds: vec![module(scratch)?], read }))
}

/// The IR's text format: what is read prints as something that reads as the same.
fn ir_text(scratch: &Path) -> anyhow::Result<Box<dyn Reader>> {
    let text = ir::text::print(&ir::binary::read(&module(scratch)?)?);
    let read = |input: &[u8]| match ir::text::parse(&String::from_utf8_lossy(input)) {
        Err(_) => Seen::Refused,
        Ok(module) if ir::verify::verify(&module).is_err() => Seen::Refused,
        Ok(module) => match ir::text::parse(&ir::text::print(&module)) {
            Ok(again) if again == module => Seen::Accepted,
            Ok(_) => Seen::Wrong("prints as another module".to_owned()),
            Err(error) => Seen::Wrong(format!("prints as what does not parse: {error}")),
        },
    };
    Ok(Box::new(InProcess { seeds: vec![text.into_bytes()], read }))
}

/// Entries of the front end's cache: a damaged one counts as absent.
fn cache(scratch: &Path) -> anyhow::Result<Box<dyn Reader>> {
    struct Cache {
        seeds: Vec<Vec<u8>>,
        frontend: PathBuf,
        directory: PathBuf,
        entry: PathBuf,
        module: Vec<u8>,
    }
    const COMPILE: [&str; 6] = ["compile", "--output", "program.rir", "--cache", "entries", "program.c"];
    impl Reader for Cache {
        fn seeds(&self) -> &[Vec<u8>] {
            &self.seeds
        }

        fn read(&mut self, input: &[u8]) -> anyhow::Result<Seen> {
            fs::write(&self.entry, input)?;
            let output = run(&self.frontend, &COMPILE, &self.directory)?;
            Ok(match ended(&output, &[0]) {
                Err(why) => Seen::Wrong(why),
                Ok(_) if fs::read(self.directory.join("program.rir"))? != self.module => {
                    Seen::Wrong("a damaged entry was taken for whole".to_owned())
                }
                Ok(_) if self.seeds.iter().any(|seed| seed == input) => Seen::Accepted,
                Ok(_) => Seen::Refused,
            })
        }
    }
    fs::write(scratch.join("program.c"), PROGRAM)?;
    let frontend = beside("raddle-frontend")?;
    ended(&run(&frontend, &COMPILE, scratch)?, &[0]).map_err(anyhow::Error::msg)?;
    let entry = fs::read_dir(scratch.join("entries"))?.next().context("the front end kept nothing")??.path();
    let module = fs::read(scratch.join("program.rir"))?;
    let seeds = vec![fs::read(&entry)?];
    Ok(Box::new(Cache { seeds, frontend, directory: scratch.to_owned(), entry, module }))
}

/// LLVM assembly or bitcode, in a process of its own as always.
fn llvm(scratch: &Path, extension: &'static str) -> anyhow::Result<Box<dyn Reader>> {
    struct Llvm {
        seeds: Vec<Vec<u8>>,
        frontend: PathBuf,
        directory: PathBuf,
        input: &'static str,
    }
    impl Reader for Llvm {
        fn seeds(&self) -> &[Vec<u8>] {
            &self.seeds
        }

        fn read(&mut self, input: &[u8]) -> anyhow::Result<Seen> {
            fs::write(self.directory.join(self.input), input)?;
            let output = run(&self.frontend, &["compile", "--output", "input.rir", self.input], &self.directory)?;
            let seen = lowered(&output);
            if matches!(seen, Seen::Accepted) {
                let module = ir::binary::read(&fs::read(self.directory.join("input.rir"))?)?;
                // Damaged debug information makes types that do not hold together; the engine says so and ends.
                if ir::verify::verify(&module).is_err() {
                    return Ok(Seen::Refused);
                }
            }
            Ok(seen)
        }
    }
    fs::write(scratch.join("program.c"), PROGRAM)?;
    let (flag, input) = if extension == "ll" { ("-S", "input.ll") } else { ("-c", "input.bc") };
    let arguments = ["-g", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", flag, "program.c", "-o", input];
    let output = run(Path::new("clang-22"), &arguments, scratch)?;
    ended(&output, &[0]).map_err(anyhow::Error::msg)?;
    let seeds = vec![fs::read(scratch.join(input))?];
    Ok(Box::new(Llvm { seeds, frontend: beside("raddle-frontend")?, directory: scratch.to_owned(), input }))
}

/// What [`part`] divides: no race, and more orders than are explored in a moment.
const ENDLESS_COUNTING: &str = "#include <pthread.h>\nstatic _Atomic int turns;\nstatic void *count(void *arg) {\n  for \
                                (int i = 0; i < 9; i++)\n    turns++;\n  return arg;\n}\nint main(void) {\n  pthread_t t[3];\n  \
                                for (int i = 0; i < 3; i++)\n    pthread_create(&t[i], 0, count, 0);\n  for (int i = 0; i < 3; \
                                i++)\n    pthread_join(t[i], 0);\n  return 0;\n}\n";

/// Parts of searches. Those whose checksum is wrong are refused at once, so each gets the right one.
fn part(scratch: &Path) -> anyhow::Result<Box<dyn Reader>> {
    struct Part {
        seeds: Vec<Vec<u8>>,
        raddle: PathBuf,
        directory: PathBuf,
        path: PathBuf,
        /// What comes before what is to be done.
        header: Vec<u8>,
    }
    impl Reader for Part {
        fn seeds(&self) -> &[Vec<u8>] {
            &self.seeds
        }

        fn read(&mut self, input: &[u8]) -> anyhow::Result<Seen> {
            let mut bytes = [&*self.header, input].concat();
            let checksum = blake3::hash(&bytes);
            bytes.extend(checksum.as_bytes());
            fs::write(&self.path, bytes)?;
            let part = self.path.display().to_string();
            let output = run(&self.raddle, &["work", &part, "--for", "0", "--workers", "1"], &self.directory)?;
            for entry in fs::read_dir(self.directory.join("out/parts"))? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "done") {
                    fs::remove_file(path)?;
                }
            }
            Ok(match ended(&output, &[0, 1, 2]) {
                // The last line asks for a report; what went wrong is said before.
                Err(why) => Seen::Wrong(format!("{why}; {}", String::from_utf8_lossy(&output.stderr))),
                Ok(0) => Seen::Accepted,
                Ok(_) => Seen::Refused,
            })
        }
    }
    let raddle = divided(scratch)?;
    let files = files_of(scratch, "part")?;
    let seeds = files.iter().map(|(_, _, content)| content.clone()).collect();
    let (path, header, _) = files.into_iter().next().context("no part")?;
    Ok(Box::new(Part { seeds, raddle, directory: scratch.to_owned(), path, header }))
}

/// Results of parts, as [`part`].
fn done(scratch: &Path) -> anyhow::Result<Box<dyn Reader>> {
    struct Done {
        seeds: Vec<Vec<u8>>,
        raddle: PathBuf,
        directory: PathBuf,
        name: PathBuf,
        header: Vec<u8>,
    }
    impl Reader for Done {
        fn seeds(&self) -> &[Vec<u8>] {
            &self.seeds
        }

        fn read(&mut self, input: &[u8]) -> anyhow::Result<Seen> {
            let out = self.directory.join("out");
            // What was gathered before is no part of this.
            fs::remove_dir_all(&out)?;
            let copied = run(Path::new("cp"), &["-a", "base", "out"], &self.directory)?;
            ended(&copied, &[0]).map_err(anyhow::Error::msg)?;
            let mut bytes = [&*self.header, input].concat();
            let checksum = blake3::hash(&bytes);
            bytes.extend(checksum.as_bytes());
            fs::write(out.join("parts").join(&self.name), bytes)?;
            let gather = ["gather", "out", "--workers", "1", "--max-time", "1", "--no-remedies"];
            let output = run(&self.raddle, &gather, &self.directory)?;
            let said = String::from_utf8_lossy(&output.stderr);
            Ok(match ended(&output, &[0, 2, 5, 10]) {
                Err(why) => Seen::Wrong(format!("{why}; {said}")),
                Ok(_) if said.contains("counts for nothing") => Seen::Refused,
                Ok(2) => Seen::Refused,
                Ok(_) => Seen::Accepted,
            })
        }
    }
    let raddle = divided(scratch)?;
    for (path, ..) in files_of(scratch, "part")? {
        let part = path.display().to_string();
        let work = ["work", &part, "--for", "0", "--workers", "1"];
        ended(&run(&raddle, &work, scratch)?, &[0]).map_err(anyhow::Error::msg)?;
    }
    let files = files_of(scratch, "done")?;
    for (path, ..) in &files {
        fs::remove_file(path)?;
    }
    let copied = run(Path::new("cp"), &["-a", "out", "base"], scratch)?;
    ended(&copied, &[0]).map_err(anyhow::Error::msg)?;
    let seeds = files.iter().map(|(_, _, content)| content.clone()).collect();
    let (path, header, _) = files.into_iter().next().context("no result")?;
    let name = PathBuf::from(path.file_name().context("a name")?);
    Ok(Box::new(Done { seeds, raddle, directory: scratch.to_owned(), name, header }))
}

/// Divides a search in `scratch`; the program that did.
fn divided(scratch: &Path) -> anyhow::Result<PathBuf> {
    fs::write(scratch.join("program.c"), ENDLESS_COUNTING)?;
    let raddle = beside("raddle")?;
    let check = ["check", "program.c", "--strategy", "dpor", "--out", "out", "--max-time", "1", "--workers", "1"];
    ended(&run(&raddle, &check, scratch)?, &[5]).map_err(anyhow::Error::msg)?;
    ended(&run(&raddle, &["split", "out", "-n", "3"], scratch)?, &[0]).map_err(anyhow::Error::msg)?;
    Ok(raddle)
}

/// A file's place, header and contents.
type PartFile = (PathBuf, Vec<u8>, Vec<u8>);

/// The files of parts of this kind, by their contents.
fn files_of(scratch: &Path, kind: &str) -> anyhow::Result<Vec<PartFile>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(scratch.join("out/parts"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == kind) {
            let bytes = fs::read(&path)?;
            let end = bytes.iter().position(|&byte| byte == b'\n').context("a file without a header")? + 1;
            files.push((path, bytes[..end].to_vec(), bytes[end..bytes.len() - blake3::OUT_LEN].to_vec()));
        }
    }
    // The order of a directory is nobody's.
    files.sort_by(|one, other| one.2.cmp(&other.2));
    Ok(files)
}
