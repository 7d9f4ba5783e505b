//@ run: check
//@ revisions: copied string exact moved apart
// `memcpy` and `strcpy` copy between objects that do not overlap (C11 7.24.2.1, 7.24.2.3). An object may be assigned to itself,
// which compilers do by `memcpy` (6.5.16.1p3), and `memmove` is for all others.
#include <string.h>

struct pair {
    char text[24];
};

static void assign(struct pair *to, struct pair *from)
{
    *to = *from;
}

int main(void)
{
    struct pair p = {"abcdefg"};
#if defined copied
    memcpy(p.text + 1, p.text, 6); //~[copied] OVERLAPPING_COPY
#elif defined string
    strcpy(p.text + 2, p.text); //~[string] OVERLAPPING_COPY
#elif defined exact
    assign(&p, &p);
#elif defined moved
    memmove(p.text + 1, p.text, 6);
#else
    memcpy(p.text + 8, p.text, 8);
#endif
    return p.text[1];
}
//~[exact,moved,apart] SAFE
