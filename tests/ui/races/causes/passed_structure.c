//@ run: races
//@ revisions: made taken
// What a public function makes, or takes by itself, is what threads share, whatever else is passed beside it.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;

// The library means to be called by several threads.
void count_call(void)
{
    pthread_mutex_lock(&lock);
    calls++;
    pthread_mutex_unlock(&lock);
}

struct channel {
    int waiting;
    int value;
};

struct item {
    int value;
};

#ifdef made
struct channel *channel_new(void)
{
    struct channel *c = calloc(1, sizeof *c);
    return c;
}
#endif

#ifdef taken
int channel_waiting(struct channel *c)
{
    return c->waiting; //~[taken] RACE
}
#endif

void channel_get(struct channel *c, struct item *out)
{
    c->waiting++; //~ RACE
    out->value = 1; //~ RACE
}
//~[made] CAUSE one thread writes `struct channel.waiting` while another reads or writes it
//~[taken] CAUSE one thread writes `struct channel.waiting` while another reads or writes it
//~ CONTRACT `channel_get` is passed one `struct item` by several threads
