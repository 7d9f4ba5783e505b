//@ run: races
//@ revisions: inside outside
// No function of the program fits what these pointers lead to: a client has one, which returns anything.
#include <pthread.h>

struct map {
    pthread_mutex_t lock;
    int key;
    int hits;
    int misses;
    int (*compare)(int, int);
    _Bool (*keeps)(int);
};

int find(struct map *m, int key)
{
    pthread_mutex_lock(&m->lock);
    int found = m->compare(m->key, key) == 0;
#ifdef inside
    if (found)
        m->hits++;
    pthread_mutex_unlock(&m->lock);
#else
    pthread_mutex_unlock(&m->lock);
    if (found)
        m->hits++; //~[outside] RACE read/write //~[outside] RACE write/write //~[outside] RACE@a,b write //~[outside] RACE@c read
#endif
    return found;
}

int each(struct map *m, int (*visit)(int key, void *argument), void *argument)
{
    pthread_mutex_lock(&m->lock);
    int result = visit(m->key, argument);
    if (result > 5)
        m->hits++; //~[outside] RACE@a read //~[outside] RACE@b,c write
    // A truth value is 0 or 1.
    if (m->keeps(result) > 1)
        m->misses++;
    pthread_mutex_unlock(&m->lock);
    return result;
}

int missed(struct map *m)
{
    return m->misses;
}
//~[inside] SAFE
