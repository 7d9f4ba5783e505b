//@ run: races --heaps both
//@ revisions: linked unlinked locked
// What clients build comes first, and what shows there is reachable; what shows on other heaps only is assumed as ever.
#include <pthread.h>
#include <stddef.h>

struct box {
    pthread_mutex_t lock;
    struct box *next;
    int value;
};

void box_init(struct box *b)
{
    pthread_mutex_init(&b->lock, NULL);
    b->next = NULL;
    b->value = 0;
}

#ifdef linked
void box_link(struct box *b, struct box *next)
{
    pthread_mutex_lock(&b->lock);
    b->next = next; //~[linked] RACE@first,second write
    pthread_mutex_unlock(&b->lock);
}
#endif

void put(struct box *b, int value)
{
    pthread_mutex_lock(&b->lock);
    if (b->next != NULL)
        b->next->value = value; //~[linked,unlinked] RACE@behind write
    pthread_mutex_unlock(&b->lock);
}

int peek(struct box *b)
{
    int value = 0;
#ifdef locked
    pthread_mutex_lock(&b->lock);
#endif
    if (b->next != NULL) //~[linked] RACE@first read
        value = b->next->value; //~[linked,unlinked] RACE@behind read
    //~^[linked] RACE@second read
#ifdef locked
    pthread_mutex_unlock(&b->lock);
#endif
    return value;
}
//~[linked] FINDINGS shape=reachable
//~[unlinked] FINDINGS shape=assumed
//~[locked] SAFE
