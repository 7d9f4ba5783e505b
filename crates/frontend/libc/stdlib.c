/* Numbers, sorting, searching, pseudo-random numbers (C11 7.22).
 *
 * Provides: strtol strtoll strtoimax strtoul strtoull strtoumax strtoq strtouq __isoc23_strtol __isoc23_strtoll
 * __isoc23_strtoimax __isoc23_strtoul __isoc23_strtoull __isoc23_strtoumax atoi atol atoll abs labs llabs imaxabs div ldiv
 * lldiv imaxdiv qsort qsort_r bsearch lfind lsearch rand srand rand_r random srandom initstate setstate lrand48 mrand48
 * drand48 srand48 arc4random arc4random_uniform reallocarray valloc getsubopt */

extern void *realloc(void *at, size_t size);
extern void *aligned_alloc(size_t alignment, size_t size);

static int digit_of(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

struct number {
    uint64_t value;
    int negative, overflow, valid;
};

/* The subject sequence (C11 7.22.1.4p2-4). `binary`: with C23's prefix 0b. */
static struct number subject(const char *s, char **end, int base, int binary)
{
    struct number n = {0, 0, 0, 1};
    const char *at = s, *digits;
    if (base < 0 || base == 1 || base > 36) {
        n.valid = 0;
        return n;
    }
    while (__raddle_is_space((unsigned char)*at))
        at++;
    if (*at == '-' || *at == '+')
        n.negative = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')
        && digit_of((unsigned char)at[2]) < 16)
        at += 2, base = 16;
    else if (binary && (base == 0 || base == 2) && at[0] == '0' && (at[1] == 'b' || at[1] == 'B')
             && digit_of((unsigned char)at[2]) < 2)
        at += 2, base = 2;
    else if (base == 0)
        base = *at == '0' ? 8 : 10;
    for (digits = at;; at++) {
        int digit = digit_of((unsigned char)*at);
        if (digit >= base)
            break;
        uint64_t next;
        if (__builtin_mul_overflow(n.value, (uint64_t)base, &next)
            || __builtin_add_overflow(next, (uint64_t)digit, &next))
            n.overflow = 1;
        n.value = next;
    }
    if (end)
        *end = (char *)(at == digits ? s : at);
    return n;
}

/* `high`: the greatest value of the type. */
static int64_t to_signed(const char *s, char **end, int base, int binary, int64_t high)
{
    struct number n = subject(s, end, base, binary);
    if (!n.valid) {
        errno = EINVAL;
        return 0;
    }
    if (n.overflow || n.value > (uint64_t)high + n.negative) {
        errno = ERANGE;
        return n.negative ? -high - 1 : high;
    }
    return n.negative ? (int64_t)(0 - n.value) : (int64_t)n.value;
}

static uint64_t to_unsigned(const char *s, char **end, int base, int binary, uint64_t high)
{
    struct number n = subject(s, end, base, binary);
    if (!n.valid) {
        errno = EINVAL;
        return 0;
    }
    if (n.overflow || n.value > high) {
        errno = ERANGE;
        return high;
    }
    return n.negative ? 0 - n.value : n.value;
}

#define SIGNED(type, name, binary, high) \
    type name(const char *s, char **end, int base) { return (type)to_signed(s, end, base, binary, high); }
#define UNSIGNED(type, name, binary, high) \
    type name(const char *s, char **end, int base) { return (type)to_unsigned(s, end, base, binary, high); }
SIGNED(long, strtol, 0, LONG_MAX)
SIGNED(long long, strtoll, 0, LLONG_MAX)
SIGNED(intmax_t, strtoimax, 0, INTMAX_MAX)
SIGNED(long long, strtoq, 0, LLONG_MAX)
SIGNED(long, __isoc23_strtol, 1, LONG_MAX)
SIGNED(long long, __isoc23_strtoll, 1, LLONG_MAX)
SIGNED(intmax_t, __isoc23_strtoimax, 1, INTMAX_MAX)
UNSIGNED(unsigned long, strtoul, 0, ULONG_MAX)
UNSIGNED(unsigned long long, strtoull, 0, ULLONG_MAX)
UNSIGNED(uintmax_t, strtoumax, 0, UINTMAX_MAX)
UNSIGNED(unsigned long long, strtouq, 0, ULLONG_MAX)
UNSIGNED(unsigned long, __isoc23_strtoul, 1, ULONG_MAX)
UNSIGNED(unsigned long long, __isoc23_strtoull, 1, ULLONG_MAX)
UNSIGNED(uintmax_t, __isoc23_strtoumax, 1, UINTMAX_MAX)

int atoi(const char *s) { return (int)to_signed(s, NULL, 10, 0, LONG_MAX); }
long atol(const char *s) { return (long)to_signed(s, NULL, 10, 0, LONG_MAX); }
long long atoll(const char *s) { return to_signed(s, NULL, 10, 0, LLONG_MAX); }

/* The least value has no opposite: it stays, as the machine has it. */
int abs(int n) { return n < 0 ? (int)(0u - (unsigned)n) : n; }
long labs(long n) { return n < 0 ? (long)(0ul - (unsigned long)n) : n; }
long long llabs(long long n) { return n < 0 ? (long long)(0ull - (unsigned long long)n) : n; }
intmax_t imaxabs(intmax_t n) { return llabs(n); }

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
div_t div(int a, int b) { return (div_t){a / b, a % b}; }
ldiv_t ldiv(long a, long b) { return (ldiv_t){a / b, a % b}; }
lldiv_t lldiv(long long a, long long b) { return (lldiv_t){a / b, a % b}; }
lldiv_t imaxdiv(intmax_t a, intmax_t b) { return (lldiv_t){a / b, a % b}; }

typedef int comparison(const void *, const void *);
typedef int comparison_with(const void *, const void *, void *);

/* Bottom-up merging: stable, and no pair is compared whose order is known. */
static void sort(char *at, size_t count, size_t size, comparison *plain, comparison_with *with, void *context)
{
    if (count < 2 || size == 0)
        return;
    char *merged = malloc(count * size);
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low + width < count; low += 2 * width) {
            size_t middle = low + width, high = middle + width < count ? middle + width : count;
            size_t i = low, j = middle, to = low;
            while (i < middle && j < high) {
                char *a = at + i * size, *b = at + j * size;
                int order = with ? with(a, b, context) : plain(a, b);
                memcpy(merged + to++ * size, order <= 0 ? a : b, size);
                *(order <= 0 ? &i : &j) += 1;
            }
            memcpy(merged + to * size, at + i * size, (middle - i) * size);
            /* What is left of the second half is where it belongs. */
            memcpy(at + low * size, merged + low * size, (to - low + middle - i) * size);
        }
    }
    free(merged);
}

void qsort(void *at, size_t count, size_t size, comparison *compare) { sort(at, count, size, compare, NULL, NULL); }

void qsort_r(void *at, size_t count, size_t size, comparison_with *compare, void *context)
{
    sort(at, count, size, NULL, compare, context);
}

void *bsearch(const void *key, const void *at, size_t count, size_t size, comparison *compare)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *element = (const char *)at + middle * size;
        int order = compare(key, element);
        if (order == 0)
            return (void *)element;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

void *lfind(const void *key, const void *at, size_t *count, size_t size, comparison *compare)
{
    const char *element = at;
    for (size_t i = 0; i < *count; i++, element += size)
        if (compare(key, element) == 0)
            return (void *)element;
    return NULL;
}

void *lsearch(const void *key, void *at, size_t *count, size_t size, comparison *compare)
{
    void *found = lfind(key, at, count, size, compare);
    if (found)
        return found;
    return memcpy((char *)at + (*count)++ * size, key, size);
}

/* Pseudo-random numbers are any numbers of the range, whatever the seed: a program that relies on a sequence relies on one
 * implementation. */
static long any(const char *name, size_t size, long high)
{
    int64_t value = __raddle_input(name, size);
    __raddle_given((value >= 0) & (value <= high));
    return (long)value;
}

int rand(void) { return (int)any("rand", 4, INT32_MAX); }
void srand(unsigned seed) { (void)seed; }
long random(void) { return any("random", sizeof(long), INT32_MAX); }
void srandom(unsigned seed) { (void)seed; }
char *initstate(unsigned seed, char *state, size_t n) { return (void)seed, (void)n, state; }
char *setstate(char *state) { return state; }

/* Behind no lock: what they work on is everybody's (GNU C library, 'SVID Random Number Function': MT-Unsafe race:drand48). */
unsigned short __raddle_drand48;
static long any48(const char *name, size_t size, long high)
{
    __raddle_drand48 = 1;
    return any(name, size, high);
}
long lrand48(void) { return any48("lrand48", sizeof(long), INT32_MAX); }
long mrand48(void)
{
    long value = (long)__raddle_input("mrand48", sizeof(long));
    __raddle_given((value >= INT32_MIN) & (value <= INT32_MAX));
    __raddle_drand48 = 1;
    return value;
}
double drand48(void) { return (double)any48("drand48", 8, ((long)1 << 48) - 1) * 0x1p-48; }
void srand48(long seed)
{
    (void)seed;
    __raddle_drand48 = 0;
}
uint32_t arc4random(void) { return (uint32_t)__raddle_input("arc4random", 4); }
uint32_t arc4random_uniform(uint32_t bound)
{
    uint32_t value = (uint32_t)__raddle_input("arc4random_uniform", 4);
    if (bound < 2)
        return 0;
    __raddle_given(value < bound);
    return value;
}

/* The seed is the caller's, and changes. */
int rand_r(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return (int)any("rand_r", 4, INT32_MAX);
}

void *reallocarray(void *at, size_t count, size_t size)
{
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(at, whole);
}

void *valloc(size_t size) { return aligned_alloc(4096, size); }

int getsubopt(char **at, char *const *names, char **value)
{
    char *begin = *at, *end = begin;
    *value = NULL;
    if (!*begin)
        return -1;
    while (*end && *end != ',')
        end++;
    char *equals = begin;
    while (equals < end && *equals != '=')
        equals++;
    *at = *end ? end + 1 : end;
    for (int i = 0; names[i]; i++) {
        size_t n = 0;
        while (begin + n < equals && names[i][n] == begin[n])
            n++;
        if (begin + n == equals && !names[i][n]) {
            *value = equals < end ? equals + 1 : NULL;
            *end = 0;
            return i;
        }
    }
    *value = begin;
    *end = 0;
    return -1;
}
