//@ run: check --max-threads 2
//@ revisions: racy fixed
// A program that creates threads for ever: so many are explored as the bound says, which the ledger has by its name.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *serve(void *arg)
{
#ifdef fixed
    pthread_mutex_lock(&m);
#endif
    hits = 1; //~[racy] RACE write/write
#ifdef fixed
    pthread_mutex_unlock(&m);
#endif
    return arg;
}

int main(void)
{
    (void)m;
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, NULL, serve, NULL);
        pthread_detach(thread);
    }
}
//~[racy] FINDINGS ledger=thread_bound
//~[fixed] INCONCLUSIVE ledger=thread_bound
