//@ run: gpu --grid 2,1 --block 2,2 --kernel fill
// What common CUDA is written with: templates, dimensions, constant and dynamic shared memory, cooperative groups, device functions.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <stdio.h>
namespace cg = cooperative_groups;
__constant__ int offset;
extern __shared__ int scratch[];
//@ flags: --shared 16 --warp 2
template <class T> __device__ T twice(T x) { return x + x; }
__device__ inline int rank() { return threadIdx.y * blockDim.x + threadIdx.x; }
struct half_of {
    __device__ int operator()(int x) const { return x / 2; }
};
template <class F> __global__ void fill(int *out, F f)
{
    cg::thread_block block = cg::this_thread_block();
    scratch[rank()] = twice(rank());
    block.sync();
    int other = scratch[rank() ^ 3];
    cg::thread_block_tile<2> tile = cg::tiled_partition<2>(block);
    other += tile.shfl(rank(), 0);
    if (out == NULL)
        printf("nothing to fill in\n");
    else
        out[blockIdx.x * 4 + rank()] = f(other) + offset;
}
template __global__ void fill<half_of>(int *, half_of);
int main()
{
    int *out;
    cudaMalloc(&out, 8 * sizeof(int));
    fill<<<dim3(2, 1), dim3(2, 2), 16>>>(out, half_of());
    return cudaDeviceSynchronize() != cudaSuccess;
}
//~ SAFE
