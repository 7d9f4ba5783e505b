//! A few cases of each campaign, in every run of the tests: two to three minutes together. `cargo xtask` has thousands.

use std::path::Path;
use testkit::library::Extent;
use xtask::{
    clients, con2colic, endless, floating, interference, kernels, libraries, merging, options, programs, results,
    sequential, summaries, weak,
};

/// Where a case is kept that differs.
fn keep() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/oracles"))
}

#[track_caller]
fn nothing_differs(campaign: anyhow::Result<bool>) {
    assert!(campaign.expect("the campaign runs"), "the cases are in {}", keep().display());
}

#[test]
fn programs_with_all_strategies() {
    nothing_differs(programs::run(60, 1_000_000, keep(), None));
}

#[test]
fn programs_within_bounds_on_preemptions() {
    for bound in 0..3 {
        nothing_differs(programs::run(25, 1_100_000, keep(), Some(bound)));
    }
}

#[test]
fn programs_that_never_end() {
    let [shortest, unfolding] = endless::strategies();
    nothing_differs(endless::run(36, 2_500_006, keep(), shortest));
    nothing_differs(endless::run(16, 2_500_006, keep(), unfolding));
}

#[test]
fn kernels_of_one_launch() {
    nothing_differs(kernels::run(60, 3_000_000, keep()));
}

#[test]
fn operations_in_two_threads() {
    nothing_differs(libraries::run(16, 1_200_000, keep(), (Extent::default(), "")));
}

#[test]
fn results_of_calls_at_once() {
    nothing_differs(results::run(40, 2_600_000, keep()));
}

#[test]
fn operations_in_three_threads() {
    nothing_differs(libraries::run(5, 1_300_000, keep(), (Extent { threads: 3, ..Extent::default() }, "")));
}

#[test]
fn two_operations_in_each_thread() {
    nothing_differs(libraries::run(6, 1_400_000, keep(), (Extent { calls: 2, ..Extent::default() }, "")));
}

#[test]
fn operations_on_what_globals_are_initialised_with() {
    for extent in
        [Extent::default(), Extent { threads: 3, ..Extent::default() }, Extent { calls: 2, ..Extent::default() }]
    {
        nothing_differs(libraries::run(4, 1_500_000, keep(), (Extent { globals_initial: true, ..extent }, "")));
    }
}

#[test]
fn operations_on_what_clients_build() {
    nothing_differs(clients::run(14, 2_100_000, keep(), (2, "")));
    nothing_differs(clients::run(2, 2_200_000, keep(), (3, "")));
}

#[test]
fn operations_within_bounds_on_preemptions() {
    for bound in 0..3 {
        let extent = Extent { preemptions: Some(bound), ..Extent::default() };
        nothing_differs(libraries::run(8, 1_900_000, keep(), (extent, "")));
    }
}

#[test]
fn random_options_together() {
    nothing_differs(options::run([24, 8], 2_300_000, keep()));
}

#[test]
fn branches_by_interferences() {
    nothing_differs(interference::run(40, 2_500_000, keep(), interference::How::Plain));
    nothing_differs(interference::run(30, 2_550_000, keep(), interference::How::DefUse));
    nothing_differs(interference::run(8, 2_600_000, keep(), interference::How::Variants));
}

/// Con2colic, Algorithm 1 as printed, misses the first branch where it is tried before the write is known.
#[test]
fn branches_are_covered_in_whichever_order_they_are_tried() {
    let source = r#"
#include <pthread.h>
#include "raddle.h"
static int x, in, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    int v = x;
    pthread_mutex_unlock(&m);
    if (v == 5)
        seen = 1;
    return arg;
}
static void *writer(void *arg)
{
    if (in == 7) {
        pthread_mutex_lock(&m);
        x = 5;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t a, b;
    raddle_symbolic(&in, sizeof in, "in");
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"#;
    let all = interference::in_random_orders(source, 20).expect("it is run");
    let expected = [((0, false), 0), ((0, true), 1), ((1, false), 0), ((1, true), 0)];
    assert_eq!(all, [expected.into_iter().collect()]);
}

#[test]
fn branches_of_programs_with_known_degrees() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/con2colic");
    let programs = ["addall", "bluetooth", "art2", "art3", "sor"].map(str::to_owned);
    nothing_differs(con2colic::run(&folder, &programs, explore::CoverOptions::default(), 60));
}

#[test]
fn sequential_programs() {
    nothing_differs(sequential::run(25, 1_600_000, keep()));
}

#[test]
fn with_and_without_summaries() {
    nothing_differs(summaries::run(6, 1_700_000, keep()));
}

#[test]
fn with_and_without_merging() {
    nothing_differs(merging::run(30, 1_800_000, keep()));
}

#[test]
fn floating_point_inputs() {
    nothing_differs(floating::run(30, 1_900_000, keep()));
}

#[test]
fn what_weak_atomics_allow() {
    nothing_differs(weak::run(40, 2_000_000, keep()));
}
