//@ run: gpu --grid 1 --block 4
//@ revisions: some two early all loops
// All threads of a block come to one call of the barrier, or none.
__global__ void wait(int *out)
{
#if defined(some)
    if (threadIdx.x < 2)
        __syncthreads(); //~[some] BARRIER_DIVERGENCE
#elif defined(two)
    if (threadIdx.x < 2)
        __syncthreads(); //~[two] BARRIER_DIVERGENCE
    else
        __syncthreads();
#elif defined(early)
    if (threadIdx.x == 3)
        return;
    __syncthreads(); //~[early] BARRIER_DIVERGENCE
#elif defined(all)
    if (blockDim.x == 4)
        __syncthreads();
#else
    for (int i = 0; i < 3; ++i)
        __syncthreads();
#endif
    out[threadIdx.x] = 0;
}
//~[all] SAFE
//~[loops] SAFE
