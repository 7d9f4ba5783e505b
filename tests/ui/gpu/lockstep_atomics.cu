//@ run: gpu --grid 1 --block 2 --warp 2 --sched lockstep
//@ revisions: any_order each_once
// At one instruction lanes come in any order: who is the first to count up is not always lane 0.
__device__ unsigned count, cells[2];
__global__ void number()
{
    unsigned mine = atomicAdd(&count, 1u);
#ifdef any_order
    if (mine != threadIdx.x)
        cells[0] = 1; //~[any_order] RACE write/write
#else
    cells[mine] = 1;
#endif
}
//~[any_order] CLASSES intra_warp
//~[each_once] SAFE
