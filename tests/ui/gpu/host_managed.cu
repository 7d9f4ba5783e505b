//@ run: gpu
//@ revisions: missing synchronised
// Memory that both sides access, and a variable: the host has to wait for the kernel before it reads what that wrote. To launch it is ordered behind
// what the host has written by itself.
#include <cuda_runtime.h>
#include <stdlib.h>
__managed__ int sum;
__global__ void total(const int *cells, int n)
{
    for (int i = 0; i < n; i++)
        sum += cells[i]; //~[missing] RACE write with 26
}
int main()
{
    int *cells;
    cudaMallocManaged(&cells, 2 * sizeof(int));
    cells[0] = 3;
    cells[1] = 4;
    sum = 1;
    total<<<1, 1>>>(cells, 2);
#ifdef synchronised
    cudaDeviceSynchronize();
    if (sum != 8)
        abort();
#else
    int seen = sum; //~[missing] RACE read with 11
    (void)seen;
#endif
    cudaFree(cells);
    return 0;
}
//~[synchronised] SAFE
