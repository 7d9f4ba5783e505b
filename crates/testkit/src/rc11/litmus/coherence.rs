//! One place, or several that have nothing to do with each other: writes are in one order that everyone keeps to.

use super::{Litmus, allowed, forbidden, genmc};

pub(super) const ALL: &[Litmus] = &[
    genmc("2CoWR", "Ry.acq | Rx.acq | Wx1.rel | Wy1.rel", 4, 4),
    genmc("CoRR", "Wx1.rel Wx2.rel | Rx.acq Rx.acq", 6, 6),
    genmc("CoRR0", "Wx1.rel | Rx.acq | Rx.acq", 4, 4),
    genmc("CoRR1", "Wx1.rel | Wx2.rel | Rx.acq Rx.acq | Rx.acq", 36, 36),
    genmc("CoRR2", "Wx1.rel | Wx2.rel | Rx.acq Rx.acq | Rx.acq Rx.acq", 72, 72),
    genmc("CoRW", "Rx.acq Wx1.rel | Wx2.rel", 3, 3),
    genmc("CoWR", "Wx1.rel Rx.acq | Wx2.rel", 3, 3),
    genmc("MCP-rrw", "Wx1.rel | Wx2.rel | Rx.acq", 6, 6),
    genmc("W+RRR+W", "Wx1 | Rx Rx Rx | Wx2", 20, 20),
    genmc("default", "Rx.acq Rx.acq | Wx1.rel | Wx2.rel", 12, 12),
    genmc("fr+w+w+w+reads", "Wx1 | Wx2 | Wx3 | Rx Rx Rx Rx", 210, 210),
    genmc("small0", "Rx.acq | Rx.acq Wx1.rel | Wx2.rel", 9, 9),
    genmc("small1", "Ry.acq Rz.acq Rx.acq | Wx1.rel | Wy1.rel Wz1.rel", 8, 8),
    genmc("wrw-2", "Wx1.rel | Rx Wx2.rel | Rx Wx3.rel", 22, 22),
    genmc("wrw-3", "Wx1.rel | Rx Wx2.rel | Rx Wx3.rel | Rx Wx4.rel", 300, 300),
    genmc("wrc11_fp", "Wx1.rel | Wx2.rel Rx.acq Rx.acq", 4, 4),
    genmc("inc-2", "Rx Wx1.rel | Rx Wx2.rel", 4, 4),
    genmc("inc-3", "Rx Wx1.rel | Rx Wx2.rel | Rx Wx4.rel", 36, 36),
    genmc("JLT", "Wx1.rel Ry.acq Rx.acq | Wx2.rel Rx.acq | Wy3.rel", 8, 8),
    // RC11's axiom of coherence, one shape for each way to break it.
    forbidden("CoWW", "Wx1 Wx2", "; x=1"),
    forbidden("CoRR+rlx", "Wx1 | Rx Rx", " | 1 0"),
    forbidden("CoRR+two readers", "Wx1 | Wx2 | Rx Rx | Rx Rx", " | | 1 2 | 2 1"),
    forbidden("CoRW1", "Rx Wx1", "1"),
    forbidden("CoRW2", "Wx1 | Rx Wx2", " | 1; x=1"),
    forbidden("CoWR0", "Wx1 Rx", "0"),
    forbidden("CoWR+rlx", "Wx1 Rx | Wx2", "2; x=1"),
    // Coherence is of one place only.
    allowed("MP+rlxs", "Wx1 Wy1 | Ry Rx", " | 1 0"),
];
