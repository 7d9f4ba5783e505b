//@ run: races --op put
//@ revisions: racy fixed unknown
// An operation of a library that asks the system for something goes on behind that; one that calls what nothing is known of
// ends there.
#include <pthread.h>
#include <sys/statvfs.h>

int ask_the_oracle(void);

struct box {
    pthread_mutex_t lock;
    int count;
};

void put(struct box *b)
{
    struct statvfs answer;
#ifdef unknown
    ask_the_oracle();
#else
    statvfs("/", &answer);
#endif
    (void)answer;
#ifndef racy
    pthread_mutex_lock(&b->lock);
#endif
    b->count++; //~[racy] RACE read/write
    //~^[racy] RACE write/write
#ifndef racy
    pthread_mutex_unlock(&b->lock);
#endif
}
//~[racy] FINDINGS ledger=external_call
//~[fixed,unknown] INCONCLUSIVE
