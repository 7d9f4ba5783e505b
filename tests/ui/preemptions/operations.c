//@ run: races --op bump --op look
//@ revisions: none one
//@[none] flags: --preemptions 0
//@[one] flags: --preemptions 1
// `look` gets at the note only if `bump` comes between its two critical sections. No operation runs before the other
// begins: which one does is free.
#include <pthread.h>

struct table {
    pthread_mutex_t lock;
    int count, note;
};

static int read_count(struct table *t)
{
    pthread_mutex_lock(&t->lock);
    int count = t->count;
    pthread_mutex_unlock(&t->lock);
    return count;
}

void bump(struct table *t)
{
    pthread_mutex_lock(&t->lock);
    t->count++;
    pthread_mutex_unlock(&t->lock);
    t->note = 1; //~ RACE write/write //~[one] RACE@note write
}

int look(struct table *t)
{
    int before = read_count(t);
    if (read_count(t) == before)
        return 0;
    return t->note; //~[one] RACE@note read
}
//~[none] PAIR bump look safe
//~[one] PAIR bump look findings
