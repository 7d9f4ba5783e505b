//@ run: races --heaps reached
//@ revisions: locked late own
// Memory of a client's own has one element, unless no call comes to its end with that.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct vector {
    pthread_mutex_t lock;
    int sum;
    char name[16];
    int few[2];
};

struct vector *vector_new(void)
{
    struct vector *v = calloc(1, sizeof *v);
    if (v) {
        pthread_mutex_init(&v->lock, 0);
    }
    return v;
}

int vector_set(struct vector *v, const int *four)
{
    int sum = four[0] + four[3];
    pthread_mutex_lock(&v->lock);
#ifdef late
    pthread_mutex_unlock(&v->lock);
    v->sum = sum; //~[late] RACE write/write
#else
    v->sum = sum;
    pthread_mutex_unlock(&v->lock);
#endif
    return sum;
}

void vector_name(struct vector *v, const void *name)
{
    pthread_mutex_lock(&v->lock);
    memcpy(v->name, name, sizeof v->name);
    pthread_mutex_unlock(&v->lock);
}

#ifdef own
// More memory of the client's helps nobody who leaves the library's.
int vector_past(struct vector *v, const int *at)
{
    pthread_mutex_lock(&v->lock);
    int found = v->few[2 + !at[0]]; //~[own] SEQUENTIAL out_of_bounds
    pthread_mutex_unlock(&v->lock);
    return found;
}
//~[own] INCONCLUSIVE ledger=vacuous
#endif
//~[locked,late] ASSUMED elements
//~[locked] SAFE
