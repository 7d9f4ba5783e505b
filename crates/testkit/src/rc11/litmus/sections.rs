//! The mutex: each section sees the ones before it.

use super::{Litmus, forbidden, genmc};

pub(super) const ALL: &[Litmus] = &[
    genmc("lockinc-2", "lock Rx Wx1 unlock | lock Rx Wx1 unlock", 2, 2),
    genmc("lockinc-3", "lock Rx Wx1 unlock | lock Rx Wx1 unlock | lock Rx Wx1 unlock", 6, 6),
    genmc("lock2inc-2", "lock Rx Wx1 Ry Wy1 unlock | lock Rx Wx1 Ry Wy1 unlock", 2, 2),
    genmc("lockrev-in-place", "Wx42 | lock Wx1 unlock | lock Wx2 Rx unlock", 8, 8),
    // GenMC counts these without the order of sections, which is why only the outcome is taken over.
    forbidden("sb+locks", "Wy1 lock unlock Rx | Wx1 lock unlock Ry", "0 | 0"),
    forbidden("lock-wxwy+rxry", "lock Wx1 Wy1 unlock | lock Rx Ry unlock", " | 1 0"),
];
