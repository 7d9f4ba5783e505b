/* Accompanies in_header.c. */
#include <pthread.h>

struct stack {
    pthread_mutex_t lock;
    unsigned size;
};

static inline void stack_grow(struct stack *s)
{
    pthread_mutex_lock(&s->lock);
    s->size = 1; //~[bare] RACE@size write
    pthread_mutex_unlock(&s->lock);
}

static inline unsigned stack_size(struct stack *s)
{
#ifdef locked
    pthread_mutex_lock(&s->lock);
#endif
    unsigned size = s->size; //~[bare] RACE@size read
#ifdef locked
    pthread_mutex_unlock(&s->lock);
#endif
    return size;
}
