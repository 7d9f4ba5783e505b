//@ run: races --array 3
//@ revisions: flexible zero one characters records careful careful_one careful_characters
// A record that ends in an array of as many elements as were allocated with it: those of the initial heap have as many as
// other arrays of unknown length.
#include <pthread.h>

struct slot {
    int used;
    struct vector *owner;
};
struct vector {
    pthread_mutex_t lock;
    unsigned n;
#if defined(zero)
    int data[0];
#elif defined(one) || defined(careful_one)
    int data[1];
#elif defined(characters) || defined(careful_characters)
    char data[];
#elif defined(records)
    struct slot data[];
#else
    int data[];
#endif
};
#ifdef records
#define AT(v, i) (v)->data[i].used
#else
#define AT(v, i) (v)->data[i]
#endif

// Characters have a terminator besides, which is element 3.
#if defined(characters) || defined(careful_characters)
#define LAST 3
#else
#define LAST 2
#endif

void set(struct vector *v)
{
    pthread_mutex_lock(&v->lock);
    if (v->n > LAST)
        AT(v, LAST) = 1; //~[flexible,zero,one,characters,records] RACE@last write
    pthread_mutex_unlock(&v->lock);
}

int get(struct vector *v, unsigned i)
{
    int found = 0;
#if defined(careful) || defined(careful_one) || defined(careful_characters)
    pthread_mutex_lock(&v->lock);
#endif
    if (i < v->n && i > 0)
        found = AT(v, i); //~[flexible,zero,one,characters,records] RACE@last read
#if defined(careful) || defined(careful_one) || defined(careful_characters)
    pthread_mutex_unlock(&v->lock);
#endif
    return found;
}
//~[careful,careful_one,careful_characters] SAFE
//~ DROPPED get
