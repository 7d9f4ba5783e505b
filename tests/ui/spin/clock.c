//@ run: check
//@ revisions: given never limited
// Looking at a flag again and again, and at a clock: where nobody sets the flag, that is for ever, unless it is given up for
// what the clock shows.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int flag;

static void *looks(void *arg)
{
    struct timespec now;
#ifdef limited
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t last = now.tv_sec + 5;
#endif
    while (!atomic_load(&flag)) { //~[never] DEADLOCK
        clock_gettime(CLOCK_MONOTONIC, &now);
#ifdef limited
        if (now.tv_sec > last)
            break;
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, looks, NULL);
#ifdef given
    atomic_store(&flag, 1);
#endif
    pthread_join(thread, NULL); //~[never] DEADLOCK
    return 0;
}
//~[given] SAFE
//~[limited] SAFE
