/* Standard input: any characters, as far as they are counted; and what scanf reads there (C11 7.21.6.2). A number that it
 * reads is any number, and counts as one character.
 *
 * Provides: scanf __isoc99_scanf __isoc23_scanf vscanf __isoc99_vscanf __isoc23_vscanf fscanf __isoc99_fscanf
 * __isoc23_fscanf vfscanf __isoc99_vfscanf __isoc23_vfscanf __raddle_standard_input __raddle_standard */

typedef struct __raddle_file FILE;
extern FILE *stdin;
extern FILE *__raddle_used(FILE *file);

/* The bound of --array. */
extern size_t __raddle_array(void);
enum { EOF = -1, PER_ELEMENT = 4, LONG_BITS = 8 * sizeof(long) };

/* What comes next. The generated test writes it down: the names are its own as well. */
enum what { END = 256, DECIMAL, UNSIGNED, OCTAL, HEXADECIMAL, FLOATING };

/* `next`: one more than a character that was looked at, and not taken; `behind`: the number that was taken last; `skipped`: blanks
 * that are there, or not. */
struct __raddle_standard {
    size_t taken;
    int ended, next, behind, skipped;
};
GUARDED struct __raddle_standard __raddle_standard;

static int is_there(struct __raddle_standard *in)
{
    if (in->ended)
        return 0;
    if (in->taken == __raddle_array() * PER_ELEMENT) {
        __raddle_note("standard input is explored with up to 4 characters, or numbers, for each of --array");
        in->ended = 1;
        return 0;
    }
    in->taken++;
    return 1;
}

static int asked(int most)
{
    int what = (int)__raddle_input("stdin", 2);
    __raddle_given((unsigned)what <= (unsigned)most);
    return what;
}

/* Without a branch: what a character is of a number of this kind. */
static int continues(int c, int number)
{
    unsigned is_digit = (unsigned)c - '0' <= 9, is_letter = ((unsigned)c | 32) - 'a' <= 25;
    if (number == DECIMAL || number == UNSIGNED || number == OCTAL)
        return (int)is_digit;
    return (int)(is_digit | is_letter | (c == '.'));
}

static int is_blank(int c) { return (c == ' ') | ((unsigned)c - '\t' <= '\r' - '\t'); }

/* A character that was not known to be there is one that can be. */
static void come_to(struct __raddle_standard *in, int c)
{
    if (in->skipped)
        __raddle_given(!is_blank(c));
    else if (in->behind)
        __raddle_given(!continues(c, in->behind));
    in->next = c + 1;
}

static int look(struct __raddle_standard *in)
{
    if (in->next)
        return in->next - 1;
    if (!is_there(in))
        return EOF;
    int what = asked(END);
    if (what == END) {
        in->ended = 1;
        return EOF;
    }
    come_to(in, what);
    return what;
}

static void take(struct __raddle_standard *in) { in->next = in->behind = in->skipped = 0; }

static long take_standard(const FILE *file, void *to, size_t n)
{
    struct __raddle_standard *in = &__raddle_standard;
    size_t given = 0;
    (void)file;
    for (; given < n; given++) {
        int c = look(in);
        if (c == EOF)
            break;
        take(in);
        ((char *)to)[given] = (char)c;
    }
    return (long)given;
}

static long put_standard(const FILE *file, const void *from, size_t n)
{
    (void)file, (void)from, (void)n;
    errno = EBADF;
    return -1;
}

static void shut_standard(const FILE *file) { (void)file; }

const struct __raddle_device __raddle_standard_input = {take_standard, put_standard, shut_standard};

static void skip_blanks(struct __raddle_standard *in)
{
    if (in->next && !is_blank(in->next - 1))
        return;
    in->next = 0;
    in->skipped = 1;
}

/* 1: a number; 0: something else is there; EOF: nothing is. */
static int number(struct __raddle_standard *in, int kind, int64_t *value)
{
    skip_blanks(in);
    if (!in->next) {
        if (!is_there(in))
            return EOF;
        int what = asked(FLOATING);
        if (what == END) {
            in->ended = 1;
            return EOF;
        }
        if (what > END) {
            __raddle_given(what == kind);
            *value = __raddle_input("stdin", 8);
            in->next = in->skipped = 0;
            in->behind = kind;
            return 1;
        }
        come_to(in, what);
    }
    /* Nothing begins with these that is no number. */
    int c = in->next - 1;
    __raddle_given(!(continues(c, kind) | (c == '+') | (c == '-')));
    return 0;
}

/* The values of which the digits are that many at the most. */
static void within(int64_t value, int kind, long width, int bits)
{
    uint64_t most = 1;
    for (long i = kind == DECIMAL && width > 1; i < width && most < UINT64_MAX / 16; i++)
        most *= kind == HEXADECIMAL ? 16 : kind == OCTAL ? 8 : 10;
    int is_wide = width == 0 || most >= UINT64_MAX / 16;
    if (kind == DECIMAL) {
        int64_t limit = is_wide ? INT64_MAX : (int64_t)most - 1;
        int64_t top = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
        limit = limit < top ? limit : top;
        __raddle_given((value <= limit) & (value >= -limit - (limit == top)));
        return;
    }
    uint64_t limit = is_wide ? UINT64_MAX : most - 1, top = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    __raddle_given((uint64_t)value <= (limit < top ? limit : top));
}

/* `%s`, `%c` and `%[`: 1, or 0 or EOF if there is none. */
static int text(struct __raddle_standard *in, char conversion, long width, const char *set, const char *end, char *to)
{
    long n = 0, most = width ? width : conversion == 'c' ? 1 : LONG_MAX;
    int c = EOF;
    if (conversion == 's')
        skip_blanks(in);
    for (; n < most && (c = look(in)) != EOF; n++) {
        if (conversion == 's' ? n > 0 && is_blank(c) : conversion == '[' && !__raddle_in_set(set, end, (unsigned char)c))
            break;
        take(in);
        if (to)
            to[n] = (char)c;
    }
    if (n == 0 || (conversion == 'c' && n < most))
        return n == 0 && c != EOF ? 0 : EOF;
    if (to && conversion != 'c')
        to[n] = 0;
    return 1;
}

static int kind_of(char conversion)
{
    switch (conversion) {
    case 'd':
    case 'i': return DECIMAL;
    case 'u': return UNSIGNED;
    case 'o': return OCTAL;
    case 'x':
    case 'X':
    case 'p': return HEXADECIMAL;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return FLOATING;
    default: return 0;
    }
}

/* One conversion, behind its `%`: what came of it, and where the format goes on. */
static int converted(struct __raddle_standard *in, const char **format, va_list *arguments, int *is_stored)
{
    const char *at = *format;
    int ignored = *at == '*', bits = 32, is_long = 0;
    long width = 0;
    at += ignored;
    for (; *at >= '0' && *at <= '9'; at++)
        width = 10 * width + (*at - '0');
    for (;; at++) {
        if (*at == 'h')
            bits = bits == 16 ? 8 : 16;
        else if (*at == 'l')
            bits = is_long || LONG_BITS == 64 ? 64 : LONG_BITS, is_long = 1;
        else if (*at == 'j' || *at == 'q' || *at == 'L')
            bits = 64, is_long = 1 + (*at == 'L');
        else if (*at == 'z' || *at == 't')
            bits = LONG_BITS;
        else
            break;
    }
    char conversion = *at;
    const char *set = at + 1, *end = set;
    if (conversion == '[')
        at = end = __raddle_set_end(set);
    *format = at;
    *is_stored = !ignored;
    if (conversion == 's' || conversion == 'c' || conversion == '[')
        return text(in, conversion, width, set, end, ignored ? NULL : va_arg(*arguments, char *));
    int kind = kind_of(conversion);
    if (kind == 0)
        __raddle_unsupported(conversion == 'n' ? "how far scanf has read on standard input" : "a conversion of scanf that is not known");
    if (kind == FLOATING && (is_long > 1 || width))
        __raddle_unsupported("a long double, or a number of so many characters, that scanf reads on standard input");
    if (conversion == 'p')
        bits = LONG_BITS;
    int64_t value;
    int result = number(in, kind, &value);
    if (result != 1)
        return result;
    if (kind == FLOATING) {
        double d;
        memcpy(&d, &value, sizeof d);
        if (!ignored && is_long)
            *va_arg(*arguments, double *) = d;
        else if (!ignored)
            *va_arg(*arguments, float *) = (float)d;
        return 1;
    }
    within(value, kind, width, bits);
    if (!ignored)
        __raddle_store_integer(va_arg(*arguments, void *), bits, (uint64_t)value);
    return 1;
}

static int scan(FILE *file, const char *format, va_list *arguments)
{
    struct __raddle_standard *in = &__raddle_standard;
    int done = 0, result = 1, is_stored = 0;
    file = __raddle_used(file);
    if (file->device != &__raddle_standard_input)
        __raddle_unsupported("fscanf from a file; fgets and sscanf can be explored");
    if (file->back) {
        in->next = file->back;
        file->back = 0;
    }
    for (; *format && result == 1; format++) {
        if (is_blank((unsigned char)*format)) {
            skip_blanks(in);
        } else if (*format != '%' || format[1] == '%') {
            if (*format == '%') {
                format++;
                skip_blanks(in);
            }
            int c = look(in);
            result = c == EOF ? EOF : c == (unsigned char)*format;
            if (result == 1)
                take(in);
        } else {
            format++;
            result = converted(in, &format, arguments, &is_stored);
            done += result == 1 && is_stored;
        }
    }
    file->ended |= in->ended && result == EOF;
    return result == EOF && done == 0 ? EOF : done;
}

__RADDLE_SCANS(scanf, vscanf, stdin, )
__RADDLE_SCANS(fscanf, vfscanf, file, FILE *file, )
__RADDLE_SCANS(__isoc99_scanf, __isoc99_vscanf, stdin, )
__RADDLE_SCANS(__isoc99_fscanf, __isoc99_vfscanf, file, FILE *file, )
__RADDLE_SCANS(__isoc23_scanf, __isoc23_vscanf, stdin, )
__RADDLE_SCANS(__isoc23_fscanf, __isoc23_vfscanf, file, FILE *file, )
