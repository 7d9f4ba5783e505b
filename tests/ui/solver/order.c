//@ run: check
//@ revisions: sorted unsorted bits z3 checked alone
//@[bits] flags: --solver bits
//@[z3] flags: --solver z3
//@[checked] flags: --solver-check --stats
//@[alone] flags: --solver-only --solver-check
//@ clang: -w
// Comparisons of symbolic integers with each other: raddle orders them by itself, whichever solver is behind it.
#include <assert.h>
#include <raddle.h>

enum { N = 4 };

int main(void)
{
    int a[N];
    raddle_symbolic(a, sizeof a, "a");
    for (int i = 1; i < N; i++) {
        int v = a[i], j = i - 1;
#ifdef unsorted
        while (j > 0 && a[j] > v) {
#else
        while (j >= 0 && a[j] > v) {
#endif
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = v;
    }
    for (int i = 0; i + 1 < N; i++)
        assert(a[i] <= a[i + 1]); //~[unsorted] ASSERTION inputs=a
    return 0;
}
//~[sorted,bits,z3,checked,alone] SAFE paths=24 executions=24
//~[unsorted] FINDINGS paths=12
