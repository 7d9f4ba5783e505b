//@ run: check
//@ revisions: cat copy printed found zero format
// A buffer that is too small shows at the call, with the function that noticed.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

int main(void)
{
    char small[4] = "ab", number[4];
#ifdef cat
    strcat(small, "cd"); //~[cat] OUT_OF_BOUNDS
#elif defined(copy)
    stpcpy(small, "abcd"); //~[copy] OUT_OF_BOUNDS
#elif defined(printed)
    sprintf(number, "%d", 1234); //~[printed] OUT_OF_BOUNDS
#elif defined(found)
    memset(small, 'x', sizeof small);
    char *at = strchr(small, 'y'); //~[found] OUT_OF_BOUNDS
    return at != NULL;
#elif defined(zero)
    return strpbrk(NULL, "a") != NULL; //~[zero] NULL_DEREFERENCE
#else
    snprintf(number, sizeof number, "%y", 1); //~[format] INCONCLUSIVE ledger=unsupported
#endif
    return 0;
}
