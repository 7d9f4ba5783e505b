//@ run: check
//@ revisions: copy search compare duplicate
// Generated tests follow the calls of library functions, and show ThreadSanitizer what they access.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char text[8] = "ab";

static void *writes(void *arg)
{
#ifdef copy
    stpcpy(text, "cd"); //~[copy] RACE@pair write
#elif defined(search)
    strncpy(text, "cd", 3); //~[search] RACE@pair write
#elif defined(compare)
    strncat(text, "cd", 1); //~[compare] RACE@pair write
#else
    text[1] = 'x'; //~[duplicate] RACE@pair write
#endif
    return arg;
}

static void *reads(void *arg)
{
#ifdef copy
    return strrchr(text, 'c'); //~[copy] RACE@pair read
#elif defined(search)
    return strstr(text, "cd"); //~[search] RACE@pair read
#elif defined(compare)
    return strcasecmp(text, "ABCD") ? arg : NULL; //~[compare] RACE@pair read
#else
    char *own = strdup(text); //~[duplicate] RACE@pair read
    free(own);
    return arg;
#endif
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writes, NULL);
    pthread_create(&b, NULL, reads, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
