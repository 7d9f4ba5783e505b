//: part input
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

//: define raddle_symbolic needs input
void raddle_in_symbolic(void *at, size_t size, const char *name) RADDLE_INPUT(raddle_symbolic);
void raddle_in_symbolic(void *at, size_t size, const char *name) { raddle_input(at, size, name); }
//: define klee_make_symbolic needs input
void raddle_in_klee_symbolic(void *at, size_t size, const char *name) RADDLE_INPUT(klee_make_symbolic);
void raddle_in_klee_symbolic(void *at, size_t size, const char *name) { raddle_input(at, size, name); }
//: define raddle_structure needs input
void raddle_in_structure(void *at, size_t size, const char *name) RADDLE_INPUT(raddle_structure);
void raddle_in_structure(void *at, size_t size, const char *name) { raddle_fill(at, size, name); }
//: define klee_make_data_structure needs input
void raddle_in_klee_structure(void *at, size_t size, const char *name) RADDLE_INPUT(klee_make_data_structure);
void raddle_in_klee_structure(void *at, size_t size, const char *name) { raddle_fill(at, size, name); }

//: part need needs input
RADDLE_QUIET static void raddle_need(int condition)
{
    if (!condition)
        raddle_lost("an assumption of the program does not hold");
}
//: define raddle_assume needs need
void raddle_in_assume(int condition) RADDLE_INPUT(raddle_assume);
void raddle_in_assume(int condition) { raddle_need(condition); }
//: define klee_assume needs need
void raddle_in_klee_assume(uintptr_t condition) RADDLE_INPUT(klee_assume);
void raddle_in_klee_assume(uintptr_t condition) { raddle_need(condition != 0); }
//: define __VERIFIER_assume needs need
void raddle_in_verifier_assume(int condition) RADDLE_INPUT(__VERIFIER_assume);
void raddle_in_verifier_assume(int condition) { raddle_need(condition); }

//: define raddle_assert needs input abort
void raddle_in_assert(int condition) RADDLE_INPUT(raddle_assert);
void raddle_in_assert(int condition) { if (!condition) abort(); }
//: define __VERIFIER_assert needs input abort
void raddle_in_verifier_assert(int condition) RADDLE_INPUT(__VERIFIER_assert);
void raddle_in_verifier_assert(int condition) { if (!condition) abort(); }
//: define __VERIFIER_error needs input abort
void raddle_in_verifier_error(void) RADDLE_INPUT(__VERIFIER_error);
void raddle_in_verifier_error(void) { abort(); }
//: define reach_error needs input abort
void raddle_in_reach_error(void) RADDLE_INPUT(reach_error);
void raddle_in_reach_error(void) { abort(); }
//: define klee_silent_exit needs need
void raddle_in_silent_exit(int code) RADDLE_INPUT(klee_silent_exit);
void raddle_in_silent_exit(int code) { (void)code; raddle_need(0); }

//: define klee_int needs input
int raddle_in_klee_int(const char *name) RADDLE_INPUT(klee_int);
int raddle_in_klee_int(const char *name)
{
    int value;
    raddle_input(&value, sizeof value, name);
    return value;
}
//: define klee_range needs input
int raddle_in_klee_range(int begin, int end, const char *name) RADDLE_INPUT(klee_range);
int raddle_in_klee_range(int begin, int end, const char *name)
{
    int value;
    raddle_input(&value, sizeof value, name);
    return value >= begin && value < end ? value : begin;
}

//: part nondet needs input
#define RADDLE_NONDET(name, type) \
    type raddle_in_nondet_##name(void) RADDLE_INPUT(__VERIFIER_nondet_##name); \
    type raddle_in_nondet_##name(void) \
    { \
        type value; \
        raddle_input(&value, sizeof value, "nondet"); \
        return value; \
    }
//: define __VERIFIER_nondet_bool needs nondet
RADDLE_NONDET(bool, _Bool)
//: define __VERIFIER_nondet_float needs nondet
RADDLE_NONDET(float, float)
//: define __VERIFIER_nondet_double needs nondet
RADDLE_NONDET(double, double)
//: define __VERIFIER_nondet__Bool needs nondet
RADDLE_NONDET(_Bool, _Bool)
//: define __VERIFIER_nondet_char needs nondet
RADDLE_NONDET(char, char)
//: define __VERIFIER_nondet_uchar needs nondet
RADDLE_NONDET(uchar, unsigned char)
//: define __VERIFIER_nondet_short needs nondet
RADDLE_NONDET(short, short)
//: define __VERIFIER_nondet_ushort needs nondet
RADDLE_NONDET(ushort, unsigned short)
//: define __VERIFIER_nondet_int needs nondet
RADDLE_NONDET(int, int)
//: define __VERIFIER_nondet_uint needs nondet
RADDLE_NONDET(uint, unsigned)
//: define __VERIFIER_nondet_unsigned needs nondet
RADDLE_NONDET(unsigned, unsigned)
//: define __VERIFIER_nondet_u8 needs nondet
RADDLE_NONDET(u8, uint8_t)
//: define __VERIFIER_nondet_u16 needs nondet
RADDLE_NONDET(u16, uint16_t)
//: define __VERIFIER_nondet_u32 needs nondet
RADDLE_NONDET(u32, uint32_t)
//: define __VERIFIER_nondet_long needs nondet
RADDLE_NONDET(long, long)
//: define __VERIFIER_nondet_ulong needs nondet
RADDLE_NONDET(ulong, unsigned long)
//: define __VERIFIER_nondet_longlong needs nondet
RADDLE_NONDET(longlong, long long)
//: define __VERIFIER_nondet_ulonglong needs nondet
RADDLE_NONDET(ulonglong, unsigned long long)
//: define __VERIFIER_nondet_size_t needs nondet
RADDLE_NONDET(size_t, size_t)
//: define __VERIFIER_nondet_loff_t needs nondet
RADDLE_NONDET(loff_t, long)
//: define __VERIFIER_nondet_pointer needs nondet
RADDLE_NONDET(pointer, void *)

//: part given needs input told
/* Functions of a client's. What one reads it reads as if its caller did. */
#define RADDLE_CALLBACK __attribute__((used, disable_sanitizer_instrumentation))
RADDLE_QUIET static void raddle_reads_given(const char *at, size_t bytes, void *pc)
{
    for (size_t i = 0; at && i < bytes; i++)
        __tsan_read1_pc(at + i, pc);
}
