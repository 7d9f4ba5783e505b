//@ run: races --heaps any --op use --op leave --client-calls 0
//@ revisions: one two number lent value none
//@[value] flags: --depth 1
// How many a semaphore of a structure lets through is what it was initialised with, where each call posts only what it has waited for; any
// number may have come together where calls post for others.
#include <semaphore.h>

struct gate {
    sem_t places;
    int inside;
};

#if defined(one)
void gate_init(struct gate *g) { sem_init(&g->places, 0, 1); }
#elif defined(two)
void gate_init(struct gate *g) { sem_init(&g->places, 0, 2); }
#elif defined(number)
void gate_init(struct gate *g, unsigned places) { sem_init(&g->places, 0, places); }
#endif

void use(struct gate *g)
{
#if defined(value)
    int places = 0;
    sem_getvalue(&g->places, &places);
    if (places == 1)
        g->inside++; //~[value] RACE write/write
                     //~^[value] RACE read/write
#else
    sem_wait(&g->places);
    g->inside++; //~[two,number,lent] RACE@both write
                 //~^[two,number,lent] RACE@both write
                 //~^^[two,number,lent] RACE read/write
    sem_post(&g->places);
#endif
}

// Whoever leaves lets another one in.
void leave(struct gate *g)
{
#if defined(lent)
    sem_post(&g->places);
#else
    (void)g;
#endif
}
//~[one,none] SAFE
