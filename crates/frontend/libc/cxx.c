/* What compilers and headers of C++ call of its runtime, by its mangled names (Itanium C++ ABI), as far as hosts of CUDA programs
 * need it: memory, variables that are made once, clocks. An exception that is thrown ends the path, and so does what throws.
 *
 * Provides: _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t _ZnamSt11align_val_t
 * _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t
 * __cxa_guard_acquire __cxa_guard_release __cxa_pure_virtual __dso_handle __cxa_allocate_exception __cxa_throw __cxa_rethrow
 * _ZSt9terminatev
 * _ZSt17__throw_bad_allocv _ZSt28__throw_bad_array_new_lengthv _ZSt20__throw_length_errorPKc _ZSt19__throw_logic_errorPKc
 * _ZSt20__throw_out_of_rangePKc _ZSt24__throw_out_of_range_fmtPKcz _ZSt24__throw_invalid_argumentPKc
 * _ZSt25__throw_bad_function_callv _ZSt16__throw_bad_castv
 * _ZNSt6chrono3_V212system_clock3nowEv _ZNSt6chrono3_V212steady_clock3nowEv */

extern void *aligned_alloc(size_t align, size_t size);
struct timespec { long seconds, part; };
extern int clock_gettime(int clock, struct timespec *at);
extern void abort(void) __attribute__((noreturn));

static void *allocate(size_t size)
{
    void *block = malloc(size ? size : 1);
    if (!block)
        __raddle_unsupported("an exception of C++: std::bad_alloc");
    return block;
}
void *_Znwm(size_t size) { return allocate(size); }
void *_Znam(size_t size) { return allocate(size); }
void *_ZnwmRKSt9nothrow_t(size_t size, const void *tag) { (void)tag; return malloc(size ? size : 1); }
void *_ZnamRKSt9nothrow_t(size_t size, const void *tag) { (void)tag; return malloc(size ? size : 1); }
void *_ZnwmSt11align_val_t(size_t size, size_t align) { return aligned_alloc(align, size ? size : 1); }
void *_ZnamSt11align_val_t(size_t size, size_t align) { return aligned_alloc(align, size ? size : 1); }
void _ZdlPv(void *block) { free(block); }
void _ZdaPv(void *block) { free(block); }
void _ZdlPvm(void *block, size_t size) { (void)size; free(block); }
void _ZdaPvm(void *block, size_t size) { (void)size; free(block); }
void _ZdlPvSt11align_val_t(void *block, size_t align) { (void)align; free(block); }
void _ZdaPvSt11align_val_t(void *block, size_t align) { (void)align; free(block); }
void _ZdlPvmSt11align_val_t(void *block, size_t size, size_t align) { (void)size, (void)align; free(block); }
void _ZdaPvmSt11align_val_t(void *block, size_t size, size_t align) { (void)size, (void)align; free(block); }

/* A static variable of a function, for one thread of the host (3.3.3). The first byte of its guard says that it was made. */
int __cxa_guard_acquire(uint64_t *guard) { return !*(char *)guard; }
void __cxa_guard_release(uint64_t *guard) { *(char *)guard = 1; }
void __cxa_pure_virtual(void) { abort(); }
void *__dso_handle;

void *__cxa_allocate_exception(size_t size) { return allocate(size); }
void __cxa_throw(void *exception, void *type, void *end)
{
    (void)exception, (void)type, (void)end;
    __raddle_unsupported("an exception of C++");
}
void __cxa_rethrow(void) { __raddle_unsupported("an exception of C++"); }
void _ZSt9terminatev(void) { abort(); }
void _ZSt17__throw_bad_allocv(void) { __raddle_unsupported("an exception of C++: std::bad_alloc"); }
void _ZSt28__throw_bad_array_new_lengthv(void) { __raddle_unsupported("an exception of C++: std::bad_array_new_length"); }
void _ZSt20__throw_length_errorPKc(const char *what) { (void)what; __raddle_unsupported("an exception of C++: std::length_error"); }
void _ZSt19__throw_logic_errorPKc(const char *what) { (void)what; __raddle_unsupported("an exception of C++: std::logic_error"); }
void _ZSt20__throw_out_of_rangePKc(const char *what) { (void)what; __raddle_unsupported("an exception of C++: std::out_of_range"); }
void _ZSt24__throw_out_of_range_fmtPKcz(const char *what, ...) { (void)what; __raddle_unsupported("an exception of C++: std::out_of_range"); }
void _ZSt24__throw_invalid_argumentPKc(const char *what) { (void)what; __raddle_unsupported("an exception of C++: std::invalid_argument"); }
void _ZSt25__throw_bad_function_callv(void) { __raddle_unsupported("an exception of C++: std::bad_function_call"); }
void _ZSt16__throw_bad_castv(void) { __raddle_unsupported("an exception of C++: std::bad_cast"); }

/* Nanoseconds (27.7: `system_clock` and `steady_clock`). */
static int64_t now(int clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.seconds * 1000000000 + time.part;
}
int64_t _ZNSt6chrono3_V212system_clock3nowEv(void) { return now(0); }
int64_t _ZNSt6chrono3_V212steady_clock3nowEv(void) { return now(1); }
