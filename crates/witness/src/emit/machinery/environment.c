//: part chosen needs input
/* ---- What the program asks its environment for by way of the C library: the values of the witness, by the names that
 * raddle's own library gives them. What the witness does not know comes from the C library. ---- */

/* Whether the witness has the value. */
RADDLE_QUIET static int raddle_chosen(void *at, size_t size, const char *name)
{
    const struct raddle_input *input = raddle_self ? raddle_find_input(name) : NULL;
    for (size_t i = 0; input && i < size; i++)
        ((volatile char *)at)[i] = i < input->size ? input->bytes[i] : 0;
    return input != NULL;
}

//: part numbers needs chosen
#define RADDLE_NUMBER(name, type, parameters, arguments, kind) \
    extern type __real_##name parameters; \
    RADDLE_QUIET type __wrap_##name parameters \
    { \
        type value; \
        raddle_action(kind, 0, RADDLE_CALLER); \
        return raddle_chosen(&value, sizeof value, #name) ? value : __real_##name arguments; \
    }
//: each needs numbers
RADDLE_NUMBER(rand, int, (void), (), 0)
RADDLE_NUMBER(random, long, (void), (), 0)
RADDLE_NUMBER(getpid, int, (void), (), RADDLE_WRITE)
RADDLE_NUMBER(clock, long, (void), (), RADDLE_WRITE)

//: wrap rand_r needs chosen
extern int __real_rand_r(unsigned *seed);
RADDLE_QUIET int __wrap_rand_r(unsigned *seed)
{
    int value;
    raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER);
    int result = __real_rand_r(seed);
    return raddle_chosen(&value, sizeof value, "rand_r") ? value : result;
}

//: wrap time needs chosen
/* The order of calls that show the time is part of the schedule. */
extern long __real_time(long *at);
RADDLE_QUIET long __wrap_time(long *at)
{
    long value;
    raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER);
    if (!raddle_chosen(&value, sizeof value, "time"))
        return __real_time(at);
    if (at)
        *(volatile long *)at = value;
    return value;
}

//: part times needs chosen
struct raddle_time { long seconds, part; };

//: wrap clock_gettime needs times
extern int __real_clock_gettime(int clock, struct raddle_time *at);
RADDLE_QUIET int __wrap_clock_gettime(int clock, struct raddle_time *at)
{
    long seconds, part;
    raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER);
    int result = __real_clock_gettime(clock, at);
    if (result == 0 && raddle_chosen(&seconds, sizeof seconds, "clock_gettime.tv_sec")
        && raddle_chosen(&part, sizeof part, "clock_gettime.tv_nsec")) {
        ((volatile struct raddle_time *)at)->seconds = seconds;
        ((volatile struct raddle_time *)at)->part = part;
    }
    return result;
}

//: wrap gettimeofday needs times
extern int __real_gettimeofday(struct raddle_time *at, void *zone);
RADDLE_QUIET int __wrap_gettimeofday(struct raddle_time *at, void *zone)
{
    long seconds, part;
    raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER);
    int result = __real_gettimeofday(at, zone);
    if (at && raddle_chosen(&seconds, sizeof seconds, "gettimeofday.tv_sec")
        && raddle_chosen(&part, sizeof part, "gettimeofday.tv_usec")) {
        ((volatile struct raddle_time *)at)->seconds = seconds;
        ((volatile struct raddle_time *)at)->part = part;
    }
    return result;
}

//: wrap getenv needs chosen
/* A variable is asked for once. The lowest byte says whether it is set, the others are the text. */
extern char *__real_getenv(const char *name);
RADDLE_QUIET char *__wrap_getenv(const char *name)
{
    enum { VARIABLES = 16 };
    static struct { char name[48], bytes[5]; } known[VARIABLES];
    static int count;
    raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER);
    char full[48];
    __tsan_ignore_thread_begin();
    snprintf(full, sizeof full, "getenv:%s", name);
    __tsan_ignore_thread_end();
    for (int i = 0; i < count; i++)
        if (raddle_same_text(known[i].name, full))
            return known[i].bytes[0] & 1 ? known[i].bytes + 1 : NULL;
    if (count == VARIABLES || !raddle_chosen(known[count].bytes, 4, full))
        return __real_getenv(name);
    raddle_copy(known[count].name, full, sizeof full);
    count++;
    return known[count - 1].bytes[0] & 1 ? known[count - 1].bytes + 1 : NULL;
}
