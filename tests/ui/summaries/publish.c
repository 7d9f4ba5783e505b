//@ run: check
//@ revisions: given own
// A function gives away what it is given, time and again: a variable of a thread's own is then known to others.
#include <pthread.h>
#include <stddef.h>

static int *slots[3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fill(int **all, int *with)
{
    for (int i = 0; i < 3; i++)
        all[i] = with;
}

static void put(int *number)
{
    pthread_mutex_lock(&lock);
    fill(slots, number);
    pthread_mutex_unlock(&lock);
}

static int global;

static void *user(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        if (slots[i] != NULL)
            *slots[i] = 1; //~[own] USE_AFTER_FREE
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *giver(void *unused)
{
    int number = 0;
    (void)number;
#ifdef own
    put(&number);
    put(NULL);
    put(&number);
#else
    put(&global);
    put(NULL);
    put(&global);
#endif
    return unused;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, user, NULL);
    pthread_create(&u, NULL, giver, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
//~[given] SAFE paths=1 executions=10
