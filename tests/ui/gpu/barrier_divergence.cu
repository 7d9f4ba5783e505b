//@ run: gpu --grid 1 --block 4
//@ revisions: some_come two_calls early_return all_come in_loop
// All threads of a block come to one call of the barrier, or none.
__global__ void wait(int *out)
{
#if defined(some_come)
    if (threadIdx.x < 2)
        __syncthreads(); //~[some_come] BARRIER_DIVERGENCE
#elif defined(two_calls)
    if (threadIdx.x < 2)
        __syncthreads(); //~[two_calls] BARRIER_DIVERGENCE
    else
        __syncthreads();
#elif defined(early_return)
    if (threadIdx.x == 3)
        return;
    __syncthreads(); //~[early_return] BARRIER_DIVERGENCE
#elif defined(all_come)
    if (blockDim.x == 4)
        __syncthreads();
#else
    for (int i = 0; i < 3; ++i)
        __syncthreads();
#endif
    out[threadIdx.x] = 0;
}
//~[all_come] SAFE
//~[in_loop] SAFE
