// strtol and its kin over many texts and bases; sorting and searching.
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <search.h>

static const char *const texts[] = {"", "0", "-0", "+7", "  42x", "\t\n-17 ", "0x", "0x1F", "0xg", "-0x10", "010", "08", "0b101",
    "zz", "Zz9", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "18446744073709551615", "18446744073709551616", "-1", "--1", "+-1", "+", "99999999999999999999999", "2147483648", "1_000"};
static const int bases[] = {0, 2, 8, 10, 16, 36, 1, 37};

static int compare(const void *a, const void *b) { return *(const int *)a / 10 - *(const int *)b / 10; }
static int compare_with(const void *a, const void *b, void *sign) { return *(int *)sign * (*(const int *)a - *(const int *)b); }

int main(void)
{
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *s = texts[i];
        printf("[%s] %d %ld %lld\n", s, atoi(s), atol(s), atoll(s));
        for (unsigned j = 0; j < sizeof bases / sizeof *bases; j++) {
            char *end = (char *)s;
            errno = 0;
            long l = strtol(s, &end, bases[j]);
            printf(" %ld %d %d", l, (int)(end - s), errno);
            errno = 0;
            unsigned long u = strtoul(s, &end, bases[j]);
            printf(" %lu %d %d", u, (int)(end - s), errno);
            printf(" %lld %llu %" PRIdMAX " %" PRIuMAX "\n", strtoll(s, NULL, bases[j]), strtoull(s, NULL, bases[j]),
                   strtoimax(s, NULL, bases[j]), strtoumax(s, NULL, bases[j]));
        }
    }
    int numbers[] = {31, 12, 39, 7, 35, 11, 3, 99, 90, 5, 30};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    qsort(numbers, COUNT, sizeof *numbers, compare);
    for (int i = 0; i < COUNT; i++)
        printf("%d ", numbers[i]);
    int down = -1;
    qsort_r(numbers, COUNT, sizeof *numbers, compare_with, &down);
    for (int i = 0; i < COUNT; i++)
        printf("%d ", numbers[i]);
    qsort(numbers, COUNT, sizeof *numbers, compare);
    for (int key = 0; key < 120; key += 9) {
        int *found = bsearch(&key, numbers, COUNT, sizeof *numbers, compare);
        printf("%d ", found ? *found / 10 : -1);
    }
    size_t n = 3;
    int grown[5] = {1, 20, 40}, wanted = 60;
    printf("%d ", lfind(&wanted, grown, &n, sizeof wanted, compare) != NULL);
    printf("%d %zu\n", *(int *)lsearch(&wanted, grown, &n, sizeof wanted, compare), n);
    div_t d = div(-7, 2);
    ldiv_t l = ldiv(7, -2);
    printf("%d %d %ld %ld %d %ld %lld\n", d.quot, d.rem, l.quot, l.rem, abs(-5), labs(-6l), llabs(7));
    printf("%d\n", reallocarray(NULL, (size_t)1 << (sizeof(size_t) * 5), (size_t)1 << (sizeof(size_t) * 5)) == NULL);
    printf("%d\n", errno == ENOMEM);
    char options[] = "ro,size=12,other,rw", *at = options, *value;
    char *const names[] = {"ro", "rw", "size", NULL};
    while (*at)
        printf("%d ", getsubopt(&at, names, &value)), printf("%s\n", value ? value : "-");
    return 0;
}
