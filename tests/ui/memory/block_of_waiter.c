//@ run: check
//@ revisions: block function
// The thread may use the variable when the block that it belongs to is over.
#include <pthread.h>

static void *set(void *to)
{
    *(int *)to = 1; //~[block] USE_AFTER_FREE
    return NULL;
}

int main(void)
{
    pthread_t thread;
#ifdef block
    {
        int inner = 0;
        pthread_create(&thread, NULL, set, &inner);
    }
#else
    int outer = 0;
    pthread_create(&thread, NULL, set, &outer);
#endif
    pthread_join(thread, NULL);
}
//~[function] SAFE executions=1
