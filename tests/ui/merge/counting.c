//@ run: check
//@ revisions: at_once apart wrong wrong_apart
//@[apart,wrong_apart] flags: --merge never
// Each round branches, and the ways meet again with another count: all at once, or each by itself, 2^10 of them.
#include <assert.h>
#include <raddle.h>

int main(void)
{
    int a[10], positive = 0;
    raddle_symbolic(a, sizeof a, "a");
    for (int i = 0; i < 10; i++)
        if (a[i] > 0)
            positive++;
#if defined(wrong) || defined(wrong_apart)
    assert(positive != 7); //~[wrong,wrong_apart] ASSERTION
#else
    assert(positive <= 10);
#endif
    return 0;
}
//~[at_once] SAFE paths=1
//~[apart] SAFE paths=1024
