/* Atomic operations. */
#define RADDLE_ON_ATOMIC(name, result, parameters, arguments, kind, size) \
    RADDLE_HOOK(result, __tsan_atomic##name, parameters, arguments, (kind) | RADDLE_ATOMIC, size)
#define RADDLE_ON_UPDATE(name, type, size) \
    RADDLE_ON_ATOMIC(name, type, (volatile type *at, type value, int order), (at, value, order), RADDLE_BOTH, size)
#define RADDLE_ATOMICS(bits, type) \
    RADDLE_ON_ATOMIC(bits##_load, type, (const volatile type *at, int order), (at, order), RADDLE_READ, bits / 8) \
    RADDLE_ON_ATOMIC(bits##_store, void, (volatile type *at, type value, int order), (at, value, order), RADDLE_WRITE, \
                     bits / 8) \
    RADDLE_ON_UPDATE(bits##_exchange, type, bits / 8) \
    RADDLE_ON_UPDATE(bits##_fetch_add, type, bits / 8) \
    RADDLE_ON_UPDATE(bits##_fetch_sub, type, bits / 8) \
    RADDLE_ON_UPDATE(bits##_fetch_and, type, bits / 8) \
    RADDLE_ON_UPDATE(bits##_fetch_or, type, bits / 8) \
    RADDLE_ON_UPDATE(bits##_fetch_xor, type, bits / 8) \
    RADDLE_ON_UPDATE(bits##_fetch_nand, type, bits / 8) \
    RADDLE_ON_ATOMIC(bits##_compare_exchange_val, type, \
                     (volatile type *at, type expected, type value, int order, int failure), \
                     (at, expected, value, order, failure), RADDLE_BOTH, bits / 8)
