//@ run: check
//@ revisions: inverted ordered
// A cycle of lock owners is a deadlock though a third thread is not blocked: it asks for the end over and over.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void *one(void *arg)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right); //~[inverted] DEADLOCK
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    done++;
    return arg;
}

static void *other(void *arg)
{
#ifdef inverted
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left); //~[inverted] DEADLOCK
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
#else
    one(NULL);
#endif
    done++;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
#ifdef inverted
    while (done < 2)
        ;
#endif
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[ordered] SAFE
