//@ run: gpu --kernel k --grid 4096 --block 256 --flows always
//@ revisions: pointer divides uninitialised asserts own
// Threads that may fail, or that call through a pointer which they are given, are not looked at all at once: what they do was left out without a
// word, and the launch was called safe.
#ifdef pointer
typedef void (*Function)(int *);
__device__ void same(int *p)
{
    *p = threadIdx.x;
}
__global__ void k(int *out, Function f)
{
    f(out);
}
#elif defined divides
__global__ void k(int *out, int n)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 100 / n;
}
#elif defined uninitialised
__global__ void k(int *out, int n)
{
    int x;
    if (n > 3)
        x = 1;
    if (x)
        out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
#elif defined asserts
#include <assert.h>
__global__ void k(int *out, int *count)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        assert(atomicAdd(count, 1) == 0);
}
#else
__global__ void k(int *out, int n)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = n;
}
#endif
//~[pointer,divides,uninitialised,asserts] INCONCLUSIVE ledger=unsupported
//~[own] SAFE
