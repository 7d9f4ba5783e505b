//@ run: gpu --grid 1 --block 4 --warp 2
//@ revisions: implicit in_warp between_warps
// Threads of a warp are not in step where each goes on by itself: it takes __syncwarp, which orders the lanes of one warp, and no others.
__global__ void swap(int *out)
{
    __shared__ int cells[4];
    cells[threadIdx.x] = threadIdx.x; //~[implicit,between_warps] RACE@cells write
#ifndef implicit
    __syncwarp();
#endif
#ifdef between_warps
    out[threadIdx.x] = cells[threadIdx.x ^ 2]; //~[between_warps] RACE@cells read
#else
    out[threadIdx.x] = cells[threadIdx.x ^ 1]; //~[implicit] RACE@cells read
#endif
}
//~[implicit] CLASSES intra_warp
//~[between_warps] CLASSES inter_warp
//~[in_warp] SAFE
