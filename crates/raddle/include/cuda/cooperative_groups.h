/* Cooperative groups, as far as raddle has them: thread blocks, tiles of them that lie within a warp, and the grid. */
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

/* All threads of a launch that was made cooperatively. */
class grid_group {
    RADDLE_GPU_MEMBER unsigned long long __in_block() const { return this_thread_block().size(); }
    RADDLE_GPU_MEMBER unsigned long long __block() const {
        return (static_cast<unsigned long long>(__raddle_gpu_position(5)) * __raddle_gpu_position(10) + __raddle_gpu_position(4)) *
                   __raddle_gpu_position(9) +
               __raddle_gpu_position(3);
    }

public:
    RADDLE_GPU_MEMBER void sync() const { __raddle_gpu_grid_barrier(); }
    RADDLE_GPU_MEMBER bool is_valid() const { return true; }
    RADDLE_GPU_MEMBER unsigned long long size() const { return num_blocks() * __in_block(); }
    RADDLE_GPU_MEMBER unsigned long long num_threads() const { return size(); }
    RADDLE_GPU_MEMBER unsigned long long num_blocks() const {
        return static_cast<unsigned long long>(__raddle_gpu_position(9)) * __raddle_gpu_position(10) * __raddle_gpu_position(11);
    }
    RADDLE_GPU_MEMBER unsigned long long thread_rank() const { return __block() * __in_block() + this_thread_block().thread_rank(); }
    RADDLE_GPU_MEMBER unsigned long long block_rank() const { return __block(); }
    RADDLE_GPU_MEMBER dim3 group_dim() const {
        return dim3(__raddle_gpu_position(9), __raddle_gpu_position(10), __raddle_gpu_position(11));
    }
};
RADDLE_GPU grid_group this_grid() { return grid_group(); }

template <unsigned __Size, class __Parent = thread_block> class thread_block_tile {
    RADDLE_GPU_MEMBER unsigned __mask() const {
        return (__Size >= 32 ? 0xffffffffu : (1u << __Size) - 1) << (RADDLE_GPU_LANE & ~(__Size - 1));
    }

public:
    RADDLE_GPU_MEMBER void sync() const { __raddle_gpu_converge(0, __mask()); }
    RADDLE_GPU_MEMBER unsigned size() const { return __Size; }
    RADDLE_GPU_MEMBER unsigned num_threads() const { return __Size; }
    RADDLE_GPU_MEMBER unsigned thread_rank() const { return RADDLE_GPU_LANE & (__Size - 1); }
    RADDLE_GPU_MEMBER unsigned meta_group_rank() const { return this_thread_block().thread_rank() / __Size; }
    RADDLE_GPU_MEMBER unsigned meta_group_size() const { return (this_thread_block().size() + __Size - 1) / __Size; }
    template <class __T> RADDLE_GPU_MEMBER __T shfl(__T __value, int __from) const { return __shfl_sync(__mask(), __value, __from, __Size); }
    template <class __T> RADDLE_GPU_MEMBER __T shfl_up(__T __value, unsigned __by) const { return __shfl_up_sync(__mask(), __value, __by, __Size); }
    template <class __T> RADDLE_GPU_MEMBER __T shfl_down(__T __value, unsigned __by) const {
        return __shfl_down_sync(__mask(), __value, __by, __Size);
    }
    template <class __T> RADDLE_GPU_MEMBER __T shfl_xor(__T __value, int __with) const { return __shfl_xor_sync(__mask(), __value, __with, __Size); }
    RADDLE_GPU_MEMBER int any(int __p) const { return __any_sync(__mask(), __p); }
    RADDLE_GPU_MEMBER int all(int __p) const { return __all_sync(__mask(), __p); }
    RADDLE_GPU_MEMBER unsigned ballot(int __p) const {
        return __ballot_sync(__mask(), __p) >> (RADDLE_GPU_LANE & ~(__Size - 1));
    }
};
template <unsigned __Size, class __Parent> RADDLE_GPU thread_block_tile<__Size, __Parent> tiled_partition(const __Parent &) {
    static_assert(__Size <= 32 && (__Size & (__Size - 1)) == 0, "a tile is a power of two, within a warp");
    return thread_block_tile<__Size, __Parent>();
}
template <class __Group> RADDLE_GPU void sync(const __Group &__group) { __group.sync(); }
}  // namespace cooperative_groups

#endif
