//@ run: gpu
//@ revisions: fine thrown
// The host is C++: containers, `new`, clocks, variables that are made once, objects that are made before `main`. An exception is not followed.
#include <cuda_runtime.h>
#include <algorithm>
#include <chrono>
#include <memory>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <vector>
struct counter {
    int n;
    counter() : n(3) {}
    ~counter() { n = 0; }
};
static counter made_before;
template <class T> class buffer {
    T *cells;

public:
    explicit buffer(size_t n) { cudaMalloc(&cells, n * sizeof(T)); }
    ~buffer() { cudaFree(cells); }
    T *get() const { return cells; }
};
__global__ void number(int *cells) { cells[threadIdx.x] = 3 - threadIdx.x; }
static int once()
{
    static counter local;
    return ++local.n;
}
int main()
{
    auto start = std::chrono::steady_clock::now();
    std::unique_ptr<int[]> result(new int[made_before.n]);
    {
        buffer<int> cells(3);
        number<<<1, made_before.n>>>(cells.get());
        cudaMemcpy(result.get(), cells.get(), 3 * sizeof(int), cudaMemcpyDeviceToHost);
    }
    std::vector<int> sorted(result.get(), result.get() + 3);
    std::sort(sorted.begin(), sorted.end());
    std::string text = "sorted: ";
    text += std::to_string(sorted.front());
    if (sorted[0] != 1 || sorted[2] != 3 || once() + once() != 9 || text != "sorted: 1")
        abort();
#ifdef thrown
    sorted.at(3) = 0;
#endif
    auto end = std::chrono::steady_clock::now();
    printf("%s after %lld\n", text.c_str(), (long long)std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count());
    return 0;
}
//~[fine] SAFE
//~[thrown] INCONCLUSIVE ledger=unsupported
