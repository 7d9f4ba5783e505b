/* ---- What the linker puts between the program and the C library, or ThreadSanitizer. ---- */

/* The call goes on as the caller's own: reports name the program's line. */
#define RADDLE_HOOK(result, name, parameters, arguments, kind, size) \
    extern result __real_##name parameters; \
    RADDLE_QUIET result __wrap_##name parameters \
    { \
        raddle_action(kind, size, RADDLE_CALLER); \
        __attribute__((musttail)) return __real_##name arguments; \
    }
#define RADDLE_ON_ACCESS(name, kind, size) \
    extern void __real_##name(void *at); \
    RADDLE_QUIET void __wrap_##name(void *at) \
    { \
        if (raddle_meets && raddle_self) \
            raddle_self->accesses = at; \
        raddle_action(kind, size, RADDLE_CALLER); \
        __attribute__((musttail)) return __real_##name(at); \
    }

RADDLE_ON_ACCESS(__tsan_read1, RADDLE_READ, 1)
RADDLE_ON_ACCESS(__tsan_read2, RADDLE_READ, 2)
RADDLE_ON_ACCESS(__tsan_read4, RADDLE_READ, 4)
RADDLE_ON_ACCESS(__tsan_read8, RADDLE_READ, 8)
RADDLE_ON_ACCESS(__tsan_read16, RADDLE_READ, 16)
RADDLE_ON_ACCESS(__tsan_write1, RADDLE_WRITE, 1)
RADDLE_ON_ACCESS(__tsan_write2, RADDLE_WRITE, 2)
RADDLE_ON_ACCESS(__tsan_write4, RADDLE_WRITE, 4)
RADDLE_ON_ACCESS(__tsan_write8, RADDLE_WRITE, 8)
RADDLE_ON_ACCESS(__tsan_write16, RADDLE_WRITE, 16)
RADDLE_ON_ACCESS(__tsan_unaligned_read2, RADDLE_READ, 2)
RADDLE_ON_ACCESS(__tsan_unaligned_read4, RADDLE_READ, 4)
RADDLE_ON_ACCESS(__tsan_unaligned_read8, RADDLE_READ, 8)
RADDLE_ON_ACCESS(__tsan_unaligned_read16, RADDLE_READ, 16)
RADDLE_ON_ACCESS(__tsan_unaligned_write2, RADDLE_WRITE, 2)
RADDLE_ON_ACCESS(__tsan_unaligned_write4, RADDLE_WRITE, 4)
RADDLE_ON_ACCESS(__tsan_unaligned_write8, RADDLE_WRITE, 8)
RADDLE_ON_ACCESS(__tsan_unaligned_write16, RADDLE_WRITE, 16)

/* Copies are reads and writes at one place; which of the two a step means does not matter. */
#define RADDLE_BOTH (RADDLE_READ | RADDLE_WRITE)
RADDLE_HOOK(void *, __tsan_memcpy, (void *to, const void *from, size_t n), (to, from, n), RADDLE_BOTH, (unsigned)n)
RADDLE_HOOK(void *, __tsan_memmove, (void *to, const void *from, size_t n), (to, from, n), RADDLE_BOTH, (unsigned)n)
RADDLE_HOOK(void *, __tsan_memset, (void *to, int c, size_t n), (to, c, n), RADDLE_WRITE, (unsigned)n)
