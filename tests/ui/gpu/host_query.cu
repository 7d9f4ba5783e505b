//@ run: gpu
//@ revisions: looked again
// Who asks whether a stream is ready may be told that it is not, and nothing is waited for then.
#include <cuda_runtime.h>
#include <cstdlib>
__global__ void set(int *cell) { *cell = 5; } //~[looked] RACE@looked write
int main()
{
    int *cell;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&cell, sizeof(int));
    *cell = 0;
    if (cudaStreamQuery(stream) != cudaSuccess)
        abort(); // nothing was given to it
    set<<<1, 1, 0, stream>>>(cell);
    cudaError_t error = cudaStreamQuery(stream);
    if (cudaGetLastError() != cudaSuccess)
        abort(); // it is no error
#ifdef again
    if (error == cudaErrorNotReady)
        cudaStreamSynchronize(stream);
#endif
    int seen = *cell; //~[looked] RACE@looked read
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFreeHost(cell);
    return error == cudaSuccess && seen != 5;
}
//~[again] SAFE
