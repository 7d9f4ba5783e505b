//@ run: gpu --kernel copy --block 2
//@ revisions: whole odd vector odd_vector by_bytes in_packed
// Devices access memory only where an address is a multiple of what is accessed.
#include <cuda_runtime.h>
struct __attribute__((packed)) record {
    char kind;
    int value;
};
__shared__ int line[16];
__global__ void copy(int n)
{
    char *bytes = (char *)line + 32 * threadIdx.x;
    int sum = 0;
#ifdef whole
    *(int *)(bytes + 4) = n;
    *(short *)(bytes + 10) = 1;
#elif defined odd
    *(int *)(bytes + 2) = n; //~[odd] MISALIGNED_ACCESS
#elif defined vector
    *(float4 *)(bytes + 16) = make_float4(1, 2, 3, 4);
#elif defined odd_vector
    *(float4 *)(bytes + 8) = make_float4(1, 2, 3, 4); //~[odd_vector] MISALIGNED_ACCESS
#elif defined by_bytes
    for (int i = 0; i < 4; i++)
        bytes[i + 1] = n >> 8 * i;
#elif defined in_packed
    ((record *)bytes)->value = n;
#endif
    (void)sum;
}
//~[whole] SAFE
//~[vector] SAFE
//~[by_bytes] SAFE
//~[in_packed] SAFE
