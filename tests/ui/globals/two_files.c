//@ run: check
//@ revisions: bare locked
//@ also: auxiliary/other_side.c
// A race whose two accesses stand in two files.
#include <pthread.h>

extern pthread_mutex_t lock;
extern int shared;
void *other_side(void *arg);

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other_side, NULL);
    pthread_mutex_lock(&lock);
    shared = 1; //~[bare] RACE write/write with other_side.c:14
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
//~[locked] SAFE executions=2
