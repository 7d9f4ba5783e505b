//@ run: races --op early --op late
//@ revisions: none barrier
// A barrier in a structure is for two threads or more: it keeps two operations apart.
#include <pthread.h>

struct phases {
    pthread_barrier_t end;
    int data;
};

void early(struct phases *p)
{
    p->data = 1; //~ RACE write/write //~[none] RACE@data write
#ifdef barrier
    pthread_barrier_wait(&p->end);
#endif
}

int late(struct phases *p)
{
#ifdef barrier
    pthread_barrier_wait(&p->end);
#endif
    return p->data; //~[none] RACE@data read
}
