//@ run: check
//@ revisions: unbounded set one_more fits
// A length from input that may exceed an object is found, however many lengths do not; all that fit are explored.
#include <assert.h>
#include <raddle.h>
#include <string.h>

int main(void)
{
    char to[8] = {0}, from[12] = "abcdefghijk";
    unsigned n;
    raddle_symbolic(&n, sizeof n, "n");
#ifdef one_more
    raddle_assume(n <= 9);
#elif defined(fits)
    raddle_assume(n <= 8);
#endif
#ifdef set
    memset(to, 'x', n); //~[set] OUT_OF_BOUNDS inputs=n
#else
    memcpy(to, from, n); //~[unbounded,one_more] OUT_OF_BOUNDS inputs=n
#endif
    if (n > 3)
        assert(to[3] != 0);
    return 0;
}
//~[fits] SAFE
