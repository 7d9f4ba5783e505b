//@ run: gpu --warp 2
//@ revisions: any_byte even
// Devices access memory only where an address is a multiple of what is accessed; the host, anywhere.
#include <cuda_runtime.h>
#include <string.h>
extern "C" void raddle_symbolic(void *at, size_t size, const char *name);
__global__ void put(char *bytes, int n)
{
    *(short *)(bytes + n) = 1; //~[any_byte] MISALIGNED_ACCESS
}
int main()
{
    char *bytes, own[8];
    unsigned char n;
    raddle_symbolic(&n, 1, "n");
    if (n > 6)
        return 0;
#ifdef even
    n &= ~1;
#endif
    *(short *)(own + n) = 1;
    cudaMalloc(&bytes, 8);
    put<<<1, 1>>>(bytes, n);
    cudaFree(bytes);
    return 0;
}
//~[even] SAFE
