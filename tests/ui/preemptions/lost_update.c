//@ run: check
//@ revisions: none one unbounded update
//@[none] flags: --preemptions 0
//@[one] flags: --preemptions 1
// A lost update needs one preemption, between the load and the store. With loads L, l and stores S, s of the two threads
// the traces are LSls and lsLS with none; and, the order of the loads being no matter, {LlsS, lLsS} and {LlSs, lLSs}. Of
// each of these, one order needs two preemptions (LlSs: after L, after l), the other one: the trace is within the bound.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int hits;

static void *worker(void *arg)
{
#ifdef update
    hits++;
#else
    int seen = hits;
    hits = seen + 1;
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(hits == 2); //~[one,unbounded] ASSERTION
    return 0;
}
//~[none] SAFE executions=2
//~[one,unbounded] FINDINGS executions=4
//~[update] SAFE executions=2
