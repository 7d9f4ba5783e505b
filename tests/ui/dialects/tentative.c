//@ run: check
//@ revisions: racy fixed
//@ also: auxiliary/tentative_other.c
//@ clang: -fcommon
// Tentative definitions in several files are one variable.
#include <pthread.h>

int shared;
int table[4];
pthread_mutex_t lock;

void *work(void *arg);

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
#ifdef fixed
    pthread_mutex_lock(&lock);
#endif
    shared = 1; //~[racy] RACE write with tentative_other.c:12
#ifdef fixed
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(other, NULL);
    return table[1];
}
//~[fixed] SAFE
