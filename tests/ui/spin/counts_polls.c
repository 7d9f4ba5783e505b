//@ run: check --unroll 4
//@ revisions: racy guarded
// Each round of the loop finds what the round before it found, and yet it does not spin: others may go on between two looks, and what
// it does behind the loop depends on how often it looked.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, seen;

static void *wait(void *arg)
{
    int tries = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        int is_ready = ready;
        pthread_mutex_unlock(&lock);
        if (is_ready)
            break;
        tries++;
    }
    if (tries == 2) {
#ifdef guarded
        pthread_mutex_lock(&lock);
#endif
        seen = 1; //~[racy] RACE write
#ifdef guarded
        pthread_mutex_unlock(&lock);
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    seen = 2; //~[racy] RACE write
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
//~[racy] FINDINGS ledger=loop_bound
//~[guarded] INCONCLUSIVE ledger=loop_bound
