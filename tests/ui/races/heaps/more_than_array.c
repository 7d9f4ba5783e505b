//@ run: races --heaps any
//@ revisions: bound enough locked
//@[enough] flags: --array 6
// So many bytes are copied at once no array within the bounds has: each call was left out as one that its callers may not make, and the
// library was called safe.
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char address[6];

int set_address(const unsigned char *from)
{
    if (from == NULL)
        return -1;
#ifdef locked
    pthread_mutex_lock(&lock);
    memcpy(address, from, 2);
    pthread_mutex_unlock(&lock);
#else
    memcpy(address, from, 6); //~[enough] RACE write/write
#endif
    return 0;
}
//~[bound] INCONCLUSIVE ledger=array_bound
//~[locked] SAFE
