//@ run: gpu
//@ revisions: apart same pinned managed
// A copy from pageable memory is back when all is taken, which need not be there yet: only what comes behind it in its stream finds it. From
// pinned memory it is there. Managed memory is set when the call is back, and so is what is copied from host to host.
#include <cuda_runtime.h>
#include <cstdlib>
__global__ void add(int *cells) { cells[threadIdx.x]++; } //~[apart] RACE@one read
//~^[apart] RACE@two write
int main()
{
    int values[2] = {1, 2}, *cells, *source = values;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&cells, sizeof values);
#if defined(pinned)
    cudaMallocHost(&source, sizeof values);
    cudaMemcpyAsync(source, values, sizeof values, cudaMemcpyHostToHost, stream);
    source[0]++;
#elif defined(managed)
    const int *before;
    cudaMallocManaged(&before, sizeof values);
    source = const_cast<int *>(before);
    cudaMemset(source, 0, sizeof values);
    source[1] = 3;
#endif
    cudaMemcpy(cells, source, sizeof values, cudaMemcpyDefault); //~[apart] RACE@one write
    //~^[apart] RACE@two write
#ifdef same
    add<<<1, 2>>>(cells);
#else
    add<<<1, 2, 0, stream>>>(cells);
#endif
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
    cudaFree(cells);
#if defined(pinned)
    cudaFreeHost(source);
#elif defined(managed)
    cudaFree(source);
#endif
    return 0;
}
//~[same,pinned,managed] SAFE
