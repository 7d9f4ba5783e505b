//@ run: gpu --grid 1 --block 2
//@ revisions: own local exchanged
// Volatile accesses are relaxed atomic ones. Threads tell each other nothing by cells, or by variables, that each has for itself; they do by two
// places that both access.
__global__ void count(volatile int *cells, int *out)
{
#if defined(own)
    cells[threadIdx.x] = 1;
    cells[threadIdx.x] += 1;
#elif defined(local)
    volatile int mine = threadIdx.x;
    out[threadIdx.x] = mine + 1;
#else
    cells[threadIdx.x] = 1;
    out[threadIdx.x] = cells[1 - threadIdx.x];
#endif
}
//~[own,local] SAFE
//~[exchanged] INCONCLUSIVE ledger=weak_memory
