//@ run: gpu --kernel walk --flows always --grid 100 --block 64 --max-time 1
// Time runs out while all threads are looked at together: loops in loops, none of which one round stands for.
#include <cuda_runtime.h>
__global__ void walk(int n, int *a, int *b)
{
    int seen = 0;
    for (int i = blockIdx.x; i < n; i += 2) {
        for (int k = blockIdx.x; k < (int)threadIdx.x + n; k++)
            seen += b[i + k + 2];
        if ((int)threadIdx.x < (int)threadIdx.x + n)
            __syncthreads();
    }
    a[3 * threadIdx.x] = seen;
}
//~ INCONCLUSIVE ledger=time
