//@ run: gpu --grid 2 --block 1
//@ revisions: no_fence two_fences block_fences one_fence
// A message by a flag that is counted up atomically. Relaxed atomics order nothing: it takes a fence on both sides, for the whole device.
// What is read from the flag is read by one thread of it alone.
__device__ int data;
__device__ unsigned flag;

#if defined(two_fences)
#define FENCE __threadfence()
#elif defined(block_fences)
#define FENCE __threadfence_block()
#else
#define FENCE
#endif

__global__ void pass(int *out)
{
    if (blockIdx.x == 0) {
        data = 42; //~[no_fence,one_fence] RACE@data write
        //~^[block_fences] SCOPE_ERROR
        FENCE;
#ifdef one_fence
        __threadfence();
#endif
        atomicAdd(&flag, 1u);
    } else {
        if (atomicAdd(&flag, 0u) == 1) {
            FENCE;
            *out = data; //~[no_fence,one_fence] RACE@data read
        }
    }
}
//~[no_fence,one_fence,block_fences] CLASSES global
//~[two_fences] SAFE
