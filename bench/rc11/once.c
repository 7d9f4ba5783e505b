// variants: usual=robust relaxed=race exchanged=robust
// What is needed once is made by whoever comes first: behind a lock, or by a compare-and-exchange that the others lose.
#include "harness.h"

struct config {
    int value;
};
static struct config *_Atomic shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct config *make(void)
{
    struct config *made = malloc(sizeof *made);
    made->value = 7;
    return made;
}

static struct config *get(void)
{
#if defined exchanged
    struct config *known = atomic_load_explicit(&shared, ACQUIRE);
    if (known)
        return known;
    struct config *made = make();
    if (atomic_compare_exchange_strong_explicit(&shared, &known, made, ACQ_REL, ACQUIRE))
        return made;
    free(made);
    return known;
#else
#if defined relaxed
    struct config *known = atomic_load_explicit(&shared, RELAXED);
#else
    struct config *known = atomic_load_explicit(&shared, ACQUIRE);
#endif
    if (!known) {
        pthread_mutex_lock(&mutex);
        known = atomic_load_explicit(&shared, RELAXED);
        if (!known) {
            known = make();
            atomic_store_explicit(&shared, known, RELEASE);
        }
        pthread_mutex_unlock(&mutex);
    }
    return known;
#endif
}

static void *user(void *argument)
{
    return get()->value == 7 ? argument : NULL;
}

int main(void)
{
    RUN(user, user, user);
    free(atomic_load(&shared));
    return 0;
}
