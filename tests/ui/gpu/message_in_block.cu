//@ run: gpu --grid 1 --block 2
//@ revisions: no_fence two_fences
// Within a block a fence of the block's scope is wide enough.
__global__ void pass(int *out)
{
    __shared__ int data;
    __shared__ unsigned flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42; //~[no_fence] RACE@data write
#ifdef two_fences
        __threadfence_block();
#endif
        atomicExch(&flag, 1u);
    } else if (atomicAdd(&flag, 0u) == 1) {
#ifdef two_fences
        __threadfence_block();
#endif
        *out = data; //~[no_fence] RACE@data read
    }
}
//~[no_fence] CLASSES intra_warp_divergent
//~[two_fences] SAFE
