//@ run: check
//@ revisions: above below inside
// One element above and one below an array, at an index from the input.
#include <raddle.h>

static int table[4] = {1, 2, 3, 4};
static int neighbour;

int main(void)
{
    int i;
    raddle_symbolic(&i, sizeof i, "i");
#if defined above
    raddle_assume(i >= 0 && i <= 4);
#elif defined below
    raddle_assume(i >= -1 && i < 4);
#else
    raddle_assume(i >= 0 && i < 4);
#endif
    neighbour = table[i]; //~[above,below] OUT_OF_BOUNDS inputs=i
    return 0;
}
//~[inside] SAFE
