//@ run: gpu --grid 2 --block 1
// A shared variable is one for each block: two blocks do not meet in it, and each sees what it has written itself.
#include <assert.h>
__global__ void own(int *out)
{
    __shared__ int cell;
    cell = blockIdx.x;
    __syncthreads();
    assert(cell == blockIdx.x);
    out[blockIdx.x] = cell;
}
//~ SAFE
