//@ run: check
//@ revisions: adjacent separated
// Adjacent bit-fields are one memory location (C11 3.14p3): a store to one reads and writes its neighbour.
// A field of width zero between them makes two locations.
#include <assert.h>
#include <pthread.h>

static struct {
    unsigned left : 4;
#ifdef separated
    unsigned : 0;
#endif
    unsigned right : 5;
} bits;

static void *lefthand(void *arg)
{
    bits.left = 17 & 15; //~[adjacent] RACE@rw read //~[adjacent] RACE@wr,ww write
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, lefthand, NULL);
    bits.right = 30; //~[adjacent] RACE@rw,ww write //~[adjacent] RACE@wr read
    pthread_join(t, NULL);
#ifdef separated
    assert(bits.left == 1 && bits.right == 30);
#endif
    return 0;
}
//~[separated] SAFE executions=1
