//: part fails needs input
/* Allocations that fail are inputs: each call asks. */
static void raddle_input(void *at, size_t size, const char *name);
RADDLE_QUIET static int raddle_fails(void)
{
    unsigned char fails = 0;
    if (raddle_self && !raddle_self->busy)
        raddle_input(&fails, 1, "allocation fails");
    return fails != 0;
}

//: unless fails
static int raddle_fails(void) { return 0; }

//: part allocations needs errors
/* To allocate is no access: only the place in the source would match. The zeros of calloc are written. */
#define RADDLE_ON_ALLOCATION(result, name, parameters, arguments, kind, failure) \
    extern result __real_##name parameters; \
    RADDLE_QUIET result __wrap_##name parameters \
    { \
        raddle_action(kind, 0, RADDLE_CALLER); \
        if (raddle_fails()) \
            return failure; \
        __attribute__((musttail)) return __real_##name arguments; \
    }
#define RADDLE_NO_MEMORY (*raddle_errno() = RADDLE_ENOMEM, NULL)
//: each needs allocations
RADDLE_ON_ALLOCATION(void *, malloc, (size_t n), (n), 0, RADDLE_NO_MEMORY)
RADDLE_ON_ALLOCATION(void *, calloc, (size_t n, size_t m), (n, m), RADDLE_WRITE, RADDLE_NO_MEMORY)
RADDLE_ON_ALLOCATION(void *, aligned_alloc, (size_t alignment, size_t n), (alignment, n), 0, RADDLE_NO_MEMORY)
RADDLE_ON_ALLOCATION(void *, memalign, (size_t alignment, size_t n), (alignment, n), 0, RADDLE_NO_MEMORY)
RADDLE_ON_ALLOCATION(int, posix_memalign, (void **at, size_t alignment, size_t n), (at, alignment, n), 0, RADDLE_ENOMEM)

//: wrap realloc needs allocations told
extern void *__real_realloc(void *at, size_t n);
RADDLE_QUIET void *__wrap_realloc(void *at, size_t n)
{
    raddle_action(RADDLE_READ | RADDLE_WRITE | RADDLE_FREE, 0, RADDLE_CALLER);
    if (raddle_fails())
        return RADDLE_NO_MEMORY;
    /* ThreadSanitizer sees that realloc ends the old block if that is one, and not that it reads it. */
    if (at && raddle_self)
        __tsan_read1_pc(at, RADDLE_CALLER);
    __attribute__((musttail)) return __real_realloc(at, n);
}

//: wrap free needs told
extern void __real_free(void *at);
RADDLE_QUIET void __wrap_free(void *at)
{
    raddle_action(RADDLE_WRITE | RADDLE_FREE, 0, RADDLE_CALLER);
    if (RADDLE_CHECKS_FREE && at && raddle_self && __sanitizer_get_allocated_begin(at) != at) {
        /* ThreadSanitizer overlooks a second free. It sees the write that a free is. */
        __tsan_write1_pc(at, RADDLE_CALLER);
        raddle_failed("memory is freed that is not allocated, or no more");
    }
    __attribute__((musttail)) return __real_free(at);
}
