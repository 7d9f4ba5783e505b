//@ run: check
//@ revisions: wrong right
// Signed and unsigned bit-fields: truncation on the store, sign extension on the load.
#include <assert.h>
#include <raddle.h>

struct flags {
    signed small : 3;
    unsigned wide : 7;
    _Bool set : 1;
};

int main(void)
{
    int v;
    raddle_symbolic(&v, sizeof v, "v");
    raddle_assume(v >= 0 && v < 8);
    struct flags f = {0};
    f.small = v;
    f.wide = v + 124;
    f.set = v;
    assert(f.set == (v != 0));
    assert(f.wide == ((v + 124) & 127));
#ifdef wrong
    assert(f.small == v); //~[wrong] ASSERTION inputs=v
#else
    assert(f.small == (v < 4 ? v : v - 8));
#endif
    return 0;
}
//~[right] SAFE
