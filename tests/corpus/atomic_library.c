// flags: -mno-cx16
// Atomic objects of 16 and of odd sizes: clang calls the atomic library, also for 16 bytes.
#include <stdatomic.h>
#include <stdio.h>

struct Three {
    char c[3];
};
struct Twelve {
    int a, b, c;
};
struct Pair {
    void *first;
    long tag;
};
struct Large {
    long v[5];
};

static _Atomic struct Three three;
static _Atomic struct Twelve twelve;
static _Atomic struct Pair pair;
static _Atomic struct Large large;

int main(void)
{
    atomic_store(&three, ((struct Three){{1, 2, 3}}));
    struct Three t = atomic_exchange(&three, ((struct Three){{4, 5, 6}}));
    printf("%d %d\n", t.c[0] + t.c[1] * 10 + t.c[2] * 100, atomic_load(&three).c[2]);
    struct Twelve want = {0}, next = {7, 8, 9};
    printf("%d ", atomic_compare_exchange_strong(&twelve, &want, next));
    printf("%d ", atomic_compare_exchange_strong(&twelve, &want, next));
    printf("%d %d %d\n", want.a, want.b, want.c);
    int x = 5;
    struct Pair p = {&x, 1}, found = {0};
    printf("%d ", atomic_compare_exchange_strong(&pair, &found, p));
    printf("%d ", atomic_compare_exchange_strong(&pair, &found, p));
    struct Pair now = atomic_load(&pair);
    printf("%ld %d %d\n", now.tag, *(int *)now.first, found.first == &x);
    struct Large l = {{1, 2, 3, 4, 5}};
    atomic_store(&large, l);
    l = atomic_exchange(&large, (struct Large){{9}});
    printf("%ld %ld\n", l.v[4], atomic_load(&large).v[0]);
    _Atomic __int128 w = 7;
    atomic_fetch_add(&w, (__int128)1 << 70);
    __int128 old = atomic_exchange(&w, -1);
    printf("%llx %llx\n", (unsigned long long)(old >> 64), (unsigned long long)old);
    __int128 e = -1;
    printf("%d %d\n", atomic_compare_exchange_strong(&w, &e, 12), (int)w);
    return 4;
}
