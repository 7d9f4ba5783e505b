//@ run: check
// Independent reads of independent writes, seq_cst. Reads commute with reads. For each object its store stands before both
// loads, after both, or between (two ways): 4 x 4 = 16 combinations; the one in which the readers disagree is a cycle.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void *write_x(void *arg)
{
    atomic_store(&x, 1);
    return arg;
}

static void *write_y(void *arg)
{
    atomic_store(&y, 1);
    return arg;
}

static void *reader(void *arg)
{
    a = atomic_load(&x);
    b = atomic_load(&y);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, write_x, NULL);
    pthread_create(&t[1], NULL, write_y, NULL);
    pthread_create(&t[2], NULL, reader, NULL);
    int c = atomic_load(&y);
    int d = atomic_load(&x);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!(a == 1 && b == 0 && c == 1 && d == 0));
    return 0;
}
//~ SAFE executions=15
