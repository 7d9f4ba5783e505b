/* The one counter there is. */
#include "../counter.c"

#include <oracle.h>

enum { SET, GET, LOOK };

const char *const oracle_operations[] = { "set", "get", "look", NULL };

static struct counter *counter;

NOT_WATCHED void oracle_build(int depth, const int operation[THREADS])
{
    (void)depth;
    (void)operation;
    counter = create();
}

NOT_WATCHED bool oracle_valid(void)
{
    return counter->reads == 0;
}

NOT_WATCHED void oracle_call(int thread, int operation)
{
    switch (operation) {
    case SET:
        set(counter, thread);
        break;
    case GET:
        get(counter);
        break;
    case LOOK:
        look(counter);
        break;
    }
}
