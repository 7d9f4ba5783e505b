// Labels as values: an interpreter with a table, with offsets, and labels passed around.
#include <stdio.h>
static int interpret(const unsigned char *code)
{
    static const void *const table[] = {&&push, &&add, &&mul, &&dup, &&jnz, &&halt, &&dec};
    int stack[16], top = 0;
    const unsigned char *at = code;
#define NEXT goto *table[*at++]
    NEXT;
push:
    stack[top++] = *at++;
    NEXT;
add:
    top--, stack[top - 1] += stack[top];
    NEXT;
mul:
    top--, stack[top - 1] *= stack[top];
    NEXT;
dup:
    stack[top] = stack[top - 1], top++;
    NEXT;
dec:
    stack[top - 1]--;
    NEXT;
jnz:
    if (stack[top - 1])
        at = code + *at;
    else
        at++;
    NEXT;
halt:
    return stack[top - 2];
}
static int offsets(int n)
{
    static const int off[] = {&&a - &&a, &&b - &&a, &&c - &&a};
    int r = 0;
    void *where = &&a;
    goto *(where + off[n % 3]);
a:
    r += 100;
b:
    r += 10;
c:
    r += 1;
    if (r < 200 && n > 0) {
        n--;
        goto *(&&a + off[n % 3]);
    }
    return r;
}
int main(void)
{
    const unsigned char code[] = {0, 1, 0, 5, 3, 6, 4, 2 + 2, 5};
    printf("%d\n", interpret(code));
    for (int i = 0; i < 9; i++)
        printf("%d ", offsets(i));
    printf("\n");
    return 0;
}
