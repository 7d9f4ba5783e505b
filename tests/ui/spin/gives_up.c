//@ run: check
//@ revisions: given wrong
// Three threads at a lock that spins, and that they give up on: executions come back to where they were so often that counting them takes long.
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3

static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_int done;
static int work;

static void *worker(void *unused)
{
    for (;;) {
        while (atomic_flag_test_and_set(&lock))
            if (atomic_load(&done) == 2)
                return unused;
        work = 1; //~[wrong] RACE@work write
        atomic_fetch_add(&done, 1);
        atomic_flag_clear(&lock);
        if (atomic_load(&done) >= 2)
            return unused;
    }
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
#ifdef wrong
    work = 0; //~[wrong] RACE@work write
#endif
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
//~[given] SAFE
