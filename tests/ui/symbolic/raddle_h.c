//@ run: check
//@ revisions: wrong right
// raddle.h: symbolic bytes of any object, assumptions, assertions. The twin's three paths: n < 3, n == 3, n > 3.
#include <raddle.h>

struct request {
    unsigned char kind;
    unsigned n;
};

int main(void)
{
    struct request r;
    raddle_symbolic(&r, sizeof r, "request");
    raddle_assume(r.kind == 2);
    if (r.n < 3)
        return 1;
    if (r.n > 3)
        return 2;
#ifdef wrong
    raddle_assert(r.n + r.kind != 5); //~[wrong] ASSERTION inputs=request
#else
    raddle_assert(r.n + r.kind == 5);
#endif
    return 0;
}
//~[right] SAFE paths=3 executions=3
