//@ run: check
//@ revisions: at_once apart racy
//@[apart] flags: --merge never
// What a thread computes by itself is nobody's business; what it does with it is.
#include <pthread.h>
#include <raddle.h>

static int input[4], sum, other;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
    int n = 0;
    for (int i = 0; i < 4; i++)
        if (input[i] != 3)
            n += 2;
    pthread_mutex_lock(&lock);
    sum += n;
    pthread_mutex_unlock(&lock);
#ifdef racy
    other = n; //~[racy] RACE write
#endif
    return unused;
}

int main(void)
{
    pthread_t t;
    raddle_symbolic(input, sizeof input, "input");
    pthread_create(&t, NULL, add, NULL);
    add(NULL);
    pthread_join(t, NULL);
    return 0;
}
//~[at_once] SAFE paths=1
//~[apart] SAFE paths=16
