//@ run: races --op run
//@ revisions: bare locked
// A function pointer in an object may be any function of its signature whose address is taken.
#include <pthread.h>

struct task {
    pthread_mutex_t lock;
    void (*step)(struct task *);
    int state;
};

static void idle(struct task *t)
{
    (void)t;
}

static void advance(struct task *t)
{
#ifdef locked
    pthread_mutex_lock(&t->lock);
#endif
    t->state = 1; //~[bare] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&t->lock);
#endif
}

void (*const steps[])(struct task *) = {idle, advance};

void run(struct task *t)
{
    t->step(t);
}
//~[locked] SAFE executions=3
