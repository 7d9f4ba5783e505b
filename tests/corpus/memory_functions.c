// Copies and fills of every length and overlap, through the library and the built-ins.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct node { struct node *next; double d; char tag; };
int main(void)
{
    unsigned char b[40];
    unsigned sum = 0;
    for (int n = 0; n < 20; n++) {
        for (int i = 0; i < 40; i++)
            b[i] = i * 3;
        memmove(b + 5, b + 2, n);
        memmove(b + 20, b + 24, n / 2);
        memcpy(b, b + 20, n);
        memset(b + 10, n, n / 3);
        __builtin_memcpy(b + 30, "0123456789", 10);
        __builtin_memset(b + 39 - n, 7, 1);
        for (int i = 0; i < 40; i++)
            sum = sum * 31 + b[i];
    }
    printf("%u\n", sum);
    struct node a = {0, 1.5, 'a'}, c, list[2];
    a.next = &c;
    c = a;
    memcpy(list, (struct node[]){a, c}, sizeof list);
    list[1].next->tag = 'z';
    printf("%c %g %d\n", c.tag, list[0].next->d, memcmp(&list[0].next, &a.next, sizeof a.next));
    uint64_t bits;
    memcpy(&bits, &a.d, 8);
    printf("%llx\n", (unsigned long long)bits);
    struct node zero;
    memset(&zero, 0, sizeof zero);
    return zero.next == 0 && zero.d == 0;
}
