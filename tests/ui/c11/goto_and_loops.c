//@ run: check
//@ revisions: wrong right
// Every loop form, goto, comma, short circuits and the conditional operator, with an input that picks the way.
// The twin has one path for each of the five values of n.
#include <assert.h>
#include <raddle.h>

static int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

int main(void)
{
    int n, r = 1, i = 1;
    raddle_symbolic(&n, sizeof n, "n");
    raddle_assume((n >= 1) & (n <= 5));
    while (i < n)
        i++, r *= i;
    int down = n, steps = 0;
    do {
        if (down == 0)
            goto out;
        steps++;
    } while (down--, 1);
out:
    assert(steps == n);
#ifdef wrong
    assert(r != 24); //~[wrong] ASSERTION inputs=n
#else
    assert(r == factorial(n));
#endif
    return 0;
}
//~[right] SAFE paths=5
