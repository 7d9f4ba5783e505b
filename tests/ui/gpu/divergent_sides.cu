//@ run: gpu --grid 1 --block 2
//@ revisions: sides one_side
// On different sides of a branch, and behind it where they meet again.
__global__ void both(int *out)
{
    __shared__ int cell;
    if (threadIdx.x == 0)
        cell = 1; //~[sides] RACE@cell write
#ifdef sides
    else
        out[1] = cell; //~[sides] RACE@cell read
#else
    out[threadIdx.x] = 0;
#endif
}
//~[sides] CLASSES intra_warp_divergent
//~[one_side] SAFE
