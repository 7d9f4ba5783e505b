//@ run: gpu
//@ revisions: apart waited
// A `__constant__` variable is written by a copy of the default stream, for which a stream that does not block does not wait.
#include <cuda_runtime.h>
__constant__ int factors[2];
__global__ void scale(int *cells) { cells[threadIdx.x] = factors[threadIdx.x]; } //~[apart] RACE@copied read
int main()
{
    int values[2] = {1, 2}, *cells;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&cells, sizeof values);
    scale<<<1, 2, 0, stream>>>(cells);
#ifdef waited
    cudaStreamSynchronize(stream);
#endif
    cudaMemcpyToSymbol(factors, values, sizeof values); //~[apart] RACE@copied write
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
    cudaFree(cells);
    return 0;
}
//~[waited] SAFE
