//@ run: check
//@ revisions: right wrong unused wide
// What printf returns counts characters, also of a number that depends on input.
#include "raddle.h"
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int k;
    raddle_symbolic(&k, sizeof k, "k");
    raddle_assume(k >= 8 && k < 12);
#if defined right
    int n = printf("%d\n", k);
    assert(n == (k < 10 ? 2 : 3));
#elif defined wrong
    int n = fprintf(stdout, "<%3d>\n", k);
    assert(n == 5 || k == 11); //~[wrong] ASSERTION
#elif defined unused
    printf("%d %c\n", k, k);
    printf("%70000d\n", 1);
#else
    assert(printf("%70000d\n", 1) == 70001);
#endif
    return 0;
}
//~[right] SAFE executions=4
//~[unused] SAFE executions=1
//~[wide] SAFE executions=1
