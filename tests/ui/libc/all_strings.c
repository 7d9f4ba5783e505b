//@ run: check
//@ revisions: right wrong
// For all strings of up to three characters. The paths are those that a simulation of the comparisons counts over all strings.
#include <assert.h>
#include <raddle.h>
#include <string.h>

int main(void)
{
    char s[4], t[8];
    raddle_symbolic(s, 3, "s");
    s[3] = 0;
    char *x = strchr(s, 'x');
    size_t span = strcspn(s, "x");
#ifdef wrong
    assert(x == NULL || x == s + span - 1); //~[wrong] ASSERTION inputs=s
#else
    assert(x == NULL ? span == strlen(s) : x == s + span);
#endif
    strcpy(t, "ab");
    strncat(t, s, 3);
    assert(strlen(t) == 2 + strlen(s));
    assert(strstr(t, s) != NULL);
    assert(strrchr(s, 'x') >= x);
    return 0;
}
//~[right] SAFE executions=37 paths=37
