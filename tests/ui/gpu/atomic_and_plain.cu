//@ run: gpu --grid 1 --block 2
//@ revisions: plain atomic volatile_read
// An atomic access races with a plain one, and with no relaxed one: volatile accesses are such.
__global__ void look(unsigned *total, unsigned *out)
{
    if (threadIdx.x == 0)
        atomicAdd(total, 1u); //~[plain] RACE@total read_write
    else
#if defined(plain)
        out[0] = *total; //~[plain] RACE@total read
#elif defined(atomic)
        out[0] = atomicAdd(total, 0u);
#else
        out[0] = *(volatile unsigned *)total;
#endif
}
//~[plain] CLASSES intra_warp_divergent
//~[atomic,volatile_read] SAFE
