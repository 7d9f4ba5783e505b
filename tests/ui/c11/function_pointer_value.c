//@ run: check
//@ revisions: wrong right
// Function pointers in structs, as arguments and compared.
#include <assert.h>

typedef int (*binary)(int, int);

static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }

struct operation {
    char sign;
    binary apply;
};

static int fold(binary f, const int *v, int n)
{
    int r = v[0];
    for (int i = 1; i < n; i++)
        r = f(r, v[i]);
    return r;
}

int main(void)
{
    static const struct operation table[] = {{'+', plus}, {'-', minus}};
    const int v[] = {7, 2, 1};
    assert(table[0].apply != table[1].apply);
    assert(fold(table[0].apply, v, 3) == 10);
#ifdef wrong
    assert(fold(table[1].apply, v, 3) == 6); //~[wrong] ASSERTION
#else
    assert(fold(table[1].apply, v, 3) == 4);
#endif
    return 0;
}
//~[right] SAFE executions=1 paths=1
