//@ run: check
//@ revisions: late early
// Peterson's protocol without waiting: who may not enter gives up. Announcing oneself only after looking lets both in.
// Executions of the twin, by enumeration of the orders of the accesses to `turn` and to each of `wants`: ten.
#include <pthread.h>

static _Atomic int wants[2], turn;
static int inside;

static void *worker(void *arg)
{
    int me = (int)(long)arg, other = 1 - me;
#ifdef early
    wants[me] = 1;
    turn = other;
#endif
    if (wants[other] && turn == other)
        return NULL;
#ifdef late
    wants[me] = 1;
    turn = other;
#endif
    inside = 1; //~[late] RACE write/write
    wants[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[early] SAFE executions=10
