//@ run: races --heaps reached
//@ revisions: cast told
// What clients would have to cast nobody passes, and that is said: `widget_new` makes buttons, which only its user knows.
#include <pthread.h>
#include <stdlib.h>

struct widget {
    pthread_mutex_t lock;
    int kind;
};

struct button {
    struct widget widget;
    int presses;
};

struct widget *widget_new(void)
{
    struct button *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    pthread_mutex_init(&b->widget.lock, NULL);
    b->widget.kind = 7;
    return &b->widget;
}

#ifdef told
void button_press(struct widget *w)
{
    pthread_mutex_lock(&w->lock);
    if (w->kind == 7)
        ((struct button *)w)->presses++;
    pthread_mutex_unlock(&w->lock);
}
//~[told] SAFE
#else
void button_press(struct button *b)
{
    if (b->widget.kind == 7)
        b->presses++;
}
//~[cast] INCONCLUSIVE ledger=unsupported
#endif
