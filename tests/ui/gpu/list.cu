//@ run: gpu --grid 2 --block 1
//@ revisions: racy atomic
// Shapes are explored: the race is in a node that two threads come to by different ways.
struct node {
    unsigned count;
    struct node *next;
};
__global__ void walk(struct node *first)
{
    struct node *at = first;
    for (unsigned i = 0; i < blockIdx.x && at; ++i)
        at = at->next;
    if (at) {
#ifdef racy
        at->count += 1; //~[racy] RACE read/write
        //~^[racy] RACE write/write
#else
        atomicAdd(&at->count, 1u);
#endif
    }
}
//~[racy] CLASSES global
//~[atomic] SAFE
