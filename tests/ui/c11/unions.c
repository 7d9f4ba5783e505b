//@ run: check
//@ revisions: overlapping apart
// Members of a union share bytes: writing the word and writing its last byte conflict. In a struct they do not.
#include <assert.h>
#include <pthread.h>

#ifdef overlapping
union cell {
#else
struct cell {
#endif
    unsigned word;
    unsigned char byte[4];
};

#ifdef overlapping
static union cell shared;
#else
static struct cell shared;
#endif

static void *bytewise(void *arg)
{
    shared.byte[3] = 0xff; //~[overlapping] RACE@bytes write
    return arg;
}

int main(void)
{
    union {
        unsigned word;
        unsigned short half[2];
    } pun = {.word = 0x00020001u};
    assert(pun.half[0] == 1 && pun.half[1] == 2);
    pthread_t t;
    pthread_create(&t, NULL, bytewise, NULL);
    shared.word = 7; //~[overlapping] RACE@bytes write
    pthread_join(t, NULL);
    return 0;
}
//~[apart] SAFE executions=1
