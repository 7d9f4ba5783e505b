//@ run: races
// What sets the module up writes to a stream between: what does not come to the lock does nothing to it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock;
static FILE *out;
static int hits;

static void begin(FILE *to)
{
    out = to;
    fwrite("[", 1, 1, out);
    hits = 0;
    pthread_mutex_init(&lock, NULL);
}

int log_begin(const char *name)
{
    FILE *to = fopen(name, "w");
    if (!to)
        return -1;
    begin(to);
    return 0;
}

void hit(void)
{
    pthread_mutex_lock(&lock);
    hits++;
    pthread_mutex_unlock(&lock);
}
//~ SAFE
//~ PAIR log_begin log_begin exclusive
//~ PAIR log_begin hit exclusive
//~ PAIR hit hit safe
