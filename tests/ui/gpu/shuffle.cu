//@ run: gpu --grid 1 --block 4 --warp 4
//@ revisions: values memory
// What lanes pass to each other; that it orders no memory.
#include <assert.h>
__global__ void sum(int *out)
{
    int lane = threadIdx.x;
#ifdef values
    int all = lane;
    for (int by = 2; by > 0; by /= 2)
        all += __shfl_xor_sync(0xf, all, by);
    assert(all == 6);
    assert(__shfl_sync(0xf, lane, 2) == 2);
    assert(__shfl_up_sync(0xf, lane, 1) == (lane == 0 ? 0 : lane - 1));
    assert(__shfl_down_sync(0xf, lane, 1) == (lane == 3 ? 3 : lane + 1));
    assert(__ballot_sync(0xf, lane > 1) == 0xc);
    assert(__any_sync(0xf, lane == 3) && !__all_sync(0xf, lane == 3));
    assert(__syncthreads_count(lane > 0) == 3);
    assert(__reduce_add_sync(0xfu, lane) == 6);
    assert(__match_any_sync(0xfu, lane & 1) == (lane & 1 ? 0xa : 0x5));
    out[lane] = all;
#else
    __shared__ int cells[4];
    cells[lane] = lane; //~[memory] RACE@cells write
    int other = __shfl_xor_sync(0xf, lane, 1);
    out[lane] = cells[other]; //~[memory] RACE@cells read
#endif
}
//~[values] SAFE
//~[memory] CLASSES intra_warp
