/* Formatted output into memory and files, and input from strings (C11 7.21.6).
 *
 * Provides: snprintf sprintf vsnprintf vsprintf asprintf vasprintf sscanf vsscanf __isoc99_sscanf
 * __isoc99_vsscanf __isoc23_sscanf __isoc23_vsscanf __raddle_format */

enum { LONG_BITS = 8 * sizeof(long) };

/* Where characters go: into memory, at most `room` of them, or to a function. */
struct __raddle_sink {
    char *to;
    size_t room, count;
    void (*put)(struct __raddle_sink *, char);
    void *context;
};

static void put(struct __raddle_sink *sink, char c)
{
    if (sink->put)
        sink->put(sink, c);
    else if (sink->count < sink->room)
        sink->to[sink->count] = c;
    sink->count++;
}

static void pad(struct __raddle_sink *sink, char c, long n)
{
    for (; n > 0; n--)
        put(sink, c);
}

struct directive {
    int left, zero, plus, space, alternate, upper;
    long width, precision; /* precision -1: none */
    int length;            /* bits of an integer */
    int is_long;           /* a `long double` */
};

/* In float.c, which comes with a number that is written or read. */
extern void __raddle_write_number(void (*put)(void *, const char *, size_t), void *to, long double value, int is_long,
                                  int conversion, int flags, int zeros_to, int precision);
extern long double __raddle_read_number(const char *s, const char *end, const char **rest, int format);

static void number(struct __raddle_sink *sink, const struct directive *d, uint64_t value, unsigned base, char sign)
{
    char digits[66];
    const char *alphabet = d->upper ? "0123456789ABCDEF" : "0123456789abcdef";
    int n = 0, prefix = 0;
    char head[3];
    if (sign)
        head[prefix++] = sign;
    if (d->alternate && base == 16 && value)
        head[prefix++] = '0', head[prefix++] = d->upper ? 'X' : 'x';
    long least = d->precision < 0 ? 1 : d->precision;
    /* Zeros before a number are digits of it: so it does not matter how many it has by itself. */
    long filled = d->zero && !d->left && d->precision < 0 ? d->width - prefix : least;
    if (d->alternate && base == 8)
        filled = 0;
    for (uint64_t rest = value; n < filled && n < 64 || rest; rest /= base)
        digits[n++] = alphabet[rest % base];
    if (d->alternate && base == 8 && least <= n)
        least = n + 1;
    long zeros = least > n ? least - n : 0;
    if (d->zero && !d->left && d->precision < 0 && d->width > prefix + zeros + n)
        zeros = d->width - prefix - n;
    long blanks = d->width - (prefix + zeros + n);
    if (!d->left)
        pad(sink, ' ', blanks);
    for (int i = 0; i < prefix; i++)
        put(sink, head[i]);
    pad(sink, '0', zeros);
    while (n > 0)
        put(sink, digits[--n]);
    if (d->left)
        pad(sink, ' ', blanks);
}

static void text(struct __raddle_sink *sink, const struct directive *d, const char *s, long n)
{
    if (!d->left)
        pad(sink, ' ', d->width - n);
    for (long i = 0; i < n; i++)
        put(sink, s[i]);
    if (d->left)
        pad(sink, ' ', d->width - n);
}

/* A field that is to get the characters of a number. */
struct field {
    struct __raddle_sink *sink;
    const struct directive *d;
};

static void put_number(void *to, const char *characters, size_t n)
{
    const struct field *field = to;
    text(field->sink, field->d, characters, (long)n);
}

static void floating(struct __raddle_sink *sink, const struct directive *d, char conversion, va_list *arguments)
{
    struct field field = {sink, d};
    int flags = (d->alternate ? 1 : 0) | (d->plus ? 2 : 0) | (d->space ? 4 : 0);
    int zeros_to = d->zero && !d->left ? (int)d->width : 0;
    long double value = d->is_long ? va_arg(*arguments, long double) : va_arg(*arguments, double);
    __raddle_write_number(put_number, &field, value, d->is_long, conversion, flags, zeros_to, (int)d->precision);
}

static const char *decimal(const char *at, long *value)
{
    for (*value = 0; __raddle_is_digit(*at); at++)
        if (*value < 100000000)
            *value = *value * 10 + (*at - '0');
    return at;
}

/* Whether a letter says that an argument is long, or longer; its length in bits. */
static int lengthened(const char *at, int *length)
{
    if (*at == 'j' || *at == 'q' || (*at == 'l' && *length == LONG_BITS && at[-1] == 'l'))
        *length = 64;
    else if (*at == 'l' || *at == 'z' || *at == 't')
        *length = LONG_BITS;
    else
        return 0;
    return 1;
}

/* Flags, width, precision and length (C11 7.21.6.1p4-7). */
static const char *directive(const char *at, struct directive *d, va_list *arguments)
{
    *d = (struct directive){.precision = -1, .length = 32};
    for (;; at++) {
        if (*at == '-')
            d->left = 1;
        else if (*at == '0')
            d->zero = 1;
        else if (*at == '+')
            d->plus = 1;
        else if (*at == ' ')
            d->space = 1;
        else if (*at == '#')
            d->alternate = 1;
        else if (*at != '\'')
            break;
    }
    if (*at == '*') {
        d->width = va_arg(*arguments, int);
        if (d->width < 0)
            d->left = 1, d->width = -d->width;
        at++;
    } else
        at = decimal(at, &d->width);
    if (*at == '.') {
        at++;
        if (*at == '*') {
            d->precision = va_arg(*arguments, int);
            if (d->precision < 0)
                d->precision = -1;
            at++;
        } else
            at = decimal(at, &d->precision);
    }
    for (;; at++) {
        if (*at == 'h')
            d->length = d->length == 16 ? 8 : 16;
        else if (*at == 'L')
            d->length = 64, d->is_long = 1;
        else if (!lengthened(at, &d->length))
            return at;
    }
}

static uint64_t unsigned_argument(const struct directive *d, va_list *arguments)
{
    if (d->length == 64)
        return va_arg(*arguments, uint64_t);
    unsigned value = va_arg(*arguments, unsigned);
    return d->length == 8 ? (uint8_t)value : d->length == 16 ? (uint16_t)value : value;
}

static int64_t signed_argument(const struct directive *d, va_list *arguments)
{
    if (d->length == 64)
        return va_arg(*arguments, int64_t);
    int value = va_arg(*arguments, int);
    return d->length == 8 ? (int8_t)value : d->length == 16 ? (int16_t)value : value;
}

/* False for a conversion that is none. */
static int convert(struct __raddle_sink *sink, struct directive *d, char conversion, va_list *arguments)
{
    switch (conversion) {
    case 'd':
    case 'i': {
        int64_t value = signed_argument(d, arguments);
        char sign = value < 0 ? '-' : d->plus ? '+' : d->space ? ' ' : 0;
        number(sink, d, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, sign);
        return 1;
    }
    case 'u':
        number(sink, d, unsigned_argument(d, arguments), 10, 0);
        return 1;
    case 'o':
        number(sink, d, unsigned_argument(d, arguments), 8, 0);
        return 1;
    case 'X':
        d->upper = 1;
        number(sink, d, unsigned_argument(d, arguments), 16, 0);
        return 1;
    case 'x':
        number(sink, d, unsigned_argument(d, arguments), 16, 0);
        return 1;
    case 'c': {
        char c = (char)va_arg(*arguments, int);
        text(sink, d, &c, 1);
        return 1;
    }
    case 's': {
        const char *s = va_arg(*arguments, const char *);
        long n = 0;
        while ((d->precision < 0 || n < d->precision) && s[n])
            n++;
        text(sink, d, s, n);
        return 1;
    }
    case 'p': {
        void *at = va_arg(*arguments, void *);
        d->alternate = 1;
        if (at)
            number(sink, d, (uintptr_t)at, 16, 0);
        else
            text(sink, d, "(nil)", 5);
        return 1;
    }
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        floating(sink, d, conversion, arguments);
        return 1;
    case 'n':
        __raddle_store_integer(va_arg(*arguments, void *), d->length, sink->count);
        return 1;
    case '%':
        put(sink, '%');
        return 1;
    default:
        return 0;
    }
}

void __raddle_format(struct __raddle_sink *sink, const char *format, va_list *arguments)
{
    for (; *format; format++) {
        if (*format != '%') {
            put(sink, *format);
            continue;
        }
        struct directive d;
        format = directive(format + 1, &d, arguments);
        if (!convert(sink, &d, *format, arguments))
            __raddle_unsupported("a conversion of printf that is not known");
    }
}

static int into(char *to, size_t room, const char *format, va_list *arguments)
{
    struct __raddle_sink sink = {to, room ? room - 1 : 0, 0, NULL, NULL};
    __raddle_format(&sink, format, arguments);
    if (room > 0)
        to[sink.count < room ? sink.count : room - 1] = 0;
    return (int)sink.count;
}

int vsnprintf(char *to, size_t room, const char *format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    int n = into(to, room, format, &copy);
    va_end(copy);
    return n;
}

int vsprintf(char *to, const char *format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    int n = into(to, SIZE_MAX, format, &copy);
    va_end(copy);
    return n;
}

int snprintf(char *to, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = into(to, room, format, &arguments);
    va_end(arguments);
    return n;
}

int sprintf(char *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = into(to, SIZE_MAX, format, &arguments);
    va_end(arguments);
    return n;
}

static int allocated(char **to, const char *format, va_list *arguments)
{
    va_list copy;
    va_copy(copy, *arguments);
    struct __raddle_sink counting = {NULL, 0, 0, NULL, NULL};
    __raddle_format(&counting, format, &copy);
    va_end(copy);
    *to = malloc(counting.count + 1);
    if (!*to)
        return -1;
    return into(*to, counting.count + 1, format, arguments);
}

int vasprintf(char **to, const char *format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    int n = allocated(to, format, &copy);
    va_end(copy);
    return n;
}

int asprintf(char **to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = allocated(to, format, &arguments);
    va_end(arguments);
    return n;
}

/* ---- Input from strings. ---- */

struct input {
    const char *at, *begin;
};

static int value_of(int c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* An integer of at most `width` characters; false where there is none. Like strtol and strtoul, it stays within a type of
 * which `most` is all bits. */
static int scanned(struct input *in, long width, int base, int is_signed, uint64_t most, uint64_t *value)
{
    const char *p = in->at;
    int negative = 0, any = 0, overflow = 0;
    *value = 0;
    if (width > 0 && (*p == '-' || *p == '+'))
        negative = *p++ == '-', width--;
    if (width > 0 && (base == 0 || base == 16) && *p == '0') {
        any = 1, p++, width--;
        if (width > 0 && (*p == 'x' || *p == 'X'))
            p++, width--, base = 16, any = 0;
        else if (base == 0)
            base = 8;
    } else if (base == 0)
        base = 10;
    for (; width > 0 && value_of((unsigned char)*p) < base; p++, width--, any = 1) {
        uint64_t next;
        if (__builtin_mul_overflow(*value, (uint64_t)base, &next)
            || __builtin_add_overflow(next, (uint64_t)value_of((unsigned char)*p), &next))
            overflow = 1;
        *value = next;
    }
    in->at = p;
    uint64_t greatest = is_signed ? most / 2 + (uint64_t)negative : most;
    if (overflow || *value > greatest) {
        *value = greatest;
        negative &= is_signed;
    }
    if (negative)
        *value = 0 - *value;
    return any;
}

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

/* The rest of a word in `width` characters. */
static int word(const char **at, long *width, const char *rest)
{
    for (; *rest; rest++, (*at)++, (*width)--)
        if (*width <= 0 || lower((unsigned char)**at) != *rest)
            return 0;
    return 1;
}

/* The characters of a floating-point number, at most `width`: what may begin one (C11 7.21.6.2p9). False where they end as
 * none does. */
static int spelled(const char **in, long width)
{
    const char *at = *in, *begin;
    int digits = 0, point = 0, exponent = 0, base = 10;
    if (*at == '-' || *at == '+')
        at++, width--;
    if (width > 0 && (lower((unsigned char)*at) == 'n' || lower((unsigned char)*at) == 'i')) {
        int is_nan = lower((unsigned char)*at) == 'n';
        int whole = word(&at, &width, is_nan ? "nan" : "inf");
        if (whole && !is_nan && width > 0 && lower((unsigned char)*at) == 'i')
            whole = word(&at, &width, "inity");
        *in = at;
        return whole;
    }
    /* With no room for a digit, the 0 is a number by itself. */
    if (width > 2 && at[0] == '0' && lower((unsigned char)at[1]) == 'x')
        at += 2, width -= 2, base = 16;
    begin = at;
    for (; width > 0; at++, width--) {
        int c = lower((unsigned char)*at);
        if (value_of(c) < (exponent ? 10 : base))
            digits = 1;
        else if (c == '.' && !point)
            point = 1;
        else if (digits && !exponent && c == (base == 16 ? 'p' : 'e'))
            exponent = point = 1;
        else if (!(exponent && (c == '-' || c == '+') && lower((unsigned char)at[-1]) == (base == 16 ? 'p' : 'e')))
            break;
    }
    *in = at;
    /* Behind 0x anything will do: then the 0 is the number. */
    return digits || (base == 16 && at > begin);
}

static int is_floating(int c) { return lower(c) == 'a' || (lower(c) >= 'e' && lower(c) <= 'g'); }

/* A floating-point number; false where there is none. */
static int scanned_number(struct input *in, long width, const struct directive *d, void *to)
{
    const char *from = in->at, *rest;
    if (!spelled(&in->at, width))
        return 0;
    int format = d->is_long ? 2 : d->length == 64 ? 1 : 0;
    long double value = __raddle_read_number(from, in->at, &rest, format);
    if (rest == from)
        return 0;
    if (!to)
        return 1;
    if (format == 2)
        *(long double *)to = value;
    else if (format == 1)
        *(double *)to = (double)value;
    else
        *(float *)to = (float)value;
    return 1;
}

/* The directives of scanf (C11 7.21.6.2). */
static int scan(const char *from, const char *format, va_list *arguments)
{
    struct input in = {from, from};
    int done = 0;
    for (; *format; format++) {
        if (__raddle_is_space((unsigned char)*format)) {
            while (__raddle_is_space((unsigned char)*in.at))
                in.at++;
            continue;
        }
        if (*format != '%' || format[1] == '%') {
            if (*format == '%') {
                format++;
                while (__raddle_is_space((unsigned char)*in.at))
                    in.at++;
            }
            if (!*in.at)
                return done ? done : -1;
            if (*in.at != *format)
                return done;
            in.at++;
            continue;
        }
        struct directive d = {.length = 32};
        int ignored = *++format == '*';
        format += ignored;
        format = decimal(format, &d.width);
        for (;; format++) {
            if (*format == 'h')
                d.length = d.length == 16 ? 8 : 16;
            else if (*format == 'L')
                d.length = 64, d.is_long = 1;
            else if (!lengthened(format, &d.length))
                break;
        }
        char conversion = *format;
        if (conversion == 'n') {
            if (!ignored)
                __raddle_store_integer(va_arg(*arguments, void *), d.length, (uint64_t)(in.at - in.begin));
            continue;
        }
        if (conversion != 'c' && conversion != '[')
            while (__raddle_is_space((unsigned char)*in.at))
                in.at++;
        if (!*in.at)
            return done ? done : -1;
        long width = d.width ? d.width : conversion == 'c' ? 1 : LONG_MAX;
        if (conversion == 's' || conversion == 'c' || conversion == '[') {
            const char *set = format + 1, *end = set;
            if (conversion == '[')
                format = end = __raddle_set_end(set);
            char *to = ignored ? NULL : va_arg(*arguments, char *);
            long n = 0;
            for (; n < width && in.at[n]; n++) {
                unsigned char c = (unsigned char)in.at[n];
                if (conversion == 's' ? __raddle_is_space(c) : conversion == '[' && !__raddle_in_set(set, end, c))
                    break;
                if (to)
                    to[n] = (char)c;
            }
            if (conversion == 'c' ? n < width : n == 0)
                return done || conversion != 'c' ? done : -1;
            if (to && conversion != 'c')
                to[n] = 0;
            in.at += n;
            done += !ignored;
            continue;
        }
        if (is_floating(conversion)) {
            if (!scanned_number(&in, width, &d, ignored ? NULL : va_arg(*arguments, void *)))
                return done;
            done += !ignored;
            continue;
        }
        int base = conversion == 'd' || conversion == 'u' ? 10
            : conversion == 'x' || conversion == 'X' || conversion == 'p' ? 16
            : conversion == 'o' ? 8 : conversion == 'i' ? 0 : -1;
        if (base < 0)
            __raddle_unsupported("a conversion of scanf that is not known");
        if (conversion == 'p')
            d.length = LONG_BITS;
        uint64_t value;
        int is_signed = conversion == 'd' || conversion == 'i';
        if (!scanned(&in, width, base, is_signed, d.length == 64 ? UINT64_MAX : ULONG_MAX, &value))
            return done;
        if (!ignored) {
            __raddle_store_integer(va_arg(*arguments, void *), d.length, value);
            done++;
        }
    }
    return done;
}

__RADDLE_SCANS(sscanf, vsscanf, from, const char *from, )
__RADDLE_SCANS(__isoc99_sscanf, __isoc99_vsscanf, from, const char *from, )
__RADDLE_SCANS(__isoc23_sscanf, __isoc23_vsscanf, from, const char *from, )
