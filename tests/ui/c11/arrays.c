//@ run: check
//@ revisions: any distinct
// Two threads write elements at indices from the input: a race exactly when the indices may be equal.
#include <assert.h>
#include <pthread.h>
#include <raddle.h>

static int grid[2][3];
static int first, second;

static void *writer(void *arg)
{
    grid[first / 3][first % 3] = 1; //~[any] RACE@same write
    return arg;
}

int main(void)
{
    raddle_symbolic(&first, sizeof first, "first");
    raddle_symbolic(&second, sizeof second, "second");
    raddle_assume(first >= 0 && first < 6 && second >= 0 && second < 6);
#ifdef distinct
    raddle_assume(first != second);
#endif
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    grid[second / 3][second % 3] = 2; //~[any] RACE@same write
    pthread_join(t, NULL);
    int sum = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            sum += grid[i][j];
#ifdef distinct
    assert(sum == 3);
#endif
    return 0;
}
//~[distinct] SAFE
