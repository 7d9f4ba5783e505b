//@ run: races
//@ revisions: wrong right
//@ flags: --op serve --op submit
// A server that never ends: on most heaps it waits for the next job in the end. What it does before counts.
#include <pthread.h>
#include <stdbool.h>

struct server {
    pthread_mutex_t lock;
    pthread_cond_t more;
    bool stop;
    int jobs, done;
};

void serve(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    while (!s->stop) {
        while (s->jobs == 0)
            pthread_cond_wait(&s->more, &s->lock);
        s->jobs = 0;
        pthread_mutex_unlock(&s->lock);
#ifdef right
        pthread_mutex_lock(&s->lock);
        s->done = 1;
        pthread_mutex_unlock(&s->lock);
#else
        s->done = 1; //~[wrong] RACE@served write
#endif
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
}

void submit(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    s->jobs = 1;
    s->done = 0; //~[wrong] RACE@served write
    pthread_cond_signal(&s->more);
    pthread_mutex_unlock(&s->lock);
}
//~[right] SAFE
