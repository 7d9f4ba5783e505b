/* client.h: the two programs that a user would write to look for races without raddle's initial heaps.
 *
 * A file NAME_client.c includes a structure's source and then gives `shape()`, a structure of a few elements made by
 * public calls, and `client_OPERATION(h, key, other)` for each operation; then it includes this header.
 *
 * -DSTRESS -DOPERATIONS=client_insert,...   for ThreadSanitizer: two threads make random calls with random small keys
 *                                           for as many seconds as the first argument says; the second is a seed.
 * -DFIRST=client_insert -DSECOND=...        for `raddle check`: two threads make one call each, with any arguments.
 */
#include <pthread.h>
#include <stddef.h>

#ifdef STRESS

#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Seconds of its own after which a round spins, and of all time after which it is stuck: writing a report takes the
 * latter, on a busy machine much of it. */
enum { KEYS = 8, CALLS = 200, SPINS_AFTER = 2, STUCK_AFTER = 15 };

typedef void operation(struct node *h, int key, int other);
static operation *const operations[] = { OPERATIONS };

struct thread {
    struct node *h;
    unsigned seed;
};

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static void *calls(void *argument)
{
    struct thread *thread = argument;
    for (int i = 0; i < CALLS; i++) {
        operation *call = operations[next_random(&thread->seed) % (sizeof operations / sizeof *operations)];
        int key = (int)(next_random(&thread->seed) % KEYS);
        call(thread->h, key, (int)(next_random(&thread->seed) % KEYS));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    time_t end = time(NULL) + atoi(argv[1]);
    unsigned seed = (unsigned)atoi(argv[2]);
    do {
        alarm(STUCK_AFTER);
        setitimer(ITIMER_VIRTUAL, &(struct itimerval){ .it_value.tv_sec = SPINS_AFTER }, NULL);
        struct node *h = shape();
        struct thread threads[2];
        pthread_t handles[2];
        for (int i = 0; i < 2; i++) {
            threads[i] = (struct thread){ h, next_random(&seed) };
            pthread_create(&handles[i], NULL, calls, &threads[i]);
        }
        for (int i = 0; i < 2; i++)
            pthread_join(handles[i], NULL);
        destroy(h);
    } while (time(NULL) < end);
    return 0;
}

#else

#include <raddle.h>

static int key[2], other[2];

static void *first(void *h)
{
    FIRST(h, key[0], other[0]);
    return NULL;
}

static void *second(void *h)
{
    SECOND(h, key[1], other[1]);
    return NULL;
}

int main(void)
{
    raddle_symbolic(key, sizeof key, "key");
    raddle_symbolic(other, sizeof other, "other");
    struct node *h = shape();
    pthread_t handles[2];
    pthread_create(&handles[0], NULL, first, h);
    pthread_create(&handles[1], NULL, second, h);
    pthread_join(handles[0], NULL);
    pthread_join(handles[1], NULL);
    return 0;
}

#endif
