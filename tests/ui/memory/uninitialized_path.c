//@ run: check
//@ revisions: some every
// A local that is set on one path only: found though most inputs set it.
#include <raddle.h>

int main(void)
{
    int x, k;
    raddle_symbolic(&k, sizeof k, "k");
    if (k != 5)
        x = 1;
#ifdef every
    else
        x = 2;
#endif
    if (x == 1) //~[some] UNINITIALIZED_READ inputs=k
        return 1;
    return 0;
}
//~[every] SAFE paths=2
