//! Summaries of calls: that they are invoked, that nothing else changes, and that they are given up where they do not pay.
//! Every case of tests/ui is run with and without them as well.

use serde_json::Value;
use std::process::Command;

/// Threads that compute something lengthy between two sections, so many times in each of so many rounds.
const THREADS: &str = "#include <pthread.h>
static unsigned char data[2][64];
static unsigned total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned sum(const unsigned char *p, unsigned c) {
  for (int i = 0; i < 64; i++) for (int k = 0; k < 8; k++) c = c & 1 ? (c >> 1) ^ p[i] : c >> 1;
  return c;
}
static void *work(void *arg) {
  for (int r = 0; r < ROUNDS; r++) {
    unsigned c = r;
    for (int i = 0; i < TIMES; i++) c = sum(arg, c + i);
    pthread_mutex_lock(&m);
    total += c & 1;
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  for (int i = 0; i < 64; i++) data[0][i] = i * 7, data[1][i] = i * 3;
  pthread_create(&t, 0, work, data[1]);
  work(data[0]);
  pthread_join(t, 0);
  return 0;
}
";

/// The report of a check, and what of it does not depend on the work that it took.
fn check(rounds: u32, times: u32, summaries: &str) -> (Value, Value) {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("a.c"), THREADS).expect("a file");
    let defines = [format!("-DROUNDS={rounds}"), format!("-DTIMES={times}")];
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(["check", "a.c", "--workers", "1", "--no-store", "--format", "json", "--summaries", summaries]);
    let output = command.arg("--").args(defines).current_dir(directory.path()).output().expect("raddle runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let stats = &report["stats"];
    let rest = ["paths", "executions", "redundant"].map(|figure| stats[figure].clone());
    let said = ["verdict", "findings", "ledger"].map(|part| report[part].clone());
    (report.clone(), Value::Array(said.into_iter().chain(rest).collect()))
}

fn figure(report: &Value, name: &str) -> u64 {
    report["stats"][name].as_u64().unwrap_or_else(|| panic!("no {name}: {report:#}"))
}

fn summary_figure(report: &Value, name: &str) -> u64 {
    report["stats"]["summaries"][name].as_u64().unwrap_or_else(|| panic!("no {name}: {report:#}"))
}

#[test]
fn what_was_computed_before_is_not_computed_again() {
    let (never, plainly) = check(4, 1, "never");
    let (pays, said) = check(4, 1, "pays");
    assert_eq!(plainly, said);
    assert_eq!(figure(&never, "executions"), 70, "sections of four and four in all orders");
    assert_eq!(summary_figure(&never, "built"), 0);
    // Each engine that takes part of the search begins anew.
    assert!(summary_figure(&pays, "invoked") > 4 * summary_figure(&pays, "built"), "{:#}", pays["stats"]);
    // Where likely races are looked for, all is carried out.
    assert!(figure(&pays, "instructions") * 2 < figure(&never, "instructions"), "{:#}", pays["stats"]);
    assert_eq!(
        figure(&pays, "instructions") + summary_figure(&pays, "instructions"),
        figure(&never, "instructions"),
        "what is not carried out is counted"
    );
}

/// What is new each time is not written down for ever.
#[test]
fn summaries_that_do_not_pay_are_given_up() {
    let (pays, said) = check(1, 400, "pays");
    let (always, all) = check(1, 400, "always");
    assert_eq!(said, all);
    assert_eq!(said, check(1, 400, "never").1);
    assert!(summary_figure(&always, "built") > 600, "{:#}", always["stats"]);
    assert!(summary_figure(&pays, "built") < 400, "{:#}", pays["stats"]);
}
