// snprintf with every flag, width, precision and length, printf with the same, and what does not fit.
#define _GNU_SOURCE
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void both(const char *format, ...)
{
    char text[128], cut[5];
    va_list arguments, copy;
    va_start(arguments, format);
    va_copy(copy, arguments);
    int n = vsnprintf(text, sizeof text, format, arguments);
    int m = vsnprintf(cut, sizeof cut, format, copy);
    va_end(copy);
    va_end(arguments);
    va_start(arguments, format);
    printf("%s: [", format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("] [%s] %d [%s] %d\n", text, n, cut, m);
}

int main(void)
{
    static const char *const flags[] = {"", "-", "0", "+", " ", "#", "-0", "+ ", "#0", "-#"};
    static const char *const sizes[] = {"", "1", "8", ".0", ".3", "8.3", "3.8"};
    static const int values[] = {0, 1, -1, 42, INT_MAX, INT_MIN};
    for (int f = 0; f < 10; f++)
        for (int s = 0; s < 7; s++)
            for (int v = 0; v < 6; v++)
                for (const char *c = "diuxXo"; *c; c++) {
                    char format[16] = "%";
                    strcat(strcat(format, flags[f]), sizes[s]);
                    size_t n = strlen(format);
                    format[n] = *c;
                    format[n + 1] = 0;
                    if (v < 3 || f < 2 || *c == 'd')
                        both(format, values[v]);
                }
    both("%hhd %hd %ld %lld %jd %zd %td", 300, 70000, LONG_MIN, LLONG_MAX, (intmax_t)-1, (size_t)9, (ptrdiff_t)-9);
    both("%hhu %hu %lu %llx %jo %zX", 300, 70000, ULONG_MAX, 1ull << 60, (uintmax_t)8, (size_t)255);
    both("%*d|%-*d|%.*d|%*.*d", 6, 1, 6, 2, 3, 3, -5, 2, 4);
    both("%s|%5s|%-5s|%.2s|%.0s|%8.3s|", "abc", "abc", "abc", "abc", "abc", "abcdef");
    both("%c%c%5c|%-3c|%%", 'a', 'b', 'c', 'd');
    both("%p %p", (void *)0, (void *)0x1234);
    both("");
    both("no directives");
    int count = -1;
    char *text;
    printf("%d ", asprintf(&text, "%d-%s%n", 12, "x", &count));
    printf("%s %d\n", text, count);
    free(text);
    char exact[6];
    printf("%d %s\n", sprintf(exact, "%05d", 123), exact);
    printf("%d\n", snprintf(NULL, 0, "%s", "counted only"));
    char one[1] = {'x'};
    printf("%d %d\n", snprintf(one, 1, "%d", 12345), one[0]);
    return 0;
}
