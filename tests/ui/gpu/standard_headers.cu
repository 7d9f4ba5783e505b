//@ run: gpu --kernel largest --grid 1 --block 2
//@ revisions: own shared
// Headers of the host's standard library beside the device's `new`, also in place, and `delete`.
#include <algorithm>
#include <cmath>
#include <new>

struct pair {
    int a, b;
    __device__ pair(int a, int b) : a(a), b(b) {}
};

__global__ void largest(int *out, int n)
{
    pair *made = new pair(n, n + 1);
    alignas(pair) unsigned char there[sizeof(pair)];
    pair *placed = new (there) pair(3, std::min(n, 4));
#ifdef shared
    out[0] = std::max(made->b, placed->b); //~[shared] RACE
#else
    out[threadIdx.x] = std::max(made->b, placed->b);
#endif
    delete made;
}
//~[own] SAFE
//~[shared] CLASSES intra_warp
