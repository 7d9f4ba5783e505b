//@ run: gpu --warp 2
//@ revisions: waited_for in_vain flag_of_device
// A kernel that waits for the host gets what it waits for before the host waits for it, or never. What the host does between two operations
// it may well do while the first one runs.
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>
__device__ int own;
__global__ void await(int *flag) { while (*(volatile int *)flag == 0); } //~[waited_for,flag_of_device] DEADLOCK
int main()
{
    int *flag, *at;
    cudaEvent_t event;
    cudaMallocManaged(&flag, sizeof *flag);
    *flag = 0;
    at = flag;
#ifdef flag_of_device
    cudaGetSymbolAddress((void **)&at, own);
#endif
    cudaEventCreate(&event);
    await<<<1, 1>>>(at);
#ifdef waited_for
    cudaDeviceSynchronize();
#elif defined in_vain || defined flag_of_device
    cudaEventRecord(event, 0);
#endif
    *(volatile int *)flag = 1;
    cudaDeviceSynchronize();
    return 0;
}
//~[in_vain] INCONCLUSIVE ledger=unsupported
