//@ run: races
//@ revisions: part test late twice whole variable
// What other accesses hold is held around those that do not: around one access, from before the test of a check, behind
// what is done under the lock already, around two accesses that belong together, and around a loop that reads one number twice.
#include <pthread.h>

struct queue {
    pthread_mutex_t lock;
    int count;
    int seen;
};

void put(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->count++; //~[part test late twice whole] RACE
    pthread_mutex_unlock(&q->lock);
}

#if defined part
int size(struct queue *q)
{
    return q->count; //~[part] RACE
    //~^[part] REMEDY hold `q->lock` at queue.c:23 (size); tried: with that these races are gone
}
#elif defined test
int get(struct queue *q)
{
    if (q->count == 0) //~[test] RACE
        return -1;
    pthread_mutex_lock(&q->lock);
    q->count--; //~[test] RACE
    //~^[test] REMEDY hold `q->lock` from queue.c:29 to :34 (get), in one section with what holds it there; tried
    pthread_mutex_unlock(&q->lock);
    return 0;
}
#elif defined late
int get(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    int before = q->count--; //~[late] RACE
    pthread_mutex_unlock(&q->lock);
    return before + q->count; //~[late] RACE
    //~^[late] REMEDY give `q->lock` back behind queue.c:43 (get) rather than queue.c:42 (get); tried
}
#elif defined twice
// Two accesses of one function are one section.
int get(struct queue *q)
{
    if (q->count > 0) //~[twice] RACE
        return --q->count; //~[twice] RACE
    //~^[twice] REMEDY hold `q->lock` from queue.c:50 to :51 (get); tried
    return -1;
}
#elif defined whole
int get(struct queue *q)
{
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += q->count; //~[whole] RACE
    //~^[whole] REMEDY hold `q->lock` in all of `get`; tried
    return sum;
}
#elif defined variable
// A lock that is a variable.
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static int used;

void use(void)
{
    pthread_mutex_lock(&table);
    used++; //~[variable] RACE
    pthread_mutex_unlock(&table);
}

int users(void)
{
    return used; //~[variable] RACE
    //~^[variable] REMEDY hold `table` at queue.c:78 (users); tried
}
#endif
