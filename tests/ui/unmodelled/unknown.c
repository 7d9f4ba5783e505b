//@ run: check
//@ revisions: around before elsewhere
// A function that nothing is known of may take a lock: a race behind it is not confirmed, and one that is there without it
// is. Where the function is not linked, no test can tell.
#include <pthread.h>

void lock_all(void);
void unlock_all(void);

static int hits, others;

static void *count(void *arg)
{
#ifdef before
    hits++; //~[before] RACE read/write
    //~^[before] RACE write/write
#endif
    lock_all();
#ifdef around
    hits++; //~[around] RACE read/write
    //~^[around] RACE write/write
#endif
    unlock_all();
    return arg;
}

static void *other(void *arg)
{
    others++; //~[elsewhere] RACE read/write
    //~^[elsewhere] RACE write/write
    return arg;
}

int main(void)
{
    pthread_t threads[4];
    (void)hits, (void)others;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, NULL);
#ifdef elsewhere
    for (int i = 2; i < 4; i++)
        pthread_create(&threads[i], NULL, other, NULL);
#endif
    (void)other;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
//~[around] INCONCLUSIVE ledger=external_call unconfirmed=2
//~[before,elsewhere] FINDINGS ledger=external_call
