//@ run: gpu --kernel k --infer-launch
//@ revisions: guarded guarded_halves wraps wraps_later warps warps_unordered row rows nothing counted chased buffer flagged stride stride_short
//@[guarded,guarded_halves,wraps,wraps_later,warps,warps_unordered,row,rows,nothing,counted,chased,buffer,flagged,stride] flags: --grid 2 --block 2
//@[stride_short] flags: --grid 2 --block 1
// Under which launches a kernel is free of races, and launches that race where a comparison is left out.
#include <cuda_runtime.h>
#ifdef chased
__global__ void k(int **table)
#else
__global__ void k(int *out, const int *in, int n)
#endif
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
#if defined guarded
    if (i < n)
        out[i] = t;
#elif defined guarded_halves
    if (i < n)
        out[i / 2] = t; //~[guarded_halves] RACE write/write
#elif defined wraps
    out[i % n] = t; //~[wraps] RACE write/write
#elif defined wraps_later
    out[i % (n + 1)] = t; //~[wraps_later] RACE write/write
#elif defined warps || defined warps_unordered
    __shared__ int s[1024];
    s[t] = in[i]; //~[warps_unordered] RACE@s write
#ifdef warps
    __syncwarp();
#endif
    out[i] = s[blockDim.x - 1 - t]; //~[warps_unordered] RACE@s read
#elif defined row
    out[t % n] = 1; //~[row] RACE write/write
#elif defined rows
    out[blockIdx.x * blockDim.x + t % n] = 1; //~[rows] RACE write/write
#elif defined nothing
    out[0] = t; //~[nothing] RACE write/write
#elif defined counted
    atomicAdd(&out[0], t);
#elif defined chased
    // A pointer that is read from memory that threads share is not followed for all at once.
    atomicAdd(&table[t][0], i);
#elif defined buffer
    out[t] = i; //~[buffer] RACE write/write
#elif defined flagged
    // What another thread has written is not known: it is said to race, and does not.
    __shared__ int set;
    if (t == 0)
        set = 1;
    __syncthreads();
    if (set != 1)
        out[t] = i;
#elif defined stride
    for (; i < n; i += gridDim.x * blockDim.x)
        out[i] = t;
#elif defined stride_short
    for (; i < n; i += blockDim.x)
        out[i] = t; //~[stride_short] RACE write/write
#endif
}
//~[guarded,stride,warps,counted,flagged,chased] SAFE
//~[guarded,stride,counted] CONDITION not needed
//~[guarded_halves] CONDITION n <= 1
//~[wraps,wraps_later] CONDITION n >= (int)(gridDim.x * blockDim.x)
//~[warps] CONDITION blockDim.x <= 32
//~[warps_unordered] CONDITION blockDim.x == 1
//~[row] CONDITION n >= (int)blockDim.x && gridDim.x == 1
//~[rows] CONDITION n >= (int)blockDim.x
//~[nothing] CONDITION none
//~[chased] CONDITION unknown
//~[buffer] CONDITION gridDim.x == 1
//~[flagged] CONDITION sufficient only: gridDim.x == 1
//~[stride_short] CONDITION n <= (int)blockDim.x
