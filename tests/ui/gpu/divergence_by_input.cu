//@ run: gpu --grid 1 --block 2
//@ revisions: one all
// Whether threads diverge is a matter of what the kernel is given: of each cell, or of one number for all.
__global__ void wait(int *cells, int limit)
{
#ifdef one
    if (cells[threadIdx.x] > limit)
#else
    if (limit > 0)
#endif
        __syncthreads(); //~[one] BARRIER_DIVERGENCE inputs=limit
}
//~[all] SAFE
