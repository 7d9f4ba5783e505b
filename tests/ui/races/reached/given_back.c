//@ run: races --heaps reached
//@ revisions: callers own
// Who gives back a lock that he has not, whichever of the calls comes first, keeps to nothing: what races there races in no client. Who
// takes it himself does.
#include <pthread.h>
#include <stdlib.h>

struct log {
    pthread_mutex_t lock;
    int lines;
};

struct log *log_new(void)
{
    struct log *l = calloc(1, sizeof *l);
    if (l)
        pthread_mutex_init(&l->lock, NULL);
    return l;
}

void log_begin(struct log *l)
{
    pthread_mutex_lock(&l->lock);
}

void log_end(struct log *l)
{
#ifdef own
    pthread_mutex_lock(&l->lock);
#endif
    l->lines++; //~[own] RACE@lines write
    pthread_mutex_unlock(&l->lock);
}

int log_lines(struct log *l)
{
    return l->lines; //~[own] RACE@lines read
}
//~[callers] SAFE
//~[callers] ASSUMED given_back
