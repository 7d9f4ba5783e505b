//@ run: gpu --grid 2 --block 2
//@ revisions: no_fence with_fence block_fence
// The block that is done last adds up what all have left, as CUDA's guide has it ("Memory Fence Functions"): who counts up must have its part
// out before. Where the sums go is only decided behind the race.
__device__ unsigned count;

#if defined(with_fence)
#define FENCE __threadfence()
#elif defined(block_fence)
#define FENCE __threadfence_block()
#else
#define FENCE
#endif

__global__ void sum(const int *in, int *part, int *out)
{
    __shared__ bool isLast;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[2 * blockIdx.x] + in[2 * blockIdx.x + 1]; //~[no_fence] RACE write
        //~^[block_fence] SCOPE_ERROR
        FENCE;
        isLast = atomicAdd(&count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (isLast && threadIdx.x == 0) {
        FENCE;
        int all = 0;
        for (unsigned i = 0; i < gridDim.x; ++i)
            all += part[i]; //~[no_fence] RACE read
        *out = all;
    }
}
//~[no_fence,block_fence] CLASSES global
//~[with_fence] SAFE
