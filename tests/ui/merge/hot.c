//@ run: check
//@ revisions: default apart
//@[apart] flags: --merge never
// Only the next condition looks at what differs: to go both ways at once would make it harder, and save nothing.
#include <raddle.h>

int main(void)
{
    int a, kind = 0;
    raddle_symbolic(&a, sizeof a, "a");
    if (a > 3)
        kind = 1;
    if (kind == 1)
        return 1;
    return 0;
}
//~ SAFE paths=2
