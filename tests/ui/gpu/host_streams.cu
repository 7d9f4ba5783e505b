//@ run: gpu
//@ revisions: apart event same waited default_ nonblocking
// Kernels of two streams are ordered by an event, by the host that waits, or by the default stream between them, for which streams wait unless they say
// that they do not.
#include <cuda_runtime.h>
__global__ void add(int *cell, int by) { *cell += by; } //~[apart] RACE write/write
//~^[apart] RACE read/write
//~^^[nonblocking] RACE@first write
//~^^^[nonblocking] RACE@second write
//~^^^^[nonblocking] RACE@third read
__global__ void twice(int *cell) { *cell *= 2; } //~[nonblocking] RACE@first write
//~^[nonblocking] RACE@second read
//~^^[nonblocking] RACE@third write
int main()
{
    int *cell, sum;
    cudaMalloc(&cell, sizeof(int));
    cudaMemset(cell, 0, sizeof(int));
    cudaStream_t one, other;
#ifdef nonblocking
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
#else
    cudaStreamCreate(&one);
#endif
    cudaStreamCreate(&other);
    add<<<1, 1, 0, one>>>(cell, 1);
#if defined(event)
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaEventRecord(done, one);
    cudaStreamWaitEvent(other, done, 0);
    cudaEventDestroy(done);
#elif defined(waited)
    cudaStreamSynchronize(one);
#elif defined(default_) || defined(nonblocking)
    twice<<<1, 1>>>(cell);
#endif
#if defined(same)
    add<<<1, 1, 0, one>>>(cell, 2);
#elif !defined(nonblocking)
    add<<<1, 1, 0, other>>>(cell, 2);
#endif
    cudaDeviceSynchronize();
    cudaMemcpy(&sum, cell, sizeof(int), cudaMemcpyDeviceToHost);
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    cudaFree(cell);
    return 0;
}
//~[apart,nonblocking] CLASSES global
//~[event,same,waited,default_] SAFE
