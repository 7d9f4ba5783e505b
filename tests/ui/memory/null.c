//@ run: check
//@ revisions: unchecked checked
// A null pointer that an input brings about.
#include <raddle.h>
#include <stddef.h>

int main(void)
{
    int k, value = 3;
    raddle_symbolic(&k, sizeof k, "k");
    int *p = k > 10 ? NULL : &value;
#ifdef checked
    if (!p)
        return 0;
#endif
    return *p - 3; //~[unchecked] NULL_DEREFERENCE inputs=k
}
//~[checked] SAFE
