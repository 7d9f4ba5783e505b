//@ run: gpu --grid 1 --block 2 --warp 1
//@ revisions: added mixed one_place floats
// Nobody uses what the updates return. Where they commute, their order shows nowhere; where they do not, what two cells come to can tell of an
// order of relaxed updates that no interleaving has (2+2W of PTX's tests).
#if defined(floats)
__device__ float x, y;
#define SECOND(cell) atomicAdd(&(cell), 2.0f)
#else
__device__ unsigned x, y;
#if defined(added)
#define SECOND(cell) atomicSub(&(cell), 2u)
#else
#define SECOND(cell) atomicMax(&(cell), 5u)
#endif
#endif

__global__ void order()
{
    if (threadIdx.x == 0) {
        atomicAdd(&x, 1);
        SECOND(y);
    } else {
#ifndef one_place
        atomicAdd(&y, 1);
#endif
        SECOND(x);
    }
}
//~[added] SAFE
//~[mixed] INCONCLUSIVE ledger=weak_memory
//~[one_place] SAFE
//~[floats] INCONCLUSIVE ledger=weak_memory
