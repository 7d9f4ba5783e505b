//@ run: gpu
//@ revisions: usage launched
// A program that asks for arguments launches nothing without: that is no `safe`.
#include <cuda_runtime.h>
#include <stdio.h>
__global__ void set(int *cell) { *cell = 5; }
int main(int argc, char **)
{
#ifdef usage
    if (argc != 2) {
        fprintf(stderr, "usage: set N\n");
        return 1;
    }
#endif
    int *cell;
    cudaMalloc(&cell, sizeof(int));
    set<<<1, 1>>>(cell);
    cudaFree(cell);
    return 0;
}
//~[usage] INCONCLUSIVE ledger=vacuous
//~[launched] SAFE
