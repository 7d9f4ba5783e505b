//@ run: races
//@ revisions: resets looks twice takes
// A call that always fails after another is not for callers to make at once with it, whatever the library does: no lock of its own could
// keep the two apart. It is no matter of callers where the second looks before it uses anything (looks), or where there are heaps on
// which it goes well (takes).
#include <pthread.h>
#include <stdlib.h>

struct ring {
    int *slots;
    int taken;
};

struct ring *ring_new(void)
{
    struct ring *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->slots = calloc(4, sizeof *r->slots);
    if (r->slots == NULL) {
        free(r);
        return NULL;
    }
    return r;
}

struct node {
    struct node *next;
};

struct stack {
    struct node *top;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;

// The library means to be called by several threads.
void count_call(void)
{
    pthread_mutex_lock(&lock);
    calls++;
    pthread_mutex_unlock(&lock);
}

#if defined resets || defined looks
//~[looks] CAUSE `ring_clear` frees a `int` while `ring_clear` and `ring_get` use it
//~[looks] CAUSE Null dereference in `ring_get` at turns.c:65
//~[looks] CAUSE one thread writes `struct ring.slots` while another reads or writes it
//~[resets] CAUSE `ring_clear` frees a `int` while `ring_clear` uses it
//~[resets] CAUSE one thread writes `struct ring.slots` while another reads or writes it
//~[resets] CONTRACT `ring_get` runs beside `ring_clear`, after which it always fails
void ring_clear(struct ring *r)
{
    free(r->slots); //~[resets,looks] RACE
    r->slots = NULL; //~[resets,looks] RACE
}

int ring_get(struct ring *r)
{
#ifdef looks
    if (r->slots == NULL) //~[looks] RACE
        return 0;
#endif
    return r->slots[0]; //~[resets,looks] RACE
                        //~^[looks] NULL_DEREFERENCE
}
#endif

#ifdef twice
//~[twice] CONTRACT `ring_close` runs beside itself, and always fails when it is called twice
void ring_close(struct ring *r)
{
    r->slots[0] = 0; //~[twice] RACE
    r->slots = NULL; //~[twice] RACE
}
#endif

#ifdef takes
//~[takes] CAUSE one thread writes `struct stack.top` while another reads or writes it
void stack_pop(struct stack *s)
{
    s->top = s->top->next; //~[takes] RACE
}
#endif
