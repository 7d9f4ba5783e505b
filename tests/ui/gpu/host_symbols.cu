//@ run: gpu --warp 2
//@ revisions: right long_ divergent
// Variables of the device, constants that the host sets, templates, a structure by value, dimensions, dynamic shared memory, several launches.
#include <cuda_runtime.h>
#include <stdlib.h>
struct task {
    int *cells;
    short n;
    char step;
};
__constant__ int factors[2];
__device__ int seen;
static __device__ int launches;
extern __shared__ int scratch[];
template <class T> __global__ void reduce(task t, T bias)
{
    unsigned i = threadIdx.y * blockDim.x + threadIdx.x;
    scratch[i] = t.cells[i] * factors[i % 2]; //~[long_] OUT_OF_BOUNDS
    __syncthreads();
    if (i == 0) {
        int sum = bias;
        for (int k = 0; k < t.n; k += t.step)
            sum += scratch[k];
        seen = sum;
        launches++;
    }
#ifdef divergent
    if (i < 2)
        __syncthreads(); //~[divergent] BARRIER_DIVERGENCE
#endif
}
int main()
{
    int cells[4] = {1, 2, 3, 4}, values[2] = {10, 100}, sum, count;
    task t = {nullptr, 4, 1};
#ifdef long_
    const size_t bytes = 3 * sizeof(int);
#else
    const size_t bytes = 4 * sizeof(int);
#endif
    cudaMalloc(&t.cells, sizeof cells);
    cudaMemcpy(t.cells, cells, sizeof cells, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(factors, values, sizeof values);
    reduce<short><<<1, dim3(2, 2), bytes>>>(t, 5);
    cudaMemcpyFromSymbol(&sum, seen, sizeof sum);
    if (sum != 645)
        abort();
    values[0] = 0;
    cudaMemcpyToSymbol(factors, values, sizeof(int), sizeof(int));
    t.step = 2;
    reduce<int><<<1, dim3(2, 2), bytes>>>(t, -1);
    cudaMemcpyFromSymbol(&sum, seen, sizeof sum);
    cudaMemcpyFromSymbol(&count, launches, sizeof count);
    if (sum != 39 || count != 2)
        abort();
    cudaFree(t.cells);
    return 0;
}
//~[right] SAFE
