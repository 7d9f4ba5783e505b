//@ run: check
//@ revisions: plain recursive
// mtx_plain waits for itself, mtx_recursive counts.
#include <threads.h>

static mtx_t lock;

int main(void)
{
#ifdef recursive
    mtx_init(&lock, mtx_plain | mtx_recursive);
#else
    mtx_init(&lock, mtx_plain);
#endif
    mtx_lock(&lock);
    mtx_lock(&lock); //~[plain] DEADLOCK
    mtx_unlock(&lock);
    mtx_unlock(&lock);
    return 0;
}
//~[recursive] SAFE executions=1
