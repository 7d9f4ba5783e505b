/* Starts the functions `thread0` to `thread2`, as many as there are, and waits for them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define ACQ_REL memory_order_acq_rel
#define SEQ_CST memory_order_seq_cst

static inline void run(void *(*const threads[])(void *), int count)
{
    pthread_t started[3];
    for (int i = 0; i < count; i++)
        pthread_create(&started[i], NULL, threads[i], NULL);
    for (int i = 0; i < count; i++)
        pthread_join(started[i], NULL);
}

#define RUN(...)                                             \
    do {                                                     \
        void *(*const threads[])(void *) = { __VA_ARGS__ };  \
        run(threads, sizeof threads / sizeof threads[0]);    \
    } while (0)
