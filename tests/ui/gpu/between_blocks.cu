//@ run: gpu --grid 2 --block 2
//@ revisions: plain atomic own_cells
// All threads count in one cell of global memory.
__global__ void count(unsigned *total)
{
#if defined(plain)
    *total += 1; //~[plain] RACE read/write
    //~^[plain] RACE write/write
#elif defined(atomic)
    atomicAdd(total, 1u);
#else
    total[blockIdx.x * blockDim.x + threadIdx.x] += 1;
#endif
}
//~[plain] CLASSES intra_warp,global
//~[atomic] SAFE
//~[own_cells] SAFE
