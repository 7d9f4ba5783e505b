//@ run: check
//@ revisions: outside inside
// Appending one vector to another, after Con2colic (Farzan et al., ESEC/FSE 2013, figure 2). Free of races: each field
// is accessed under a lock of its own. Yet the first read of `cnt` stands outside of `lk`, so the room made may be too
// little by then. It takes an input (two elements or three), and the other thread between the read and `lk`.
#include <assert.h>
#include <pthread.h>
#include <raddle.h>

#define ROOM 64

struct vector {
    int cnt, size;
    int data[ROOM]; /* protected by lk; the fields above by `fields` */
};

static pthread_mutex_t lk = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t fields = PTHREAD_MUTEX_INITIALIZER;
static struct vector v = {.cnt = 2, .size = 5}, u;

static int get(const int *field)
{
    pthread_mutex_lock(&fields);
    int value = *field;
    pthread_mutex_unlock(&fields);
    return value;
}

static void set(int *field, int value)
{
    pthread_mutex_lock(&fields);
    *field = value;
    pthread_mutex_unlock(&fields);
}

static void add_all(struct vector *to, const struct vector *from)
{
    int extra = get(&from->cnt);
#ifdef outside
    int needed = get(&to->cnt) + extra;
    pthread_mutex_lock(&lk);
#else
    pthread_mutex_lock(&lk);
    int needed = get(&to->cnt) + extra;
#endif
    if (needed > get(&to->size))
        set(&to->size, needed * 2);
    int room = get(&to->size), used = get(&to->cnt);
    assert(room >= extra + used); //~[outside] ASSERTION inputs=extra
    for (int i = 0; i < extra; i++)
        to->data[used + i] = from->data[i];
    set(&to->cnt, used + extra);
    pthread_mutex_unlock(&lk);
}

static void *worker(void *arg)
{
    add_all(&v, &u);
    return arg;
}

int main(void)
{
    raddle_symbolic(&u.cnt, sizeof u.cnt, "extra");
    raddle_assume(u.cnt >= 0 && u.cnt <= 3);
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[inside] SAFE
