//@ run: check
//@ revisions: right wrong
//@ clang: -m32
// The stack of i386: words of four bytes, those of fixed arguments before the others; sizes of the C library's types.
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct triple {
    char c;
    short s;
    long l;
};

static long long sum(int n, double first, ...)
{
    va_list list, again;
    long long total = (long long)first;
    va_start(list, first);
    va_copy(again, list);
    for (int i = 0; i < n; i++) {
        total += va_arg(list, int);
        total += va_arg(list, long long);
        struct triple t = va_arg(list, struct triple);
        total += t.c + t.s + t.l;
        total += *va_arg(list, int *);
        total += (long)va_arg(list, long double);
    }
    assert(va_arg(again, int) == 1);
    va_end(again);
    va_end(list);
    return total;
}

static int written(char *to, size_t room, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(to, room, format, list);
    va_end(list);
    return n;
}

int main(void)
{
    _Static_assert(sizeof(void *) == 4 && sizeof(long) == 4 && sizeof(size_t) == 4 && sizeof(long double) == 12, "i386");
    _Static_assert(sizeof(pthread_mutex_t) == 24 && sizeof(sem_t) == 16 && sizeof(pthread_attr_t) == 36, "i386");
    _Static_assert(sizeof(time_t) == 4 && sizeof(struct stat) == 88 && sizeof(va_list) == 4, "i386");
    int seven = 7;
    struct triple t = {1, 2, 3};
    long long total = sum(2, 9, 1, 2LL, t, &seven, 4.0L, 1, 1LL << 40, t, &seven, 4.0L);
    assert(total == 9 + 2 * (1 + 6 + 7 + 4) + 2 + (1LL << 40));

    char text[64];
    written(text, sizeof text, "%d %ld %lld %zu %hd %s %llx", -1, -2L, -3LL, sizeof text, 4, "five", 6ULL << 32);
    assert(strcmp(text, "-1 -2 -3 64 4 five 600000000") == 0);

    long a;
    long long b;
    assert(sscanf("99999999999 99999999999", "%ld %lld", &a, &b) == 2 && a == LONG_MAX && b == 99999999999);
    assert(strtol("-99999999999", NULL, 10) == LONG_MIN && strtoll("-99999999999", NULL, 10) == -99999999999);
    assert(lldiv(1LL << 40, 3).rem == 1);
    assert(!calloc(1u << 31, 2));

    pthread_attr_t attributes;
    size_t sizes[2] = {0, 5};
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_attr_getstacksize(&attributes, sizes);
    assert(sizes[0] == 1 << 20);
#ifdef right
    assert(sizes[1] == 5);
#else
    assert(sizes[1] == 6); //~[wrong] ASSERTION
#endif
    return 0;
}
//~[right] SAFE executions=1
