// Floating-point numbers and their texts: snprintf, fprintf to a file, strtod and its kin, sscanf, atof.
// needs: 64 bits, for the range of its numbers
#define _GNU_SOURCE
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double values[] = {0, -0.0, 1, -1, 0.1, 0.5, 1.5, 2.5, 9.995, 99999.95, 999998.5, 1e-5, 123456789.125, 1e100, 5e-324, DBL_MAX, DBL_MIN,
    INFINITY, -INFINITY, NAN};

static void both(const char *format, ...)
{
    static char text[6000];
    char cut[7];
    va_list arguments, copy;
    va_start(arguments, format);
    va_copy(copy, arguments);
    int n = vsnprintf(text, sizeof text, format, arguments), m = vsnprintf(cut, sizeof cut, format, copy);
    va_end(copy);
    va_end(arguments);
    printf("%s [%s] %d [%s] %d\n", format, text, n, cut, m);
}

static void read(const char *s)
{
    char *end;
    double d = 7;
    float f = 7;
    long double l = 7;
    int n = -1, got;
    errno = 0;
    printf("[%s]", s);
    d = strtod(s, &end);
    printf(" %a %d %d", d, (int)(end - s), errno);
    errno = 0;
    f = strtof(s, &end);
    printf(" %a %d %d", f, (int)(end - s), errno);
    errno = 0;
    l = strtold(s, &end);
    printf(" %La %d %d %a", l, (int)(end - s), errno, atof(s));
    d = f = l = 7;
    got = sscanf(s, "%lf%n", &d, &n);
    printf(" %d %a %d", got, d, n);
    got = sscanf(s, "%4g%Le", &f, &l);
    printf(" %d %a %La", got, f, l);
    n = -1;
    got = sscanf(s, "%*e%n", &n);
    printf(" %d %d\n", got, n);
}

int main(void)
{
    static const char *const formats[] = {"%f", "%F", "%e", "%E", "%g", "%G", "%a", "%A", "%.0f", "%#.0f", "%.0e", "%#.0e", "%.3g", "%#g", "%+.2f",
        "% .2f", "%012.3f", "%-12.3f|", "%12.3e", "%-+12g|", "%020a", "%.2a", "%.0a", "%#.0a", "%.17g", "%.30f", "%5.1f", "%'f", "%0-9g|"};
    for (unsigned v = 0; v < sizeof values / sizeof *values; v++)
        for (unsigned k = 0; k < sizeof formats / sizeof *formats; k++)
            both(formats[k], values[v]);
    both("%Lf %d %Lg %Le %La", 1.25L, 7, LDBL_MAX, LDBL_MIN, 0.1L);
    both("%*.*f|%-*f|%.*e", 10, 3, 3.14159, -12, 2.5, -1, 1e10);
    both("%d %f %s %g %c", 1, 2.0, "three", 4.0, '5');
    static const char *const texts[] = {"", "0", "-0", "1", "+1.5", " \t\n-2.5e3x", ".5", "5.", ".", "-", "1e", "1e+", "1e-5", "1E5", "1e400", "-1e400",
        "1e-400", "4.9e-324", "2.4e-324", "2.5e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623158e308",
        "1.7976931348623159e308", "9007199254740993", "9007199254740993.0000000000000000000001", "0x", "0x1", "0x.8", "0x1p", "0x1p3", "0x1.8p-1z",
        "0x1p-1074", "0x1p-1075", "0x1.00000000000008p0", "0x1.000000000000081p0", "0xg", "inf", "-INF", "infinity", "infinit", "in", "nan", "NAN(1)",
        "nan(0x12)z", "nan(", "-nan", "na", "1.1e4932", "1.2e4932", "3.3e-4951", "1.4e-45", "7e-46", "7.1e-46", "3.4028236e38", "3.4028235677973366e38",
        "1e99999999999999999999", "0e99999999999999999999", "1e-99999999999999999999", "123456789012345678901234567890", "1_0", "1,5", "--1", "0x1e+2",
        "1e2e3", "1.2.3", "0.000000000000000000000000000000000000001e39"};
    for (unsigned k = 0; k < sizeof texts / sizeof *texts; k++)
        read(texts[k]);
    double d, e;
    char word[8];
    printf("%d", sscanf("x=1.5,y=-2e1 end", "x=%lf,y=%lf %7s", &d, &e, word));
    printf(" %g %g %s\n", d, e, word);
    FILE *file = fopen("raddle-corpus-float.tmp", "w+");
    char line[64];
    fprintf(file, "%.3f %Lg\n", 1.0 / 3, 2.0L / 3);
    rewind(file);
    printf("%s", fgets(line, sizeof line, file));
    fclose(file);
    remove("raddle-corpus-float.tmp");
    return 0;
}
