//@ run: check
//@ revisions: wrong right
// memcpy, memmove, memset, memcmp and strings, on bytes that come from the input.
#include <assert.h>
#include <raddle.h>
#include <string.h>

int main(void)
{
    char in[4], out[8];
    raddle_symbolic(in, sizeof in, "in");
    memset(out, 'x', sizeof out);
    memcpy(out + 1, in, sizeof in);
    memmove(out, out + 1, sizeof in);
    assert(memcmp(out, in, sizeof in) == 0 && out[7] == 'x');
    in[3] = 0;
#ifdef wrong
    assert(strlen(in) != 2); //~[wrong] ASSERTION inputs=in
#else
    assert(strlen(in) < 4);
#endif
    return 0;
}
//~[right] SAFE
