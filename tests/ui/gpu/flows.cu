//@ run: gpu --kernel walk
//@ revisions: each stride odd_stride sums sums_early reversed by_structure shuffles counts early in_turn far twice
//@[each,by_structure] flags: --grid 4096 --block 256
//@[stride] flags: --grid 64 --block 256
//@[odd_stride] flags: --grid 7 --block 192
//@[sums,sums_early,reversed,in_turn] flags: --grid 16 --block 64
//@[shuffles,counts] flags: --grid 3 --block 1024
//@[early,far,twice] flags: --grid 4 --block 128
// All threads of a launch at once: any two of them, whatever their number and that of their rounds.
#include <cuda_runtime.h>
struct task {
    const float *from;
    float *to;
    int n;
};
#ifdef by_structure
__global__ void walk(task t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < t.n)
        t.to[i] = 2 * t.from[i];
}
#else
__global__ void walk(int *a, int *b, int n)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
#if defined each
    if (i < n)
        a[i] += b[i];
#elif defined stride || defined odd_stride
    for (int k = i; k < n; k += blockDim.x * gridDim.x)
        a[k] = 2 * a[k];
#elif defined far
    // One less than there are threads: the first goes on where the last begins.
    for (int k = i; k < n; k += blockDim.x * gridDim.x - 1)
        a[k] = 1; //~[far] RACE
#elif defined sums || defined sums_early
    __shared__ int s[64];
    s[t] = a[i]; //~[sums_early] RACE@s write
#ifdef sums
    __syncthreads();
#endif
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k]; //~[sums_early] RACE@s read
        __syncthreads();
    }
    if (t == 0)
        b[blockIdx.x] = s[0];
#elif defined reversed
    // Backwards.
    __shared__ int s[64];
    s[t] = a[i];
    __syncthreads();
    for (int k = 63 - t; k >= 0; k -= 64)
        b[i] = s[k];
#elif defined shuffles
    int v = a[i];
    for (int k = 16; k > 0; k >>= 1)
        v += __shfl_down_sync(0xffffffff, v, k);
    if (t % 32 == 0)
        b[i / 32] = v;
#elif defined counts
    for (int k = i; k < n; k += gridDim.x * blockDim.x)
        atomicAdd(&b[a[k]], 1);
#elif defined early
    // Who is not there any more has not passed the barrier.
    __shared__ int s[128];
    s[t] = 1;
    if (t == 5)
        return;
    __syncthreads(); //~[early] BARRIER_DIVERGENCE
    a[i] = s[127 - t];
#elif defined in_turn
    __shared__ int s[64];
    for (int k = 0; k < 8; k++) {
        if (t % 8 == k)
            s[t / 8] = k;
        __syncthreads();
    }
    b[i] = s[t / 8];
#elif defined twice
    // Two loops that inputs end, one in the other.
    for (int k = 0; k < n; k++)
        for (int j = t; j < n; j += blockDim.x)
            a[(blockIdx.x * n + k) * n + j] = k;
#endif
}
#endif
//~[each,stride,odd_stride,sums,reversed,by_structure,shuffles,counts,in_turn] SAFE
//~[twice] INCONCLUSIVE ledger=may_race
