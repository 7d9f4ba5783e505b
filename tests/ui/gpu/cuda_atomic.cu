//@ run: gpu --grid 2 --block 1
//@ revisions: released relaxed fenced half_fenced one_way in_block counted
// libcu++'s atomics: order and scope are what the program says.
#include <cuda/atomic>
__device__ int data;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ cuda::std::atomic<unsigned> count;
__device__ int plain;

__global__ void pass(int *out)
{
#ifdef counted
    if (count++ == 1)
        *out = ++data;
    cuda::atomic_ref<int, cuda::thread_scope_device> at(plain);
    at.fetch_add(2);
    int seen = at.load();
    while (!at.compare_exchange_weak(seen, seen + 1, cuda::std::memory_order_seq_cst))
        ;
#elif defined in_block
    cuda::atomic_ref<int, cuda::thread_scope_block> at(plain);
    at.store(1); //~[in_block] SCOPE_ERROR
#else
#ifdef released
    const auto release = cuda::memory_order_release, acquire = cuda::memory_order_acquire;
#elif defined one_way
    const auto release = cuda::memory_order_release, acquire = cuda::memory_order_relaxed;
#else
    const auto release = cuda::memory_order_relaxed, acquire = cuda::memory_order_relaxed;
#endif
    if (blockIdx.x == 0) {
        data = 42; //~[relaxed,half_fenced,one_way] RACE@data write
#if defined fenced || defined half_fenced
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
#endif
        flag.store(1, release);
    } else if (flag.load(acquire) == 1) {
#ifdef fenced
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
#elif defined half_fenced
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
#endif
        *out = data; //~[relaxed,half_fenced,one_way] RACE@data read
    }
#endif
}
//~[relaxed,half_fenced,one_way,in_block] CLASSES global
//~[released,fenced,counted] SAFE
