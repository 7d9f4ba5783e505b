//@ run: races
//@ revisions: early late unlocked marked
// A program whose main starts threads is explored as it is: the threads are those that it starts, and start with what it
// passes. Called by any client, `count` would race with itself on counters that have no lock in common.
#include <pthread.h>
#include <raddle.h>
#include <stddef.h>

struct counter {
    pthread_mutex_t lock;
    int value;
};

static struct counter first = { PTHREAD_MUTEX_INITIALIZER, 0 };
static struct counter second = { PTHREAD_MUTEX_INITIALIZER, 0 };

void *count(void *argument)
{
    struct counter *counter = argument;
#ifndef unlocked
    pthread_mutex_lock(&counter->lock);
#endif
    counter->value++; //~[unlocked] RACE read/write
    //~^[unlocked] RACE write/write
    //~^^[early] RACE@early write
    //~^^^[marked] RACE@marked write
#ifndef unlocked
    pthread_mutex_unlock(&counter->lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    struct counter *last = &first;
    int seen = 0;
#ifdef marked
    int choice;
    raddle_symbolic(&choice, sizeof choice, "choice");
    if (choice != 7)
        last = &second;
#endif
    pthread_create(&one, NULL, count, &first);
    pthread_create(&other, NULL, count, last);
#if defined(early)
    seen = first.value; //~[early] RACE@early read
#elif defined(marked)
    if (choice == 7)
        seen = first.value; //~[marked] RACE@marked read
#endif
    pthread_join(one, NULL);
    pthread_join(other, NULL);
#if defined(late)
    seen = first.value;
#endif
    return seen > 2;
}
//~[late] SAFE
