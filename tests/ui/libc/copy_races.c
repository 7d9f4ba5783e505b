//@ run: check
//@ revisions: bare locked
// What a library function does is done by its caller: the race is at the two calls.
#include <pthread.h>
#include <string.h>

static char name[8] = "abc";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(void)
{
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
}

static void *rename_it(void *arg)
{
    enter();
    strcat(name, "d"); //~[bare] RACE@copy write
    leave();
    return arg;
}

static void *look_at_it(void *arg)
{
    enter();
    char *found = strchr(name, 'd'); //~[bare] RACE@copy read
    leave();
    return found ? arg : NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, rename_it, NULL);
    pthread_create(&two, NULL, look_at_it, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
//~[locked] SAFE executions=2
