//@ run: gpu
//@ revisions: apart ordered
// Atomic operations of two launches that nothing orders are no race, but what they see of each other is explored in one order only.
#include <cuda_runtime.h>
__global__ void count(int *cell) { atomicAdd(cell, 1); }
int main()
{
    int *cell;
    cudaStream_t one, other;
    cudaMalloc(&cell, sizeof(int));
    cudaMemset(cell, 0, sizeof(int));
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);
    count<<<1, 2, 0, one>>>(cell);
#ifdef ordered
    cudaStreamSynchronize(one);
#endif
    count<<<1, 2, 0, other>>>(cell);
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    cudaFree(cell);
    return 0;
}
//~[apart] INCONCLUSIVE ledger=unsupported
//~[ordered] SAFE
