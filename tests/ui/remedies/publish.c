//@ run: check
//@ revisions: message message_twin
// What is written before a flag is read behind it: with relaxed accesses to the flag a race of what it announces would be left, and what
// mends both is told of both.
#include <pthread.h>
#include <stddef.h>

static int data;
static int ready;

static void *publish(void *argument)
{
    data = 5; //~[message] RACE
#ifdef message
    ready = 1; //~[message] RACE
#else
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
#endif
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    int got = 5;
#ifdef message
    if (ready == 1) //~[message] RACE
        //~^[message] REMEDY make the accesses at publish.c:15 (publish) and publish.c:28 (main) atomic, reads as acquire and writes as release
        got = data; //~[message] RACE
#else
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) == 1)
        got = data;
#endif
    pthread_join(thread, NULL);
    return got != 5;
}
//~[message_twin] SAFE
