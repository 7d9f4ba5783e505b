//! The stored queries against each backend, and against raddle's own procedures before it: `cargo bench -p smt`.

use divan::Bencher;
use flate2::read::MultiGzDecoder;
use smt::{Backend, Cached, Decided, Solver, Trace};
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

fn main() {
    divan::main();
}

/// The stored files.
fn stored() -> Vec<String> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/queries");
    let entries = std::fs::read_dir(&directory).expect("stored queries");
    let paths = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = paths.filter(|name| name.ends_with(".gz")).collect();
    names.sort();
    names
}

fn replay(bencher: Bencher, name: &str, solver: impl Fn() -> Box<dyn Solver>) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/queries").join(name);
    let read = || {
        let file = BufReader::new(MultiGzDecoder::new(File::open(&path).expect("a stored file")));
        (Trace::read(file).expect("recorded queries"), solver())
    };
    bencher
        .with_inputs(read)
        .bench_local_values(|(mut trace, mut solver)| trace.replay(&mut *solver).expect("answers").len());
}

#[divan::bench(args = stored(), sample_count = 5, sample_size = 1)]
fn bits(bencher: Bencher, name: &str) {
    replay(bencher, name, || Backend::Bits.start(None).expect("the solver starts"));
}

#[divan::bench(args = stored(), sample_count = 5, sample_size = 1)]
fn z3(bencher: Bencher, name: &str) {
    replay(bencher, name, || Backend::Z3.start(None).expect("the solver starts"));
}

#[divan::bench(args = stored(), sample_count = 5, sample_size = 1)]
fn own_procedures_first(bencher: Bencher, name: &str) {
    let solver = || Backend::default().start(None).expect("the solver starts");
    replay(bencher, name, || Box::new(Cached::new(Decided::new(solver()))));
}
