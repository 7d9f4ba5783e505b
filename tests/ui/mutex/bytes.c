//@ run: check
//@ revisions: looked compared copied cleared renewed
// What a mutex's bytes hold is the library's business: a decision by them may go either way. To copy them, or to clear a structure
// before its mutex is initialised, is no decision.
#include <pthread.h>
#include <string.h>

struct shared {
    pthread_mutex_t lock;
    int value;
};

int main(void)
{
    struct shared a, b;
    memset(&a, 0, sizeof a);
    pthread_mutex_init(&a.lock, NULL);
    pthread_mutex_lock(&a.lock);
    a.value = 1;
    pthread_mutex_unlock(&a.lock);
    b = a;
    int found = b.value;
#if defined looked
    unsigned char *bytes = (unsigned char *)&a.lock;
    if (bytes[0]) //~[looked] UNINITIALIZED_READ
        found++;
#elif defined compared
    pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&other);
    if (memcmp(&a.lock, &other, sizeof other)) //~[compared] UNINITIALIZED_READ
        found++;
#elif defined cleared
    pthread_mutex_destroy(&a.lock);
    memset(&a, 0, sizeof a);
    if (((unsigned char *)&a.lock)[0])
        found++;
#elif defined renewed
    pthread_mutex_destroy(&a.lock);
    pthread_mutex_init(&a.lock, NULL);
#endif
    return found;
}
//~[copied,cleared,renewed] SAFE
