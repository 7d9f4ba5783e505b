//@ run: gpu --grid 2 --block 2
//@ revisions: synced block none missed
// All threads of the launch wait for each other; a barrier of the block is not enough.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void shift(int *all)
{
    cg::grid_group grid = cg::this_grid();
    unsigned me = grid.thread_rank(), next = (me + 1) % grid.size();
    int taken = all[next]; //~[block,none] RACE read
#if defined(missed)
    if (blockIdx.x == 0)
        grid.sync(); //~[missed] BARRIER_DIVERGENCE
#elif defined(synced)
    grid.sync();
#elif defined(block)
    __syncthreads();
#endif
#ifndef missed
    all[me] = taken; //~[block,none] RACE write
#endif
}
//~[block] CLASSES global
//~[none] CLASSES global,intra_warp
//~[synced] SAFE
