//@ run: races --op set
//@ revisions: unsigned_index signed_index guarded before
// Where an index depends on the heap, heaps on which it is out of the table are outside of the precondition, in front of
// the table as behind it. What always lies in front of where a pointer leads may be there on heaps that are not explored.
#include <pthread.h>
#include <stddef.h>

struct bucket {
    pthread_mutex_t lock;
    int value;
};

struct table {
    long mask;
    struct bucket *buckets;
};

void set(struct table *t, long key, int value)
{
#if defined(before)
    struct bucket *bucket = t->buckets - 1;
#elif defined(signed_index)
    int index = (int)(key & t->mask);
    struct bucket *bucket = &t->buckets[index];
#else
    size_t index = (size_t)(key & t->mask);
    struct bucket *bucket = &t->buckets[index];
#endif
#ifdef guarded
    pthread_mutex_lock(&bucket->lock);
#endif
    bucket->value = value;
    //~^[unsigned_index] RACE write/write
    //~^^[signed_index] RACE write/write
#ifdef guarded
    pthread_mutex_unlock(&bucket->lock);
#endif
}
//~[guarded] SAFE
//~[before] INCONCLUSIVE ledger=unsupported,vacuous
