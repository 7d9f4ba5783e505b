// sscanf.
#include <stdio.h>
#include <string.h>

int main(void)
{
    int a, b, c, n;
    unsigned u;
    long l;
    short h;
    char ch, word[16], more[16];
    static const char *const texts[] = {"", " ", "1", "1 2 3", "12,34", "-5 x", "0x1f 010 9", "abc def", "7abc", "  +8\n9"};
    for (int i = 0; i < 10; i++) {
        const char *s = texts[i];
        a = b = c = n = -77, u = 7, l = 8, h = 9, ch = '?';
        strcpy(word, "-"), strcpy(more, "-");
        printf("[%s] %d %d %d %d;", s, sscanf(s, "%d %d %d", &a, &b, &c), a, b, c);
        printf(" %d %d %d;", sscanf(s, "%d,%d", &a, &b), a, b);
        printf(" %d %d %d %d;", sscanf(s, "%i %i %i", &a, &b, &c), a, b, c);
        printf(" %d %u %ld %hd;", sscanf(s, "%x%ld%hd", &u, &l, &h), u, l, h);
        printf(" %d %s %s;", sscanf(s, "%s %15s", word, more), word, more);
        printf(" %d %c %s;", sscanf(s, "%c%3s", &ch, word), ch, word);
        printf(" %d %s %s %d;", sscanf(s, "%[0-9]%[^ ]%n", word, more, &n), word, more, n);
        printf(" %d %d %d;", sscanf(s, "%*d%d%n", &a, &n), a, n);
        printf(" %d %d\n", sscanf(s, "%2d%%", &a), a);
    }
    printf("%d\n", sscanf("5%6", "%d%%%d", &a, &b));
    printf("%d %d\n", a, b);
    printf("%d %s\n", sscanf("k = v]w", "k = %[]v]", word), word);
    return 0;
}
