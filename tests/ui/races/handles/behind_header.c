//@ run: races
//@ revisions: bare locked default
//@[bare] flags: --heaps reached
//@[locked] flags: --heaps reached
// A string behind a header of the library's: what clients hold leads into an object.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct header {
    pthread_mutex_t lock;
    int length;
    char text[];
};

static struct header *header_of(char *text)
{
    return (struct header *)(text - offsetof(struct header, text));
}

char *text_new(void)
{
    struct header *h = calloc(1, sizeof *h + 4);
    if (!h)
        return NULL;
    pthread_mutex_init(&h->lock, NULL);
    h->text[0] = 1;
    return h->text;
}

int text_grow(char *text)
{
    if (!text[0])
        return 0;
    struct header *h = header_of(text);
#ifdef locked
    pthread_mutex_lock(&h->lock);
#endif
    int length = ++h->length; //~[bare,default] RACE
#ifdef locked
    pthread_mutex_unlock(&h->lock);
#endif
    return length;
}
//~[locked] SAFE
