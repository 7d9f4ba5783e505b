//@ run: check
//@ revisions: missing complete
// A switch over an input, with fall-through. One path for each of its four ways: 0, 1, 5 and the default.
#include <assert.h>
#include <raddle.h>

int main(void)
{
    int k, r = 0;
    raddle_symbolic(&k, sizeof k, "k");
    switch (k) {
    case 0:
        r += 1;
        /* fall through */
    case 1:
        r += 2;
        break;
    case 5:
        r = 9;
        break;
    default:
#ifdef complete
        r = -1;
#endif
        break;
    }
    assert(r != 0); //~[missing] ASSERTION inputs=k
    return 0;
}
//~[complete] SAFE paths=4 executions=4
