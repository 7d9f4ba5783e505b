/* Classes of characters in the "C" locale (C11 7.4).
 *
 * Provides: isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit isascii toascii
 * tolower toupper __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc */

enum {
    UPPER = 0x100, LOWER = 0x200, ALPHA = 0x400, DIGIT = 0x800, XDIGIT = 0x1000, SPACE = 0x2000, PRINT = 0x4000,
    GRAPH = 0x8000, BLANK = 1, CNTRL = 2, PUNCT = 4, ALNUM = 8
};
enum { SHOWN = PRINT | GRAPH, LETTER = SHOWN | ALPHA | ALNUM };

/* Of -128 (for EOF, and for chars that were not converted) to 255. */
#define OF(c) [128 + (c)]
#define FROM(a, b) [128 + (a) ... 128 + (b)]
static const uint16_t classes[384] = {
    FROM(0, 8) = CNTRL,
    OF('\t') = CNTRL | SPACE | BLANK,
    FROM('\n', '\r') = CNTRL | SPACE,
    FROM(14, 31) = CNTRL,
    OF(' ') = SPACE | PRINT | BLANK,
    FROM('!', '/') = SHOWN | PUNCT,
    FROM('0', '9') = SHOWN | DIGIT | XDIGIT | ALNUM,
    FROM(':', '@') = SHOWN | PUNCT,
    FROM('A', 'F') = LETTER | UPPER | XDIGIT,
    FROM('G', 'Z') = LETTER | UPPER,
    FROM('[', '`') = SHOWN | PUNCT,
    FROM('a', 'f') = LETTER | LOWER | XDIGIT,
    FROM('g', 'z') = LETTER | LOWER,
    FROM('{', '~') = SHOWN | PUNCT,
    OF(127) = CNTRL,
};

#define SAME(c) ((c) < -1 ? (c) + 256 : (c))
#define LOW(c) ((c) >= 'A' && (c) <= 'Z' ? (c) + ('a' - 'A') : SAME(c))
#define UP(c) ((c) >= 'a' && (c) <= 'z' ? (c) - ('a' - 'A') : SAME(c))
#define X4(f, c) f(c), f((c) + 1), f((c) + 2), f((c) + 3)
#define X16(f, c) X4(f, c), X4(f, (c) + 4), X4(f, (c) + 8), X4(f, (c) + 12)
#define X64(f, c) X16(f, c), X16(f, (c) + 16), X16(f, (c) + 32), X16(f, (c) + 48)
#define X384(f) X64(f, -128), X64(f, -64), X64(f, 0), X64(f, 64), X64(f, 128), X64(f, 192)
static const int32_t lowers[384] = {X384(LOW)};
static const int32_t uppers[384] = {X384(UP)};

static const uint16_t *const classes_at = classes + 128;
static const int32_t *const lowers_at = lowers + 128, *const uppers_at = uppers + 128;
const uint16_t **__ctype_b_loc(void) { return (const uint16_t **)&classes_at; }
const int32_t **__ctype_tolower_loc(void) { return (const int32_t **)&lowers_at; }
const int32_t **__ctype_toupper_loc(void) { return (const int32_t **)&uppers_at; }

/* What these return is the table's entry, as in the GNU C library. The argument is an unsigned char or EOF. */
#define IS(name, class) \
    int is##name(int c) { return c >= -128 && c < 256 ? classes_at[c] & (class) : 0; }
IS(alnum, ALNUM)
IS(alpha, ALPHA)
IS(blank, BLANK)
IS(cntrl, CNTRL)
IS(digit, DIGIT)
IS(graph, GRAPH)
IS(lower, LOWER)
IS(print, PRINT)
IS(punct, PUNCT)
IS(space, SPACE)
IS(upper, UPPER)
IS(xdigit, XDIGIT)

int isascii(int c) { return (c & ~127) == 0; }
int toascii(int c) { return c & 127; }
int tolower(int c) { return c >= -128 && c < 256 ? lowers_at[c] : c; }
int toupper(int c) { return c >= -128 && c < 256 ? uppers_at[c] : c; }
