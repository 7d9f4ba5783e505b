//@ run: gpu --grid 1 --block 2
//@ revisions: T lane width value mask first
// Programs may be compiled with macros of any names (`-DT=float`, `-Dwidth=32`): raddle's headers use none that is a program's.
#include <cooperative_groups.h>
__global__ void exchange(int *out)
{
    out[threadIdx.x] = __shfl_xor_sync(3, static_cast<int>(threadIdx.x), 1) + __reduce_add_sync(3, 1u);
    atomicInc(reinterpret_cast<unsigned *>(&out[2]), 7);
    cooperative_groups::sync(cooperative_groups::this_thread_block());
}
//~ SAFE
