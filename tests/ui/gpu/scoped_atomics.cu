//@ run: gpu
//@ revisions: two_blocks one_block wide
// Atomic functions of a block's scope are atomic for threads of that block alone.
//@[one_block] flags: --grid 1 --block 2
//@[two_blocks] flags: --grid 2 --block 1
//@[wide] flags: --grid 2 --block 1
__global__ void count(unsigned *total)
{
#ifdef wide
    atomicAdd_system(total, 1u);
#else
    atomicAdd_block(total, 1u); //~[two_blocks] SCOPE_ERROR
#endif
}
//~[two_blocks] CLASSES global
//~[one_block,wide] SAFE
