// What the functions of <string.h> and <strings.h> return for all pairs of short strings over a small alphabet.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <stdlib.h>

static const char *const texts[] = {"", "a", "b", "A", "ab", "ba", "aB", "abc", "aab", "abab", ",", "a,b", ",a,,b,", "\xff", "zzz"};
enum { COUNT = sizeof texts / sizeof *texts };

static int sign(int n) { return (n > 0) - (n < 0); }
static int at(const char *base, const char *p) { return p ? (int)(p - base) : -1; }

int main(void)
{
    for (int i = 0; i < COUNT; i++) {
        const char *s = texts[i];
        printf("[%s] %zu %zu %zu\n", s, strlen(s), strnlen(s, 2), strnlen(s, 0));
        for (const char *c = "ab,z"; *c; c++)
            printf(" %d %d %d %d %d", at(s, strchr(s, *c)), at(s, strrchr(s, *c)), at(s, strchrnul(s, *c)),
                   at(s, memchr(s, *c, strlen(s))), at(s, memrchr(s, *c, strlen(s))));
        printf(" %d %d\n", at(s, strchr(s, 0)), at(s, strrchr(s, 0)));
        for (int j = 0; j < COUNT; j++) {
            const char *t = texts[j];
            char big[32] = "xy", *end;
            printf("%d%d%d%d%d ", sign(strcmp(s, t)), sign(strncmp(s, t, 2)), sign(strcasecmp(s, t)),
                   sign(strncasecmp(s, t, 1)), sign(strcoll(s, t)));
            printf("%zu %zu %d %d %d ", strspn(s, t), strcspn(s, t), at(s, strpbrk(s, t)), at(s, strstr(s, t)),
                   at(s, strcasestr(s, t)));
            printf("%d ", at(s, memmem(s, strlen(s), t, strlen(t))));
            printf("%s ", strcat(big, s));
            printf("%s ", strncat(big, t, 2));
            end = stpcpy(big, t);
            printf("%d %s ", (int)(end - big), big);
            memset(big, '.', sizeof big - 1);
            big[31] = 0;
            end = stpncpy(big, s, 3);
            printf("%d %s ", (int)(end - big), big + 3);
            memset(big, '-', sizeof big - 1);
            printf("%.8s\n", strncpy(big, t, 5));
        }
    }
    for (int i = 0; i < COUNT; i++) {
        char copy[16], *rest = NULL, *p;
        strcpy(copy, texts[i]);
        for (p = strtok(copy, ","); p; p = strtok(NULL, ","))
            printf("<%s>", p);
        strcpy(copy, texts[i]);
        for (p = strtok_r(copy, "a,", &rest); p; p = strtok_r(NULL, "a,", &rest))
            printf("{%s}", p);
        strcpy(copy, texts[i]);
        for (rest = copy; (p = strsep(&rest, ",b"));)
            printf("(%s)", p);
        char *d = strdup(texts[i]), *n = strndup(texts[i], 2);
        printf("%s %s %s\n", d, n, basename("a/b/c.d"));
        free(d);
        free(n);
    }
    char block[8] = {1, 2, 3, 4, 5, 6, 7, 8}, other[8];
    printf("%d ", (int)((char *)mempcpy(other, block, 8) - other));
    printf("%d ", at(other, memccpy(other, block, 4, 8)));
    printf("%d %p\n", bcmp(block, other, 8), memccpy(other, block, 99, 8));
    bcopy(block, block + 2, 4);
    bzero(block, 1);
    for (int i = 0; i < 8; i++)
        printf("%d ", block[i]);
    printf("%d %d %d %d %d\n", ffs(0), ffs(8), ffs(-1), ffsl(1l << (sizeof(long) * 5)), ffsll(1ll << 63));
    printf("%d\n", (int)((char *)rawmemchr(other, 3) - other));
    printf("%zu %s\n", strxfrm(other, "abc", 8), other);
    return 7;
}
