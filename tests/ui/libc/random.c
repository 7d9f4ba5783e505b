//@ run: check
//@ revisions: right wrong fraction
// A pseudo-random number is any number of its range, whatever the seed.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    srand(1);
    int dice = rand() % 6;
#if defined fraction
    double x = drand48();
    assert(x >= 0 && x < 1);
#elif defined wrong
    assert(dice != 5); //~[wrong] ASSERTION inputs=rand
#else
    assert(dice >= 0 && dice < 6);
#endif
    return 0;
}
//~[right] SAFE executions=1
//~[fraction] SAFE
