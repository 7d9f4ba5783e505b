//@ run: races
//@ revisions: bare locked
// A stream that a client hands over is its own matter: two operations that write to it do not race in it.
#include <pthread.h>
#include <stdio.h>

struct logger {
    pthread_mutex_t lock;
    FILE *out;
    int lines;
};

void log_line(struct logger *l, int n)
{
    fprintf(l->out, "%d\n", n);
    fputs("line", l->out);
#ifdef locked
    pthread_mutex_lock(&l->lock);
#endif
    l->lines++; //~[bare] RACE read/write
    //~^[bare] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&l->lock);
#endif
}
//~[locked] SAFE
