//@ run: check
//@ revisions: bare locked
// A struct assignment copies every byte of its right side: both sides of the copy are accesses on its line.
// The twin holds the lock around both; one class for each order of the two critical sections.
#include <assert.h>
#include <pthread.h>

struct point {
    int x, y;
};
struct box {
    struct point corner[2];
    char name;
};

static struct box shared = {{{1, 2}, {3, 4}}, 'b'};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct point sum(struct point a, struct point b)
{
    struct point r = {.x = a.x + b.x, .y = a.y + b.y};
    return r;
}

static void *mover(void *arg)
{
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    shared.corner[1].y = 5; //~[bare] RACE@copy write
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    struct box mine;
    pthread_create(&t, NULL, mover, NULL);
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    mine = shared; //~[bare] RACE@copy read
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(t, NULL);
    struct point p = sum(mine.corner[0], mine.corner[1]);
    assert(p.x == 4 && (p.y == 6 || p.y == 7) && mine.name == 'b');
    return 0;
}
//~[locked] SAFE executions=2
