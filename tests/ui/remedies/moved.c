//@ run: races
//@ revisions: late late_twin gap gap_twin peek peek_twin inside inside_twin same same_twin called called_twin
// What is given back too early is given back later, what is taken too late is taken sooner; where a lock is in the way it is given back before; where
// two objects may be one, its lock is taken once; where a function is called under the lock already, its callers take it. Each with a twin in
// which that comes to a deadlock, or leaves the race.
#include <pthread.h>
#include <stddef.h>

struct box {
    pthread_mutex_t lock;
    int count;
    int total;
    struct box *next;
};

#if defined late || defined late_twin
static void note(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    b->total++;
    pthread_mutex_unlock(&b->lock);
}

void put(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    int count = b->count; //~[late late_twin] RACE
    pthread_mutex_unlock(&b->lock);
#ifdef late_twin
    note(b);
#else
    (void)note;
#endif
    b->count = count + 1; //~[late late_twin] RACE
}
#elif defined gap || defined gap_twin
// Between the two locks the next box is nobody's.
int walk(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    struct box *next = b->next;
    pthread_mutex_unlock(&b->lock);
    if (next == NULL)
        return 0;
    pthread_mutex_lock(&next->lock); //~[gap gap_twin] RACE
    int count = next->count;
    pthread_mutex_unlock(&next->lock);
    return count;
}

void drop(struct box *b)
{
#ifdef gap
    pthread_mutex_lock(&b->lock);
    struct box *next = b->next;
    if (next != NULL) {
        pthread_mutex_lock(&next->lock);
        b->next = NULL;
        pthread_mutex_unlock(&next->lock);
        pthread_mutex_destroy(&next->lock); //~[gap] RACE
    }
    pthread_mutex_unlock(&b->lock);
#else
    struct box *next = b->next;
    if (next != NULL) {
        pthread_mutex_lock(&next->lock);
        pthread_mutex_lock(&b->lock);
        b->next = NULL;
        pthread_mutex_unlock(&b->lock);
        pthread_mutex_unlock(&next->lock);
        pthread_mutex_destroy(&next->lock); //~[gap_twin] RACE
    }
#endif
}
#elif defined peek || defined peek_twin
void put(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    b->count++; //~[peek peek_twin] RACE
    pthread_mutex_unlock(&b->lock);
}

int take(struct box *b)
{
#ifdef peek_twin
    // The lock that is taken next is another one.
    struct box *other = b->next;
#else
    struct box *other = b;
#endif
    if (b->count == 0) //~[peek peek_twin] RACE
        return 0;
    pthread_mutex_lock(&other->lock);
    int count = --other->count;
    pthread_mutex_unlock(&other->lock);
    return count;
}
#elif defined inside || defined inside_twin
// Under another lock: both at once may be taken the other way round, or be one.
void move(struct box *from, struct box *to)
{
    pthread_mutex_lock(&from->lock);
    from->count--; //~[inside inside_twin] RACE
    to->count++; //~[inside inside_twin] RACE
#ifdef inside_twin
    from->total = to->count; //~[inside_twin] RACE
#endif
    pthread_mutex_unlock(&from->lock);
}
#elif defined same || defined same_twin
// One lock at a time, from the left to the right; or in any order.
void both(struct box *b)
{
    struct box *next = b->next != NULL ? b->next : b;
    pthread_mutex_lock(&b->lock);
    b->total++;
    next->count++; //~[same same_twin] RACE
    pthread_mutex_unlock(&b->lock);
}

#ifdef same_twin
void back(struct box *b)
{
    struct box *next = b->next;
    if (next == NULL)
        return;
    pthread_mutex_lock(&next->lock);
    pthread_mutex_lock(&b->lock);
    b->total++;
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_unlock(&next->lock);
}
#endif
#elif defined called || defined called_twin
static int count_of(struct box *b)
{
    return b->count; //~[called called_twin] RACE
}

int quick(struct box *b)
{
    return count_of(b);
}

int put(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    b->count++; //~[called called_twin] RACE
    int count = count_of(b);
    pthread_mutex_unlock(&b->lock);
    return count;
}

#ifdef called_twin
// This one is called under the lock, too.
int twice(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    int count = quick(b);
    pthread_mutex_unlock(&b->lock);
    return count;
}
#endif
#endif
