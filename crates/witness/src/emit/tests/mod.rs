//! Witnesses written by hand, built with clang and run: ThreadSanitizer has to name the two lines, each time.

mod failures;
mod programs;
mod races;

use super::machinery::{self, Occurring};
use super::{EmittedTest, conflict, emit_test, parse_report};
use crate::format::{
    AccessInfo, AccessSite, ArgumentValue, CellValue, Command, Failure, Heap, HeapCell, HeapObject, InputValue,
    OperationCall, ProgramRef, SCHEMA, ScheduleStep, Settings, SourceFlags, SourcePosition, StepKind, Witness,
};
use std::path::PathBuf;
use std::process::Output;

/// How often each test program runs. One run would do if nothing were left to chance.
const RUNS: usize = 3;

/// A program in a directory of its own, which goes away with it.
struct Program {
    directory: PathBuf,
    source: String,
}

impl Drop for Program {
    fn drop(&mut self) {
        if std::env::var_os("KEEP").is_none() {
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }
}

impl Program {
    fn new(name: &str, source: &str) -> Program {
        let directory = std::env::temp_dir().join(format!("raddle-emit-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a temporary directory");
        std::fs::write(directory.join("program.c"), source).expect("the program");
        Program { directory, source: source.to_owned() }
    }

    fn path(&self) -> String {
        self.directory.join("program.c").to_string_lossy().into_owned()
    }

    /// Where `code` stands on the line that ends with `// mark` or `/* mark */`.
    fn at(&self, mark: &str, code: &str) -> SourcePosition {
        let ends = [format!("// {mark}"), format!("/* {mark} */")];
        let (index, line) = self
            .source
            .lines()
            .enumerate()
            .find(|(_, l)| ends.iter().any(|end| l.ends_with(end)))
            .unwrap_or_else(|| panic!("no {mark}"));
        let column = line.find(code).unwrap_or_else(|| panic!("no {code} in {line}")) + 1;
        SourcePosition {
            file: self.path(),
            line: index as u32 + 1,
            column: column as u32,
            function: "f".to_owned(),
            assembly: false,
            stack: vec![format!("f program.c:{}:{column}", index + 1)],
        }
    }

    fn step(&self, thread: u32, kind: StepKind, mark: &str, code: &str) -> ScheduleStep {
        ScheduleStep {
            thread,
            thread_name: String::new(),
            action: format!("does {code}"),
            kind,
            size: 0,
            object: None,
            touches: None,
            position: self.at(mark, code),
            library: None,
            picks: Vec::new(),
        }
    }

    fn call(&self, thread: u32, mark: &str, code: &str) -> ScheduleStep {
        self.step(thread, StepKind::Call, mark, code)
    }

    fn access(&self, thread: u32, access: &str, mark: &str, code: &str) -> AccessInfo {
        AccessInfo {
            automatic: false,
            variable: false,
            thread,
            call: 0,
            thread_name: String::new(),
            gpu: None,
            access: access.to_owned(),
            atomic: false,
            size: 4,
            place: code.to_owned(),
            object: None,
            locks: Vec::new(),
            held: Vec::new(),
            field: None,
            touches: None,
            step: None,
            position: self.at(mark, code),
        }
    }

    fn witness(&self, command: Command, failure: Failure, schedule: Vec<ScheduleStep>) -> Witness {
        Witness {
            schema: SCHEMA.to_owned(),
            raddle: String::new(),
            command,
            program: ProgramRef {
                sources: vec![self.path()],
                typed: vec!["program.c".to_owned()],
                directory: String::new(),
                flags: vec!["-std=c11".to_owned(), "-Werror".to_owned()],
                both_sides: false,
                own: Vec::new(),
                fingerprint: String::new(),
            },
            failure,
            launch: None,
            operations: Vec::new(),
            heap: Heap::default(),
            roots: Vec::new(),
            symbols: Vec::new(),
            inputs: Vec::new(),
            created: Vec::new(),
            first_picks: Vec::new(),
            schedule,
            visible: Vec::new(),
            visible_sites: Vec::new(),
            atomic_sizes: Vec::new(),
            takes: Vec::new(),
            client_functions: Vec::new(),
            settings: Settings {
                depth: 3,
                array: 2,
                rules: memory::HeapRules::default(),
                globals_symbolic: true,
                roots_any: false,
                spurious: 1,
                fail_alloc: false,
                relaxed_volatile: false,
                device: None,
                any_indeterminate: false,
                error_location: false,
                member_bounds: false,
            },
        }
    }

    fn race(&self, command: Command, accesses: [AccessInfo; 2], schedule: Vec<ScheduleStep>) -> Witness {
        let failure = Failure {
            kind: "data_race".to_owned(),
            detail: format!("data race on {}", accesses[0].place),
            location: accesses[0].position.clone(),
            accesses: accesses.into(),
            ..Failure::default()
        };
        self.witness(command, failure, schedule)
    }

    fn fault(&self, kind: &str, mark: &str, code: &str, schedule: Vec<ScheduleStep>) -> Witness {
        let failure = Failure {
            kind: kind.to_owned(),
            detail: kind.to_owned(),
            location: self.at(mark, code),
            ..Failure::default()
        };
        self.witness(Command::Check, failure, schedule)
    }

    fn operation(&self, function: &str, is_static: bool, args: Vec<ArgumentValue>) -> OperationCall {
        OperationCall {
            name: function.to_owned(),
            function: function.to_owned(),
            file: "program.c".to_owned(),
            is_static,
            return_type: "void".to_owned(),
            args,
            then: Vec::new(),
        }
    }

    fn emit(&self, witness: &Witness) -> EmittedTest {
        let json = witness.to_json().expect("a witness is text");
        let witness = Witness::parse(&json).expect("what was written");
        let test = emit_test(&witness, &self.directory.join("test.c"), std::slice::from_ref(&self.directory), None);
        assert_eq!(test.source.lines().next(), Some(format!("// build: {}", test.build).as_str()));
        std::fs::write(self.directory.join("test.c"), &test.source).expect("the test");
        test
    }

    fn shell(&self, command: &str) -> Output {
        std::process::Command::new("sh").arg("-c").arg(command).output().expect("a shell")
    }

    /// Builds a test by the command in its first line.
    fn build(&self, witness: &Witness) {
        let test = self.emit(witness);
        let output = self.shell(&test.build);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn run(&self) -> (Option<i32>, String) {
        let output = self.shell(&self.directory.join("test").to_string_lossy());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Every run reports the race of the witness, and no other.
    fn shows_race(&self, witness: &Witness) {
        self.build(witness);
        let place = |p: &SourcePosition| (p.line, p.column);
        let mut expected: Vec<_> = witness.failure.accesses.iter().map(|a| place(&a.position)).collect();
        expected.sort_unstable();
        for _ in 0..RUNS {
            let (code, stderr) = self.run();
            assert_eq!(code, Some(66), "{stderr}");
            let reports = parse_report(&stderr);
            assert_eq!(reports.len(), 1, "{stderr}");
            let frames = reports[0].accesses.iter().filter_map(|a| a.in_source());
            let mut found: Vec<_> = frames.map(|f| (f.line, f.column)).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{stderr}");
        }
    }

    /// Every run ends with this code and says so.
    fn ends(&self, witness: &Witness, code: i32, message: &str) {
        self.build(witness);
        for _ in 0..RUNS {
            let (found, stderr) = self.run();
            assert_eq!(found, Some(code), "{stderr}");
            assert!(stderr.contains(message), "no `{message}` in: {stderr}");
        }
    }
}

fn argument(name: &str, c_type: &str, value: CellValue) -> ArgumentValue {
    let (name, c_type, basic_type) = (name.to_owned(), c_type.to_owned(), String::new());
    ArgumentValue { name, c_type, basic_type, private: false, alone: false, by_value: false, value }
}

fn object(name: &str, c_type: &str, size: u64, cells: Vec<HeapCell>) -> HeapObject {
    HeapObject {
        name: name.to_owned(),
        global: false,
        is_static: false,
        by_value: false,
        c_type: c_type.to_owned(),
        count: 1,
        size,
        cells,
        locks: Vec::new(),
    }
}

fn cell(offset: u64, size: u64, path: &str, value: CellValue) -> HeapCell {
    HeapCell { offset, size, path: path.to_owned(), basic_type: String::new(), value }
}

fn to(object: u32) -> CellValue {
    CellValue::Pointer { object, offset: 0, path: String::new() }
}

fn number(value: u64) -> CellValue {
    CellValue::Integer(value)
}

/// Whichever function a program asks for, its test is C, and what it calls the linker knows.
#[test]
fn each_part_of_the_machinery_stands_by_itself() {
    let p = Program::new("parts", "int main(void) { return 0; } // x\n");
    let witness = p.race(Command::Check, [0, 1].map(|thread| p.access(thread, "write", "x", "main")), vec![]);
    let names = machinery::all_names();
    assert!(names.len() > 100, "{names:?}");
    std::thread::scope(|scope| {
        for (worker, share) in names.chunks(names.len().div_ceil(4)).enumerate() {
            let (p, witness) = (&p, &witness);
            scope.spawn(move || {
                for name in share {
                    let occurring = Occurring::named([*name]);
                    let file = p.directory.join(format!("part{worker}.c"));
                    let mut witness = witness.clone();
                    // Of those it knows only where the witness has an answer.
                    let (input, bytes) = ("isatty".to_owned(), vec![1]);
                    witness.inputs.push(InputValue { name: input, size: 1, bytes, thread: 0, floating: false, at: None });
                    let test = emit_test(&witness, &file, std::slice::from_ref(&p.directory), Some(&occurring));
                    std::fs::write(&file, &test.source).expect("the test");
                    let checked = p.shell(&format!(
                        "clang-22 -g -O0 -w -fsanitize=thread -std=c11 -Werror=implicit-function-declaration -fsyntax-only {}",
                        file.display()
                    ));
                    assert!(checked.status.success(), "{name}: {}", String::from_utf8_lossy(&checked.stderr));
                    for real in test.source.split("__real_").skip(1).filter(|rest| !rest.starts_with("##")) {
                        let real: String = real.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                        assert!(test.build.contains(&format!("--wrap={real}")), "{name}: {real} is not wrapped");
                    }
                }
            });
        }
    });
}
