// variants: usual=robust relaxed=race
// Three owners of one object: whoever gives the last reference back frees it.
#include "harness.h"

#ifdef relaxed
#define DROP RELAXED
#define FENCE RELAXED
#else
#define DROP RELEASE
#define FENCE ACQUIRE
#endif

struct object {
    atomic_int references;
    int value;
};
static struct object *shared;

static void keep(struct object *object)
{
    atomic_fetch_add_explicit(&object->references, 1, RELAXED);
}

static void drop(struct object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, DROP) == 1) {
        atomic_thread_fence(FENCE);
        free(object);
    }
}

static void *owner(void *argument)
{
    keep(shared);
    int value = shared->value;
    drop(shared);
    (void)value;
    drop(shared);
    return argument;
}

int main(void)
{
    shared = malloc(sizeof *shared);
    atomic_init(&shared->references, 3);
    shared->value = 1;
    RUN(owner, owner, owner);
    return 0;
}
