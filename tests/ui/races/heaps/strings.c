//@ run: races --op upper --op length
//@ revisions: bare read_only
// A character pointer is a terminated string of up to --array bytes.
#include <stddef.h>

#ifdef bare
void upper(char *s)
{
    for (; *s; s++) //~[bare] RACE@loop read
        if (*s == 'a') //~[bare] RACE@test read
            *s = 'A'; //~[bare] RACE@loop,test,count write //~[bare] RACE write/write
}
#else
int upper(const char *s)
{
    return *s >= 'A' && *s <= 'Z';
}
#endif

size_t length(const char *s)
{
    size_t n = 0;
    while (s[n]) //~[bare] RACE@count read
        n++;
    return n;
}
//~[read_only] SAFE
