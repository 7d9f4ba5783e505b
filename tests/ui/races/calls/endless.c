//@ run: races --op work --op once
//@ revisions: adds adds_unlocked nested called comes_round waits returns
// An operation that never returns, each of its rounds leading to a new state: all rounds that --unroll allows take for ever to
// explore beside another thread, and however many they are, it was not all. What the first rounds do counts. Where states come
// back, or the loop waits, all that it can do is explored.
#include <pthread.h>
#include <stdbool.h>

struct box {
    pthread_mutex_t lock;
    pthread_cond_t more;
    int count, done;
    bool there;
};

static void add(struct box *b, int times)
{
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(&b->lock);
        b->count += 1;
        pthread_mutex_unlock(&b->lock);
    }
}

void work(struct box *b)
{
#ifdef adds
    while (true)
        add(b, 1);
#elif defined adds_unlocked
    while (true) {
        pthread_mutex_lock(&b->lock);
        b->count += 1;
        pthread_mutex_unlock(&b->lock);
        b->done++;
        //~^[adds_unlocked] RACE write/write
        //~^^[adds_unlocked] RACE@done read
        //~^^^[adds_unlocked] RACE@done2 write
        //~^^^^[adds_unlocked] RACE read/write
    }
#elif defined nested
    do {
        for (int i = 0; i < 2; i++) {
            pthread_mutex_lock(&b->lock);
            b->count += i;
            pthread_mutex_unlock(&b->lock);
        }
    } while (true);
#elif defined called
    for (;;)
        add(b, 2);
#elif defined comes_round
    for (;;) {
        pthread_mutex_lock(&b->lock);
        b->there = !b->there;
        pthread_mutex_unlock(&b->lock);
    }
#elif defined waits
    for (;;) {
        pthread_mutex_lock(&b->lock);
        while (!b->there)
            pthread_cond_wait(&b->more, &b->lock);
        b->there = false;
        b->count++;
        pthread_mutex_unlock(&b->lock);
    }
#else
    add(b, 2);
#endif
}

void once(struct box *b)
{
#ifdef adds_unlocked
    b->done = 0; //~[adds_unlocked] RACE write/write
    //~^[adds_unlocked] RACE@done,done2 write
#endif
    pthread_mutex_lock(&b->lock);
    b->count = 0;
    b->there = true;
    pthread_cond_signal(&b->more);
    pthread_mutex_unlock(&b->lock);
}
//~[adds] INCONCLUSIVE ledger=endless_loop
//~[adds] PAIR work work inconclusive
//~[adds] PAIR once once safe
//~[adds_unlocked] FINDINGS ledger=endless_loop
//~[nested] INCONCLUSIVE ledger=endless_loop
//~[called] INCONCLUSIVE ledger=endless_loop
//~[comes_round] SAFE executions=2
//~[waits] SAFE executions=58
//~[returns] SAFE executions=11
