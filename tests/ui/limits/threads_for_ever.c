//@ run: check --max-time 20 --stop-on-finding
//@ revisions: racy inputs
// Threads without number: what two of them do does not wait for what hundreds can do.
#include <pthread.h>
#include <raddle.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state, shared;

static int more(void)
{
#ifdef inputs
    int answer;
    raddle_symbolic(&answer, sizeof answer, "more");
    return answer;
#else
    return 1;
#endif
}

static void *runs(void *arg)
{
    pthread_mutex_lock(&lock);
    int mine = state++ % 3;
    pthread_mutex_unlock(&lock);
    if (mine)
        shared = mine; //~ RACE write/write
    return arg;
}

int main(void)
{
    pthread_t thread;
    while (more())
        pthread_create(&thread, 0, runs, 0);
    return 0;
}
