//! Bugs in the model of threads and locks.

use super::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "unlocking a mutex orders nothing",
        file: "crates/concurrency/src/sync.rs",
        original: "*released = clock;",
        changed: "drop(clock);",
    },
    Mutant {
        name: "unlocking for reading orders nothing",
        file: "crates/concurrency/src/sync.rs",
        original: "read.join(&clock);",
        changed: "drop(clock);",
    },
    Mutant {
        name: "unlocking for writing orders nothing",
        file: "crates/concurrency/src/sync.rs",
        original: "*written = clock;",
        changed: "drop(clock);",
    },
    Mutant {
        name: "creating a thread orders nothing",
        file: "crates/concurrency/src/order.rs",
        original: "clocks.now.join(&self.threads[creator.index()].now);",
        changed: "",
    },
    Mutant {
        name: "joining a thread orders nothing",
        file: "crates/concurrency/src/order.rs",
        original: "let clock = self.clock(other).clone();\n        self.acquire(thread, &clock);",
        changed: "let _ = (thread, other);",
    },
    Mutant {
        name: "a signal orders nothing",
        file: "crates/concurrency/src/sync.rs",
        original: "waiter.signalled = Some(clock.clone());",
        changed: "let _ = clock;\n            waiter.signalled = Some(VectorClock::default());",
    },
    Mutant {
        name: "a relaxed load acquires",
        file: "crates/concurrency/src/order.rs",
        original: "LoadOrder::Relaxed => clocks.seen.join(&clock),",
        changed: "LoadOrder::Relaxed => clocks.now.join(&clock),",
    },
    Mutant {
        name: "a relaxed store goes on with other threads' release sequences",
        file: "crates/concurrency/src/order.rs",
        original: "heads.retain(|(owner, _)| *owner == thread);",
        changed: "",
    },
    Mutant {
        name: "a fence does not acquire",
        file: "crates/concurrency/src/order.rs",
        original: "clocks.now.join(&seen);",
        changed: "drop(seen);",
    },
    Mutant {
        name: "a read and a write commute",
        file: "crates/concurrency/src/action.rs",
        original: "(wa || wb) && a.overlaps(&b)",
        changed: "wa && wb && a.overlaps(&b)",
    },
    Mutant {
        name: "two lock calls commute",
        file: "crates/concurrency/src/action.rs",
        original: "p == q && !a.commutes(*b)",
        changed: "p == q && !a.commutes(*b) && (*a, *b) != (SyncOp::Lock, SyncOp::Lock)",
    },
    Mutant {
        name: "accesses of different sizes do not overlap",
        file: "crates/concurrency/src/action.rs",
        original: "self.object == other.object && self.offset < other.offset + other.size && other.offset < self.offset + self.size",
        changed: "self == other",
    },
    Mutant {
        name: "the race check keeps one access per range",
        file: "crates/concurrency/src/races.rs",
        original: "match records.iter_mut().find(same) {",
        changed: "let _ = same;\n        match records.first_mut() {",
    },
    Mutant {
        name: "atomic and plain accesses do not race",
        file: "crates/concurrency/src/races.rs",
        original: "!(earlier.atomic && later.atomic)",
        changed: "!(earlier.atomic || later.atomic)",
    },
    Mutant {
        name: "a section orders all others of its lock",
        file: "crates/concurrency/src/sync/fused.rs",
        original: "footprint.is_none_or(|footprint| footprint.conflicts(&fused.footprint))",
        changed: "footprint.is_none_or(|_| true)",
    },
    Mutant {
        name: "a post orders nothing",
        file: "crates/concurrency/src/sync/counted.rs",
        original: "posted.join(clock);",
        changed: "let _ = (posted, clock);",
    },
    Mutant {
        name: "a barrier orders nothing",
        file: "crates/concurrency/src/sync/counted.rs",
        original: "members.iter().for_each(|member| clock.join(&member.clock));",
        changed: "clock.join(&members[0].clock);",
    },
    Mutant {
        name: "arrivals of different rounds commute",
        file: "crates/concurrency/src/action.rs",
        original: "p == q && (r != s || *a && *b)",
        changed: "p == q && *a && *b && r == s && false",
    },
    Mutant {
        name: "a wait and a post commute",
        file: "crates/concurrency/src/action.rs",
        original: "| (SemPost, SemPost)",
        changed: "| (SemPost, _) | (_, SemPost)",
    },
    Mutant {
        name: "a spin lock that is given back orders nothing",
        file: "crates/concurrency/src/sync/robust.rs",
        original: "*owner = None;\n                    *released = clock;",
        changed: "*owner = None;\n                    let _ = (released, clock);",
    },
    Mutant {
        name: "what the dead owner of a mutex did is not ordered",
        file: "crates/concurrency/src/sync/robust.rs",
        original: "(*owner, *depth, *released, *health) = (None, 0, clock, Some(Health::OwnerDied));",
        changed: "let _ = (clock, released);\n            (*owner, *depth, *health) = (None, 0, Some(Health::OwnerDied));",
    },
    Mutant {
        name: "accesses that are alike are of one kind",
        file: "crates/concurrency/src/races.rs",
        original: "total.add(Fingerprint::of((name(object), thread, side, rank(*thread, *epoch), ranges)));",
        changed: "total.add(Fingerprint::of((name(object), thread, side, rank(*thread, *epoch).min(0), ranges)));",
    },
];
