//@ run: check
//@ revisions: raced fixed
//@ flags: -p auxiliary/own_flags
//@ also: auxiliary/own_flags/counter.c
// Each source is compiled with its own flags from the database, in the directory that is named there.
#include <assert.h>
#include <pthread.h>

#ifdef STEP
#error "a flag of the other source's"
#endif

extern int step(void), count(void);

static void *worker(void *argument)
{
    step();
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    step();
    pthread_join(thread, NULL);
    assert(count() == OWN); //~[raced] ASSERTION
    return 0;
}
//~[fixed] SAFE executions=2
