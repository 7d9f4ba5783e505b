//@ run: gpu --grid 1 --block 2 --warp 2
//@ revisions: independent lockstep always
//@[lockstep] flags: --sched lockstep
// A failure counts where the order of threads decides whether there is one; one that the arguments decide is left to whoever calls the kernel.
__device__ unsigned count;
__global__ void number(const int *in)
{
#if defined(always)
    assert(*in == 0);
#else
    unsigned mine = atomicAdd(&count, 1u);
    assert(mine == threadIdx.x); //~[independent,lockstep] ASSERTION
#endif
}
//~[always] SAFE
