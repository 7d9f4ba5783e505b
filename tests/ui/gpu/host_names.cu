//@ run: gpu --warp 2
//@ revisions: symbol by_address kernel_gets_name copies_by_name host_writes host_reads pointer_to_pointer
// The host's name of a variable of the device stands for it in calls of the runtime only.
#include <cuda_runtime.h>
#include <stdlib.h>
__device__ int total;
__constant__ int limit;
__global__ void add(int *to, int by)
{
    *to += by + limit; //~[kernel_gets_name] FOREIGN_ACCESS
}
int main()
{
    int seen = 0, three = 3, *at = 0;
    cudaMemcpyToSymbol(limit, &three, sizeof three);
#ifdef host_writes
    total = 4; //~[host_writes] FOREIGN_ACCESS
#elif defined host_reads
    if (total) //~[host_reads] FOREIGN_ACCESS
        return 1;
#endif
#ifdef kernel_gets_name
    at = &total;
#else
    if (cudaGetSymbolAddress((void **)&at, total) != cudaSuccess)
        abort();
#endif
#ifdef copies_by_name
    if (cudaMemcpy(&total, &three, sizeof three, cudaMemcpyHostToDevice) != cudaErrorInvalidValue)
        abort();
    if (cudaMemcpyToSymbol(three, &three, sizeof three) != cudaErrorInvalidSymbol)
        abort();
#endif
#ifdef pointer_to_pointer
    // A template's argument: the address of a temporary, not the variable.
    if (cudaMemcpyToSymbol(&total, &three, sizeof three) != cudaErrorInvalidSymbol)
        abort();
#endif
    add<<<1, 1>>>(at, 4);
#ifdef by_address
    cudaMemcpy(&seen, at, sizeof seen, cudaMemcpyDeviceToHost);
#else
    cudaMemcpyFromSymbol(&seen, total, sizeof seen);
#endif
    if (seen != 7)
        abort();
    return 0;
}
//~[symbol] SAFE
//~[by_address] SAFE
//~[copies_by_name] SAFE
//~[pointer_to_pointer] SAFE
