//@ run: races
//@ revisions: twice once check added before no_before lost kept
// What calls come to at once with a remedy, against what they come to one after the other: where it is something else, another remedy is
// preferred, and what stays possible is said; each with a twin in which nothing does, or in which it was so before.
#include <pthread.h>

struct queue {
    pthread_mutex_t lock;
    int count;
    int seen;
    int done;
};

#if defined twice || defined once
void put(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->count++; //~[twice once] RACE
    pthread_mutex_unlock(&q->lock);
}

#ifdef twice
// A lock for each round would do against the race; but what is read twice is one number.
int sum(struct queue *q)
{
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += q->count; //~[twice] RACE
    //~^[twice] REMEDY hold `q->lock` in all of `sum`
    return sum;
}
#else
int sum(struct queue *q)
{
    int sum = 0;
    for (int i = 0; i < 1; i++)
        sum += q->count; //~[once] RACE
    //~^[once] REMEDY hold `q->lock` at results.c:37 (sum); tried: with that these races are gone, nothing else goes wrong (no deadlock either), and calls at once come to what they come to one after the other
    return sum;
}
#endif
#elif defined check
// No lock is there: atomic accesses mend the race, and two may take the last one.
int take(struct queue *q)
{
    if (q->count == 1) { //~[check] RACE
        q->count--; //~[check] RACE
        //~^[check] REMEDY what stays possible: take and take at once can come to what no order of them comes to: take returns 1 rather than 0
        return 1;
    }
    return 0;
}
#elif defined added
void put(struct queue *q)
{
    q->count++; //~[added] RACE
    //~^[added] REMEDY calls at once come to what they come to one after the other, all of it and nothing else
}
#elif defined before || defined no_before
// What calls come to where nothing races is not the remedy's affair: between the sections of this one another call may come.
int move(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    int count = q->count;
#ifdef before
    pthread_mutex_unlock(&q->lock);
    pthread_mutex_lock(&q->lock);
#endif
    q->count = count + 1;
    pthread_mutex_unlock(&q->lock);
    return q->done; //~[before no_before] RACE
    //~^[before] REMEDY and to nothing else that they did not come to before
    //~^^[no_before] REMEDY calls at once come to what they come to one after the other, all of it and nothing else
}

void finish(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->done = 1; //~[before no_before] RACE
    pthread_mutex_unlock(&q->lock);
}
#elif defined lost || defined kept
// What was read before the lock is taken is written under it.
int put(struct queue *q)
{
#ifdef lost
    int count = q->count; //~[lost] RACE
    //~^[lost] REMEDY in one section with what holds it there; tried: with that these races are gone, nothing else goes wrong (no deadlock either), and calls at once come to what
    pthread_mutex_lock(&q->lock);
#else
    pthread_mutex_lock(&q->lock);
    int count = q->count;
#endif
    q->count = count + 1; //~[lost] RACE
    pthread_mutex_unlock(&q->lock);
    return count;
}
#endif
//~[kept] SAFE
