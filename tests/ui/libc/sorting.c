//@ run: check
//@ revisions: right wrong
// All orders of three numbers, sorted by a comparison of the program's.
#include <assert.h>
#include <raddle.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
#ifdef wrong
    return x < y;
#else
    return (x > y) - (x < y);
#endif
}

int main(void)
{
    int numbers[3];
    raddle_symbolic(numbers, sizeof numbers, "numbers");
    qsort(numbers, 3, sizeof *numbers, compare);
    assert(numbers[0] <= numbers[1] && numbers[1] <= numbers[2]); //~[wrong] ASSERTION inputs=numbers
    return 0;
}
//~[right] SAFE
