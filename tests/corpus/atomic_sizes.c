// Atomic operations of every size, C11, GCC's __atomic and __sync, on integers, pointers and floating-point numbers.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ALL(T, N)                                                                                                      \
    static void N(void)                                                                                                \
    {                                                                                                                  \
        _Atomic T a = (T)5;                                                                                            \
        T s = atomic_fetch_add(&a, (T)300);                                                                            \
        s = s * 3 + atomic_fetch_sub(&a, (T)7);                                                                        \
        s = s * 3 + atomic_fetch_or(&a, (T)0x55);                                                                      \
        s = s * 3 + atomic_fetch_xor(&a, (T)0xff);                                                                     \
        s = s * 3 + atomic_fetch_and(&a, (T)0x7e);                                                                     \
        s = s * 3 + atomic_exchange(&a, (T)-9);                                                                        \
        T want = (T)-9;                                                                                                \
        s = s * 3 + atomic_compare_exchange_strong(&a, &want, (T)11);                                                  \
        s = s * 3 + atomic_compare_exchange_strong(&a, &want, (T)12);                                                  \
        while (!atomic_compare_exchange_weak(&a, &want, (T)99)) {                                                      \
        }                                                                                                              \
        s = s * 3 + want + atomic_load(&a);                                                                            \
        atomic_store_explicit(&a, (T)-1, memory_order_release);                                                        \
        a++;                                                                                                           \
        a -= (T)2;                                                                                                     \
        a *= (T)3;                                                                                                     \
        T plain = (T)4;                                                                                                \
        s = s * 3 + __sync_fetch_and_nand(&plain, (T)6);                                                               \
        s = s * 3 + __atomic_fetch_max(&plain, (T)1, __ATOMIC_SEQ_CST);                                                \
        s = s * 3 + __atomic_fetch_min(&plain, (T)-100, __ATOMIC_SEQ_CST);                                             \
        s = s * 3 + __sync_add_and_fetch(&plain, (T)1) + __sync_bool_compare_and_swap(&plain, plain, (T)8);            \
        s = s * 3 + __sync_val_compare_and_swap(&plain, (T)8, (T)17) + __sync_lock_test_and_set(&plain, (T)1);         \
        __sync_lock_release(&plain);                                                                                   \
        s = s * 3 + __atomic_nand_fetch(&plain, (T)3, __ATOMIC_RELAXED) + __atomic_sub_fetch(&plain, (T)3, 5);         \
        printf(#N " %lld %lld\n", (long long)s, (long long)(a + plain));                                               \
    }
ALL(int8_t, i8)
ALL(uint8_t, u8)
ALL(int16_t, i16)
ALL(uint16_t, u16)
ALL(int32_t, i32)
ALL(uint32_t, u32)
ALL(int64_t, i64)
ALL(uint64_t, u64)

int main(void)
{
    i8(), u8(), i16(), u16(), i32(), u32(), i64(), u64();
    _Atomic bool flag = false;
    printf("%d %d\n", atomic_exchange(&flag, true), atomic_load(&flag));
    atomic_flag once = ATOMIC_FLAG_INIT;
    printf("%d %d\n", atomic_flag_test_and_set(&once), atomic_flag_test_and_set(&once));
    int array[4] = {1, 2, 3, 4};
    int *_Atomic p = array;
    int *before = atomic_fetch_add(&p, 2);
    printf("%d %d\n", *before, *atomic_load(&p));
    int *expected = array + 2;
    printf("%d %d\n", atomic_compare_exchange_strong(&p, &expected, array + 1), *p);
    _Atomic double d = 1.5;
    d += 2.25;
    d *= 2;
    double seen = atomic_exchange(&d, -1.0);
    printf("%g %g\n", seen, (double)d);
    _Atomic float f = 1;
    f -= 0.25f;
    printf("%g\n", (double)f);
    float plain = 2;
    printf("%g %g\n", __atomic_fetch_add(&plain, 1.5f, __ATOMIC_SEQ_CST), plain);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    atomic_signal_fence(memory_order_seq_cst);
    return 3;
}
