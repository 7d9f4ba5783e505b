//@ run: gpu
//@ revisions: early waited pageable
// A copy to pinned memory goes on when the call is back; one to pageable memory does not.
#include <cuda_runtime.h>
#include <stdlib.h>
__global__ void set(int *cell) { *cell = 5; }
int main()
{
    int *cell, *result;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&cell, sizeof(int));
#ifdef pageable
    result = (int *)malloc(sizeof(int));
#else
    cudaMallocHost(&result, sizeof(int));
#endif
    set<<<1, 1, 0, stream>>>(cell);
    cudaMemcpyAsync(result, cell, sizeof(int), cudaMemcpyDeviceToHost, stream); //~[early] RACE@copy write
#ifdef waited
    cudaStreamSynchronize(stream);
#endif
#ifdef early
    int seen = *result; //~[early] RACE@copy read
    (void)seen;
#else
    if (*result != 5)
        abort();
#endif
#ifdef pageable
    free(result);
#else
    cudaFreeHost(result);
#endif
    cudaStreamDestroy(stream);
    cudaFree(cell);
    return 0;
}
//~[waited,pageable] SAFE
