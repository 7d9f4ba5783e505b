//@ run: check
//@ revisions: right wrong unset
// A number with a point in text that is open: every reading of it. What is written of an uninitialised one counts.
#include <assert.h>
#include <raddle.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char text[4] = "?.5", out[16];
    double x;
#ifdef unset
    snprintf(out, sizeof out, "%.1f", x); //~[unset] UNINITIALIZED_READ
#else
    char *end;
    raddle_symbolic(text, 1, "text");
    x = strtod(text, &end);
#ifdef wrong
    assert(x < 9.0); //~[wrong] ASSERTION inputs=text
#else
    assert(x >= -0.5 && x <= 9.5);
    assert(end == text || end == text + 3 || (text[0] == 0 && x == 0));
    double again = -1;
    int n = sscanf(text, "%lf", &again);
    assert(n == 1 ? again == x : x == 0);
    snprintf(out, sizeof out, "%.1f", x);
    assert(out[0] == '-' || (out[1] == '.' && out[3] == 0));
#endif
#endif
    return 0;
}
//~[right] SAFE
