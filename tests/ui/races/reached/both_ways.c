//@ run: races --heaps reached
//@ revisions: faulty fixed
// One after the other, `shut` and `get` come to a null pointer at one place. That they come to one at another place is due to both
// at once.
#include <pthread.h>
#include <stdlib.h>

struct box {
    pthread_mutex_t lock;
    int *data;
    int *spare;
};

void box_init(struct box *b)
{
    pthread_mutex_init(&b->lock, NULL);
    b->data = malloc(sizeof *b->data);
    if (!b->data)
        abort();
    *b->data = 1;
    b->spare = NULL;
}

void shut(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    b->data = NULL;
    pthread_mutex_unlock(&b->lock);
}

int get(struct box *b)
{
    int value;
    pthread_mutex_lock(&b->lock);
    if (b->data == NULL) {
        value = *b->spare;
    } else {
#ifdef faulty
        pthread_mutex_unlock(&b->lock);
        pthread_mutex_lock(&b->lock);
#endif
        value = *b->data; //~[faulty] NULL_DEREFERENCE
    }
    pthread_mutex_unlock(&b->lock);
    return value;
}
//~[fixed] SAFE
