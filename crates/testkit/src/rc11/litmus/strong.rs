//! Sequentially consistent accesses and fences.
//!
//! With the order of writes kept, GenMC takes `sb; hb; sb` where RC11's definition has `sb|≠loc; hb; sb|≠loc`: it states
//! 17 executions for `WWmerge1` and 22 for `Z6.U`. The paper has the one so that two writes can be merged, and has the
//! outcome of the other as one that it must allow. Without that order GenMC states what follows from the definition:
//! for `WWmerge1`, which leaves that order no choice, this is its number here.

use super::{Litmus, allowed, forbidden, genmc, genmc_of};

pub(super) const ALL: &[Litmus] = &[
    genmc("2+2W", "Wx1.rel Wy2.rel | Wy1.rel Wx2.rel", 4, 3),
    genmc("2+2W+4sc", "Wx1.sc Wy2.sc | Wy1.sc Wx2.sc", 3, 3),
    genmc("2+2W+3sc+rel1", "Wx1.sc Wy2.sc | Wy1.rel Wx2.sc", 4, 3),
    genmc("2+2W+3sc+rel2", "Wx1.sc Wy2.sc | Wy1.sc Wx2.rel", 4, 3),
    genmc("2+2W+2sc+scf", "Wx1.sc Wy2.sc | Wy1 F.sc Wx2", 3, 3),
    genmc("2+2W+scfs", "Wx1 F.sc Wy2 | Wy1 F.sc Wx2", 3, 3),
    genmc("SB", "Wx1.rel Ry.acq | Wy1.rel Rx.acq", 4, 3),
    genmc("SB+4sc", "Wx1.sc Ry.sc | Wy1.sc Rx.sc", 3, 3),
    genmc("SB+3sc+acq", "Wx1.sc Ry.sc | Wy1.sc Rx.acq", 4, 3),
    genmc("SB+3sc+rel", "Wx1.sc Ry.sc | Wy1.rel Rx.sc", 4, 3),
    genmc("SB+2sc+scf", "Wx1.sc Ry.sc | Wy1 F.sc Rx", 3, 3),
    genmc("SB+scfs", "Wx1 F.sc Ry | Wy1 F.sc Rx", 3, 3),
    genmc("SB+rfis", "Wx1.rel Rx.sc Ry.sc | Wy1.rel Ry.sc Rx.sc", 4, 3),
    genmc("IRIW-acq-sc", "Wx1.sc | Rx.acq Ry.sc | Ry.acq Rx.sc | Wy1.sc", 16, 15),
    genmc("RWC+syncs", "Wx1 | Rx F.sc Ry | Wy1 F.sc Rx", 7, 7),
    genmc("W+RWC", "Wx1 Wz1.rel | Rz.acq F.sc Ry | Wy1 F.sc Rx", 7, 7),
    genmc("peterZ", "Wx1 F.sc Ry | Wy1 Wz1.rel | Rz.acq F.sc Rx", 7, 7),
    genmc("Z6+acq", "Wx1 F.sc Wy1 | Ry.acq Wz1 | Wz2 F.sc Rx", 7, 7),
    allowed("Z6.U", "Wx1.sc Wy1.rel | Uy1.sc Ry | Wy3.sc Rx.sc", " | 1 3 | 0"),
    genmc("WWmerge1", "Rx.acq Ry.sc | Wx1.sc Wx2.sc | Wy1.sc Rx.sc", 18, 15),
    genmc("WWmerge2", "Rx.acq Ry.sc | Wx2.sc | Wy1.sc Rx.sc", 8, 7),
    genmc("dekker_f", "Wy1 F.sc Rx ?0 Wz1 Rz | Wx1 F.sc Ry ?0 Wz0 Rz", 3, 3),
    genmc("dekker2-fixed", "Wy1.sc Rx.sc ?0 Wz1 | Wx1.sc Ry.sc ?0 Ww1 | Rz ?1 Rw ?1 Wx0 Wx1 | Rz ?1 Rw ?1 Rx Rx", 6, 6),
    genmc_of("psc-ar", "Ry F.sc Rz | Wz1 F.sc Wx1 | Rx ?1 Wy1", "1 0 | | 1", 1, 0),
    genmc_of("psc-base-notin-ar", "Rx Wy1.sc | Wy2.sc | Ry Wx2", "2 | | 2", 2, 1),
    genmc_of("psc-sbhbsb", "Wx1.sc Wy1.sc | Rx.acq Ry.sc", " | 1 0", 1, 1),
    genmc_of("psc-wb-fixpoint", "Wx1.sc Ry.sc | Wx2 F.sc Rz | Wy1.sc Rx.sc | Wz1 F.sc Rx", "0 | 0 | 2 | 1", 0, 0),
    genmc_of("psc-wb-why-fxp", "Wx1.sc Ry.sc Wy1.sc Rx.sc | Wx2.sc Ry.sc Wy2.sc Rx.sc", "0 1 | 0 2", 0, 0),
    genmc_of("WWR+2WR", "Wx1.sc Wy1.sc Rz.sc | Wz1.sc Ry.sc | Wy2.sc Rx.sc", "0 | 2 | 0", 0, 0),
    // Weaker fences, or a strong one in one thread only, order no write before a read.
    allowed("SB+rlxs", "Wx1 Ry | Wy1 Rx", "0 | 0"),
    allowed("SB+arfs", "Wx1 F.ar Ry | Wy1 F.ar Rx", "0 | 0"),
    allowed("SB+scf+arf", "Wx1 F.sc Ry | Wy1 F.ar Rx", "0 | 0"),
    allowed("RWC+scf+arf", "Wx1 | Rx F.sc Ry | Wy1 F.ar Rx", " | 1 0 | 0"),
    allowed("IRIW+arfs", "Wx1 | Wy1 | Rx F.ar Ry | Ry F.ar Rx", " | | 1 0 | 1 0"),
    // Updates of one place that acquire and release are as good as fences (POPL 2016).
    forbidden("SB+rmws", "Wx1 Uz1.ar Ry | Wy1 Uz1.ar Rx", "_ 0 | _ 0"),
    allowed("SB+rmws+rlx", "Wx1 Uz1 Ry | Wy1 Uz1 Rx", "_ 0 | _ 0"),
    // All accesses are strong.
    forbidden("R+scs", "Wx1.sc Wy1.sc | Wy2.sc Rx.sc", " | 0; y=2"),
    forbidden("RWC+scs", "Wx1.sc | Rx.sc Ry.sc | Wy1.sc Rx.sc", " | 1 0 | 0"),
    forbidden("W+RWC+scs", "Wx1.sc Wz1.sc | Rz.sc Ry.sc | Wy1.sc Rx.sc", " | 1 0 | 0"),
    forbidden("IRIW+scs", "Wx1.sc | Wy1.sc | Rx.sc Ry.sc | Ry.sc Rx.sc", " | | 1 0 | 1 0"),
    forbidden("Z6.3+scs", "Wx1.sc Wy1.sc | Wy2.sc Wz1.sc | Rz.sc Rx.sc", " | | 1 0; y=2"),
    forbidden("3.SB+scs", "Wx1.sc Ry.sc | Wy1.sc Rz.sc | Wz1.sc Rx.sc", "0 | 0 | 0"),
    forbidden("3.2W+scs", "Wx1.sc Wy2.sc | Wy1.sc Wz2.sc | Wz1.sc Wx2.sc", "; x=1 y=1 z=1"),
    // What happens in between at other places orders strong accesses, `sb|≠loc; hb; sb|≠loc`, where it synchronises.
    forbidden("W+RWC+scs+ra", "Wx1.sc Wz1.rel | Rz.acq Ry.sc | Wy1.sc Rx.sc", " | 1 0 | 0"),
    allowed("W+RWC+scs+rlx", "Wx1.sc Wz1 | Rz Ry.sc | Wy1.sc Rx.sc", " | 1 0 | 0"),
    // A strong fence is between any two accesses.
    forbidden("R+scfs", "Wx1 F.sc Wy1 | Wy2 F.sc Rx", " | 0; y=2"),
    forbidden("WRC+scfs", "Wx1 | Rx F.sc Wy1 | Ry F.sc Rx", " | 1 | 1 0"),
    forbidden("IRIW+scfs", "Wx1 | Wy1 | Rx F.sc Ry | Ry F.sc Rx", " | | 1 0 | 1 0"),
    forbidden("WRR+2W+scfs", "Wx2 | Rx F.sc Ry | Wy1 F.sc Wx1", " | 2 0; x=2"),
    forbidden("3.SB+scfs", "Wx1 F.sc Ry | Wy1 F.sc Rz | Wz1 F.sc Rx", "0 | 0 | 0"),
    forbidden("Z6.4+scfs", "Wx1 F.sc Wy1 | Wy2 F.sc Rz | Wz1 F.sc Rx", " | 0 | 0; y=2"),
];
