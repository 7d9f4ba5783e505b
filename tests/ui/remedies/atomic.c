//@ run: races
//@ revisions: counted counted_twin check check_twin dekker changed changed_twin mixed helper
// No lock is there: accesses are made atomic, with the weakest order that suffices; where one only hides what is wrong, it is said what stays
// possible. Each with a twin that has it, and in which there is nothing to be mended, or with which another order is told.
#include <pthread.h>
#include <stdatomic.h>

struct counter {
    int count;
    _Atomic int same;
    int ready;
    int other;
};

#if defined counted
void put(struct counter *c)
{
    c->count++; //~[counted] RACE
    //~^[counted] REMEDY make the accesses at atomic.c:18 (put) and atomic.c:24 (get) atomic, relaxed; tried
}

int get(struct counter *c)
{
    return c->count; //~[counted] RACE
}
#elif defined counted_twin
void put(struct counter *c)
{
    __atomic_fetch_add(&c->count, 1, __ATOMIC_RELAXED);
}

int get(struct counter *c)
{
    return __atomic_load_n(&c->count, __ATOMIC_RELAXED);
}
#elif defined check
// Two may find that there is one left: the races are gone with atomic accesses, and it still comes to less than none.
int take(struct counter *c)
{
    if (c->count == 1) { //~[check] RACE
        c->count--; //~[check] RACE
        //~^[check] REMEDY what is read at atomic.c:40 (take) may be out of date at atomic.c:41 (take)
        return 1;
    }
    return 0;
}
#elif defined check_twin
// What is read is what is exchanged.
int take(struct counter *c)
{
    int one = 1;
    return __atomic_compare_exchange_n(&c->count, &one, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#elif defined changed
// What is added is no integer: the atomic functions would add nothing.
void put(struct counter *c)
{
    c->other += 0.5; //~[changed] RACE
}
#elif defined changed_twin
void put(struct counter *c)
{
    c->other += 2; //~[changed_twin] RACE
    //~^[changed_twin] REMEDY make the accesses at atomic.c:63 (put) atomic, relaxed; tried
}
#elif defined mixed
// One side is atomic already.
void put(struct counter *c)
{
    __atomic_store_n(&c->count, 1, __ATOMIC_RELEASE); //~[mixed] RACE
}

int get(struct counter *c)
{
    return c->count; //~[mixed] RACE
    //~^[mixed] REMEDY make the accesses at atomic.c:75 (get) atomic, relaxed; tried
}
#elif defined helper
// What is read in one function is accessed again where it was called from.
static int left(const struct counter *c)
{
    return c->count; //~[helper] RACE
}

int take(struct counter *c)
{
    if (left(c) == 0)
        return 0;
    c->count--; //~[helper] RACE
    //~^[helper] REMEDY what is read at atomic.c:82 (left) may be out of date at atomic.c:89 (take)
    return 1;
}
#else
// Each looks at what the other one has said: weaker orders than the strongest let both come in.
void one(struct counter *c)
{
    c->count = 1; //~[dekker] RACE
    if (!c->ready) //~[dekker] RACE
        c->other = 1; //~[dekker] RACE
}
void two(struct counter *c)
{
    c->ready = 1; //~[dekker] RACE
    if (!c->count) //~[dekker] RACE
        c->other = 2; //~[dekker] RACE
        //~^[dekker] REMEDY atomic, sequentially consistent
}
#endif
//~[counted_twin check_twin] SAFE
