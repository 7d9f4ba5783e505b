//@ run: gpu --warp 2
//@ revisions: kernels_pointer of_device of_host of_both
// Pointers to kernels launch them; a kernel calls functions of the device by pointers that the device has made.
#include <cuda_runtime.h>
#include <stdlib.h>
typedef int (*step)(int);
__host__ __device__ static int twice(int n) { return 2 * n; }
__device__ step chosen = twice;
__global__ void apply(int *cells, step given)
{
    step call = given ? given : chosen;
    cells[threadIdx.x] = call(cells[threadIdx.x]); //~[of_host] FOREIGN_ACCESS
}
__global__ void clear(int *cells, step)
{
    cells[threadIdx.x] = 0;
}
int main()
{
    int cells[2] = {1, 2}, *on_device;
    step given = nullptr;
#ifdef of_host
    given = twice;
#elif defined of_device
    cudaMemcpyFromSymbol(&given, chosen, sizeof given);
#elif defined of_both
    if (twice(1) != 2)
        abort();
#endif
    void (*launched)(int *, step) = apply;
#ifdef kernels_pointer
    launched = clear;
#endif
    cudaMalloc(&on_device, sizeof cells);
    cudaMemcpy(on_device, cells, sizeof cells, cudaMemcpyHostToDevice);
    launched<<<1, 2>>>(on_device, given);
    cudaMemcpy(cells, on_device, sizeof cells, cudaMemcpyDeviceToHost);
#ifdef kernels_pointer
    if (cells[0] != 0 || cells[1] != 0)
        abort();
#else
    if (cells[0] != 2 || cells[1] != 4)
        abort();
#endif
    cudaFree(on_device);
    return 0;
}
//~[kernels_pointer] SAFE
//~[of_device] SAFE
//~[of_both] SAFE
