/* Atomic operations. */
#define RADDLE_ON_ATOMIC(name, result, parameters, arguments, kind, size) \
    extern result __real___tsan_atomic##name parameters; \
    RADDLE_QUIET result __wrap___tsan_atomic##name parameters \
    { \
        if (raddle_action((kind) | RADDLE_ATOMIC, size, RADDLE_CALLER)) \
            RADDLE_LAST __real___tsan_atomic##name arguments; \
        __tsan_ignore_thread_begin(); \
        result old = __real___tsan_atomic##name arguments; \
        __tsan_ignore_thread_end(); \
        return old; \
    }
#define RADDLE_ON_UPDATE(name, type, size) \
    RADDLE_ON_ATOMIC(name, type, (volatile type *at, type value, int order), (at, value, order), RADDLE_BOTH, size)
#define RADDLE_ATOMICS(bits, type) \
    RADDLE_ON_ATOMIC(bits##_load, type, (const volatile type *at, int order), (at, order), RADDLE_READ, bits / 8) \
    extern void __real___tsan_atomic##bits##_store(volatile type *at, type value, int order); \
    RADDLE_QUIET void __wrap___tsan_atomic##bits##_store(volatile type *at, type value, int order) \
    { \
        if (raddle_action(RADDLE_WRITE | RADDLE_ATOMIC, bits / 8, RADDLE_CALLER)) \
            RADDLE_LAST __real___tsan_atomic##bits##_store(at, value, order); \
        __tsan_ignore_thread_begin(); \
        __real___tsan_atomic##bits##_store(at, value, order); \
        __tsan_ignore_thread_end(); \
    } \
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
