//@ run: gpu
//@ revisions: none many large
// A launch that no device can run: the call says so, no kernel runs, and the program goes on.
#include <cuda_runtime.h>
#include <stdlib.h>
__global__ void set(int *cell) { *cell = 5; }
int main()
{
    int *cell, seen;
    cudaMalloc(&cell, sizeof(int));
    set<<<1, 1>>>(cell);
    cudaMemset(cell, 0, sizeof(int));
#if defined(none)
    set<<<0, 1>>>(cell);
#elif defined(many)
    set<<<1, 1025>>>(cell);
#else
    set<<<dim3(1, 1, 65536), 1>>>(cell);
#endif
    if (cudaPeekAtLastError() != cudaErrorInvalidConfiguration)
        abort();
    if (cudaGetLastError() != cudaErrorInvalidConfiguration || cudaGetLastError() != cudaSuccess)
        abort();
    cudaMemcpy(&seen, cell, sizeof(int), cudaMemcpyDeviceToHost);
    if (seen != 0)
        abort();
    cudaFree(cell);
    return 0;
}
//~ SAFE
//~ ASSUMED failed_call
