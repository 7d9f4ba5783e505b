// What the guided search foresees: two threads race only if one of them goes on after the other has looked, and
// before it takes the lock once more.
//@ run: races --op mark --op use --search guided
//@ revisions: late fixed
#include <pthread.h>
#include <stdbool.h>

enum { LOOKS = 12 };

struct item {
    pthread_mutex_t lock;
    bool marked;
    int value;
};

void mark(struct item *item)
{
    for (int i = 0; i < LOOKS; i++) {
        pthread_mutex_lock(&item->lock);
        item->marked = true;
        pthread_mutex_unlock(&item->lock);
    }
#ifdef fixed
    pthread_mutex_lock(&item->lock);
    item->value = 1;
    pthread_mutex_unlock(&item->lock);
#else
    item->value = 1; //~[late] RACE@value write
    //~^[late] RACE write/write
#endif
}

void use(struct item *item)
{
    for (int i = 0; i < LOOKS; i++) {
        pthread_mutex_lock(&item->lock);
        bool marked = item->marked;
        pthread_mutex_unlock(&item->lock);
        if (marked)
            return;
    }
    pthread_mutex_lock(&item->lock);
    item->value = 2; //~[late] RACE@value write
    pthread_mutex_unlock(&item->lock);
}
//~[late] FINDINGS ledger=guided_only
//~[fixed] INCONCLUSIVE ledger=guided_only
