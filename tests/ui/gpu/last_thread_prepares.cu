//@ run: gpu --grid 1 --block 2
//@ revisions: missing there
// Without the barrier all goes well only if the last thread is the first: no simple order of threads is so, but a heap counts if any is.
__global__ void prepare(const int *in, int *out)
{
    __shared__ const int *from;
    if (threadIdx.x == 1)
        from = in; //~[missing] RACE write
#ifdef there
    __syncthreads();
#endif
    out[threadIdx.x] = *from; //~[missing] RACE read
    //~^[missing] UNINITIALIZED_READ
}
//~[missing] CLASSES intra_warp
//~[there] SAFE
