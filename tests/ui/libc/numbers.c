//@ run: check
//@ revisions: right wrong
// A number in text comes back as it was, whatever the digits.
#include <assert.h>
#include <raddle.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char text[4];
    raddle_symbolic(text, 2, "text");
    text[2] = 0;
    char *end;
    long n = strtol(text, &end, 10);
#ifdef wrong
    assert(n < 99); //~[wrong] ASSERTION inputs=text
#else
    assert(n >= -9 && n <= 99);
#endif
    assert(end >= text && end <= text + 2);
    assert(n == atoi(text));
    return 0;
}
//~[right] SAFE
