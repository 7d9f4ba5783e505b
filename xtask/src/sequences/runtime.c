/* Follows a violation sequence: who comes to a waypoint waits for its segment, and nobody is ordered by that for ThreadSanitizer. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
struct w_point { int segment, thread; };
static int w_count;
static _Thread_local int w_me, w_next = -1;
static void w_await(int segment)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (__atomic_load_n(&w_count, __ATOMIC_RELAXED) < segment) {
        struct timespec short_time = {0, 20000};
        nanosleep(&short_time, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - begin.tv_sec > 4)
            _Exit(3);
    }
}
/* The next segment of this thread, if its waypoint is here: what comes by before that is no waypoint. */
static int w_find(const struct w_point *points)
{
    int next = __atomic_load_n(&w_count, __ATOMIC_RELAXED);
    while (next < W_LAST && w_thread[next] != w_me)
        next++;
    for (; points->segment >= 0; points++)
        if (points->segment == next && points->thread == w_me)
            return next;
    return -1;
}
static int w_wait(const struct w_point *points)
{
    int segment = w_find(points);
    if (segment >= 0)
        w_await(segment);
    return segment;
}
static int w_pass(int segment)
{
    if (segment >= 0 && segment != W_LAST)
        __atomic_store_n(&w_count, segment + 1, __ATOMIC_RELAXED);
    return segment;
}
static int w_gate(const struct w_point *points)
{
    return w_pass(w_wait(points));
}
struct w_start { void *(*function)(void *); void *argument; int id; };
static void *w_begin(void *given)
{
    struct w_start start = *(struct w_start *)given;
    w_me = start.id;
    return start.function(start.argument);
}
static int w_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    struct w_start *start = malloc(sizeof *start);
    *start = (struct w_start){function, argument, w_next >= 0 ? w_created[w_next] : -1};
    return pthread_create(thread, attributes, w_begin, start);
}
