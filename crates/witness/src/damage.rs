//! Numbers of a witness file that cannot mean anything, found before anybody uses them to count or to look something up.
//!
//! Guarantee: in a witness that passes, threads are no more than the machine runs, and every reference to an object of the
//! heap leads to one. Whether it fits a program is another question; see [`crate::read_witness`].

use crate::format::{CellValue, Witness};

/// No launch that something is shown in has more threads.
const MOST_AT_ONCE: u32 = 1024;
/// All launches of a program together have no more.
const MOST_THREADS: u32 = 4000;

/// What is wrong, in words.
pub(crate) fn damage(witness: &Witness) -> Option<String> {
    let failure = &witness.failure;
    let threads = (witness.schedule.iter().map(|step| step.thread))
        .chain(failure.accesses.iter().map(|access| access.thread))
        .chain(failure.blocked.iter().map(|blocked| blocked.thread))
        .chain(failure.earlier.iter().flat_map(|race| [race.write.thread, race.read.thread]))
        .chain(witness.inputs.iter().map(|input| input.thread));
    if let Some(thread) = threads.into_iter().find(|&thread| thread >= MOST_THREADS) {
        return Some(format!("thread {thread}, where no more than {MOST_THREADS} are run"));
    }
    if let Some(launch) = &witness.launch
        && (launch.threads() == 0 || launch.threads() > MOST_AT_ONCE.into() || !(1..=32).contains(&launch.warp))
    {
        return Some(format!("a launch of {} threads in warps of {}", launch.threads(), launch.warp));
    }
    let pointed = |value: &CellValue| match value {
        CellValue::Pointer { object, .. } => Some(*object),
        CellValue::Integer(_) | CellValue::Null | CellValue::Function(_) => None,
    };
    let objects = (witness.schedule.iter().filter_map(|step| step.object))
        .chain(failure.accesses.iter().filter_map(|access| access.object))
        .map(|(object, _)| object)
        .chain(witness.heap.objects.iter().flat_map(|o| &o.cells).filter_map(|cell| pointed(&cell.value)))
        .chain(witness.roots.iter().filter_map(|(_, value)| pointed(value)))
        .chain(witness.calls().flat_map(|call| &call.args).filter_map(|arg| pointed(&arg.value)));
    let count = witness.heap.objects.len();
    let missing = objects.into_iter().find(|&object| object as usize >= count);
    missing.map(|object| format!("object {object}, where the heap has {count}"))
}

#[cfg(test)]
mod tests {
    use crate::{FormatError, Witness};
    use proptest::prelude::*;

    /// A small file with one of everything that has a number.
    const FULL: &str = r#"{
 "schema": "raddle-witness/1", "raddle": "0.1.0", "command": "races",
 "program": { "sources": ["/a.c"], "flags": [], "fingerprint": "00" },
 "failure": {
  "kind": "data_race", "detail": "", "location": { "file": "a.c", "line": 1, "column": 2, "function": "f", "stack": [] },
  "accesses": [ { "thread": 0, "thread_name": "f", "access": "write", "atomic": false, "size": 4, "place": "N1.n",
    "object": [0, 4], "locks": [], "step": 0,
    "position": { "file": "a.c", "line": 1, "column": 2, "function": "f", "stack": ["f a.c:1:2"] } } ],
  "blocked": [] },
 "operations": [ { "name": "f", "function": "f", "file": "a.c", "is_static": false, "return_type": "void",
   "args": [ { "name": "l", "c_type": "struct l *", "value": { "pointer": { "object": 0, "offset": 0, "path": "" } } } ] } ],
 "heap": { "objects": [ { "name": "N1", "global": false, "is_static": false, "c_type": "struct l", "count": 1, "size": 8,
   "cells": [ { "offset": 0, "size": 8, "path": ".next", "value": "null" } ], "locks": [[".m", "pthread_mutex_t"]] } ] },
 "roots": [["l", { "pointer": { "object": 0, "offset": 0, "path": "" } }]],
 "inputs": [ { "name": "x", "size": 1, "bytes": [7], "thread": 0 } ],
 "schedule": [ { "thread": 1, "thread_name": "f", "action": "locks N1.m", "kind": "call", "size": 0, "object": [0, 0],
   "position": { "file": "a.c", "line": 1, "column": 2, "function": "f", "stack": [] }, "picks": [] } ],
 "visible": [3],
 "settings": { "depth": 3, "array": 2, "share_owners": false, "globals_symbolic": true, "roots_any": false, "spurious": 1 }
}"#;

    /// Read, or refused with a place or with what is wrong; never a panic.
    fn read_or_refused(text: &str) {
        match Witness::parse(text) {
            Ok(witness) => {
                crate::emit::emit_test(&witness, std::path::Path::new("t.c"), &[], None);
            }
            Err(FormatError::Json(error)) => assert!(error.line() > 0 || text.is_empty(), "{error}"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        assert!(Witness::parse(FULL).is_ok(), "{:?}", Witness::parse(FULL).err());
        for (whole, damaged, why) in [
            ("\"thread\": 1,", "\"thread\": 4000000000,", "thread 4000000000, where no more than 4000 are run"),
            ("\"object\": [0, 4]", "\"object\": [1, 4]", "object 1, where the heap has 1"),
            ("\"object\": 0,", "\"object\": 7,", "object 7, where the heap has 1"),
            ("raddle-witness/1", "raddle-witness/9", "a witness of format `raddle-witness/9`"),
            ("\"visible\": [3],", "\"visible\": 3,", "at line 18 column"),
        ] {
            let text = FULL.replacen(whole, damaged, 1);
            assert_ne!(text, FULL);
            let refusal = Witness::parse(&text).map_or_else(|e| e.to_string(), |_| "accepted".to_owned());
            assert!(refusal.contains(why), "{refusal}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            read_or_refused(&text);
        }

        #[test]
        fn damaged_files_are_read_or_refused(
            at in 0..FULL.len(), cut in 0usize..40, put in "[\\[\\]{}\",:\u{0}é0-9a-z-]{0,8}"
        ) {
            let mut bytes = FULL.as_bytes().to_vec();
            bytes.splice(at..(at + cut).min(FULL.len()), put.bytes());
            read_or_refused(&String::from_utf8_lossy(&bytes));
        }

        /// Numbers of any size in place of another one.
        #[test]
        fn any_number_is_read_or_refused(which in 0usize..60, number in any::<u64>()) {
            let starts: Vec<usize> = FULL.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = starts[which % starts.len()];
            read_or_refused(&format!("{}{number}{}", &FULL[..at], &FULL[at + 1..]));
        }
    }
}
