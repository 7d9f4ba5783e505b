//@ run: check
//@ revisions: right wrong
// A pseudo-random number is any number of its range, whatever the seed.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    srand(1);
    int dice = rand() % 6;
#ifdef wrong
    assert(dice != 5); //~[wrong] ASSERTION inputs=rand
#else
    assert(dice >= 0 && dice < 6);
#endif
    return 0;
}
//~[right] SAFE executions=1
