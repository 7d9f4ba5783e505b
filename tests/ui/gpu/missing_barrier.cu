//@ run: gpu --grid 1 --block 4 --warp 2
//@ revisions: missing there
// A neighbour's cell is read without a barrier behind the write; in shared memory each block has its own.
__global__ void shift(int *out)
{
    __shared__ int cells[4];
    cells[threadIdx.x] = out[threadIdx.x]; //~[missing] RACE@cells write
#ifdef there
    __syncthreads();
#endif
    out[threadIdx.x] = cells[(threadIdx.x + 1) % 4]; //~[missing] RACE@cells read
}
//~[missing] CLASSES intra_warp,inter_warp
//~[there] SAFE
