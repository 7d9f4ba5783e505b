//@ run: check
//@ revisions: plain seq_cst acq_rel sc
//@[sc] flags: --memory=sc
// Double-checked locking. With a plain pointer the first look races with the store, and what it finds may be empty.
// Atomic, either thread initialises, and the other looks before its store or after: four executions.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int value;
};

#if defined plain
static struct config *instance;
#define LOAD() instance
#define STORE(p) (instance = (p))
#else
static struct config *_Atomic instance;
#if defined seq_cst
#define ACQUIRE memory_order_seq_cst
#define RELEASE memory_order_seq_cst
#else
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#endif
#define LOAD() atomic_load_explicit(&instance, ACQUIRE)
#define STORE(p) atomic_store_explicit(&instance, (p), RELEASE)
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct config *get(void)
{
    struct config *p = LOAD(); //~[plain] RACE@pointer read
    if (!p) {
        pthread_mutex_lock(&lock);
        p = LOAD();
        if (!p) {
            p = malloc(sizeof *p);
            p->value = 42; //~[plain] RACE@content write
            STORE(p); //~[plain] RACE@pointer write
        }
        pthread_mutex_unlock(&lock);
    }
    return p;
}

static void *worker(void *arg)
{
    int value = get()->value; //~[plain] RACE@content read
    assert(value == 42);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[seq_cst,sc] SAFE executions=4
//~[acq_rel] SAFE
