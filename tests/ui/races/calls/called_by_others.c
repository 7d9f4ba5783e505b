//@ run: races
//@ revisions: bare locked static_one
// A public function that another one calls is no operation, but clients may call it: where that races, nothing is safe.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

#ifdef static_one
static
#endif
int is_full(void)
{
    return count == 16;
}

int add(void)
{
    pthread_mutex_lock(&lock);
    int room = !is_full();
    if (room)
        count++;
    pthread_mutex_unlock(&lock);
    return room;
}

#ifdef locked
int has_room(void)
{
    pthread_mutex_lock(&lock);
    int room = !is_full();
    pthread_mutex_unlock(&lock);
    return room;
}
#endif
//~[bare] INCONCLUSIVE ledger=called_by_others
//~[locked] INCONCLUSIVE ledger=called_by_others
//~[static_one] SAFE
