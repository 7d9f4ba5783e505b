//@ run: gpu --grid 1 --block 2
//@ revisions: by_cell by_number
// Whether threads diverge is a matter of what the kernel is given: of each cell, or of one number for all.
__global__ void wait(int *cells, int limit)
{
#ifdef by_cell
    if (cells[threadIdx.x] > limit)
#else
    if (limit > 0)
#endif
        __syncthreads(); //~[by_cell] BARRIER_DIVERGENCE inputs=limit
}
//~[by_number] SAFE
