#include "isomorphic.h"

long find(struct map *m, long key)
{
    long value = 0;
#ifndef bare
    pthread_mutex_lock(&m->lock);
#endif
    for (unsigned long i = 0; i < m->size; i++)
        if (m->pairs[i].key == key)
            value = m->pairs[i].value++; //~[bare] RACE read/write //~[bare] RACE write/write
#ifndef bare
    pthread_mutex_unlock(&m->lock);
#endif
    return value;
}
