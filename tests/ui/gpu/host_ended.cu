//@ run: gpu
//@ revisions: stream_ event_ device_ exits grid cooperative
// What has ended is no more: a stream that was destroyed is gone, and nothing is known of the device after its reset. Launches that overlap
// may do so when the process ends. Blocks wait for each other only in a launch that says so.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
__global__ void add(int *cells) { cells[threadIdx.x]++; }
__global__ void flag(int *cells) { atomicExch(cells, 1); }
__global__ void meet(int *cells)
{
    cells[blockIdx.x] = 1;
    cooperative_groups::this_grid().sync();
    cells[2 + blockIdx.x] = cells[1 - blockIdx.x];
}
int main()
{
    int *cells;
    cudaStream_t one, other;
    cudaEvent_t event;
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);
    cudaEventCreate(&event);
    cudaMalloc(&cells, 4 * sizeof(int));
    cudaMemset(cells, 0, 4 * sizeof(int));
    cudaDeviceSynchronize();
#if defined(stream_)
    cudaStreamDestroy(one);
    add<<<1, 2, 0, one>>>(cells); //~[stream_] USE_AFTER_FREE
#elif defined(event_)
    cudaEventDestroy(event);
    cudaEventRecord(event, one); //~[event_] USE_AFTER_FREE
#elif defined(device_)
    cudaDeviceReset();
    add<<<1, 2>>>(cells);
#elif defined(exits)
    flag<<<1, 1, 0, one>>>(cells);
    flag<<<1, 1, 0, other>>>(cells);
    return 0;
#elif defined(grid)
    meet<<<2, 1>>>(cells);
#elif defined(cooperative)
    void *arguments[] = {&cells};
    cudaLaunchCooperativeKernel((void *)meet, dim3(2), dim3(1), arguments, 0, 0);
#endif
    cudaDeviceSynchronize();
    return 0;
}
//~[device_,exits,grid] INCONCLUSIVE ledger=unsupported
//~[cooperative] SAFE
