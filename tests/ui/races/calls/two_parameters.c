//@ run: races --op transfer
//@ revisions: bare locked
// Two parameters of one type may name one object or two.
#include <pthread.h>

struct account {
    long balance;
};

#ifdef locked
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

void transfer(struct account *from, struct account *to, long amount)
{
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    from->balance -= amount; //~[bare] RACE read/write //~[bare] RACE write/write //~[bare] RACE@a,b write //~[bare] RACE@c read
    to->balance += amount; //~[bare] RACE read/write //~[bare] RACE write/write //~[bare] RACE@a,c write //~[bare] RACE@b read
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
}
//~[locked] SAFE
