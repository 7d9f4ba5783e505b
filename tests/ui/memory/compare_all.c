//@ run: check
//@ revisions: race beyond fine
// memcmp looks at all bytes, wherever the first difference is.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char a[8] = "abc", b[8];

static void *compare(void *arg)
{
#ifdef beyond
    char *two = malloc(2), *eight = malloc(8);
    memset(two, 1, 2);
    memset(eight, 3, 8);
    int differ = memcmp(two, eight, 8); //~[beyond] OUT_OF_BOUNDS
    free(two);
    free(eight);
    return differ ? arg : NULL;
#else
    return memcmp(a, b, 4) ? arg : NULL; //~[race] RACE@byte read
#endif
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, compare, NULL);
#ifdef race
    a[3] = 1; //~[race] RACE@byte write
#else
    a[4] = 1;
#endif
    return pthread_join(t, NULL);
}
//~[fine] SAFE
