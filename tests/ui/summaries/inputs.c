//@ run: check
//@ revisions: right wrong merged
//@[right] flags: --merge never
//@[wrong] flags: --merge never
// Ways through a function that depend on an input: each is taken where it is possible, and no other.
#include <assert.h>
#include <pthread.h>
#include <raddle.h>

static signed char key;
static int found, rounds;
static const signed char table[4] = {3, 5, 7, 9};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int find(const signed char *sorted, int count, signed char wanted)
{
    int at = 0;
    for (int i = 0; i < count; i++)
        if (sorted[i] < wanted)
            at = i + 1;
    return at;
}

static void *look(void *unused)
{
    int at = find(table, 4, key);
    pthread_mutex_lock(&lock);
    found += at;
    rounds++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t t;
    raddle_symbolic(&key, sizeof key, "key");
    pthread_create(&t, NULL, look, NULL);
    look(NULL);
    look(NULL);
    pthread_join(t, NULL);
#ifdef wrong
    assert(found < 12); //~[wrong] ASSERTION
#else
    assert(found <= 12 && found % 3 == 0 && rounds == 3);
#endif
    return 0;
}
//~[right] SAFE paths=5 executions=15
//~[merged] SAFE paths=1 executions=3
