//@ run: gpu --grid 1 --block 4 --warp 4
//@ revisions: step each_alone same sides loop_
//@[step,same,sides,loop_] flags: --sched lockstep
//@[each_alone] flags: --sched independent
// What devices before Volta give: an instruction of a converged warp is over before the next begins, for all its lanes. Two lanes at one
// instruction, and the sides of a branch, have no order.
__global__ void warp(int *out)
{
    __shared__ int cells[4];
    int lane = threadIdx.x;
#if defined(step) || defined(each_alone)
    cells[lane] = lane; //~[each_alone] RACE@cells write
    out[lane] = cells[lane ^ 1]; //~[each_alone] RACE@cells read
#elif defined(same)
    cells[lane / 2] = lane; //~[same] RACE write/write
#elif defined(sides)
    if (lane < 2)
        cells[lane] = lane; //~[sides] RACE@sides write
    else
        out[lane] = cells[lane - 2]; //~[sides] RACE@sides read
    // Behind the branch they are together again.
    out[lane ^ 2] = 0;
#else
    for (int i = 0; i < lane; ++i)
        cells[lane] = i;
    out[lane] = cells[(lane + 1) % 4];
#endif
}
//~[each_alone,same] CLASSES intra_warp
//~[sides] CLASSES intra_warp_divergent
//~[step,loop_] SAFE
