/* What compilers and headers of C++ call of its runtime, by its mangled names (Itanium C++ ABI), as far as hosts of CUDA programs
 * need it: memory, variables that are made once, what runs at the end, clocks, output. An exception that is thrown ends the path, and so
 * does what throws. How numbers are to look that are written to a stream is left aside.
 *
 * Provides: _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t _ZnamSt11align_val_t
 * _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t
 * __cxa_atexit __cxa_guard_acquire __cxa_guard_release __cxa_pure_virtual __dso_handle __cxa_allocate_exception __cxa_throw __cxa_rethrow
 * _ZSt9terminatev
 * _ZSt17__throw_bad_allocv _ZSt28__throw_bad_array_new_lengthv _ZSt20__throw_length_errorPKc _ZSt19__throw_logic_errorPKc
 * _ZSt20__throw_out_of_rangePKc _ZSt24__throw_out_of_range_fmtPKcz _ZSt24__throw_invalid_argumentPKc
 * _ZSt25__throw_bad_function_callv _ZSt16__throw_bad_castv
 * _ZNSt6chrono3_V212system_clock3nowEv _ZNSt6chrono3_V212steady_clock3nowEv
 * _ZSt4cout _ZSt4cerr _ZSt4clog _ZNSt8ios_base4InitC1Ev _ZNSt8ios_base4InitD1Ev
 * _ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc
 * _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_h
 * _ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision _ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw
 * _ZNSolsEi _ZNSolsEj _ZNSolsEl _ZNSolsEm _ZNSolsEx _ZNSolsEy _ZNSolsEs _ZNSolsEt _ZNSolsEb _ZNSolsEd _ZNSolsEf _ZNSolsEPKv
 * _ZNSolsEPFRSt8ios_baseS0_E _ZNSolsEPFRSoS_E _ZNSo5flushEv _ZNSo3putEc _ZNSo5writeEPKcl
 * _ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_ _ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_ */

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

/* What is to be called at the end: one handler for each, so that they come in the reverse order of all handlers (3.3.6.3). */
extern int atexit(void (*handler)(void));
enum { MOST_ENDS = 30 };
struct end { void (*destroy)(void *); void *object; };
extern struct end __raddle_ends[MOST_ENDS];
struct end __raddle_ends[MOST_ENDS];
extern int __raddle_end_count;
int __raddle_end_count;
static void end_last(void)
{
    struct end *last = &__raddle_ends[--__raddle_end_count];
    last->destroy(last->object);
}
int __cxa_atexit(void (*destroy)(void *), void *object, void *library)
{
    (void)library;
    if (__raddle_end_count == MOST_ENDS || atexit(end_last))
        __raddle_unsupported("more than 30 objects that end with the program");
    __raddle_ends[__raddle_end_count].destroy = destroy;
    __raddle_ends[__raddle_end_count++].object = object;
    return 0;
}

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

/* Streams. Headers come to the part that all kinds of streams have by way of the table, which says that it lies 8 bytes on (2.5.2). */
static const long table[4] = { 8, 0, 0, 0 };
struct stream { const long *table; long rest[33]; };
struct stream _ZSt4cout = { &table[3], { 0 } }, _ZSt4cerr = { &table[3], { 0 } }, _ZSt4clog = { &table[3], { 0 } };
void _ZNSt8ios_base4InitC1Ev(void *init) { (void)init; }
void _ZNSt8ios_base4InitD1Ev(void *init) { (void)init; }

static int console_of(const struct stream *to)
{
    if (to != &_ZSt4cout && to != &_ZSt4cerr && to != &_ZSt4clog)
        __raddle_unsupported("a stream of C++ other than std::cout, std::cerr and std::clog");
    return to == &_ZSt4cout ? 1 : 2;
}
static struct stream *print(struct stream *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    __raddle_print(console_of(to), format, arguments);
    va_end(arguments);
    return to;
}
static struct stream *put(struct stream *to, const char *from, size_t n)
{
    __raddle_write(console_of(to), from, n);
    return to;
}
struct stream *_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(struct stream *to, const char *from, long n) { return put(to, from, (size_t)n); }
struct stream *_ZNSo5writeEPKcl(struct stream *to, const char *from, long n) { return put(to, from, (size_t)n); }
/* A null pointer is no text, and leaves the stream broken. */
struct stream *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(struct stream *to, const char *text) { return text ? put(to, text, strlen(text)) : to; }
struct stream *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c(struct stream *to, char c) { return put(to, &c, 1); }
struct stream *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_h(struct stream *to, char c) { return put(to, &c, 1); }
struct stream *_ZNSo3putEc(struct stream *to, char c) { return put(to, &c, 1); }
struct stream *_ZNSolsEi(struct stream *to, int n) { return print(to, "%d", n); }
struct stream *_ZNSolsEs(struct stream *to, short n) { return print(to, "%d", n); }
struct stream *_ZNSolsEb(struct stream *to, _Bool n) { return print(to, "%d", n); }
struct stream *_ZNSolsEj(struct stream *to, unsigned n) { return print(to, "%u", n); }
struct stream *_ZNSolsEt(struct stream *to, unsigned short n) { return print(to, "%u", n); }
struct stream *_ZNSolsEl(struct stream *to, long n) { return print(to, "%ld", n); }
struct stream *_ZNSolsEm(struct stream *to, unsigned long n) { return print(to, "%lu", n); }
struct stream *_ZNSolsEx(struct stream *to, long long n) { return print(to, "%lld", n); }
struct stream *_ZNSolsEy(struct stream *to, unsigned long long n) { return print(to, "%llu", n); }
struct stream *_ZNSolsEd(struct stream *to, double n) { return print(to, "%g", n); }
struct stream *_ZNSolsEf(struct stream *to, float n) { return print(to, "%g", (double)n); }
struct stream *_ZNSolsEPKv(struct stream *to, const void *at) { return print(to, "%p", at); }
struct stream *_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision(struct stream *to, int n) { (void)n; return to; }
struct stream *_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw(struct stream *to, int n) { (void)n; return to; }
struct stream *_ZNSolsEPFRSt8ios_baseS0_E(struct stream *to, void *(*manipulate)(void *))
{
    manipulate((char *)to + 8);
    return to;
}
struct stream *_ZNSolsEPFRSoS_E(struct stream *to, struct stream *(*manipulate)(struct stream *)) { return manipulate(to); }
struct stream *_ZNSo5flushEv(struct stream *to) { return to; }
struct stream *_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(struct stream *to) { return to; }
struct stream *_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(struct stream *to) { return put(to, "\n", 1); }
