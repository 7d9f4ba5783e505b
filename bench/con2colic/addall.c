// addAll of two vectors: figure 2 of "Con2colic Testing" (Farzan, Holzer, Razavi, Veith, ESEC/FSE 2013).
//
// Two threads append `u`, an input, to the shared `v`. addAll takes the count of `v` for its decision whether there is
// room, gives the lock back, and takes it again to append: the other thread may append in between, and then the room
// does not suffice.
//
// Here as in the figure: `v` has 10 elements and room for 20 at the start, and copying the elements is left out. The
// figure's `realloc` is left out with it: there is no array, only its size. Reading the count in front of the lock
// block is protected by the same lock, as the text says of the real code, so that there is no data race.

#include <assert.h>
#include <pthread.h>

#include "raddle.h"

// Sums and doubles of counts stay far below INT_MAX.
#define MOST 1000

struct vector {
    int cnt;
    int size;
};

static pthread_mutex_t lk = PTHREAD_MUTEX_INITIALIZER;
static struct vector shared = {10, 20};
static int input_cnt;

static int count_of(const struct vector *v)
{
    pthread_mutex_lock(&lk);
    int cnt = v->cnt;
    pthread_mutex_unlock(&lk);
    return cnt;
}

static void add_all(struct vector *v, const struct vector *u)
{
    int num_elem = count_of(v) + u->cnt;
    pthread_mutex_lock(&lk);
    if (num_elem > v->size) //~ degree true=0 false=0
        v->size = num_elem * 2;
    assert(v->size >= u->cnt + v->cnt); //~ degree true=0 false=1
    v->cnt = v->cnt + u->cnt;
    pthread_mutex_unlock(&lk);
}

static void *appender(void *unused)
{
    struct vector u = {input_cnt, input_cnt};
    add_all(&shared, &u);
    return unused;
}

int main(void)
{
    raddle_symbolic(&input_cnt, sizeof input_cnt, "u.cnt");
    if (input_cnt < 0) //~ degree true=0 false=0
        return 0;
    if (input_cnt > MOST) //~ degree true=0 false=0
        return 0;

    pthread_t first, second;
    pthread_create(&first, NULL, appender, NULL);
    pthread_create(&second, NULL, appender, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
