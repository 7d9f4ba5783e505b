//@ run: gpu
//@ revisions: blocks one system
// Atomic functions of a block's scope are atomic for threads of that block alone.
//@[one] flags: --grid 1 --block 2
//@[blocks] flags: --grid 2 --block 1
//@[system] flags: --grid 2 --block 1
__global__ void count(unsigned *total)
{
#ifdef system
    atomicAdd_system(total, 1u);
#else
    atomicAdd_block(total, 1u); //~[blocks] SCOPE_ERROR
#endif
}
//~[blocks] CLASSES global
//~[one,system] SAFE
