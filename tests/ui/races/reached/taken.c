//@ run: races --heaps reached
//@ revisions: on_purpose by_mistake
// A function that only takes a lock takes it for its caller, and one that only gives it back is told to: who calls another that takes it in
// between, or gives back what was not taken, has made a mistake of their own. One that forgets to give it back has made one for them.
#include <pthread.h>

struct box {
    pthread_mutex_t lock;
    int value;
};

void box_init(struct box *b)
{
    pthread_mutex_init(&b->lock, NULL);
    b->value = 0;
}

void box_lock(struct box *b)
{
    pthread_mutex_lock(&b->lock); //~[by_mistake] DEADLOCK
}

void box_unlock(struct box *b)
{
    pthread_mutex_unlock(&b->lock);
}

int put(struct box *b, int value)
{
    pthread_mutex_lock(&b->lock); //~[by_mistake] DEADLOCK
#ifdef by_mistake
    if (value == 7)
        return 0;
#endif
    b->value = value;
    pthread_mutex_unlock(&b->lock);
    return 1;
}
//~[on_purpose] SAFE
