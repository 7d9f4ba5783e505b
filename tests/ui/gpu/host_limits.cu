//@ run: gpu --warp 2
//@ revisions: fits too_many_threads too_much_shared asked_for heap_of_device frees_heap kernel_frees shared_after
// What a device refuses to launch, and memory that is the kernels' alone.
#include <cuda_runtime.h>
#include <stdlib.h>
struct node {
    int value;
};
__device__ node *made;
__device__ int *left;
extern __shared__ int more[];
__global__ void __launch_bounds__(2) fill(int *cells)
{
    __shared__ int own[1024];
    own[threadIdx.x] = cells[threadIdx.x];
    more[threadIdx.x] = own[threadIdx.x];
    cells[threadIdx.x] = more[threadIdx.x] + 1;
    if (threadIdx.x == 0)
        left = more;
}
__global__ void make()
{
    made = (node *)malloc(sizeof(node));
    made->value = 1;
}
__global__ void use(int *cells)
{
#ifdef kernel_frees
    free(cells); //~[kernel_frees] INVALID_FREE
#elif defined shared_after
    cells[0] = left[0]; //~[shared_after] USE_AFTER_FREE
#else
    cells[0] = made->value;
    free(made);
#endif
}
int main()
{
    int cells[4] = {1, 2, 3, 4}, *on_device;
    cudaError_t expected = cudaSuccess;
    size_t bytes = 4 * sizeof(int);
    unsigned threads = 2;
    cudaMalloc(&on_device, sizeof cells);
    cudaMemcpy(on_device, cells, sizeof cells, cudaMemcpyHostToDevice);
#ifdef too_many_threads
    threads = 4;
    expected = cudaErrorLaunchOutOfResources;
#elif defined too_much_shared
    bytes = (48 << 10) - 4095;
    expected = cudaErrorInvalidValue;
#elif defined asked_for
    bytes = 50 << 10;
    cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 50 << 10);
#endif
    fill<<<1, threads, bytes>>>(on_device);
    if (cudaGetLastError() != expected)
        abort();
    make<<<1, 1>>>();
    use<<<1, 1>>>(on_device);
    cudaDeviceSynchronize();
#if defined heap_of_device || defined frees_heap
    node *heap = nullptr;
    make<<<1, 1>>>();
    cudaMemcpyFromSymbol(&heap, made, sizeof heap);
#ifdef heap_of_device
    if (cudaMemcpy(cells, heap, sizeof(node), cudaMemcpyDeviceToHost) != cudaErrorInvalidValue)
        abort();
#else
    if (cudaFree(heap) != cudaErrorInvalidValue)
        abort();
#endif
#endif
    cudaFree(on_device);
    return 0;
}
//~[fits] SAFE
//~[too_many_threads] SAFE
//~[too_much_shared] SAFE
//~[asked_for] SAFE
//~[heap_of_device] SAFE
//~[frees_heap] SAFE
