//@ run: gpu --grid 1 --block 2
//@ revisions: records members inherited behind unknown far farther dynamic launched
// What parameters, and members of structures by value, lead to are buffers that do not overlap.
struct pair {
    short x, y;
};

struct both {
    int *in, *out;
};

struct derived : both {
    int n;
};

#if defined(records)
__global__ void copy(pair *in, pair *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}
#elif defined(members)
__global__ void copy(both buffers)
{
    buffers.out[threadIdx.x] = buffers.in[1 - threadIdx.x];
}
#elif defined(inherited)
__global__ void copy(derived buffers)
{
    buffers.out[0] = buffers.in[threadIdx.x]; //~[inherited] RACE write
    //~^[inherited] RACE write
}
#elif defined(behind)
__global__ void copy(int *out, int n)
{
    if (n == 3)
        out[100] = threadIdx.x; //~[behind] RACE write
    //~^[behind] RACE write
}
#elif defined(unknown)
// Which of them is as long as it needs to be nobody can say.
__global__ void copy(int *out, unsigned n)
{
    out[2 * n + threadIdx.x] = n;
}
#elif defined(far)
// All are too short: that is no failure of the kernel's.
__global__ void copy(int *out)
{
    out[5000] = threadIdx.x;
}
#elif defined(farther)
__global__ void copy(int *out, int n)
{
    out[5000 + (n & 7)] = threadIdx.x;
}
#elif defined(launched)
// How large it is the launch says; where nobody does it is as large as is needed.
__global__ void copy(int *out)
{
    extern __shared__ int part[];
    part[threadIdx.x] = 1; //~[launched] RACE write
    out[threadIdx.x] = part[1 - threadIdx.x]; //~[launched] RACE read
}
#else
// nvcc takes a bound, too; where the launch says nothing it is the size.
__global__ void copy(int *out)
{
    extern __shared__ int part[2];
    part[threadIdx.x] = 1;
    uint other = part[1 - threadIdx.x]; //~[dynamic] RACE read
    //~^^[dynamic] RACE write
    out[threadIdx.x] = other;
}
#endif
//~[records,members] SAFE
//~[unknown] SAFE
//~[unknown] ASSUMED buffer_bound
//~[far,farther] INCONCLUSIVE ledger=array_bound
//~[inherited,dynamic,behind,launched] CLASSES intra_warp
