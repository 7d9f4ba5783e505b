//@ run: gpu --grid 1 --block 4 --warp 4
//@ revisions: lacks missing half_warp exited
// Lanes that a mask names meet: each that calls is in it, and each in it comes, unless it has ended.
__global__ void meet(int *out)
{
#if defined(lacks)
    __syncwarp(0x3); //~[lacks] BARRIER_DIVERGENCE
#elif defined(missing)
    if (threadIdx.x < 2)
        __syncwarp(0xf); //~[missing] BARRIER_DIVERGENCE
    else
        __syncthreads(); //~[missing] BARRIER_DIVERGENCE
#elif defined(half_warp)
    if (threadIdx.x < 2)
        __syncwarp(0x3);
#else
    if (threadIdx.x < 2)
        return;
    __syncwarp();
#endif
    out[threadIdx.x] = 0;
}
//~[half_warp,exited] SAFE
