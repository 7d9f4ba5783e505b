// Variable-length arrays, alloca, flexible array members, and pointers to them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct packet {
    unsigned short length;
    char data[];
};
static int trace(int n, int m[n][n])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += m[i][i];
    return s;
}
static long fill(int n)
{
    long total = 0;
    for (int k = 1; k <= n; k++) {
        double row[k];
        for (int i = 0; i < k; i++)
            row[i] = i * 0.5;
        int (*grid)[k] = malloc(sizeof(int[k][k]));
        for (int i = 0; i < k * k; i++)
            grid[i / k][i % k] = i;
        total += trace(k, grid) + (long)(row[k - 1] * 2) + sizeof row + sizeof *grid;
        free(grid);
    }
    return total;
}
int main(void)
{
    printf("%ld\n", fill(6));
    struct packet *p = malloc(sizeof *p + 10);
    p->length = 9;
    strcpy(p->data, "flexible");
    printf("%s %d %zu\n", p->data, p->data[8], sizeof *p);
    free(p);
    char *buffer = __builtin_alloca(p ? 20 : 10);
    memset(buffer, 'x', 19);
    buffer[19] = 0;
    printf("%s\n", buffer);
    int n = 3;
    int a[n], (*q)[n] = &a;
    n = 7;
    for (unsigned i = 0; i < sizeof a / sizeof *a; i++)
        (*q)[i] = i;
    printf("%zu %d\n", sizeof *q, a[2]);
    return 0;
}
