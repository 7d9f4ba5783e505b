// Loops, switches with ranges and fall-through, goto in and out of blocks, Duff's device, comma, statement expressions.
#include <stdio.h>
static int ranges(int c)
{
    switch (c) {
    case '0' ... '9': return 1;
    case 'a' ... 'f':
    case 'A' ... 'F': return 2;
    case -5: c++; __attribute__((fallthrough));
    default: return c < 0 ? 3 : 4;
    }
}
static void copy(char *to, const char *from, int count)
{
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
            } while (--n > 0);
    }
}
int main(void)
{
    for (int c = -6; c < 110; c += 7)
        printf("%d", ranges(c));
    char b[20] = {0};
    copy(b, "unrolled by hand", 16);
    printf(" %s\n", b);
    int i = 0, total = 0;
outer:
    for (;; i++) {
        if (i % 2)
            continue;
        for (int j = 0; j < 5; j++) {
            if (j == 3)
                break;
            if (i == 8)
                goto done;
            total += i * j;
        }
        if (i == 4) {
            i = 6;
            goto outer;
        }
    }
done:
    total = ({ int t = total; t *= 2; t + 1; });
    int k = (i++, total--, i + total);
    printf("%d %d %d\n", total, k, total ?: 5);
    while (k > 100 ? k -= 50 : 0)
        ;
    do
        k--;
    while (k > 3);
    return k;
}
