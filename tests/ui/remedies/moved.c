//@ run: races
//@ revisions: late late_twin gap gap_twin peek peek_twin inside inside_twin same same_twin called called_twin
//@[gap gap_twin same same_twin] flags: --valid valid
// What is given back too early is given back later, what is taken too late is taken sooner; another lock is given back before one is taken; where two
// objects may be one, its lock is taken once; where a function is called under the lock already, its callers take it. Each with a twin in which
// that comes to a deadlock, or leaves the race, so that something else is told, or nothing.
#include <pthread.h>
#include <stdbool.h>
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
    //~^[late] REMEDY give `b->lock` back behind moved.c:36 (put) rather than moved.c:30 (put); tried
    //~^^[late_twin] REMEDY what is read at moved.c:29 (put) may be out of date at moved.c:36 (put)
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
    //~^[gap] REMEDY give `b->lock` back behind moved.c:49 (walk) rather than moved.c:46 (walk); tried
    //~^^[gap_twin] REMEDY hold `b->lock` in all of `walk`; hold `b->lock` in all of `drop`
    //~^^^[gap gap_twin] LOCK_MISUSE
    int count = next->count;
    pthread_mutex_unlock(&next->lock); //~[gap gap_twin] RACE
    return count;
}

#ifdef gap
void drop(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    struct box *next = b->next;
    if (next != NULL) {
        pthread_mutex_lock(&next->lock);
        b->next = NULL;
        pthread_mutex_unlock(&next->lock);
        pthread_mutex_destroy(&next->lock); //~[gap] RACE
    }
    pthread_mutex_unlock(&b->lock);
}
#else
// From the right to the left.
void drop(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    struct box *next = b->next;
    pthread_mutex_unlock(&b->lock);
    if (next == NULL)
        return;
    pthread_mutex_lock(&next->lock); //~[gap_twin] RACE
    //~^[gap_twin] LOCK_MISUSE
    pthread_mutex_lock(&b->lock);
    bool is_mine = b->next == next;
    b->next = NULL;
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_unlock(&next->lock); //~[gap_twin] RACE
    if (is_mine)
        pthread_mutex_destroy(&next->lock); //~[gap_twin] RACE
        //~^[gap_twin] LOCK_MISUSE
}
#endif
#elif defined peek || defined peek_twin
static bool is_empty(const struct box *b)
{
    return b->count == 0; //~[peek peek_twin] RACE
    //~^[peek] REMEDY take `b->lock` before moved.c:108 (take) rather than moved.c:110 (take); tried
    //~^^[peek_twin] REMEDY make the accesses at moved.c:95 (is_empty) and moved.c:111 (take) atomic, relaxed; tried
}

int take(struct box *b)
{
#ifdef peek_twin
    // The lock that is taken next is another one.
    struct box *other = b->next;
#else
    struct box *other = b;
#endif
    if (is_empty(b))
        return 0;
    pthread_mutex_lock(&other->lock);
    int count = --other->count; //~[peek peek_twin] RACE
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
    //~^[inside] REMEDY give `from->lock` back before moved.c:121 (move) rather than moved.c:127 (move); hold `to->lock`
    //~^^[inside_twin] REMEDY make the accesses at moved.c:120 to :121 (move) atomic, relaxed; tried
#ifdef inside_twin
    from->total++;
#endif
    pthread_mutex_unlock(&from->lock);
}

#ifdef inside_twin
int total(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    int total = b->total;
    pthread_mutex_unlock(&b->lock);
    return total;
}
#endif
#elif defined same || defined same_twin
// From the left to the right, where both may be one.
void both(struct box *b)
{
    struct box *last = b->next != NULL ? b->next : b;
    pthread_mutex_lock(&b->lock);
    last->count++; //~[same same_twin] RACE
    //~^[same] REMEDY hold `last->lock` at moved.c:145 (both) unless it is `b->lock`; tried
    //~^^[same_twin] REMEDY make the accesses at moved.c:145 (both) and moved.c:156 (one) atomic, relaxed; tried
    b->total++;
    pthread_mutex_unlock(&b->lock);
}

void one(struct box *b)
{
    struct box *last = b->next != NULL ? b->next : b;
    pthread_mutex_lock(&last->lock);
    last->count--; //~[same same_twin] RACE
#ifdef same_twin
    if (last != b) {
        pthread_mutex_lock(&b->lock);
        b->total--;
        pthread_mutex_unlock(&b->lock);
    }
#endif
    pthread_mutex_unlock(&last->lock);
}
#elif defined called || defined called_twin
static int count_of(struct box *b)
{
    return b->count; //~[called called_twin] RACE
    //~^[called] REMEDY hold `b->lock` at moved.c:176 (quick); tried
    //~^^[called_twin] REMEDY make the accesses at moved.c:169 (count_of) and moved.c:182 (put) atomic, relaxed; tried
}

int quick(struct box *b)
{
    return count_of(b);
}

int put(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    b->count++; //~[called called_twin] RACE
#ifdef called_twin
    // This one calls what takes the lock then.
    int count = quick(b);
#else
    int count = count_of(b);
#endif
    pthread_mutex_unlock(&b->lock);
    return count;
}

int peek(struct box *b)
{
    return quick(b);
}
#endif

// Two boxes at the most, one behind the other.
bool valid(const struct box *b)
{
    return b != NULL && (b->next == NULL || (b->next != b && b->next->next == NULL));
}
