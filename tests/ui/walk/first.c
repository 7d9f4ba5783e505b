//@ run: check --strategy dpor --no-cutoffs
//@ revisions: dfs random other_seed coverage new_events
//@[random] flags: --search random
//@[other_seed] flags: --search random --seed 7
//@[coverage] flags: --search coverage
//@[new_events] flags: --search new-events
// All executions, whichever come first.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int order[3], at;

static void *enter(void *arg)
{
    pthread_mutex_lock(&m);
    order[at++] = *(int *)arg;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int names[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, enter, &names[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
//~ SAFE executions=6
