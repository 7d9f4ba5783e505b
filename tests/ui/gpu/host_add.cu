//@ run: gpu
//@ revisions: racy bounded
// A program from `main`: the host's buffers are copied, the kernel is launched with the program's own arguments, errors are checked. One thread too many
// writes where another does.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error = (call);                                                                                    \
        if (error != cudaSuccess) {                                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                             \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)
__global__ void add(const int *a, const int *b, int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef racy
    i = i < n ? i : n - 1;
    sums[i] = a[i] + b[i]; //~[racy] RACE write/write
#else
    if (i < n)
        sums[i] = a[i] + b[i];
#endif
}
int main()
{
    const int n = 3;
    std::vector<int> a(n), b(n), sums(n);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    int *device_a, *device_b, *device_sums;
    CHECK(cudaMalloc(&device_a, n * sizeof(int)));
    CHECK(cudaMalloc(&device_b, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&device_sums, n * sizeof(int)));
    CHECK(cudaMemcpy(device_a, a.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    add<<<(n + 1) / 2, 2>>>(device_a, device_b, device_sums, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), device_sums, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        if (sums[i] != 3 * i)
            abort();
    }
    printf("%d\n", sums[n - 1]);
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_sums));
    return 0;
}
//~[racy] CLASSES intra_warp
//~[bounded] SAFE
