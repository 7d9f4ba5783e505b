/* ---- What the program asks for: the values of the witness, by thread and name. A program's own definitions win. ---- */

#define RADDLE_INPUT(name) __asm__(#name) __attribute__((weak, disable_sanitizer_instrumentation, unused))

/* The recorded value behind a name. Names repeat as `x`, `x#2`; those of other threads are `main.1:x`. */
RADDLE_QUIET static const struct raddle_input *raddle_find_input(const char *name)
{
    enum { ASKED = 1024 };
    static struct { const struct raddle_thread *thread; char name[64]; } asked[ASKED];
    static int count;
    struct raddle_thread *me = raddle_self;
    int before = 0, slot = count < ASKED ? count++ : ASKED - 1;
    for (int i = 0; i < slot; i++)
        before += asked[i].thread == me && raddle_same_text(asked[i].name, name);
    asked[slot].thread = me;
    size_t length = 0;
    while (name[length] && length < sizeof asked[slot].name - 1)
        length++;
    raddle_copy(asked[slot].name, name, length);

    char full[192], repeated[16] = "";
    __tsan_ignore_thread_begin();
    if (before > 0)
        snprintf(repeated, sizeof repeated, "#%d", before + 1);
    if (!me || me == raddle_threads)
        snprintf(full, sizeof full, "%s%s", name, repeated);
    else
        snprintf(full, sizeof full, "%s:%s%s", me->name, name, repeated);
    __tsan_ignore_thread_end();
    for (int j = 0; j < RADDLE_COUNT(raddle_inputs); j++)
        if (raddle_same_text(raddle_inputs[j].name, full))
            return &raddle_inputs[j];
    return NULL;
}

/* What the witness does not know, because it does not matter, is 0. */
RADDLE_QUIET static void raddle_input(void *at, size_t size, const char *name)
{
    const struct raddle_input *input = raddle_find_input(name);
    for (size_t i = 0; i < size; i++)
        ((volatile char *)at)[i] = input && i < input->size ? input->bytes[i] : 0;
}

void raddle_in_symbolic(void *at, size_t size, const char *name) RADDLE_INPUT(raddle_symbolic);
void raddle_in_symbolic(void *at, size_t size, const char *name) { raddle_input(at, size, name); }
void raddle_in_klee_symbolic(void *at, size_t size, const char *name) RADDLE_INPUT(klee_make_symbolic);
void raddle_in_klee_symbolic(void *at, size_t size, const char *name) { raddle_input(at, size, name); }
void raddle_in_structure(void *at, size_t size, const char *name) RADDLE_INPUT(raddle_structure);
void raddle_in_structure(void *at, size_t size, const char *name) { raddle_fill(at, size, name); }
void raddle_in_klee_structure(void *at, size_t size, const char *name) RADDLE_INPUT(klee_make_data_structure);
void raddle_in_klee_structure(void *at, size_t size, const char *name) { raddle_fill(at, size, name); }

RADDLE_QUIET static void raddle_need(int condition)
{
    if (!condition)
        raddle_lost("an assumption of the program does not hold");
}
void raddle_in_assume(int condition) RADDLE_INPUT(raddle_assume);
void raddle_in_assume(int condition) { raddle_need(condition); }
void raddle_in_klee_assume(uintptr_t condition) RADDLE_INPUT(klee_assume);
void raddle_in_klee_assume(uintptr_t condition) { raddle_need(condition != 0); }
void raddle_in_verifier_assume(int condition) RADDLE_INPUT(__VERIFIER_assume);
void raddle_in_verifier_assume(int condition) { raddle_need(condition); }

void raddle_in_assert(int condition) RADDLE_INPUT(raddle_assert);
void raddle_in_assert(int condition) { if (!condition) abort(); }
void raddle_in_verifier_assert(int condition) RADDLE_INPUT(__VERIFIER_assert);
void raddle_in_verifier_assert(int condition) { if (!condition) abort(); }
void raddle_in_verifier_error(void) RADDLE_INPUT(__VERIFIER_error);
void raddle_in_verifier_error(void) { abort(); }
void raddle_in_reach_error(void) RADDLE_INPUT(reach_error);
void raddle_in_reach_error(void) { abort(); }
void raddle_in_silent_exit(int code) RADDLE_INPUT(klee_silent_exit);
void raddle_in_silent_exit(int code) { (void)code; raddle_need(0); }

int raddle_in_klee_int(const char *name) RADDLE_INPUT(klee_int);
int raddle_in_klee_int(const char *name)
{
    int value;
    raddle_input(&value, sizeof value, name);
    return value;
}
int raddle_in_klee_range(int begin, int end, const char *name) RADDLE_INPUT(klee_range);
int raddle_in_klee_range(int begin, int end, const char *name)
{
    int value;
    raddle_input(&value, sizeof value, name);
    return value >= begin && value < end ? value : begin;
}

#define RADDLE_NONDET(name, type) \
    type raddle_in_nondet_##name(void) RADDLE_INPUT(__VERIFIER_nondet_##name); \
    type raddle_in_nondet_##name(void) \
    { \
        type value; \
        raddle_input(&value, sizeof value, "nondet"); \
        return value; \
    }
RADDLE_NONDET(bool, _Bool)
RADDLE_NONDET(float, float)
RADDLE_NONDET(double, double)
RADDLE_NONDET(_Bool, _Bool)
RADDLE_NONDET(char, char)
RADDLE_NONDET(uchar, unsigned char)
RADDLE_NONDET(short, short)
RADDLE_NONDET(ushort, unsigned short)
RADDLE_NONDET(int, int)
RADDLE_NONDET(uint, unsigned)
RADDLE_NONDET(unsigned, unsigned)
RADDLE_NONDET(u8, uint8_t)
RADDLE_NONDET(u16, uint16_t)
RADDLE_NONDET(u32, uint32_t)
RADDLE_NONDET(long, long)
RADDLE_NONDET(ulong, unsigned long)
RADDLE_NONDET(longlong, long long)
RADDLE_NONDET(ulonglong, unsigned long long)
RADDLE_NONDET(size_t, size_t)
RADDLE_NONDET(loff_t, long)
RADDLE_NONDET(pointer, void *)

/* Functions of a client's. What one reads it reads as if its caller did. */
#define RADDLE_CALLBACK __attribute__((used, disable_sanitizer_instrumentation))
RADDLE_QUIET static void raddle_reads_given(const char *at, size_t bytes, void *pc)
{
    for (size_t i = 0; at && i < bytes; i++)
        __tsan_read1_pc(at + i, pc);
}
