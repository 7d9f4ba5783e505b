/* Cooperative groups, as far as raddle has them: thread blocks, and tiles of them that lie within a warp. */
#pragma GCC system_header
#ifndef RADDLE_COOPERATIVE_GROUPS_H
#define RADDLE_COOPERATIVE_GROUPS_H
#include "raddle_cuda.h"

#define RADDLE_GPU_MEMBER inline __device__ __attribute__((section("raddle.library")))

namespace cooperative_groups {
class thread_block {
public:
    RADDLE_GPU_MEMBER void sync() const { __raddle_gpu_barrier(); }
    RADDLE_GPU_MEMBER unsigned size() const {
        return __raddle_gpu_position(6) * __raddle_gpu_position(7) * __raddle_gpu_position(8);
    }
    RADDLE_GPU_MEMBER unsigned num_threads() const { return size(); }
    RADDLE_GPU_MEMBER unsigned thread_rank() const {
        return (__raddle_gpu_position(2) * __raddle_gpu_position(7) + __raddle_gpu_position(1)) * __raddle_gpu_position(6) +
               __raddle_gpu_position(0);
    }
    RADDLE_GPU_MEMBER dim3 group_index() const {
        return dim3(__raddle_gpu_position(3), __raddle_gpu_position(4), __raddle_gpu_position(5));
    }
    RADDLE_GPU_MEMBER dim3 thread_index() const {
        return dim3(__raddle_gpu_position(0), __raddle_gpu_position(1), __raddle_gpu_position(2));
    }
};
RADDLE_GPU thread_block this_thread_block() { return thread_block(); }

template <unsigned Size, class Parent = thread_block> class thread_block_tile {
    RADDLE_GPU_MEMBER unsigned mask() const {
        return (Size >= 32 ? 0xffffffffu : (1u << Size) - 1) << (RADDLE_GPU_LANE & ~(Size - 1));
    }

public:
    RADDLE_GPU_MEMBER void sync() const { __raddle_gpu_converge(0, mask()); }
    RADDLE_GPU_MEMBER unsigned size() const { return Size; }
    RADDLE_GPU_MEMBER unsigned num_threads() const { return Size; }
    RADDLE_GPU_MEMBER unsigned thread_rank() const { return RADDLE_GPU_LANE & (Size - 1); }
    RADDLE_GPU_MEMBER unsigned meta_group_rank() const { return this_thread_block().thread_rank() / Size; }
    RADDLE_GPU_MEMBER unsigned meta_group_size() const { return (this_thread_block().size() + Size - 1) / Size; }
    template <class T> RADDLE_GPU_MEMBER T shfl(T value, int from) const { return __shfl_sync(mask(), value, from, Size); }
    template <class T> RADDLE_GPU_MEMBER T shfl_up(T value, unsigned by) const { return __shfl_up_sync(mask(), value, by, Size); }
    template <class T> RADDLE_GPU_MEMBER T shfl_down(T value, unsigned by) const {
        return __shfl_down_sync(mask(), value, by, Size);
    }
    template <class T> RADDLE_GPU_MEMBER T shfl_xor(T value, int with) const { return __shfl_xor_sync(mask(), value, with, Size); }
    RADDLE_GPU_MEMBER int any(int p) const { return __any_sync(mask(), p); }
    RADDLE_GPU_MEMBER int all(int p) const { return __all_sync(mask(), p); }
    RADDLE_GPU_MEMBER unsigned ballot(int p) const {
        return __ballot_sync(mask(), p) >> (RADDLE_GPU_LANE & ~(Size - 1));
    }
};
template <unsigned Size, class Parent> RADDLE_GPU thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
    static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "a tile is a power of two, within a warp");
    return thread_block_tile<Size, Parent>();
}
template <class Group> RADDLE_GPU void sync(const Group &group) { group.sync(); }
}  // namespace cooperative_groups

#endif
