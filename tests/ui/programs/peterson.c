//@ run: check
//@ revisions: plain seq_cst
// Peterson's algorithm for two threads that wait. Plain variables race, and order nothing for what they protect.
#include <assert.h>
#include <pthread.h>

#ifdef seq_cst
static _Atomic int wants[2], turn;
#else
static int wants[2], turn;
#endif
static int owner;

static void *worker(void *arg)
{
    int me = (int)(long)arg, other = 1 - me;
    wants[me] = 1; //~[plain] RACE@wants write
    turn = other; //~[plain] RACE write/write //~[plain] RACE@turn write
    while (wants[other]) { //~[plain] RACE@wants,leaves read
        if (turn != other) //~[plain] RACE@turn read
            break;
    }
    owner = me; //~[plain] RACE write/write //~[plain] RACE@owner write
    assert(owner == me); //~[plain] RACE@owner read
    wants[me] = 0; //~[plain] RACE@leaves write
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
//~[seq_cst] SAFE
