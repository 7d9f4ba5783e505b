//@ run: check
//@ revisions: locked unlocked
// What gettext, basename and the version lead to can be read: paths behind them are gone on with.
#define _GNU_SOURCE
#include <libintl.h>
#include <pthread.h>
#include <string.h>
#include <gnu/libc-version.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int words;

static void *count(void *arg)
{
    if (gettext("text")[0] == 't' && gnu_get_libc_version()[0] == '2' && basename("a/b")[0] == 'b') {
#ifdef locked
        pthread_mutex_lock(&lock);
#endif
        words++; //~[unlocked] RACE read/write //~[unlocked] RACE write/write
#ifdef locked
        pthread_mutex_unlock(&lock);
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, count, NULL);
    count(NULL);
    pthread_join(t, NULL);
    return 0;
}
//~[locked] INCONCLUSIVE ledger=concretized
