//@ run: races
//@ revisions: result kept helper
// A result that only a parameter leads to is each caller's own, as a rule: two who pass the same are one matter of callers. It is none
// of theirs where the structure itself leads there, or where the same lines race on what it leads to.
#include <pthread.h>
#include <stdlib.h>

struct sum {
    int count;
    int total;
};

struct meter {
    pthread_mutex_t lock;
    struct sum *last;
    int count;
    int total;
};

struct meter *meter_new(void)
{
    struct meter *m = calloc(1, sizeof *m);
    if (m && pthread_mutex_init(&m->lock, NULL) != 0) {
        free(m);
        m = NULL;
    }
    return m;
}

static void set(struct sum *s, int count)
{
    s->count = count; //~ RACE
}

void meter_read(struct meter *m, struct sum *out)
{
    pthread_mutex_lock(&m->lock);
    int count = m->count, total = m->total;
#ifdef kept
    m->last = out;
#endif
    pthread_mutex_unlock(&m->lock);
    set(out, count);
    out->total = total; //~ RACE
}

void meter_add(struct meter *m, int value)
{
    pthread_mutex_lock(&m->lock);
    m->count++;
    m->total += value;
    struct sum *last = m->last;
    pthread_mutex_unlock(&m->lock);
#ifdef kept
    if (last)
        last->total = value; //~[kept] RACE
#endif
#ifdef helper
    if (last)
        set(last, value);
#endif
    (void)last;
}
//~[result] CONTRACT `meter_read` is passed one `struct sum` by several threads
//~[kept] CAUSE one thread writes `struct sum.total` while another writes it
//~[kept] CONTRACT `meter_read` is passed one `struct sum` by several threads
//~[helper] CAUSE one thread writes `struct sum.count` while another writes it
//~[helper] CONTRACT `meter_read` is passed one `struct sum` by several threads
