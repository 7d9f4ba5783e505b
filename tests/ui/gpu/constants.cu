//@ run: gpu --grid 1 --block 2
//@ revisions: written_by_host const_of_device
// What the host writes holds anything; a constant of the device holds what the source gives it.
#ifdef written_by_host
__constant__ int limits[2] = {3, 4};
#else
static __device__ const int limits[2] = {3, 4};
#endif
__global__ void look(int *cells)
{
    if (limits[threadIdx.x] > 4)
        cells[0] = 1; //~[written_by_host] RACE write/write
}
//~[written_by_host] CLASSES intra_warp
//~[const_of_device] SAFE
