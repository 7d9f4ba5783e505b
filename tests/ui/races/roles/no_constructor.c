//@ run: races
//@ revisions: lazy setter partly locked
// What reads of the object before, sets it only on some ways, or only sets a member, is no constructor: others use the object
// meanwhile.
#include <pthread.h>
#include <stddef.h>

struct list {
    pthread_mutex_t lock;
    int ready;
    int used;
};

void list_set(struct list *l, int used)
{
#if defined lazy
    if (!l->ready) { //~[lazy] RACE
        pthread_mutex_init(&l->lock, NULL); //~[lazy] RACE
        l->ready = 1; //~[lazy] RACE
    }
#elif defined setter
    l->ready = 1; //~[setter] RACE
    l->used = used; //~[setter] RACE
#elif defined partly
    if (used > 4)
        pthread_mutex_init(&l->lock, NULL); //~[partly] RACE
    l->used = used; //~[partly] RACE
#elif defined locked
    pthread_mutex_lock(&l->lock); //~[locked] RACE
    l->used = used; //~[locked] RACE
    pthread_mutex_unlock(&l->lock); //~[locked] RACE
                                    //~^[locked] LOCK_MISUSE
    pthread_mutex_init(&l->lock, NULL); //~[locked] RACE
#endif
}
//~ PAIR list_set list_set findings
//~ FINDINGS
