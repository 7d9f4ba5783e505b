//@ run: check
//@ flags: --max-time 4 --memory sc
// A loop that an input keeps going, and a race where it does not: few iterations are explored before the many, for which no
// time is enough.
#include "raddle.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int packets, idle;

static int more(void)
{
    int answer;
    raddle_symbolic(&answer, sizeof answer, "answer");
    return answer;
}

static void *receive(void *unused)
{
    int received = 0;
    while (more()) {
        pthread_mutex_lock(&lock);
        packets++;
        pthread_mutex_unlock(&lock);
        received++;
    }
    if (received < 2)
        idle = 1; //~ RACE write/write
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, receive, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
