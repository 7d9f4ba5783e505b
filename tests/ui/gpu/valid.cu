//@ run: gpu --grid 1 --block 2
//@ revisions: any soon apart none failing spared
//@[soon] flags: --stop-on-finding
//@[apart] flags: --valid are_apart
//@[none] flags: --valid is_nothing
//@[failing] flags: --valid has_both
// A predicate says which heaps a kernel is given. Two ends of one structure may be one node; where it says that they are not there is no race,
// and what a valid heap lacks in one of the orders is a failure, which it is not on heaps of which nothing is known.
struct node {
    int count;
};

struct both {
    struct node *first, *last;
};

__device__ bool are_apart(const struct both *both)
{
    return both->first && both->last && both->first != both->last;
}

__device__ bool has_both(const struct both *both)
{
    return both->first && both->last;
}

__device__ bool is_nothing(const struct both *both)
{
    return both->first && !both->first;
}

#if defined(failing) || defined(spared)
// In one of two orders the first thread takes away what the other needs.
__global__ void count(struct both *both)
{
    __shared__ unsigned came;
    if (threadIdx.x == 0)
        came = 0;
    __syncthreads();
    if (atomicAdd(&came, 1u) == 1 && threadIdx.x == 0)
        both->last = NULL;
    __syncthreads();
    if (threadIdx.x == 1)
        both->last->count = 1; //~[failing] NULL_DEREFERENCE
}
#else
__global__ void count(struct both *both)
{
    struct node *mine = threadIdx.x ? both->first : both->last;
    mine->count = 1; //~[any] RACE write
    //~^[any] RACE write
    //~^^[soon] RACE write
    //~^^^[soon] RACE write
}
#endif
//~[apart,spared] SAFE
//~[none] INCONCLUSIVE ledger=vacuous
