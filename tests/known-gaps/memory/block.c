//@ run: check
//@ known-gap: a variable of a block ends with its function, not with the block; clang says where at -O1 only
// The thread may use the variable when the block that it belongs to is over.
#include <pthread.h>

static void *set(void *to)
{
    *(int *)to = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    {
        int inner = 0;
        pthread_create(&thread, NULL, set, &inner);
    }
    pthread_join(thread, NULL);
}
//~ SAFE executions=1
