//@ run: gpu --grid 1 --block 4
//@ revisions: beyond asserts
// A failure that no argument avoids is one whatever the kernel is given.
#include <assert.h>
__global__ void fails(int *out)
{
    __shared__ int cells[4];
#ifdef beyond
    cells[threadIdx.x + 1] = 0; //~[beyond] OUT_OF_BOUNDS
#else
    cells[threadIdx.x] = 0;
    assert(threadIdx.x < 3); //~[asserts] ASSERTION
#endif
    out[threadIdx.x] = 0;
}
