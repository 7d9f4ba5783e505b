/* Atomic operations. */
#define RADDLE_ON_ATOMIC(name, result, parameters, arguments, kind, size) \
    RADDLE_HOOK(result, __tsan_atomic##name, parameters, arguments, (kind) | RADDLE_ATOMIC, size)
#define RADDLE_ON_LOAD(name, type, size) \
    RADDLE_ON_ATOMIC(name, type, (const volatile type *at, int order), (at, order), RADDLE_READ, size)
#define RADDLE_ON_STORE(name, type, size) \
    RADDLE_ON_ATOMIC(name, void, (volatile type *at, type value, int order), (at, value, order), RADDLE_WRITE, size)
#define RADDLE_ON_UPDATE(name, type, size) \
    RADDLE_ON_ATOMIC(name, type, (volatile type *at, type value, int order), (at, value, order), RADDLE_BOTH, size)
#define RADDLE_ON_EXCHANGE(name, type, size) \
    RADDLE_ON_ATOMIC(name, type, (volatile type *at, type expected, type value, int order, int failure), \
                     (at, expected, value, order, failure), RADDLE_BOTH, size)
