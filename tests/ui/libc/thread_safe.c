//@ run: check
// What POSIX has thread-safe races with nothing: random numbers, printing, error numbers, allocation.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *arg)
{
    int number = rand();
    errno = number & 1;
    printf("%d %s\n", 5, "text");
    fprintf(stderr, "%d\n", 6);
    fputs("line\n", stdout);
    free(strdup("copy"));
    return errno == (number & 1) ? arg : NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~ SAFE executions=1
