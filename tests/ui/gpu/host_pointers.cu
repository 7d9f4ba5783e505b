//@ run: gpu
//@ revisions: host_ device_ freed given past refused managed fine
// Whose memory it is: what malloc gives no kernel reaches, what cudaMalloc gives the host only copies from and to; each is given back to who gave it.
#include <cuda_runtime.h>
#include <stdlib.h>
__global__ void number(int *cells) { cells[threadIdx.x] = threadIdx.x; } //~[host_] FOREIGN_ACCESS
int main()
{
    int *cells = (int *)malloc(2 * sizeof(int)), *device;
#ifdef managed
    cudaMallocManaged(&device, 2 * sizeof(int));
#else
    cudaMalloc(&device, 2 * sizeof(int));
#endif
#ifdef host_
    number<<<1, 2>>>(cells);
#else
    number<<<1, 2>>>(device);
#endif
    cudaDeviceSynchronize();
#ifdef device_
    cells[0] = device[0]; //~[device_] FOREIGN_ACCESS
#endif
#ifdef managed
    if (device[1] != 1)
        abort();
#endif
#ifdef past
    cudaMemcpy(cells, device, 3 * sizeof(int), cudaMemcpyDeviceToHost); //~[past] OUT_OF_BOUNDS
#endif
#ifdef refused
    if (cudaMemcpy(cells, device, 2 * sizeof(int), cudaMemcpyHostToDevice) != cudaErrorInvalidValue)
        abort();
    if (cudaGetLastError() != cudaErrorInvalidValue || cudaGetLastError() != cudaSuccess)
        abort();
#endif
#ifdef fine
    cudaMemcpy(cells, device, 2 * sizeof(int), cudaMemcpyDefault);
    if (cells[1] != 1)
        abort();
#endif
#ifdef freed
    free(device); //~[freed] INVALID_FREE
#elif defined(given)
    if (cudaFree(cells) != cudaErrorInvalidValue)
        abort();
    number<<<1, 2>>>(device);
    cudaFree(device);
#else
    cudaFree(device);
#endif
    free(cells);
    return 0;
}
//~[given,refused,managed,fine] SAFE
