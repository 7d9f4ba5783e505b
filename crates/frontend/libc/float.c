/* Floating-point numbers in text (C11 7.22.1.3).
 *
 * Provides: strtod strtof strtold strtod_l strtof_l strtold_l atof nan nanf nanl __raddle_read_number
 * __raddle_write_number */

/* The number in `n` characters without a sign, rounded to a `float` (0), `double` (1) or `long double` (2). */
extern long double __raddle_number(const char *from, size_t n, int format, int *error);
/* A number as `printf` writes it, but for the blanks that fill its field; with a null pointer only the length. */
extern size_t __raddle_float(char *to, long double value, int is_long, int conversion, int flags, int zeros_to, int precision);

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

static int digit_of(int c)
{
    c = lower((unsigned char)c);
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* How many characters of a word begin the text. */
static size_t matches(const char *s, const char *end, const char *word)
{
    size_t n = 0;
    while (word[n] && s + n != end && lower((unsigned char)s[n]) == word[n])
        n++;
    return n;
}

/* Behind "nan": a sequence of letters, digits and underscores in parentheses, of which one that is an integer says which NaN. */
static const char *tag(const char *s, const char *end, uint64_t *payload)
{
    const char *at = s + 1, *first = at;
    uint64_t base = 10, value = 0;
    int valid = 1;
    if (s == end || *s != '(')
        return s;
    for (; at != end; at++) {
        int c = lower((unsigned char)*at);
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_'))
            break;
        if (at == first && c == '0')
            base = 8;
        else if (at == first + 1 && base == 8 && c == 'x')
            base = 16;
        else if ((uint64_t)digit_of(c) >= base)
            valid = 0;
        else if (__builtin_mul_overflow(value, base, &value)
                 || __builtin_add_overflow(value, (uint64_t)digit_of(c), &value))
            base = 0, value = UINT64_MAX;
        if (base == 0)
            break;
    }
    while (base == 0 && at != end && digit_of(*at) < 16)
        at++;
    if (at == end || *at != ')')
        return s;
    /* A bare 0x is no number. */
    *payload = valid && !(base == 16 && at == first + 2) ? value : 0;
    return at + 1;
}

static long double nan_of(uint64_t payload, int format)
{
    if (format == 0) {
        union { uint32_t bits; float value; } u = {0x7fc00000 | (payload & 0x3fffff)};
        return u.value;
    }
    if (format == 1) {
        union { uint64_t bits; double value; } u = {0x7ff8000000000000 | (payload & 0x7ffffffffffff)};
        return u.value;
    }
    union {
        struct { uint64_t significand; uint16_t head; } bits;
        long double value;
    } u = {{0xc000000000000000 | (payload & 0x3fffffffffffffff), 0x7fff}};
    return u.value;
}

/* Digits with at most one point; how many digits. */
static size_t digits(const char **at, const char *end, int base)
{
    size_t count = 0;
    int point = 0;
    for (const char *p = *at; p != end; p++) {
        if (digit_of(*p) < base)
            count++;
        else if (*p == '.' && !point)
            point = 1;
        else {
            *at = p;
            return count;
        }
    }
    *at = end;
    return count;
}

/* An exponent, if there is one with a digit. */
static const char *exponent(const char *s, const char *end, int marker)
{
    const char *at = s;
    if (at == end || lower((unsigned char)*at) != marker)
        return s;
    if (++at != end && (*at == '+' || *at == '-'))
        at++;
    if (at == end || !__raddle_is_digit((unsigned char)*at))
        return s;
    while (at != end && __raddle_is_digit((unsigned char)*at))
        at++;
    return at;
}

/* The longest number that `s` begins with; `end`, if any, is where the text ends at the latest. `*rest` is what follows, `s`
 * if there is none. */
long double __raddle_read_number(const char *s, const char *end, const char **rest, int format)
{
    const char *at = s, *from;
    int negative = 0, error = 0;
    long double value;
    while (at != end && __raddle_is_space((unsigned char)*at))
        at++;
    if (at != end && (*at == '-' || *at == '+'))
        negative = *at++ == '-';
    from = at;
    *rest = s;
    if (at != end && (lower((unsigned char)*at) == 'i' || lower((unsigned char)*at) == 'n')) {
        uint64_t payload = 0;
        if (matches(at, end, "nan") == 3) {
            at = tag(at + 3, end, &payload);
            value = nan_of(payload, format);
        } else {
            size_t n = matches(at, end, "infinity");
            if (n < 3)
                return 0;
            at += n < 8 ? 3 : 8;
            value = __builtin_infl();
        }
        *rest = at;
        return negative ? -value : value;
    }
    int base = 10;
    if (at != end && *at == '0' && at + 1 != end && lower((unsigned char)at[1]) == 'x') {
        const char *behind = at + 2;
        if (digits(&behind, end, 16) > 0)
            at += 2, base = 16;
    }
    if (digits(&at, end, base) == 0)
        return 0;
    at = exponent(at, end, base == 16 ? 'p' : 'e');
    *rest = at;
    value = __raddle_number(from, (size_t)(at - from), format, &error);
    if (error)
        errno = error;
    return negative ? -value : value;
}

static long double number(const char *s, char **end, int format)
{
    const char *rest;
    long double value = __raddle_read_number(s, NULL, &rest, format);
    if (end)
        *end = (char *)rest;
    return value;
}

float strtof(const char *s, char **end) { return (float)number(s, end, 0); }
double strtod(const char *s, char **end) { return (double)number(s, end, 1); }
long double strtold(const char *s, char **end) { return number(s, end, 2); }
/* There is only the "C" locale. */
float strtof_l(const char *s, char **end, void *locale) { return (void)locale, strtof(s, end); }
double strtod_l(const char *s, char **end, void *locale) { return (void)locale, strtod(s, end); }
long double strtold_l(const char *s, char **end, void *locale) { return (void)locale, strtold(s, end); }
double atof(const char *s) { return (double)number(s, NULL, 1); }

/* The NaN that `nan(text)` stands for. */
static long double tagged(const char *text, int format)
{
    size_t n = strlen(text);
    char whole[n + 3];
    uint64_t payload = 0;
    whole[0] = '(';
    memcpy(whole + 1, text, n);
    whole[n + 1] = ')';
    whole[n + 2] = 0;
    if (*tag(whole, NULL, &payload))
        payload = 0;
    return nan_of(payload, format);
}
float nanf(const char *text) { return (float)tagged(text, 0); }
double nan(const char *text) { return (double)tagged(text, 1); }
long double nanl(const char *text) { return tagged(text, 2); }

/* Hands the characters of a number to a function. */
void __raddle_write_number(void (*put)(void *, const char *, size_t), void *to, long double value, int is_long, int conversion,
                           int flags, int zeros_to, int precision)
{
    if (precision > 65536 || zeros_to > 65536)
        __raddle_unsupported("a number with more than 65536 digits");
    size_t n = __raddle_float(NULL, value, is_long, conversion, flags, zeros_to, precision);
    char characters[n];
    __raddle_float(characters, value, is_long, conversion, flags, zeros_to, precision);
    put(to, characters, n);
}
