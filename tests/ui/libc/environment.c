//@ run: check
//@ revisions: set unset race
//@[race] tsan-silent: ThreadSanitizer does not see what getenv and setenv access
// A variable of the environment may be set or not; what it holds is an input. Setting one races with reading any.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *change(void *arg)
{
    setenv("MODE", "fast", 1); //~[race] RACE@env write
    return arg;
}

int main(void)
{
#ifdef race
    pthread_t other;
    pthread_create(&other, NULL, change, NULL);
    char *mode = getenv("HOME"); //~[race] RACE@env read
    pthread_join(other, NULL);
    return mode == change(NULL);
#else
    char *mode = getenv("MODE");
#ifdef set
    assert(mode == NULL || strcmp(mode, "on") != 0); //~[set] ASSERTION inputs=getenv:MODE
#else
    assert(mode != NULL); //~[unset] ASSERTION inputs=getenv:MODE
#endif
    return 0;
#endif
}
