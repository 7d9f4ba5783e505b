//@ run: races --search guided
//@ revisions: order input locked
// Likely races of a whole program: the one that shows only if the threads take their locks in the other order, and the one
// that needs an input. What is not found then may still be there.
#include <pthread.h>
#include <raddle.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, data, choice;

void *give(void *argument)
{
    (void)argument;
#ifdef locked
    pthread_mutex_lock(&lock);
    data = 1;
    ready = 1;
    pthread_mutex_unlock(&lock);
#else
    data = 1; //~[order] RACE@order write
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    if (choice == 12345)
        data = 2; //~[input] RACE@input write
#endif
    return NULL;
}

void *take(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    int seen = ready;
#ifdef locked
    seen += data;
#endif
    pthread_mutex_unlock(&lock);
#ifdef order
    seen += data; //~[order] RACE@order read
#elif defined(input)
    if (seen)
        seen += data; //~[input] RACE@input read
#endif
    return seen ? NULL : argument;
}

int main(void)
{
    pthread_t one, other;
#ifdef input
    raddle_symbolic(&choice, sizeof choice, "choice");
#endif
    pthread_create(&one, NULL, give, NULL);
    pthread_create(&other, NULL, take, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
//~[order,input] FINDINGS ledger=guided_only
//~[locked] INCONCLUSIVE ledger=guided_only
