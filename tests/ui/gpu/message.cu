//@ run: gpu --grid 2 --block 1
//@ revisions: without with block once
// A message by a flag that is counted up atomically. Relaxed atomics order nothing: it takes a fence on both sides, for the whole device.
// What is read from the flag is read by one thread of it alone.
__device__ int data;
__device__ unsigned flag;

#if defined(with)
#define FENCE __threadfence()
#elif defined(block)
#define FENCE __threadfence_block()
#else
#define FENCE
#endif

__global__ void pass(int *out)
{
    if (blockIdx.x == 0) {
        data = 42; //~[without,once] RACE@data write
        //~^[block] SCOPE_ERROR
        FENCE;
#ifdef once
        __threadfence();
#endif
        atomicAdd(&flag, 1u);
    } else {
        if (atomicAdd(&flag, 0u) == 1) {
            FENCE;
            *out = data; //~[without,once] RACE@data read
        }
    }
}
//~[without,once,block] CLASSES global
//~[with] SAFE
