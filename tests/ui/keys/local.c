//@ run: check
//@ revisions: returns exits
// A destructor runs when the thread's function has been left: a pointer to a variable of that function is dangling. With
// pthread_exit the function is not left.
#include <pthread.h>

static pthread_key_t key;

static void destroy(void *at)
{
    *(int *)at = 1; //~[returns] USE_AFTER_FREE
}

static void *worker(void *arg)
{
    int mine = 0;
    pthread_setspecific(key, &mine);
#ifdef exits
    pthread_exit(NULL);
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
//~[exits] SAFE executions=1
