//@ run: races
//@ revisions: nothing locks atomics unknown partly
// Functions without a lock, a wait or an atomic access keep no threads apart: one cause for all fields of a type that they share. Not
// for a variable, nor where one of those that use the type synchronises.
#include <pthread.h>
#include <stdatomic.h>

struct list {
    int length;
    int sum;
};

static int lists;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void list_add(struct list *l, int value)
{
    l->length++;    //~ RACE
    l->sum += value; //~ RACE
}

int list_length(struct list *l)
{
#ifdef partly
    pthread_mutex_lock(&lock);
#endif
    int length = l->length; //~ RACE
#ifdef partly
    pthread_mutex_unlock(&lock);
#endif
    return length;
}

void list_count(void)
{
    lists++; //~ RACE
}

#ifdef locks
void list_lock(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}
#endif

#ifdef atomics
static atomic_int used;

void list_use(void)
{
    used++;
}
#endif

#ifdef unknown
// It may be a lock.
void enter(void);

void list_enter(void)
{
    enter();
}
#endif
//~[nothing,locks,atomics,unknown] CAUSE `list_add` and `list_length` use a `struct list` at once
//~[partly] CAUSE one thread writes `struct list.length` while another reads or writes it
//~[partly] CAUSE one thread writes `struct list.sum` while another reads or writes it
//~ CAUSE one thread writes `lists` while another reads or writes it
