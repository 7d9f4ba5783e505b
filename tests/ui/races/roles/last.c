//@ run: races
//@ revisions: counted locked waits told
// Whoever a result of another function says is the last ends the object: that is explored, for the others may not be done with it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t lock;
    int references, left;
    atomic_int users;
};

struct object *object_new(int references)
{
    struct object *o = malloc(sizeof *o);
    if (o) {
        pthread_mutex_init(&o->lock, NULL);
        o->references = references;
        o->left = 0;
        atomic_init(&o->users, references);
    }
    return o;
}

void object_end(struct object *o)
{
    free(o); //~[counted,locked,waits] RACE free
}

int object_release(struct object *o)
{
#if defined(counted)
    int last = atomic_fetch_sub(&o->users, 1) == 1; //~[counted] RACE
    if (!last)
        o->left = 1; //~[counted] RACE
    return last;
#elif defined(locked)
    pthread_mutex_lock(&o->lock);   //~[locked] RACE
    int left = --o->references;     //~[locked] RACE
    pthread_mutex_unlock(&o->lock); //~[locked] RACE
    return left;
#elif defined(waits)
    pthread_mutex_lock(&o->lock);    //~[waits] RACE
    int last = --o->references == 0; //~[waits] RACE
    pthread_mutex_unlock(&o->lock);  //~[waits] RACE
    return last ? 1 : o->left;       //~[waits] RACE
#else
    // Nobody learns from it who is the last.
    pthread_mutex_lock(&o->lock);
    o->references--;
    int left = o->left;
    pthread_mutex_unlock(&o->lock);
    return left;
#endif
}
//~[told] SAFE
//~[told] PAIR object_end object_release exclusive
