//@ run: gpu
//@ revisions: any few
// What the host is given may be anything: the launch is as large as it says, and some inputs show what others do not.
#include <cuda_runtime.h>
#include "raddle.h"
__global__ void fill(int *cells, int n)
{
    cells[threadIdx.x % n] = threadIdx.x; //~[any] RACE write/write
}
int main()
{
    int n;
    raddle_symbolic(&n, sizeof n, "n");
    raddle_assume(n >= 1 && n <= 2);
#ifdef few
    raddle_assume(n == 2);
#endif
    int *cells;
    cudaMalloc(&cells, n * sizeof(int));
    fill<<<1, 2>>>(cells, n);
    cudaFree(cells);
    return 0;
}
//~[few] SAFE
