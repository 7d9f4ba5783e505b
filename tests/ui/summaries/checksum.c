//@ run: check
//@ revisions: right stale unlocked
// What a function computes again it computes from what memory holds then.
#include <assert.h>
#include <pthread.h>

static unsigned char data[8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned sum(const unsigned char *bytes, int count)
{
    unsigned n = 0;
    for (int i = 0; i < count; i++)
        n = n * 31 + bytes[i]; //~[unlocked] RACE read
    return n;
}

static unsigned locked_sum(void)
{
    pthread_mutex_lock(&lock);
    unsigned n = sum(data, 8);
    pthread_mutex_unlock(&lock);
    return n;
}

static void *change(void *unused)
{
#ifdef unlocked
    data[3]++; //~[unlocked] RACE write
#else
    pthread_mutex_lock(&lock);
    data[3]++;
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, change, NULL);
    unsigned before = locked_sum(), after = locked_sum();
#ifdef stale
    assert(before == after); //~[stale] ASSERTION
#else
    assert(before <= after);
#endif
    pthread_join(t, NULL);
    assert(locked_sum() == sum(data, 8));
    return 0;
}
//~[right] SAFE paths=1 executions=3
