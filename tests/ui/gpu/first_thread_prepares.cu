//@ run: gpu --grid 1 --block 2
//@ revisions: missing there
// Without the barrier all goes well only if thread 0 is the first behind the one before, neither the next in turn nor who came last: a heap counts,
// and so does its race, if there is such an order.
__device__ unsigned count;
__global__ void prepare(const int *in, int *out)
{
    __shared__ const int *from;
    if (threadIdx.x == 0) {
        atomicAdd(&count, 1u);
        atomicAdd(&count, 1u);
    } else {
        atomicAdd(&count, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        from = in; //~[missing] RACE write
#ifdef there
    __syncthreads();
#endif
    out[threadIdx.x] = *from; //~[missing] RACE read
    //~^[missing] UNINITIALIZED_READ
}
//~[missing] CLASSES intra_warp
//~[there] SAFE
