//! Messages and release sequences: MP (a read sees too little), S (a write comes too early), and MPU, MPU2 (the message
//! goes through updates).
//!
//! GenMC has the release sequences of C++20, in which later writes of the releasing thread have no part. RC11's
//! definition has them as C11 does, `[W]; sb|loc?; [W]; (rf; rmw)*`. So GenMC states an execution more where the message
//! is such a write (the `rels` below; four more for `relseq`). By the definition these are inconsistent, which leaves
//! what GenMC states for sequential consistency; its numbers without the order of writes are still those.

use super::{Litmus, allowed, forbidden, genmc};

pub(super) const ALL: &[Litmus] = &[
    genmc("MP", "Wx1.rel Wy1.rel | Ry.acq Rx.acq", 3, 3),
    genmc("MP+incMP", "Ry.acq Uz1.ar | Uz1.ar Rx.acq | Wx1.rel Wy1.rel", 7, 7),
    genmc("MP+rel+acq", "Wx1 Wy1.rel | Ry.acq ?1 Rx", 2, 2),
    genmc("MP+rel+acqf", "Wx1 Wy1.rel | Ry ?1 F.acq Rx", 2, 2),
    genmc("MP+relf+acq", "Wx1 F.rel Wy1 | Ry.acq ?1 Rx", 2, 2),
    genmc("MP+relf+acqf", "Wx1 F.rel Wy1 | Ry ?1 F.acq Rx", 2, 2),
    genmc("MP+rels+acq", "Wx1 Wy0.rel Wy1 | Ry.acq ?1 Rx", 3, 3),
    genmc("MP+rels+acqf", "Wx1 Wy0.rel Wy1 | Ry ?1 F.acq Rx", 3, 3),
    genmc("MP2", "Wx1 Wz1 F.ar Wy1 Ww1 | Ry F.ar Rx | Rw F.ar Rz", 9, 9),
    genmc("MPU+rel+acq", "Wx1 Wy1.rel | Uy1 | Ry.acq ?2 Wx2", 6, 6),
    genmc("MPU+rel+acqf", "Wx1 Wy1.rel | Uy1 | Ry ?2 F.acq Wx2", 6, 6),
    genmc("MPU+relf+acq", "Wx1 F.rel Wy1 | Uy1 | Ry.acq ?2 Wx2", 6, 6),
    genmc("MPU+relf+acqf", "Wx1 F.rel Wy1 | Uy1 | Ry ?2 F.acq Wx2", 6, 6),
    genmc("MPU+rels+acq", "Wx1 Wy0.rel Wy1 | Uy1 | Ry.acq ?2 Wx2", 12, 12),
    genmc("MPU+rels+acqf", "Wx1 Wy0.rel Wy1 | Uy1 | Ry ?2 F.acq Wx2", 12, 12),
    genmc("MPU2+rel+acq", "Wx1 Wy1.rel | Cy2:3 | Cy1:2 | Ry.acq ?3 Wx2", 14, 14),
    genmc("MPU2+rel+acqf", "Wx1 Wy1.rel | Cy2:3 | Cy1:2 | Ry ?3 F.acq Wx2", 14, 14),
    genmc("MPU2+relf+acq", "Wx1 F.rel Wy1 | Cy2:3 | Cy1:2 | Ry.acq ?3 Wx2", 14, 14),
    genmc("MPU2+relf+acqf", "Wx1 F.rel Wy1 | Cy2:3 | Cy1:2 | Ry ?3 F.acq Wx2", 14, 14),
    genmc("MPU2+rels+acq", "Wx1 Wy0.rel Wy1 | Cy2:3 | Cy1:2 | Ry.acq ?3 Wx2", 35, 35),
    genmc("MPU2+rels+acqf", "Wx1 Wy0.rel Wy1 | Cy2:3 | Cy1:2 | Ry ?3 F.acq Wx2", 35, 35),
    genmc("S", "Wx2 Wy1 | Ry Wx1", 4, 3),
    genmc("S+rel+acq", "Wx1 Wy1.rel | Ry.acq ?1 Wx2", 2, 2),
    genmc("S+rel+acqf", "Wx1 Wy1.rel | Ry ?1 F.acq Wx2", 2, 2),
    genmc("S+relf+acq", "Wx1 F.rel Wy1 | Ry.acq ?1 Wx2", 2, 2),
    genmc("S+relf+acqf", "Wx1 F.rel Wy1 | Ry ?1 F.acq Wx2", 2, 2),
    genmc("S+rels+acq", "Wx1 Wy0.rel Wy1 | Ry.acq ?1 Wx2", 3, 3),
    genmc("S+rels+acqf", "Wx1 Wy0.rel Wy1 | Ry ?1 F.acq Wx2", 3, 3),
    genmc("relseq", "Wx1 Wy1.rel Wy2 | Xy3 | Ry F.ar Rx", 16, 16),
    // One half of what is needed does not do.
    allowed("MP+rel+rlx", "Wx1 Wy1.rel | Ry Rx", " | 1 0"),
    allowed("MP+rlx+acq", "Wx1 Wy1 | Ry.acq Rx", " | 1 0"),
    allowed("MP+relf+rlx", "Wx1 F.rel Wy1 | Ry Rx", " | 1 0"),
    allowed("MP+rlx+scf", "Wx1 Wy1 | Ry F.sc Rx", " | 1 0"),
    allowed("MP+fences the wrong way", "Wx1 F.acq Wy1 | Ry F.rel Rx", " | 1 0"),
    allowed("S+rel+rlx", "Wx2 Wy1.rel | Ry Wx1", " | 1; x=2"),
    forbidden("MP+scfs", "Wx1 F.sc Wy1 | Ry F.sc Rx", " | 1 0"),
    forbidden("MP+scs", "Wx1.sc Wy1.sc | Ry.sc Rx.sc", " | 1 0"),
    forbidden("S+scfs", "Wx2 F.sc Wy1 | Ry F.sc Wx1", " | 1; x=2"),
    // Updates go on with a release sequence, writes of other threads end it.
    forbidden("MP+rel+updates+acq", "Wx1 Wy1.rel | Uy1 | Uy1 | Ry.acq Rx", " | | | 3 0"),
    allowed("MP+rel+store+acq", "Wx1 Wy1.rel | Wy2 | Ry.acq Rx", " | | 2 0; y=2"),
    allowed("MP+rlx+update+acq", "Wx1 Wy1 | Uy1.rel | Ry.acq Rx", " | 1 | 2 0"),
];
